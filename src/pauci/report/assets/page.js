// The page: what the reader chooses, and the numbers and charts that follow from it.
const facts = JSON.parse(document.getElementById("facts").textContent);
const state = {
  stop: facts.start, prevalence: facts.prevalence, volume: facts.volume,
  whole: false, log: false, bands: true, logCounts: false,
  pair: facts.models.findIndex((model) => model.versus !== null),
};
const byId = (id) => document.getElementById(id);

function percent(share) {
  const value = 100 * share, size = Math.abs(value);
  if (value === 0) return "0%";
  return `${value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4)}%`;
}
// Few a day are not none.
function count(number) {
  const digits = number < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: number < 100 ? 1 : 0 };
  return number.toLocaleString("en-US", digits);
}

// Precision at a prevalence, from what it would be if both classes were equally common.
function precisionAt(even, prevalence) {
  const hits = prevalence * even;
  return hits / (hits + (1 - prevalence) * (1 - even));
}

function numbersAt(model, stop, prevalence, volume) {
  const point = model.points[stop];
  const tpr = point.found / model.positives, fpr = point.false_alarms / model.negatives;
  const hits = prevalence * tpr, alarms = (1 - prevalence) * fpr;
  return {
    threshold: point.threshold, tpr, fpr, tpr_low: point.tpr_low, tpr_high: point.tpr_high, fpr_upper: point.fpr_upper,
    precision: hits + alarms > 0 ? hits / (hits + alarms) : null,
    precision_low: point.even && precisionAt(point.even[0], prevalence),
    precision_high: point.even && precisionAt(point.even[1], prevalence),
    alerts: volume * (hits + alarms), hits: volume * hits,
  };
}

function showNumbers() {
  const budget = facts.budgets[state.stop];
  byId("budget").value = percent(budget);
  byId("stop").setAttribute("aria-valuetext", `at most ${percent(budget)} false positives`);
  const valid = state.prevalence > 0 && state.prevalence < 1 && state.volume > 0;
  facts.models.forEach((model, i) => {
    const found = numbersAt(model, state.stop, state.prevalence, state.volume);
    const between = (low, high) => (low === null ? "" : `${percent(low).slice(0, -1)} to ${percent(high)}`);
    show(i, "threshold", found.threshold, found.threshold, "");
    show(i, "tpr", found.tpr, percent(found.tpr), between(found.tpr_low, found.tpr_high));
    show(i, "fpr", found.fpr, percent(found.fpr), found.fpr_upper === null ? "" : `up to ${percent(found.fpr_upper)}`);
    const known = valid && found.precision !== null;
    show(i, "precision", known ? found.precision : "", known ? percent(found.precision) : "\u2013",
      known ? between(found.precision_low, found.precision_high) : "");
    show(i, "alerts", valid ? found.alerts : "", valid ? count(found.alerts) : "\u2013",
      valid ? `${count(found.hits)} of them true` : "");
  });
}

function show(model, field, value, text, note) {
  const place = document.querySelector(`[data-model="${model}"][data-field="${field}"]`);
  place.value = String(value);
  place.textContent = text;
  document.querySelector(`[data-model="${model}"][data-note="${field}"]`).textContent = note;
}

function draw(id, [traces, settings]) {
  Plotly.react(byId(id), traces, settings, CONFIG);
}
function drawRates() {
  draw("roc", rocChart(facts, state));
  if (state.pair >= 0) draw("difference", differenceChart(facts, state));
}
function drawHistograms() {
  facts.models.forEach((model, i) => draw(`histogram-${i}`, histogramChart(model, state)));
}
function drawAll() {
  if (facts.models.length) {
    drawRates();
    drawHistograms();
  }
  facts.runs.forEach((run, i) => run.epochs.length && draw(`convergence-${i}`, convergenceChart(run)));
}

function relayoutAll(settings) {
  document.querySelectorAll(".js-plotly-plot").forEach((chart) => Plotly.relayout(chart, settings));
}

let moving = 0;
function moveTo(stop) {
  state.stop = stop;
  showNumbers();
  cancelAnimationFrame(moving);
  moving = requestAnimationFrame(() => {
    Plotly.relayout("roc", { shapes: rocShapes(facts, state) });
    facts.models.forEach((model, i) => Plotly.relayout(`histogram-${i}`, { shapes: thresholdLine(model, state) }));
  });
}

function onNumber(id, read) {
  byId(id).addEventListener("input", (event) => {
    const valid = event.target.value !== "" && event.target.checkValidity();
    event.target.setAttribute("aria-invalid", String(!valid));
    read(valid ? Number(event.target.value) : NaN);
    showNumbers();
  });
}

function listenToModels() {
  const dial = byId("stop");
  dial.value = state.stop;
  dial.disabled = facts.budgets.length < 2;
  dial.addEventListener("input", () => moveTo(Number(dial.value)));
  onNumber("prevalence", (value) => { state.prevalence = value / 100; });
  onNumber("volume", (value) => { state.volume = value; });
  byId("roc-controls").addEventListener("change", () => {
    state.whole = document.querySelector("[name=view]:checked").value === "whole";
    state.log = document.querySelector("[name=axis]:checked").value === "log";
    state.bands = byId("bands").checked;
    drawRates();
  });
  byId("log-counts").addEventListener("change", (event) => {
    state.logCounts = event.target.checked;
    drawHistograms();
  });
  if (state.pair >= 0) {
    byId("pair").addEventListener("change", (event) => {
      state.pair = Number(event.target.value);
      drawRates();
    });
  }
  showNumbers();
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").setAttribute("aria-pressed", String(name === "dark"));
  drawAll();
}

function listenToPage() {
  const root = document.documentElement;
  byId("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  document.querySelectorAll(".copy").forEach((button) => button.addEventListener("click", () => copy(button)));
  let before = root.dataset.theme;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    setTheme("light");
    relayoutAll({ width: 690 });
  });
  addEventListener("afterprint", () => {
    setTheme(before);
    relayoutAll({ autosize: true });
  });
}

function copy(button) {
  const selection = getSelection(), range = document.createRange();
  range.selectNodeContents(button.parentElement.querySelector("code"));
  selection.removeAllRanges();
  selection.addRange(range);
  // Pages opened from a disk may not use the newer clipboard interface.
  button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

listenToPage();
if (facts.models.length) listenToModels();
setTheme(document.documentElement.dataset.theme);
