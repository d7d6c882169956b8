"""One optimisation step, the same for every solver."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pauci.training.ranks import Ranks
from pauci.training.recipe import Recipe
from pauci.training.state import State

#: Instances, labels and row numbers.
Batch = tuple[Tensor, Tensor, Tensor]


class Stepper:
    """Make steps on a state.

    Parameters
    ----------
    state, recipe, ranks
        What is changed, the recipe that says how to clip, and the processes whose losses and gradients are averaged.
    passes : callable
        ``passes(x, y, index)`` returns a loss and leaves gradients; with a fourth argument, that share of them.
    """

    def __init__(self, state: State, passes: Callable[..., Tensor], recipe: Recipe, ranks: Ranks) -> None:
        self._state = state
        self._passes = passes
        self._ranks = ranks
        self._params = [p for group in state.optimizer.param_groups for p in group["params"]]
        # Solvers with a limit of their own apply it to their estimate of the gradient.
        self._clip = recipe.clip if "max_norm" not in state.optimizer.param_groups[0] else 0.0

    def __call__(self, batches: Sequence[Batch], rate: float) -> Tensor:
        """Move the weights along the mean gradient of some batches; `rate` is relative to the optimiser's own.

        Returns
        -------
        Tensor
            The mean loss, over processes as well, on the device.
        """
        state, scaler = self._state, self._state.scaler
        for group in state.optimizer.param_groups:
            group["lr"] = group["highest_lr"] * rate

        def closure() -> Tensor:
            state.optimizer.zero_grad()
            if len(batches) == 1:
                loss = self._passes(*batches[0])
            else:
                loss = torch.stack([self._passes(*batch, 1 / len(batches)) for batch in batches]).mean()
            if self._ranks.size > 1:
                # The loss, too: a checkpoint that one process writes is right for the others.
                self._ranks.mean_([loss, *(p.grad for p in self._params if p.grad is not None)])
            if scaler.is_enabled() and self._has_gradients():
                scaler.unscale_(state.optimizer)
            if self._clip > 0:
                torch.nn.utils.clip_grad_norm_(self._params, self._clip)
            return loss

        if not scaler.is_enabled():
            return state.optimizer.step(closure)  # type: ignore[arg-type, return-value]
        loss = closure()
        if self._has_gradients():
            scaler.step(state.optimizer)
            scaler.update()
        return loss

    def _has_gradients(self) -> bool:
        """Whether passes left any: of scores that are not finite there are none, which no scaler puts up with."""
        return any(p.grad is not None for p in self._params)
