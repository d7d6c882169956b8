"""AGD-SBCD: descent on the difference of two Moreau envelopes, of weakly convex functions."""

from collections.abc import Callable, Sequence
from typing import Any, overload

import torch
from torch import Tensor
from torch.optim.optimizer import Optimizer, ParamsT

from pauci.errors import InputError
from pauci.losses.agd_sbcd import AGDSBCDLoss, Part
from pauci.losses.checks import check_not_negative, check_positive, check_whole
from pauci.optim.minimax import check_dense
from pauci.optim.rehearsal import rehearsal


class AGDSBCD(Optimizer):
    """Approximate gradient descent with stochastic block-coordinate descent inside (Yao et al. 2022).

    `AGDSBCDLoss` is a difference F^n - F^m of weakly convex functions. Its smoothed gradient at w is (v_m - v_n) / mu,
    where v_l is the proximal point of F^l: the minimiser of F^l(v) + |v - w|^2 / (2 mu). It is approximated by
    `inner_steps` stochastic steps, v <- (v / lr + w / mu - g) / (1 / lr + 1 / mu) with a gradient g of F^l at v; the
    mean of their results is taken. Then w moves by -(gamma / mu) (v_m - v_n). The thresholds are the other block of
    coordinates; the loss moves them itself. Where the region begins at 0, F^m is 0 and v_m = w.

    With closures, the parameters hold w between steps. Without closures, they hold v_n, where the next gradient is
    needed, and w after each round of inner steps. Use one way or the other, not both.

    Parameters
    ----------
    params : iterable
        Parameters or groups, as for any optimiser.
    loss : AGDSBCDLoss
        The loss that the closure computes; it must not be mixed with another one.
    lr : float, default 0.1
        Length of the inner steps (the paper's eta).
    mu : float, default 1.0
        Smoothing: how far proximal points may be from w.
    gamma : float, default 1.0
        Length of the outer steps. Where the region begins at 0, a gamma of `mu` moves w to v_n.
    inner_steps : int, default 10
        Inner steps per outer step.
    weight_decay : float, default 0.0
        L2 penalty, added to the gradients of F^n; as part of both it would cancel.

    Notes
    -----
    A region with ``min_fpr > 0`` needs ``step(closure)``, because the batch is evaluated at v_n and at v_m. Otherwise
    ``backward()`` and ``step()`` are enough.

    Examples
    --------
    >>> loss, w = AGDSBCDLoss(max_fpr=0.5), torch.nn.Parameter(torch.zeros(2))
    >>> x, y = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]), torch.tensor([1, 0, 0])
    >>> optimizer = AGDSBCD([w], loss, inner_steps=5)
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     value = loss(x @ w, y)
    ...     value.backward()
    ...     return value
    >>> values = [optimizer.step(closure).item() for _ in range(20)]
    >>> values[-1] < values[0]
    True
    """

    def __init__(
        self,
        params: ParamsT,
        loss: AGDSBCDLoss,
        *,
        lr: float = 0.1,
        mu: float = 1.0,
        gamma: float = 1.0,
        inner_steps: int = 10,
        weight_decay: float = 0.0,
    ) -> None:
        if not isinstance(loss, AGDSBCDLoss):
            raise InputError(f"loss is {type(loss).__name__}; this solver takes a difference apart, AGDSBCDLoss's own.")
        self._loss = loss
        super().__init__(
            params,
            {"lr": lr, "mu": mu, "gamma": gamma, "inner_steps": inner_steps, "weight_decay": weight_decay, "step": 0},
        )

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group; see `torch.optim.Optimizer.add_param_group`."""
        super().add_param_group(param_group)
        try:
            _validate(self.param_groups[-1])
        except InputError:
            self.param_groups.pop()
            raise

    def __getstate__(self) -> dict[str, Any]:
        """Keep the loss, which torch's optimisers do not know of, when copied."""
        return {**super().__getstate__(), "_loss": self._loss}

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...
    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take an inner step; after `inner_steps` of them, an outer one.

        Parameters
        ----------
        closure : callable, optional
            Zeroes the gradients, computes the loss of the batch, calls ``backward()`` and returns the loss.

        Returns
        -------
        float or Tensor or None
            The loss: F^n at v_n minus F^m at v_m.
        """
        # With rates of 0, torch.distributed.checkpoint asks for the state that a checkpoint is to be loaded into.
        if closure is None and len(self._parts) > 1 and any(group["lr"] for group in self.param_groups):
            raise InputError(
                f"region {self._loss.region} begins above 0: AGDSBCD.step needs a closure, to evaluate the batch twice."
            )
        value = None
        if closure is None:
            for part in self._parts:
                self._inner_step(part, self._gradients())
            self._load("upper")
        else:
            try:
                value = self._passes(closure)
            finally:
                self._load("center")  # also where the closure failed
        for group in self.param_groups:
            group["step"] += 1
            if group["step"] % group["inner_steps"] == 0:
                self._outer_step(group)
        return value

    @property
    def _parts(self) -> tuple[Part, ...]:
        """F^n, and F^m where there is one."""
        return ("upper",) if self._loss.region.min_fpr == 0 else ("upper", "lower")

    def _passes(self, closure: Callable[[], Any]) -> Any:
        """Evaluate the batch at v_n, and at v_m where there is one; then move them, once nothing can fail any more."""
        if len(self._parts) == 1:
            value = self._pass("upper", closure)
            self._inner_step("upper", self._gradients())
            return value
        # Of the two passes over the batch one counts in batch statistics; both have the same dropout. What the loss
        # remembers for v_m must stay.
        memory = self._loss.lower_thresholds
        with rehearsal(p.device for group in self.param_groups for p in group["params"]):
            lower = self._pass("lower", closure)
            grads = {p: grad.clone() for p, grad in self._gradients().items()}
            moved = memory.values.clone()
        upper = self._pass("upper", closure)
        memory.values = moved
        self._inner_step("lower", grads)
        self._inner_step("upper", self._gradients())
        return None if upper is None else upper - lower

    def _pass(self, part: Part, closure: Callable[[], Any]) -> Any:
        """Evaluate the batch at v_n or v_m."""
        self._load(part)
        with self._loss.only(part), torch.enable_grad():
            return closure()

    def _gradients(self) -> dict[Tensor, Tensor]:
        """Return the gradients of the parameters that have one."""
        grads = {p: p.grad for group in self.param_groups for p in group["params"] if p.grad is not None}
        check_dense(list(grads.values()), self)
        return grads

    def _load(self, point: str) -> None:
        """Let the parameters hold v_n, v_m or w."""
        if known := self._known(self.param_groups):
            torch._foreach_copy_(known, self._each(known, point))
        # An autocast around the step would go on with its copies of the weights at another point.
        torch.clear_autocast_cache()

    def _inner_step(self, part: Part, grads_of: dict[Tensor, Tensor]) -> None:
        for group in self.param_groups:
            rate, pull = group["lr"], group["lr"] / group["mu"]
            moved = [p for p in group["params"] if p in grads_of]
            for p in moved:
                self._begin(p, missed=group["step"] % group["inner_steps"])
            if moved:
                points, grads = self._each(moved, part), [grads_of[p] for p in moved]
                if part == "upper":
                    grads = list(torch._foreach_add(grads, points, alpha=group["weight_decay"]))
                # The proximal step times its rate, so that a schedule may end at 0.
                torch._foreach_add_(points, self._each(moved, "center"), alpha=pull)
                torch._foreach_sub_(points, grads, alpha=rate)
                torch._foreach_div_(points, 1 + pull)
            # What has no gradient stays where it is, which counts in the mean like any other place.
            if known := self._known([group]):
                torch._foreach_add_(self._each(known, f"{part}_sum"), self._each(known, part))

    def _begin(self, p: Tensor, *, missed: int) -> None:
        """Remember where a parameter is, and that it was there in the inner steps before."""
        state = self.state[p]
        if not state:
            state["center"] = p.clone()
            for part in self._parts:
                state[part], state[f"{part}_sum"] = p.clone(), missed * p

    def _outer_step(self, group: dict[str, Any]) -> None:
        known = self._known([group])
        if not known:
            return
        centers = self._each(known, "center")
        moves = torch._foreach_div(self._each(known, "upper_sum"), group["inner_steps"])
        is_band = len(self._parts) > 1
        lower = torch._foreach_div(self._each(known, "lower_sum"), group["inner_steps"]) if is_band else centers
        torch._foreach_sub_(moves, lower)
        torch._foreach_add_(centers, moves, alpha=group["gamma"] / group["mu"])
        torch._foreach_copy_(known, centers)
        for part in self._parts:
            torch._foreach_copy_(self._each(known, part), centers)
            torch._foreach_zero_(self._each(known, f"{part}_sum"))

    def _known(self, groups: Sequence[dict[str, Any]]) -> list[Tensor]:
        """List the parameters that have had a gradient."""
        return [p for group in groups for p in group["params"] if self.state[p]]

    def _each(self, params: Sequence[Tensor], name: str) -> list[Tensor]:
        return [self.state[p][name] for p in params]


def _validate(group: dict[str, Any]) -> None:
    check_positive(**{name: group[name] for name in ("lr", "mu", "gamma")})
    check_whole(inner_steps=group["inner_steps"])
    group["inner_steps"] = int(group["inner_steps"])  # nothing of numpy's in a checkpoint
    check_not_negative(weight_decay=group["weight_decay"])
