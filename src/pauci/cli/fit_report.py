"""What `pauci fit` says: as tables for people, as JSON for programs."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from rich import box
from rich.markup import escape
from rich.table import Table
from scipy.special import ndtri

from pauci.cli.finite import finite_or_null
from pauci.cli.terminal import Terminal, say
from pauci.estimators.report import Report
from pauci.tabular.fitting import Fitted
from pauci.tabular.importance import Importance
from pauci.tabular.training_table import TrainingTable

#: Confidence level of the intervals.
_LEVEL = 0.95
#: Columns whose importance is printed.
_SHOWN = 10


@dataclass(frozen=True)
class Candidate:
    """One way to fit: its cross-validated partial AUC, and its paired difference to the first with an interval."""

    name: str
    partial_auc: float
    difference: float
    low: float
    high: float
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class FitReport:
    """Everything that was found out while fitting."""

    file: Path
    model_file: Path
    table: TrainingTable
    report: Report
    fitted: Fitted
    importances: list[Importance]
    groups: NDArray[Any] | None

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates with their differences to the first, each with its own interval."""
        choice, reach = self.report.choice, float(ndtri((1 + _LEVEL) / 2))
        found = []
        for index, (name, score, error) in enumerate(zip(choice.names, choice.scores, choice.errors, strict=True)):
            difference = score - choice.scores[0]
            found.append(
                Candidate(
                    name,
                    score,
                    difference,
                    difference - reach * error,
                    difference + reach * error,
                    index in choice.kept,
                )
            )
        return found

    def print_json(self) -> None:
        """Print one JSON object; what could not be judged is null."""
        table, report = self.table, self.report
        found = {
            "file": str(self.file),
            "model_file": str(self.model_file),
            "target": table.target,
            "positive": table.positive,
            "n_positive": table.n_positive,
            "n_negative": table.n_negative,
            "n_columns": len(table.columns),
            "model": report.model,
            "region": str(report.region),
            "train_region": str(report.train_region),
            "complete": self.fitted.complete,
            "parts": report.folds,
            "level": _LEVEL,
            "candidates": [finite_or_null(asdict(candidate)) for candidate in self.candidates],
            "gain": finite_or_null(asdict(report.choice.gain)),
            "threshold": finite_or_null(asdict(report.threshold)),
            "importances": [asdict(importance) for importance in self.importances],
        }
        say(json.dumps(found, indent=2, allow_nan=False))

    def print_tables(self) -> None:
        """Print the candidates, the threshold and the most important columns."""
        console, table, report = Terminal(markup=True), self.table, self.report
        columns = f"{len(table.columns)} column{'s' * (len(table.columns) != 1)}"
        counted = f"{table.n_positive:,} positives, {table.n_negative:,} negatives, {columns}"
        console.print(f"[bold]{escape(str(self.file))}[/bold]: {counted}", soft_wrap=True)
        if report.folds:
            title = f"Partial AUC where {report.region}, mean over {report.folds} parts not fitted on: {report.model}"
            console.print(escape(title), soft_wrap=True)
            console.print(self._candidates_table())
        console.print(escape(self._verdict()), soft_wrap=True)
        console.print(f"threshold: {escape(str(report.threshold))}", soft_wrap=True)
        if self.importances:
            console.print("Partial AUC lost when a column is shuffled, on rows not fitted on", soft_wrap=True)
            console.print(self._importances_table())
        console.print(f"model: {escape(str(self.model_file))}", soft_wrap=True)

    def _verdict(self) -> str:
        choice, gain = self.report.choice, self.report.choice.gain
        if not self.report.folds:
            return f"too little to compare candidates by: {choice.name} is kept"
        if choice.is_anchor:
            return f"{choice.name} is kept: no other was seen to be better"
        return (
            f"{choice.name} is kept; expected gain over {choice.names[0]}: {gain.difference:+z.4f} "
            f"[{gain.low:+z.4f}, {gain.high:+z.4f}]"
        )

    def _candidates_table(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("", no_wrap=True)
        table.add_column("candidate", overflow="fold")
        for heading in ("pAUC", "difference", f"{100 * _LEVEL:.4g}% interval"):
            table.add_column(heading, justify="right", no_wrap=True)
        for index, each in enumerate(self.candidates):
            difference = (
                (f"{each.difference:+z.4f}", escape(f"[{each.low:+z.4f}, {each.high:+z.4f}]")) if index else ("", "")
            )
            table.add_row("*" if each.chosen else "", escape(each.name), f"{each.partial_auc:.4f}", *difference)
        return table

    def _importances_table(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("column", overflow="fold")
        table.add_column("loss", justify="right", no_wrap=True)
        for each in self.importances[:_SHOWN]:
            table.add_row(escape(each.name), f"{each.loss:+z.4f} \u00b1 {each.error:.4f}")
        if (others := len(self.importances) - _SHOWN) > 0:
            table.add_row(f"{others} others (--json lists them)", "")
        return table
