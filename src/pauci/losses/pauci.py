"""The PAUCI loss: partial AUC, instance by instance."""

from collections.abc import Callable
from typing import Any, Literal, Self

import torch
from torch import Tensor

from pauci.errors import InputError, ScoreError
from pauci.losses.checks import check_index, check_momentum, check_num_labels
from pauci.losses.device import device_pass, fits
from pauci.losses.fused import AttachGradients, Outcome, tensor_pass
from pauci.losses.host import host_pass
from pauci.losses.inputs import Batch, HostBatch, align, check_loss_device, host_batch, tensor_batch
from pauci.losses.reduction import gather_batch, world_size
from pauci.losses.schedule import Schedule
from pauci.losses.settings import SelectorName, Settings
from pauci.losses.state import with_memory
from pauci.losses.telling import LastBatch, TellingLoss
from pauci.objectives import Selector, inner_boxes, inner_optimum
from pauci.region import Region, one_region


class PAUCILoss(TellingLoss):
    """Squared pairwise risk inside a region of the ROC plane, in O(n) and without pairs.

    The loss is the paper's G^{kappa,omega} plus 1. With exact selection and omega 0, its saddle value is the mean of
    ``(1 - (f_i - f_j))^2`` over the positives and negatives of the region.

    Its inner variables (`a`, `b`, `s_pos`, `s_neg`, `theta_a`, `theta_b`, `gamma`) are found in one of three ways:
    by any optimiser that goes by gradients alone and is given ``loss.parameters()`` (gamma's gradient is reversed, and
    the loss itself moves them back into their boxes), by `ASGDA` through `param_groups`, or, with ``inner="solve"``, by
    the loss alone.

    While training under `torch.distributed`, the batches of all processes count as one, so every process must call the
    loss. After ``loss.eval()`` each process computes the loss of its own batch, and a single process may call it alone.

    Parameters
    ----------
    region : Region, optional
        The region to train for. Alternatively, give `max_fpr` and `min_tpr`.
    max_fpr, min_tpr : float
        The region's edges, when `region` is not given.
    kappa : float or schedule, default 4.0
        Sharpness of the softplus selector.
    omega : float or schedule, default 1.0
        Weight of gamma's regulariser, which helps to make the objective concave in gamma.
    omega_c : float or schedule, default 0.1
        Softness of the dual selector.
    selector : {"softplus", "hinge", "dual", "topk"}, default "softplus"
        How instances are selected: "softplus" is the paper's smooth selector, "hinge" the exact hinge, "dual" the
        smoothed hinge of the paper's successor; "topk" selects by the ranks of the batch, and takes any rectangle. The
        exact selectors find s and s' in every batch.
    from_logits : bool, default True
        Whether scores are logits; otherwise they must lie in [0, 1].
    batch_prior : float, optional
        Positive share of the batches, for the paper's y/p form; by default each class is averaged by itself.
    num_labels : int, optional
        Number K of labels of multilabel scores (N, K), each with inner variables of its own; the loss is the mean over
        labels. By default the first batch determines it. Give it where something else relies on the shapes of
        parameters before the first batch, such as a `DistributedDataParallel` around model and loss, or a hook on them.
    inner : {"learn", "solve"}, default "learn"
        Whether inner variables are parameters ("learn"), or the loss solves for them in every training batch and
        averages them over batches ("solve"). Solving waits for the device, and passes over labels that lack a class in
        the batch. It takes ten (one-way) to forty times (two-way) as long as the loss of a batch of a few hundred:
        milliseconds.
    momentum : float, default 0.1
        Share of the newest batch in the averages of ``inner="solve"``; 1 uses each batch's own optimum.
    validate : bool, optional
        Whether to check the values of scores and labels; by default on the CPU only, where checking costs no waiting.

    See Also
    --------
    MixedLoss : Mixes in cross-entropy.
    ASGDA : The paper's solver for its inner variables.
    PartialAUCClassifier : Trains networks and linear models on tables, without a training loop of your own.

    Examples
    --------
    >>> loss = PAUCILoss(max_fpr=0.3)
    >>> score = torch.tensor([2.0, -1.0, 0.5, -0.5], requires_grad=True)
    >>> loss(score, torch.tensor([1, 0, 1, 0])).backward()
    >>> score.grad.sign()
    tensor([-1.,  1., -1.,  1.])
    """

    _shape: Tensor
    _step: Tensor
    _solved: Tensor

    def __init__(
        self,
        region: Region | None = None,
        *,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        kappa: float | Schedule = 4.0,
        omega: float | Schedule = 1.0,
        omega_c: float | Schedule = 0.1,
        selector: SelectorName = "softplus",
        from_logits: bool = True,
        batch_prior: float | None = None,
        num_labels: int | None = None,
        inner: Literal["learn", "solve"] = "learn",
        momentum: float = 0.1,
        validate: bool | None = None,
    ) -> None:
        check_num_labels(num_labels)
        check_momentum(momentum)
        if inner not in ("learn", "solve"):
            raise InputError(f"inner={inner!r} is not known; use 'learn' or 'solve'.")
        region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr)
        self._settings = Settings(region, selector, kappa, omega, omega_c)
        self._terms = self._settings.terms(logits=from_logits, prior=batch_prior)
        # The host's copy of _step, written by _seek alone: to read the buffer would wait for the device.
        self._position = 0
        first = self.selector
        # In memory, wherever the loss is made: on the meta device there are no numbers.
        level = torch.full((1,), 0.5, device="cpu")
        start = inner_optimum(level, level, region=region, selector=first, omega=self.omega)
        super().__init__(start, inner_boxes(region, first), num_labels, learned=inner == "learn")
        self.num_labels = num_labels
        self.momentum = momentum
        self.validate = validate
        self._solves = inner == "solve"
        self.register_buffer("_shape", torch.empty(2), persistent=False)
        self.register_buffer("_step", torch.zeros((), dtype=torch.long))
        self.register_buffer("_solved", torch.zeros_like(self.ascent, dtype=torch.long))
        self._seek(0)
        self._last = LastBatch()

    def forward(
        self,
        y_score: Tensor,
        y_true: Tensor,
        index: Any = None,
        *,
        sample_weight: Tensor | None = None,
    ) -> Tensor:
        """Objective plus 1 on a batch.

        Parameters
        ----------
        y_score : Tensor
            Scores of shape (N,) or (N, 1), or (N, K) for K labels.
        y_true : Tensor
            Labels of the same shape: bool, {0, 1} or {-1, 1}.
        index : object, optional
            Dataset indices, for training loops that pass them; ignored.
        sample_weight : Tensor, optional
            Non-negative weights, per instance or per score.

        Returns
        -------
        Tensor
            A scalar. The gradient it leaves at gamma is reversed, so that any optimiser ascends in gamma.
        """
        check_index(index)
        batch = self._last.batch = self._read(y_score, y_true, sample_weight)
        descent, ascent = self.descent, self.ascent
        check_loss_device(batch.score, descent)
        if self._solves and self.training and torch.is_grad_enabled():
            self._solve(batch)
        outcome = self._pass(batch, descent, ascent)
        attached = y_score if y_score.ndim == batch.score.ndim else y_score.squeeze(1)
        result: Tensor = AttachGradients.apply(attached, descent, ascent, outcome)  # type: ignore[no-untyped-call]
        return result

    @property
    def region(self) -> Region:
        """The region to train for; another one needs a loss of its own."""
        return self._settings.region

    @property
    def from_logits(self) -> bool:
        """Whether scores are logits."""
        return self._terms.logits

    @property
    def kappa(self) -> float:
        """Current sharpness of the softplus selector."""
        return self._settings.kappa_at(self._position)

    @property
    def omega(self) -> float:
        """Current weight of gamma's regulariser."""
        return self._settings.omega_at(self._position)

    @property
    def selector(self) -> Selector:
        """The current selector, as an object of `pauci.objectives`."""
        return self._settings.selector_at(self._position)

    @property
    def capturable(self) -> bool:
        """Whether a CUDA graph can hold the loss: not where the host solves for the inner variables."""
        return not self._solves

    def advance(self) -> None:
        """Advance the schedules by one step; call it once per batch or once per epoch."""
        self._seek(self._position + 1)

    def reset_parameters(self) -> None:
        """Begin anew with the inner variables; a loss made on the meta device needs it after `to_empty`."""
        super().reset_parameters()
        self._solved.zero_()

    def extra_repr(self) -> str:
        """Return the settings, for `repr`."""
        return f"{self.region}, selector={self._terms.selector!r}, kappa={self.kappa:g}, omega={self.omega:g}"

    def _read(self, y_score: Tensor, y_true: Tensor, sample_weight: Tensor | None) -> Batch | HostBatch:
        score, label, weight = align(y_score, y_true, sample_weight, num_labels=self.num_labels)
        terms = self._terms
        on_host = score.is_cpu and score.ndim == 1 and not terms.exact and not torch.compiler.is_compiling()
        read = host_batch if on_host else tensor_batch
        batch = read(score, label, weight, probabilities=not terms.logits, validate=self.validate)
        if score.ndim == 2 and self.num_labels is None:
            if self._last.batch is not None:
                raise ScoreError(
                    f"y_score has shape {tuple(score.shape)}, but this loss has seen scores of one label before; "
                    "use a loss of its own for several labels."
                )
            self._take_labels(score.shape[1])
        return batch

    def _pass(self, batch: Batch | HostBatch, descent: Tensor, ascent: Tensor) -> Outcome:
        """Move the inner variables into their boxes, then value and gradients."""
        ranks = world_size() if self.training else 1
        if isinstance(batch, HostBatch):
            return host_pass(batch, self._project_numbers(descent, ascent), self._numbers, self._terms, ranks)
        here = descent.detach(), ascent.detach()
        if not torch.compiler.is_compiling() and fits(batch, descent, self._terms):
            boxes = (self._low, self._high, self._boxes[-1])
            return device_pass(batch, *here, boxes, self._shape, self._terms, ranks)
        self._project(descent, ascent)
        return tensor_pass(batch, *here, self._shape, self._terms, ranks)

    @torch.compiler.disable  # type: ignore[untyped-decorator]  # compiled code would break at every number it reads
    def _solve(self, batch: Batch | HostBatch) -> None:
        """Move the inner variables towards the optimum of this batch, over all processes."""
        counts = self._solved.view(-1)
        for label, part in enumerate(self._by_label(gather_batch(batch.tensors()))):
            if part.has_pairs:
                counts[label] += 1
                self._approach(self._optimum(part), label, rate=max(self.momentum, 1 / int(counts[label])))

    def _seek(self, position: int) -> None:
        self._numbers = self._settings.shape_at(position)  # first: what a schedule may not say changes nothing
        self._position = position
        self._step.fill_(position)
        self._shape = with_memory(self._shape, self._step)
        self._shape.copy_(torch.tensor(self._numbers, dtype=torch.float64))
        self._set_boxes(inner_boxes(self.region, self.selector))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        # Cast from single precision, sharpness, omega and boxes would not be the numbers that were asked for.
        self._seek(self._position)
        return self

    @torch.compiler.disable  # type: ignore[untyped-decorator]  # compiled code cannot change a parameter's shape
    @torch.inference_mode(mode=False)  # a first batch may be one to validate on, but what it leaves is for training
    def _take_labels(self, num_labels: int) -> None:
        self.num_labels = num_labels
        self._widen(num_labels)
        # In the same tensor, as all that is widened: whoever puts buffers back goes by that.
        self._solved.data = self._solved.repeat(num_labels)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any, **kwargs: Any) -> None:
        saved = state_dict.get(f"{prefix}ascent")
        if self.num_labels is None and saved is not None and saved.ndim == 1:
            self._take_labels(len(saved))
        solved = state_dict.get(name := f"{prefix}_solved")
        if solved is not None and solved.ndim == 0:  # once, the batches of all labels were counted together
            state_dict = {**state_dict, name: solved.expand_as(self._solved)}
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)
        self._seek(int(self._step))
