"""One optimisation step, the same for every solver."""

from collections.abc import Sequence

import torch
from torch import Tensor

from pauci.training.precision import autocast
from pauci.training.ranks import Ranks
from pauci.training.recipe import Recipe
from pauci.training.state import State

#: Instances, labels and row numbers.
Batch = tuple[Tensor, Tensor, Tensor]


class Stepper:
    """Make steps on a state.

    Parameters
    ----------
    state : State
        What is changed.
    recipe : Recipe
        Precision and clipping.
    ranks : Ranks
        The processes whose gradients are averaged.
    keep_gradients : bool
        Zero gradients instead of dropping them: needed where a captured graph reuses their memory.
    """

    def __init__(self, state: State, recipe: Recipe, ranks: Ranks, *, keep_gradients: bool = False) -> None:
        self._state = state
        self._ranks = ranks
        self._precision = recipe.precision
        self._device = state.losses.device
        self._params = [p for group in state.optimizer.param_groups for p in group["params"]]
        self._clip = recipe.clip if "max_norm" not in state.optimizer.param_groups[0] else 0.0
        self._keep_gradients = keep_gradients

    def __call__(self, batches: Sequence[Batch], rate: float) -> Tensor:
        """Move the weights.

        Parameters
        ----------
        batches : sequence of tuple
            Instances, labels and row numbers; the step follows their mean gradient.
        rate : float
            Learning rate relative to the optimiser's own.

        Returns
        -------
        Tensor
            The mean loss, on the device.
        """
        state, scaler = self._state, self._state.scaler
        for group in state.optimizer.param_groups:
            group["lr"] = group["highest_lr"] * rate

        def closure() -> Tensor:
            state.optimizer.zero_grad(set_to_none=not self._keep_gradients)
            losses = [self._backward(*batch, share=1 / len(batches)) for batch in batches]
            if self._ranks.size > 1:
                self._ranks.mean_([p.grad for p in self._params if p.grad is not None])
            if scaler.is_enabled():
                scaler.unscale_(state.optimizer)
            if self._clip > 0:
                torch.nn.utils.clip_grad_norm_(self._params, self._clip)
            return losses[0] if len(losses) == 1 else torch.stack(losses).mean()

        if not scaler.is_enabled():
            return state.optimizer.step(closure)  # type: ignore[arg-type, return-value]
        loss = closure()
        scaler.step(state.optimizer)
        scaler.update()
        return loss

    def _backward(self, x: Tensor, y: Tensor, index: Tensor, *, share: float) -> Tensor:
        state = self._state
        with autocast(self._device, self._precision):
            scores = state.model(x)
        loss: Tensor = state.loss(scores.float(), y, index)
        scaled = state.scaler.scale(loss) if state.scaler.is_enabled() else loss
        (scaled if share == 1 else scaled * share).backward()  # type: ignore[no-untyped-call]
        return loss.detach()
