"""The surrogate that is added to cross-entropy: by name, or any loss of the project."""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pauci.errors import InputError, RecipeError
from pauci.estimators.linear import Surrogate
from pauci.estimators.surrogate import pairwise_sigmoid
from pauci.estimators.weights import weights_of
from pauci.losses import Anneal
from pauci.region import Region
from pauci.training.component import Component

Array = NDArray[Any]

#: Temperatures of the pairwise sigmoid, on the scale of logits: a soft one leads the way.
TEMPERATURES = (1.0, 0.5)
SIGMOID = "pairwise-sigmoid"


def build_loss(method: str | nn.Module, region: Region, *, steps: int = 1) -> nn.Module:
    """Make the loss module for a training region: by its name in recipes, or a copy of a loss, which keeps its own.

    `steps` is over how many calls of its `advance` the pairwise sigmoid's temperature falls.

    Examples
    --------
    >>> build_loss("pauci", Region(max_fpr=0.1)).region
    Region(max_fpr=0.1)
    """
    if isinstance(method, nn.Module):
        return copy.deepcopy(method)
    if not isinstance(method, str):
        raise InputError(f"method={method!r} must be the name of a loss or a loss module, such as 'pauci'.")
    options = {"temperature": Anneal(*TEMPERATURES, steps=steps)} if method == SIGMOID else {}
    component = Component(method, options)
    try:
        component.factory("loss")
    except RecipeError as error:  # which calls it as recipes do
        raise RecipeError(str(error).replace("loss.name=", "method=", 1)) from None
    loss: nn.Module = component.build("loss", region=region, inner="solve")
    return loss


def full_batch_stages(
    method: str | nn.Module, region: Region, positive: Array, weight: Array | None
) -> list[Surrogate]:
    """Return surrogates of the scores of a whole data set, to be optimised one after the other.

    Each takes scores (n,) and returns a value and its gradient. The pairwise sigmoid has one for each temperature.

    Examples
    --------
    >>> soft, sharp = full_batch_stages("pairwise-sigmoid", Region(), np.array([True, False]), None)
    >>> value, gradient = sharp(np.array([1.0, 1.0]))
    >>> round(value, 3), gradient.round(3)
    (0.5, array([-0.5,  0.5]))
    """
    if method == SIGMOID:
        return [_sigmoid_stage(region, temperature, positive, weight) for temperature in TEMPERATURES]
    loss = build_loss(method, region)
    if any(parameter.requires_grad for parameter in loss.parameters()):
        raise InputError(
            f"method={method!r} learns variables of its own, which a full-batch solver does not; build it with "
            "inner='solve', or use architecture='mlp'."
        )
    if hasattr(loss, "momentum") and hasattr(loss, "inner_optimum"):
        setattr(loss, "momentum", 1.0)  # noqa: B010 - the whole data set is the batch: nothing needs averaging
    labels = torch.from_numpy(positive.copy())
    weights = None if weight is None else torch.from_numpy(weight.copy())

    def stage(scores: Array) -> tuple[float, Array]:
        leaf = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
        value = loss(leaf, labels, sample_weight=weights)
        value.backward()
        gradient = np.zeros(len(scores)) if leaf.grad is None else leaf.grad.numpy()
        return float(value.detach()), gradient

    return [stage]


def _sigmoid_stage(region: Region, temperature: float, positive: Array, weight: Array | None) -> Surrogate:
    def stage(scores: Array) -> tuple[float, Array]:
        gradient = np.empty(len(scores))
        value, gradient[positive], gradient[~positive] = pairwise_sigmoid(
            scores[positive],
            scores[~positive],
            region=region,
            temperature=temperature,
            positive_weight=weights_of(weight, positive),
            negative_weight=weights_of(weight, ~positive),
        )
        return value, gradient

    return stage
