// Charts: pure functions from facts and the reader's choices to what Plotly draws.
"use strict";
const DASHES = ["solid", "dash", "dot", "dashdot"];
const CONFIG = { responsive: true, displayModeBar: false };
// A mouse zooms by dragging, and back by a double click; a finger scrolls the page.
const DRAG = matchMedia("(pointer: fine)").matches ? "zoom" : false;
const PERCENT = ",.4~%";

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
const modelColor = (i) => color(`model-${i % 7}`);
const modelDash = (i) => DASHES[i % DASHES.length];

function faded(hex, alpha) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

function axis(title, more) {
  const line = { gridcolor: color("grid"), linecolor: color("line"), zeroline: false, ticks: "outside", tickcolor: color("line") };
  return { ...line, title: { text: title, standoff: 8 }, automargin: true, ...more };
}

function layout(more) {
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest", dragmode: DRAG,
    margin: { l: 56, r: 14, t: 14, b: 48 },
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: color("text") },
    hoverlabel: { bgcolor: color("card"), bordercolor: color("line"), font: { color: color("text") } },
    ...more,
  };
}

// A logarithmic axis has no place for 0: it is drawn half a false alarm before the first one.
function smallest(models) {
  return 0.5 / Math.max(...models.map((model) => model.negatives));
}
function shownRate(rate, models, state) {
  return state.log ? Math.max(rate, smallest(models)) : rate;
}
function rateAxis(facts, state) {
  const right = state.whole ? 1.01 : facts.view.fpr[1];
  if (!state.log) {
    const left = state.whole ? -0.01 : facts.view.fpr[0];
    return axis("False positive rate", { range: [left, right], tickformat: PERCENT });
  }
  const left = state.whole ? 0 : facts.region.min_fpr;
  const ends = [Math.max(left, smallest(facts.models)), right].map(Math.log10);
  return axis("False positive rate (log)", { type: "log", range: ends, tickformat: PERCENT, nticks: 6 });
}

function bandTraces(x, band, fill) {
  const edge = { mode: "lines", line: { width: 0 }, hoverinfo: "skip", x };
  return [{ ...edge, y: band.low }, { ...edge, y: band.high, fill: "tonexty", fillcolor: fill }];
}

function rocShapes(facts, state) {
  const { min_fpr, max_fpr, min_tpr, max_tpr } = facts.region;
  const [left, budget] = [min_fpr, facts.budgets[state.stop]].map((rate) => shownRate(rate, facts.models, state));
  return [
    { type: "rect", layer: "below", x0: left, x1: max_fpr, y0: min_tpr, y1: max_tpr,
      fillcolor: color("region"), line: { color: color("edge"), width: 1, dash: "dot" } },
    { type: "line", x0: budget, x1: budget, y0: 0, y1: 1, yref: "paper", line: { color: color("quiet"), width: 1 } },
    ...facts.models.map((model, i) => dot(facts, state, model, i)),
  ];
}

// A circle, in pixels around its anchor; written as a path, since a logarithmic axis refuses negative pixels otherwise.
const DOT = "M-6,0C-6,-3.31,-3.31,-6,0,-6C3.31,-6,6,-3.31,6,0C6,3.31,3.31,6,0,6C-3.31,6,-6,3.31,-6,0Z";
// Dots are shapes, not points of a curve: moving them leaves the curves alone, which is many times faster.
function dot(facts, state, model, i) {
  const { false_alarms, found } = model.points[state.stop];
  return {
    type: "path", path: DOT, xsizemode: "pixel", ysizemode: "pixel",
    xanchor: shownRate(false_alarms / model.negatives, facts.models, state), yanchor: found / model.positives,
    fillcolor: modelColor(i), line: { color: color("card"), width: 2 },
  };
}

function rocChart(facts, state) {
  const traces = [];
  facts.models.forEach((model, i) => {
    if (state.bands) {
      const x = model.band.fpr.map((rate) => shownRate(rate, facts.models, state));
      traces.push(...bandTraces(x, model.band, faded(modelColor(i), 0.14)));
    }
  });
  facts.models.forEach((model, i) => {
    traces.push({
      x: model.curve.false_alarms.map((count) => shownRate(count / model.negatives, facts.models, state)),
      y: model.curve.found.map((count) => count / model.positives),
      customdata: model.curve.false_alarms.map((count) => count / model.negatives),
      mode: "lines", line: { color: modelColor(i), width: 2.2, dash: modelDash(i) }, name: plain(model.name),
      hovertemplate: "FPR %{customdata:.4~%}, TPR %{y:.4~%}<extra>%{fullData.name}</extra>",
    });
  });
  const y = state.whole ? [-0.02, 1.02] : facts.view.tpr;
  return [traces, layout({
    xaxis: rateAxis(facts, state),
    yaxis: axis("True positive rate", { range: y, tickformat: PERCENT }),
    shapes: rocShapes(facts, state),
  })];
}

