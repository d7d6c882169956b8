"""The R package pROC and pauci side by side: values, standard errors, comparisons, coverage of intervals.

    apt-get install r-cran-proc        # or, in R: install.packages("pROC")
    python benchmarks/against_proc.py [--samples 200] [--coverage 300]

- Values: the largest difference over samples of all sizes, with and without ties.
- By bootstrap, which pROC offers for partial areas: the median of pROC's standard error over that of `method="delong"`.
- Coverage of 95% intervals for the partial AUC at FPR <= 0.1, where the truth is known: pROC's `ci.auc` (stratified
  bootstrap, percentiles) and `partial_auc_interval`, on the same samples.
"""

import argparse
import csv
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from pauci import Region, partial_auc_score
from pauci.metrics import compare_partial_auc, partial_auc_interval
from pauci.metrics.sample import Sample
from pauci.metrics.standard_error import standard_error

_R = r"""
suppressPackageStartupMessages(library(pROC))
data <- read.csv("scores.csv")
out <- file("found.csv", "w")
writeLines("sample,name,value", out)
tell <- function(sample, name, value) writeLines(sprintf("%d,%s,%.17g", sample, name, as.numeric(value)), out)
set.seed(0)
for (i in unique(data$sample)) {
  d <- data[data$sample == i, ]
  a <- roc(d$y, d$a, levels = c(0, 1), direction = "<", quiet = TRUE)
  if (d$kind[1] == "values") {
    b <- roc(d$y, d$b, levels = c(0, 1), direction = "<", quiet = TRUE)
    fpr <- list(partial.auc = c(1 - d$low[1], 1 - d$high[1]), partial.auc.focus = "specificity")
    tpr <- list(partial.auc = c(1, d$tpr[1]), partial.auc.focus = "sensitivity")
    tell(i, "area", do.call(auc, c(list(a), fpr)))
    tell(i, "mcclish", do.call(auc, c(list(a), fpr, partial.auc.correct = TRUE)))
    tell(i, "tpr area", do.call(auc, c(list(a), tpr)))
    tell(i, "delong error", sqrt(var(a, method = "delong")))
    test <- roc.test(a, b, method = "delong", paired = TRUE)
    tell(i, "delong z", test$statistic)
    boot <- c(list(a, method = "bootstrap", boot.n = 1000, boot.stratified = TRUE, reuse.auc = FALSE,
                   progress = "none"), fpr)
    tell(i, "bootstrap error", sqrt(do.call(var, boot)))
  } else {
    area <- auc(a, partial.auc = c(1, 0.9), partial.auc.focus = "specificity")
    ends <- suppressWarnings(ci.auc(area, method = "bootstrap", boot.n = 1000, progress = "none"))
    tell(i, "low", ends[1])
    tell(i, "high", ends[3])
  }
}
close(out)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--coverage", type=int, default=300)
    options = parser.parse_args()
    if shutil.which("Rscript") is None:
        raise SystemExit("this needs R with the package pROC: apt-get install r-cran-proc")
    compare_values(options.samples)
    compare_coverage(options.coverage)


def compare_values(count):
    rng = np.random.default_rng(0)
    samples = [one_sample(rng) for _ in range(count)]
    found = in_r("values", samples)
    ours = [measured(sample) for sample in samples]
    print(f"{count} samples: largest difference between pROC and pauci")
    for name in ("area", "mcclish", "tpr area", "delong error", "delong z"):
        print(f"  {name:13} {np.nanmax([abs(r[name] - p[name]) for r, p in zip(found, ours, strict=True)]):.1e}")
    ratios = [r["bootstrap error"] / p["error"] for r, p in zip(found, ours, strict=True) if p["error"] > 0]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print("standard error of partial areas, pROC's bootstrap / pauci's DeLong, median and quartiles: ", end="")
    print(f"{middle:.3f} ({low:.3f} to {high:.3f})")


def one_sample(rng):
    """Scores with ties in half of the samples, and edges anywhere."""
    n_pos, n_neg = rng.integers(20, 200), rng.integers(50, 1000)
    y = np.repeat([1, 0], [n_pos, n_neg])
    a = rng.normal(size=len(y)) + y * rng.uniform(0.5, 2)
    b = a + rng.normal(size=len(y))
    if rng.random() < 0.5:
        a, b = np.round(a, 1), np.round(b, 1)
    low = rng.choice([0.0, rng.uniform(0, 0.3)])
    return {"y": y, "a": a, "b": b, "low": low, "high": rng.uniform(0.35, 1), "tpr": rng.uniform(0, 0.9)}


def measured(sample):
    y, a, b = sample["y"], sample["a"], sample["b"]
    band = Region(min_fpr=sample["low"], max_fpr=sample["high"])
    one, both = Sample.read(y, {"a": a}), Sample.read(y, {"a": a, "b": b})
    return {
        "area": partial_auc_score(y, a, region=band, scale="area"),
        "mcclish": partial_auc_score(y, a, region=band, scale="mcclish"),
        "tpr area": partial_auc_score(y, a, min_tpr=sample["tpr"], scale="area"),
        "delong error": standard_error(one, [1.0], Region(), method="delong").value,
        "delong z": compare_partial_auc(y, a, b, method="delong").difference
        / standard_error(both, [1.0, -1.0], Region(), method="delong").value,
        "error": standard_error(one, [1.0], band, method="delong").value * band.area,
    }


def compare_coverage(count):
    print(f"95% intervals at FPR <= 0.1, {count} samples each: coverage, and mean width over that of pROC")
    rng = np.random.default_rng(1)
    for n_pos, n_neg, shift in ((10, 100, 1.5), (20, 200, 1.5), (20, 200, 3.0), (100, 1000, 1.5)):
        truth = quad(lambda u, shift=shift: norm.cdf(shift + norm.ppf(u)), 0, 0.1)[0]
        y = np.repeat([1, 0], [n_pos, n_neg])
        samples = [{"y": y, "a": rng.normal(size=len(y)) + shift * y} for _ in range(count)]
        ends = {"pROC": [(each["low"], each["high"]) for each in in_r("coverage", samples)]}
        for method in ("bootstrap", "delong"):
            found = [partial_auc_interval(y, each["a"], max_fpr=0.1, scale="area", method=method) for each in samples]
            ends[f"pauci, {method}"] = [(each.low, each.high) for each in found]
        print(f"  {n_pos} positives, {n_neg} negatives, shifted by {shift:g}")
        for name, intervals in ends.items():
            low, high = np.transpose(intervals)
            share = np.mean((low <= truth) & (truth <= high))
            width = np.mean(high - low) / np.mean(np.diff(ends["pROC"]))
            print(f"    {name:16} {share:.3f}   {width:.2f}", flush=True)


def in_r(kind, samples):
    """Let pROC judge every sample."""
    with tempfile.TemporaryDirectory() as folder:
        with Path(folder, "scores.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["sample", "kind", "y", "a", "b", "low", "high", "tpr"])
            for number, sample in enumerate(samples):
                edges = [sample.get(name, 0.0) for name in ("low", "high", "tpr")]
                rows = zip(sample["y"], sample["a"], sample.get("b", sample["a"]), strict=True)
                writer.writerows([number, kind, int(y), repr(float(a)), repr(float(b)), *edges] for y, a, b in rows)
        Path(folder, "compare.R").write_text(_R)
        subprocess.run(["Rscript", "compare.R"], cwd=folder, check=True)
        found = [{} for _ in samples]
        with Path(folder, "found.csv").open() as file:
            for row in csv.DictReader(file):
                found[int(row["sample"])][row["name"]] = float(row["value"].replace("NA", "nan"))
    return found


if __name__ == "__main__":
    main()
