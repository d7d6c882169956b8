"""`StreamingPartialAUC`: partial AUC over batches and ranks, as a torchmetrics metric."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch

from pauci.errors import InputError, LabelError
from pauci.extras import require
from pauci.metrics.area import Ties
from pauci.metrics.bins import BinnedShare, bin_of, binned_share
from pauci.metrics.convention import Convention, Scale, rescale, resolve
from pauci.metrics.score import partial_auc_score
from pauci.metrics.stream_batch import MIXED_CODING, read_batch
from pauci.region import Cut, Region, one_region

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torchmetrics import Metric
else:
    Metric = require("torchmetrics", purpose="StreamingPartialAUC").Metric


class StreamingPartialAUC(Metric):
    """Partial AUC of scores that arrive in batches, on one or several ranks.

    The exact mode keeps every score, 8 bytes each. The binned mode (`bits`) counts scores in ``2**bits`` bins instead.
    Its memory is fixed however long the stream is, states of different streams can be merged, and `error_bound` says
    how far its value can be from the exact one.

    Parameters
    ----------
    region : Region, optional
        The rectangle. Alternatively, give its edges:
    max_fpr, min_tpr, min_fpr, max_tpr : float
        Edges of the region (see `Region`).
    scale, cut, ties, convention : str, optional
        As in `partial_auc_score`.
    bits : int, optional
        How many leading bits of a score to keep, from 10 to 20; None keeps all scores. 16 bits need 1 MiB and tell
        scores apart that differ by 0.8% or more; 20 bits need 16 MiB and tell apart 0.05%. Floating point is dense
        around 0 and coarse around 1, so pass logits rather than probabilities to the binned mode.
    **kwargs : object
        Options of `torchmetrics.Metric`.

    See Also
    --------
    partial_auc_score : For scores that are all at hand.

    Notes
    -----
    Input is checked in every update: NaN, infinite scores and unknown labels raise there, not at the end. A batch
    passed to `update` may lack one class; a whole stream may not. Calling the metric itself (`forward`) also gives the
    value of the batch alone. It therefore raises `LabelError` for a batch of one class, although it adds that batch.
    Use `update` where positives are rare.

    Examples
    --------
    >>> metric = StreamingPartialAUC(max_fpr=0.5)
    >>> metric.update(torch.tensor([0.1, 0.7]), torch.tensor([0, 0]))
    >>> metric.update(torch.tensor([0.3, 0.9]), torch.tensor([1, 1]))
    >>> metric.compute()
    tensor(0.5000, dtype=torch.float64)
    >>> binned = StreamingPartialAUC(max_fpr=0.5, bits=16)
    >>> binned(torch.tensor([0.1, 0.7, 0.3, 0.9]), torch.tensor([0, 0, 1, 1]))
    tensor(0.5000, dtype=torch.float64)
    >>> binned.error_bound()
    0.0
    >>> binned
    StreamingPartialAUC(region=Region(max_fpr=0.5), bits=16)
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    positives: list[torch.Tensor]
    negatives: list[torch.Tensor]
    counts: torch.Tensor
    #: How often labels 0 and labels -1 were in a batch: which of the two stands for negatives.
    coding: torch.Tensor

    def __init__(
        self,
        *,
        region: Region | None = None,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        min_fpr: float = 0.0,
        max_tpr: float = 1.0,
        scale: Scale = "normalized",
        cut: Cut = "interpolate",
        ties: Ties = "half",
        convention: Convention | None = None,
        bits: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
        self.scale, self.cut, self.ties = resolve(convention, scale, cut, ties)
        rescale(0.0, self.region, scale=self.scale)  # an undefined scale is an error now, not after the epoch
        self.bits = bits
        self.add_state("coding", default=torch.zeros(2, dtype=torch.int64), dist_reduce_fx="sum")
        if bits is None:
            # A rank without data takes part in the synchronisation with empty scores of the metric's own type.
            self.set_dtype(torch.float64)
            self.add_state("positives", default=[], dist_reduce_fx="cat")
            self.add_state("negatives", default=[], dist_reduce_fx="cat")
        elif isinstance(bits, int | np.integer) and 10 <= bits <= 20:
            self.bits = int(bits)
            self.add_state("counts", default=torch.zeros(2, 2**self.bits, dtype=torch.int64), dist_reduce_fx="sum")
        else:
            raise InputError(f"bits={bits!r} must be None (exact) or a whole number from 10 to 20.")

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : Tensor of shape (n,) or (n, 1)
            Scores, higher for positives.
        target : Tensor of shape (n,) or (n, 1)
            Labels: bool, {0, 1} or {-1, 1}.
        """
        scores, positive, coding = read_batch(preds, target, self.coding)
        self.coding = self.coding + coding
        if self.bits is None:
            scores = scores.to(torch.float32 if scores.device.type == "mps" else torch.float64)
            self.positives.append(scores[positive])
            self.negatives.append(scores[~positive])
        else:
            cells = bin_of(scores, self.bits) + 2**self.bits * positive
            if self.counts.is_inference() and not torch.is_inference_mode_enabled():
                self.counts = self.counts.clone()  # what inference mode made, as `reset` does, stays as it is outside
            self.counts.view(-1).index_add_(0, cells, torch.ones_like(cells))

    def forward(self, preds: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Add a batch, and return the partial AUC of that batch alone.

        Parameters
        ----------
        preds, target : Tensor
            As for `update`.

        Returns
        -------
        Tensor
            As for `compute`.
        """
        before = {name: _copied(value) for name, value in vars(self).items()}
        try:
            value: torch.Tensor = super().forward(preds, target)
        except Exception:
            # torchmetrics puts state and settings aside for the batch, and after an error would not put them back.
            vars(self).update(before)
            self.update(preds, target)
            raise
        return value

    def compute(self) -> torch.Tensor:
        """Partial AUC of everything seen so far.

        Returns
        -------
        Tensor
            A scalar, in double precision where the device has it.
        """
        if bool((self.coding > 0).all()):  # of other ranks, or merged: no update saw both
            raise LabelError(MIXED_CODING)
        value = self._exact() if self.bits is None else rescale(self._binned().value, self.region, scale=self.scale)
        dtype = torch.float32 if self.device.type == "mps" else torch.float64
        return torch.tensor(value, dtype=dtype, device=self.device)

    def reset(self) -> None:
        """Forget what was seen; lists that others hold, as `torchmetrics.wrappers.Running` does, stay as they are."""
        for name, default in self._defaults.items():
            if isinstance(default, list):
                setattr(self, name, [])
        super().reset()

    @contextmanager
    def sync_context(self, *args: Any, **kwargs: Any) -> Iterator[None]:
        """Let the metric hold what all ranks have seen, as long as the block lasts.

        Parameters
        ----------
        *args, **kwargs : object
            As in `torchmetrics.Metric.sync_context`.

        Yields
        ------
        None
            Nothing.
        """
        before = self._is_synced
        try:
            with super().sync_context(*args, **kwargs):
                yield
        except Exception:
            # As where there is one class so far; torchmetrics would keep what all ranks have seen as this one's own.
            if self._is_synced and not before:
                self.unsync()
            raise

    def error_bound(self) -> float:
        """Largest possible difference between `compute` and the exact score.

        The bound covers what this rank has seen; within ``metric.sync_context()`` it covers all ranks.

        Returns
        -------
        float
            0 in exact mode. In binned mode, the area (or pairs) inside the region that depends on the order of
            positives and negatives within one bin, on the metric's scale.
        """
        if self.bits is None:
            return 0.0
        share = self._binned()
        low, value, high = (rescale(x, self.region, scale=self.scale) for x in (share.low, share.value, share.high))
        return max(value - low, high - value)

    def plot(self, val: torch.Tensor | Sequence[torch.Tensor] | None = None, ax: "Axes | None" = None) -> Any:
        """Plot one value, or several over time.

        Parameters
        ----------
        val : Tensor or sequence of Tensor, optional
            What `compute` or `forward` returned; by default `compute` is called now.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Figure, Axes
            What was drawn.
        """
        require("matplotlib", purpose="StreamingPartialAUC.plot")
        return self._plot(val, ax)

    def set_dtype(self, dst_type: str | torch.dtype) -> Self:
        """Change the type of the scores that are kept; counts always stay whole numbers.

        Parameters
        ----------
        dst_type : str or dtype
            The type.

        Returns
        -------
        StreamingPartialAUC
            This metric.
        """
        if self.bits is None:
            super().set_dtype(dst_type)
        return self

    def extra_repr(self) -> str:
        """Return the region and the mode, as `repr` shows them."""
        return f"region={self.region!r}, bits={self.bits}"

    def _exact(self) -> float:
        positives, negatives = (_joined(state) for state in (self.positives, self.negatives))
        scores = torch.cat([positives, negatives])
        labels = torch.arange(len(scores), device=scores.device) < len(positives)
        score = partial_auc_score(labels, scores, region=self.region, scale=self.scale, cut=self.cut, ties=self.ties)
        return float(score)

    def _binned(self) -> BinnedShare:
        negatives, positives = self.counts.cpu().numpy()
        return binned_share(positives, negatives, self.region, cut=self.cut, ties=self.ties)


def _copied(value: Any) -> Any:
    """Copy what an update changes in place; scores once kept never change."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    return list(value) if isinstance(value, list) else value


def _joined(state: list[torch.Tensor] | torch.Tensor) -> torch.Tensor:
    """Concatenate a local state, which is a list; a synchronised one already is a single tensor."""
    if isinstance(state, torch.Tensor):
        return state
    return torch.cat(state) if state else torch.empty(0, dtype=torch.float64)