function differenceChart(facts, state) {
  const band = facts.models[state.pair].versus;
  const x = band.fpr.map((rate) => shownRate(rate, facts.models, state));
  const own = modelColor(state.pair);
  const [low, high] = visibleRange(band, state.whole ? [0, 1] : [facts.region.min_fpr, facts.region.max_fpr]);
  const traces = [
    ...bandTraces(x, band, faded(own, 0.16)),
    { x, y: band.value, customdata: band.fpr, mode: "lines", line: { color: own, width: 2.2 },
      hovertemplate: "FPR %{customdata:.4~%}: %{y:+.2%}<extra></extra>" },
  ];
  const zero = { type: "line", xref: "paper", x0: 0, x1: 1, y0: 0, y1: 0, line: { color: color("quiet"), width: 1 } };
  return [traces, layout({
    xaxis: rateAxis(facts, state),
    yaxis: axis("Difference in TPR", { range: [low, high], tickformat: "+.4~%" }),
    shapes: [zero],
  })];
}

function visibleRange(band, [from, to]) {
  const inside = band.fpr.map((rate, i) => (rate >= from && rate <= to ? i : -1)).filter((i) => i >= 0);
  const low = Math.min(0, ...inside.map((i) => band.low[i]));
  const high = Math.max(0, ...inside.map((i) => band.high[i]));
  const margin = 0.06 * (high - low) || 0.05;
  return [low - margin, high + margin];
}

function histogramChart(model, state) {
  const { edges, positives, negatives } = model.histogram;
  const centres = edges.slice(1).map((edge, i) => edge / 2 + edges[i] / 2);
  const widths = edges.slice(1).map((edge, i) => edge - edges[i]);
  const bars = (counts, total, paint) => ({
    type: "bar", x: centres, width: widths, y: counts.map((count) => count / total), customdata: counts,
    marker: { color: faded(paint, 0.72), line: { width: 0 } },
    hovertemplate: "score %{x:.4~g}: %{customdata:,} (%{y:.3~%})<extra></extra>",
  });
  return [
    [bars(negatives, model.negatives, color("negatives")), bars(positives, model.positives, color("positives"))],
    layout({
      barmode: "overlay", bargap: 0, shapes: thresholdLine(model, state),
      xaxis: axis("Score", { showgrid: false }),
      yaxis: axis("", { tickformat: PERCENT, type: state.logCounts ? "log" : "linear", nticks: 5 }),
      margin: { l: 52, r: 10, t: 8, b: 44 },
    }),
  ];
}

function thresholdLine(model, state) {
  const at = Number(model.points[state.stop].threshold);
  const { edges } = model.histogram;
  if (!(at >= edges[0] && at <= edges[edges.length - 1])) return [];
  return [{ type: "line", x0: at, x1: at, y0: 0, y1: 1, yref: "paper", line: { color: color("text"), width: 1.5 } }];
}

function convergenceChart(run) {
  const line = (y, paint, more) => ({
    x: run.epochs, y, mode: "lines+markers", marker: { size: 5 }, line: { color: paint, width: 2 },
    hovertemplate: "epoch %{x}: %{y:.4f}<extra></extra>", ...more,
  });
  const traces = [line(run.target, color("model-0")), line(run.loss, color("model-1"), { yaxis: "y2" })];
  const shapes = [], annotations = [];
  const first = 1 - run.warmup - 0.5, last = run.epochs[run.epochs.length - 1] + 0.5;
  if (run.warmup > 0) {
    shapes.push({ type: "rect", layer: "below", yref: "paper", y0: 0, y1: 1, x0: first, x1: 0.5, fillcolor: color("region"), line: { width: 0 } });
    annotations.push(note(first, `warm-up: ${run.warmup} epochs of cross-entropy`, "left"));
  }
  if (run.best !== null) {
    shapes.push({ type: "line", yref: "paper", y0: 0, y1: 1, x0: run.best, x1: run.best, line: { color: color("quiet"), width: 1, dash: "dash" } });
    annotations.push(note(run.best, `selected: epoch ${run.best}`, run.best > last / 2 ? "right" : "left"));
  }
  // Two notes that begin close to each other stand one above the other.
  if (annotations.length > 1) annotations[0].yshift = 16;
  // There are no halves of an epoch, which Plotly would name between a few.
  const epochs = axis("Epoch", { range: [first, last], anchor: "y2" });
  if (last - first < 12) epochs.dtick = 1;
  return [traces, layout({
    margin: { l: 64, r: 14, t: 44, b: 46 },
    xaxis: epochs,
    yaxis: axis("Partial AUC,<br>validation", { domain: [0.44, 1] }),
    yaxis2: axis("Training<br>loss", { domain: [0, 0.34], nticks: 4 }),
    shapes, annotations,
  })];
}

function note(x, text, side) {
  return { x, y: 1.0, yref: "paper", text, showarrow: false, xanchor: side, yanchor: "bottom", font: { size: 12, color: color("quiet") } };
}

// Plotly reads a few tags in names; a name is text and nothing else.
function plain(name) {
  return name.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
