"""Algorithm 1 without its second pass: momentum in place of variance reduction."""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import ParamsT

from pauci.optim.minimax import MinimaxOptimizer


class SinglePassASGDA(MinimaxOptimizer):
    """The moves of `ASGDA` at the price of an ordinary optimiser: one pass per step, no closure needed.

    The gradient estimate is a moving average, v <- (1 - rho_t) v + rho_t g, where `ASGDA` also corrects v for the move
    that was just made. The average lags behind and keeps more noise, so the convergence theorem does not hold for it.
    In exchange, a step costs half as much, gradients may be clipped, and a `GradScaler` can be used as usual.

    Parameters
    ----------
    params : iterable of Parameter, of named Parameter or of dict
        As in `ASGDA`.
    nu, lam, k, m : float
        As in `ASGDA`.
    c1, c2 : float
        As in `ASGDA`; new gradients count more by default, since a lagging average makes descent and ascent circle
        around the saddle.
    weight_decay : float
        As in `ASGDA`.
    max_norm : float or None
        As in `ASGDA`.

    See Also
    --------
    ASGDA : Algorithm 1 of the paper, with two passes per step.

    Examples
    --------
    min over x, max over y of x y - y^2, whose saddle is at 0:

    >>> import torch
    >>> x, y = torch.nn.Parameter(torch.tensor(1.0)), torch.nn.Parameter(torch.tensor(-1.0))
    >>> optimizer = SinglePassASGDA([{"params": x}, {"params": y, "role": "max", "domain": (-1, 1)}])
    >>> for _ in range(500):
    ...     optimizer.zero_grad()
    ...     (x * y - y**2).backward()
    ...     _ = optimizer.step()
    >>> max(x.abs().item(), y.abs().item()) < 0.01
    True
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        nu: float = 0.5,
        lam: float = 0.1,
        k: float = 1.0,
        m: float = 100.0,
        c1: float = 10.0,
        c2: float = 10.0,
        weight_decay: float = 0.0,
        max_norm: float | None = None,
    ) -> None:
        super().__init__(params, nu=nu, lam=lam, k=k, m=m, c1=c1, c2=c2, weight_decay=weight_decay, max_norm=max_norm)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Average the gradients in, then move.

        Parameters
        ----------
        closure : callable, optional
            Computes gradients and returns the loss. Without a closure, the gradients must already be there.

        Returns
        -------
        float or Tensor or None
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group, params, grads, estimates in self._active():
            if params:
                _, rho = self._shares(group)
                torch._foreach_lerp_(estimates, grads, rho)
                self._move(group, params, estimates)
            group["step"] += 1
        return loss
