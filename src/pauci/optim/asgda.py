"""The paper's solver: accelerated stochastic gradient descent ascent (Algorithm 1)."""

import itertools
import warnings
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from pauci.errors import InputError
from pauci.optim.minimax import MinimaxOptimizer
from pauci.optim.rehearsal import rehearsal
from pauci.optim.theory import theory_settings


class ASGDA(MinimaxOptimizer):
    """Descent and ascent with variance-reduced gradients, inside boxes: Algorithm 1 of the paper.

    Step t moves every group, x_{t+1} = (1 - eta_t) x_t + eta_t P(x_t - lr v_t), and then renews its gradient estimate
    on the new batch B, v_{t+1} = g(x_{t+1}; B) + (1 - rho_{t+1}) (v_t - g(x_t; B)), with v_0 = 0, eta_t = k / (m +
    t)^(1/3) and rho_{t+1} = c eta_t^2. For ascent groups the sign of v is turned, and P projects onto the group's
    domain.

    Parameters
    ----------
    params : iterable of Parameter, of named Parameter or of dict
        As for any optimiser of torch. Groups may also carry ``role`` ("min" or "max"), ``domain`` ((low, high), floats
        or tensors) and ``reversed`` (True if the ``.grad`` of a "max" group already points in the direction of
        descent); ``PAUCILoss.param_groups()`` returns such groups.
    nu, lam : float
        Learning rates of the descent and of the ascent groups. They live in the groups' ``lr``, where learning rate
        schedulers find them and a group may set its own. By default the descent is the faster one, because narrow
        regions have a saddle only once the selectors' thresholds follow the ascent.
    k, m : float
        They set the share of a step that is taken, eta_t = k / (m + t)^(1/3); eta_0 may be at most 1.
    c1, c2 : float
        Weight of the new batch in the estimates, c1 eta_t^2 (descent) and c2 eta_t^2 (ascent), capped at 1.
        They live in the groups' ``c``.
    weight_decay : float
        Weight decay, decoupled from the gradient and its estimate: a step shrinks parameters by eta_t lr weight_decay.
    max_norm : float or None
        Gradient clipping that suits variance reduction: the estimate by which a group moves is shortened to this
        length; None does not clip. Clipping in the closure would shorten the two gradients of a step by different
        factors, and their difference would no longer be that of one sample.

    See Also
    --------
    SinglePassASGDA : One pass per step, without a closure.
    theory_settings : Steps for which convergence is proved.
    PAUCILoss : A loss whose `param_groups` says which variables ascend.

    Notes
    -----
    The closure zeroes the gradients, computes the loss, calls ``backward()`` and returns the loss, as for
    `torch.optim.LBFGS`. It is called twice per step on the same batch. The first call is a rehearsal at the old point:
    torch's random generators and all buffers of the modules it calls are put back, so that the second call, at the new
    point, draws the same dropout masks, and BatchNorm's statistics are updated once. The loss of the second call is
    returned, and its gradients stay in ``.grad``. Draw the batch and advance schedules outside of the closure.
    Gradients from before the step are dropped: to accumulate, let the closure go through several batches.

    A parameter without a gradient in the rehearsal is left alone in that step.

    A closure that fails in the rehearsal changes nothing. If it fails or is interrupted at the new point, the
    parameters stay there, and their estimates begin again at 0. A gradient that is not finite stays in the estimate for
    good, as in Adam. To skip such a batch, raise an error in the closure where its loss is not finite.

    `torch.amp.GradScaler` cannot drive a closure, and it judges one gradient, whereas a step here has two. Use bfloat16
    autocast, which needs no scaler, or `SinglePassASGDA`.

    Compile a model by wrapping it, ``torch.compile(model)``. Torch then warns once about the hook that finds the
    buffers; the warning is harmless. ``model.compile()``, or compiling a function that calls the model, would hide the
    buffers, and BatchNorm would count each batch twice.

    Examples
    --------
    min over x, max over y of x y - y^2, whose saddle is at 0:

    >>> x, y = torch.nn.Parameter(torch.tensor(1.0)), torch.nn.Parameter(torch.tensor(-1.0))
    >>> optimizer = ASGDA([{"params": x}, {"params": y, "role": "max", "domain": (-1, 1)}])
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = x * y - y**2
    ...     loss.backward()
    ...     return loss
    >>> for _ in range(500):
    ...     loss = optimizer.step(closure)
    >>> max(x.abs().item(), y.abs().item()) < 0.01
    True
    """

    # GradScaler.step then calls `step` and leaves `grad_scale` behind, by which it is recognised and refused.
    _step_supports_amp_scaling = True

    @classmethod
    def from_theory(
        cls,
        params: ParamsT,
        *,
        lipschitz: float,
        concavity: float,
        batch_size: int = 1,
        k: float = 1.0,
        weight_decay: float = 0.0,
        max_norm: float | None = None,
    ) -> Self:
        """Create the optimiser with the largest steps for which the paper's theorem promises convergence.

        They are worst-case steps, far smaller than those that work in practice.

        Parameters
        ----------
        params : iterable of Parameter, of named Parameter or of dict
            As for the class.
        lipschitz, concavity : float
            Constants of the problem, as for `theory_settings`.
        batch_size : int, default 1
            Instances per batch.
        k : float, default 1.0
            Scale of the shares, as for `theory_settings`.
        weight_decay : float
            As for the class.
        max_norm : float or None
            As for the class.

        Returns
        -------
        ASGDA
            With nu, lam, m, c1 and c2 from `theory_settings`.

        Examples
        --------
        >>> x = torch.nn.Parameter(torch.zeros(2))
        >>> ASGDA.from_theory([x], lipschitz=2.0, concavity=1.0).param_groups[0]["m"]
        3420200.29...
        """
        settings = theory_settings(lipschitz=lipschitz, concavity=concavity, batch_size=batch_size, k=k)
        return cls(params, **settings, weight_decay=weight_decay, max_norm=max_norm)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move, then renew the gradient estimates on a new batch.

        Parameters
        ----------
        closure : callable
            Zeroes the gradients, computes the loss of the batch, calls ``backward()`` and returns the loss.

        Returns
        -------
        float or Tensor
            The loss at the new point.
        """
        if [vars(self).pop(name) for name in ("grad_scale", "found_inf") if name in vars(self)]:
            raise InputError(
                "ASGDA cannot be stepped by GradScaler, which knows neither closures nor steps with two gradients; "
                "use autocast with bfloat16 and optimizer.step(closure), or SinglePassASGDA."
            )
        if closure is None:
            if not any(group["lr"] for group in self.param_groups):
                # So torch.distributed.checkpoint asks for the state that a checkpoint is to be loaded into.
                self._active()
                return None
            raise InputError(
                "ASGDA.step needs a closure: it evaluates the batch at two points. Put zero_grad, forward and backward "
                "in a function and pass it as step(closure), or use SinglePassASGDA."
            )
        added = vars(self).get("_zeroed") and any(
            p.grad is not None and bool(p.grad.any()) for group in self.param_groups for p in group["params"]
        )
        self.zero_grad()
        self._zeroed = False
        with rehearsal(p.device for group in self.param_groups for p in group["params"]), torch.enable_grad():
            closure()
        if added and not self._zeroed:  # not by the closure either, to which they were no part of the step
            warnings.warn(
                "gradients that were added up before ASGDA.step are dropped: they belong to the old point alone. Let "
                "the closure go through all batches of the step, set Lightning's accumulate_grad_batches to 1, or use "
                "SinglePassASGDA.",
                stacklevel=4,  # through two decorators of torch
            )
        moved = self._leave_old_point()
        # An autocast around the step would go on with its copies of the weights at the old point.
        torch.clear_autocast_cache()
        self.zero_grad()
        try:
            with torch.enable_grad():
                loss = closure()
        except BaseException:  # Ctrl-C in a notebook, too
            # Without the gradients of the new point, what is left of the estimates points uphill.
            for p in itertools.chain(*moved):
                self.state[p]["estimate"].zero_()
            raise
        # Group by group: a sharded network's tensors are of another kind than those of the loss.
        for params in moved:
            renewals = [(self.state[p]["estimate"], p.grad) for p in params if p.grad is not None]
            if renewals:
                torch._foreach_add_([estimate for estimate, _ in renewals], [grad for _, grad in renewals])
        self._zeroed = False
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients; see `torch.optim.Optimizer.zero_grad`."""
        super().zero_grad(set_to_none)
        self._zeroed = True

    def _leave_old_point(self) -> list[list[Tensor]]:
        """Move by the estimates v_t, which then become (1 - rho) (v_t - g(x_t; B)); return what was moved, by group."""
        active = self._active()
        for group, params, grads, estimates in active:
            if params:
                _, rho = self._shares(group)
                self._move(group, params, estimates)
                torch._foreach_sub_(estimates, grads)
                torch._foreach_mul_(estimates, 1 - rho)
            group["step"] += 1
        return [params for _, params, _, _ in active]
