"""What a minimax loss tells about scores: its risk without smoothing, its inner optimum, how well it works."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from pauci.errors import InputError, LabelError
from pauci.losses.class_scores import ClassScores, by_label
from pauci.losses.diagnosis import Diagnosis, diagnose, of_label
from pauci.losses.inputs import Batch, HostBatch, widened
from pauci.losses.state import InnerState
from pauci.objectives import InnerVariables, Selector, inner_optimum, selected_risk
from pauci.region import Region


class TellingLoss(InnerState):
    """A loss with inner variables that can report on given scores.

    Attributes
    ----------
    num_labels : int or None
        Number of labels of multilabel scores.
    """

    num_labels: int | None
    _last: "LastBatch"

    @property
    @abstractmethod
    def region(self) -> Region:
        """The region to train for; another one needs a loss of its own."""

    @property
    @abstractmethod
    def from_logits(self) -> bool:
        """Whether scores are logits."""

    @property
    @abstractmethod
    def omega(self) -> float:
        """Current weight of gamma's regulariser."""

    @property
    @abstractmethod
    def selector(self) -> Selector:
        """The current selector, as an object of `pauci.objectives`."""

    @abstractmethod
    def _read(self, y_score: Tensor, y_true: Tensor, sample_weight: Tensor | None) -> Batch | HostBatch:
        """Check scores, labels and weights."""

    @property
    def value(self) -> Tensor:
        """Surrogate risk of the last batch with exact selection; non-negative, and comparable between settings.

        It is the mean of ``(1 - (f_i - f_j))^2`` over the pairs in the region, averaged over labels, of this process's
        instances. It is computed when it is read. It is NaN where the batch lacks a class for any label, because there
        are no pairs then.
        """
        batch = self._last.batch
        if batch is None:
            raise InputError("loss.value is the risk of the last batch, and there was none; call the loss first.")
        parts = self._by_label(batch)
        if not all(part.has_pairs for part in parts):
            return batch.score.new_full((), math.nan)
        risks = [selected_risk(part.positives, part.negatives, region=self.region, **part.weights) for part in parts]
        return torch.stack(risks).mean()

    def inner_optimum(
        self, y_score: Tensor, y_true: Tensor, *, sample_weight: Tensor | None = None
    ) -> InnerVariables | list[InnerVariables]:
        """Best inner variables for given scores.

        Parameters
        ----------
        y_score, y_true : Tensor
            As for the loss itself; both classes must be present.
        sample_weight : Tensor, optional
            As for the loss itself.

        Returns
        -------
        InnerVariables or list of InnerVariables
            The optimum of this loss's selector, kappa and omega; a list with one entry per label if `num_labels`.

        Examples
        --------
        >>> from pauci.losses import PAUCILoss
        >>> loss = PAUCILoss(max_fpr=0.5, selector="hinge", from_logits=False)
        >>> loss.inner_optimum(torch.tensor([0.75, 0.5, 0.25]), torch.tensor([1, 0, 0])).b
        0.5
        """
        found = []
        for label, part in self._labels(y_score, y_true, sample_weight):
            with _naming(label):
                found.append(self._optimum(part))
        return found[0] if self.num_labels is None else found

    def diagnose(
        self, y_score: Tensor, y_true: Tensor, *, sample_weight: Tensor | None = None
    ) -> Diagnosis | list[Diagnosis]:
        """Measure how well the loss works on given scores, and warn if gamma is far from its optimum there.

        Parameters
        ----------
        y_score, y_true : Tensor
            As for the loss itself; preferably a large batch of training or validation data.
        sample_weight : Tensor, optional
            As for the loss itself.

        Returns
        -------
        Diagnosis or list of Diagnosis
            What was measured at the current inner variables and at the best ones for these scores; one per label if
            `num_labels`.

        Examples
        --------
        >>> from pauci.losses import PAUCILoss
        >>> loss = PAUCILoss(max_fpr=0.3, inner="solve")
        >>> score, label = torch.linspace(-2, 2, 40), torch.arange(40) % 2
        >>> _ = loss(score, label)
        >>> report = loss.diagnose(score, label)
        >>> report.curvature < 0
        True
        >>> print(str(report).splitlines()[3])
        positives selected        1.000  (should be: 1.000)
        """
        reports = []
        objective: dict[str, Any] = {"region": self.region, "selector": self.selector, "omega": self.omega}
        for label, part in self._labels(y_score, y_true, sample_weight):
            with _naming(label):
                reports.append(diagnose(part, self._point(label), **objective, label=label))
        return reports[0] if self.num_labels is None else reports

    def _labels(
        self, y_score: Tensor, y_true: Tensor, sample_weight: Tensor | None
    ) -> list[tuple[int | None, ClassScores]]:
        """Scores of every label, with its number where there are several."""
        parts = self._by_label(self._read(y_score, y_true, sample_weight))
        return [(None if self.num_labels is None else label, part) for label, part in enumerate(parts)]

    def _by_label(self, batch: Batch | HostBatch) -> list[ClassScores]:
        score, positive, weight = batch.tensors()
        score = widened(score.detach())
        return by_label(Batch(score.sigmoid() if self.from_logits else score, positive, weight))

    def _optimum(self, part: ClassScores) -> InnerVariables:
        return inner_optimum(
            part.positives,
            part.negatives,
            region=self.region,
            selector=self.selector,
            omega=self.omega,
            **part.weights,
        )


@contextmanager
def _naming(label: int | None) -> Iterator[None]:
    """Let an error about labels say which of several labels it is about."""
    try:
        yield
    except LabelError as error:
        raise LabelError(of_label(label) + str(error)) from None


class LastBatch:
    """The last batch, for `TellingLoss.value`; a plain object, because a module's own attributes are slow to set."""

    batch: Batch | HostBatch | None = None
