"""PAUCILoss against the paper's formulas by autograd, pair counts, and its promises about use."""

import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from losses import oracle

from pauci.errors import InputError, LabelError, RegionError, ScoreError
from pauci.losses import PAUCILoss
from pauci.losses.terms import Inner
from pauci.region import Region

REGIONS = [{}, {"max_fpr": 0.3}, {"min_tpr": 0.6}, {"max_fpr": 0.5, "min_tpr": 0.5}]
VARIABLES = Inner._fields


def batch(n: int = 40, seed: int = 0, labels: int | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shape = (n,) if labels is None else (n, labels)
    score = 2 * torch.randn(shape, generator=generator, dtype=torch.float64)
    return score, torch.rand(shape, generator=generator) < 0.4


def inner_values(seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    a, b, theta_a, theta_b = torch.rand(4, generator=generator, dtype=torch.float64)
    values = {"a": a, "b": b, "s_pos": -0.7 * a, "s_neg": 1.3 * b, "theta_a": theta_a, "theta_b": theta_b}
    values["gamma"] = 0.5 - a
    return {name: value.clone().requires_grad_() for name, value in values.items()}


def with_inner(loss: PAUCILoss, values: dict[str, torch.Tensor], label: int | None = None) -> PAUCILoss:
    loss = loss.double()
    for name, value in values.items():
        current = getattr(loss, name).clone()
        current[() if label is None else label] = value.detach()
        setattr(loss, name, current)
    return loss


def inner_gradients(loss: PAUCILoss) -> dict[str, torch.Tensor]:
    """Gradients of the objective itself: gamma's is un-reversed."""
    return dict(zip(VARIABLES, [*loss.descent.grad, -loss.ascent.grad], strict=True))


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("selector", ["softplus", "dual"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prior", [None, 0.3])
@pytest.mark.parametrize("path", ["arrays", "tensors"])
def test_value_and_every_gradient_equal_the_papers_formula(region, selector, weighted, prior, path):
    score, positive = batch()
    weight = torch.rand(len(score), dtype=torch.float64) if weighted else None
    values = inner_values()
    score.requires_grad_()
    expected = oracle.objective(
        score, positive, values, **region, selector=selector, kappa=6.0, omega=0.7, batch_prior=prior, weight=weight
    )
    names = list(values)
    wanted = torch.autograd.grad(expected, [score, *values.values()], allow_unused=True)
    labels = None if path == "arrays" else 1
    loss = PAUCILoss(**region, selector=selector, kappa=6.0, omega=0.7, batch_prior=prior, num_labels=labels)
    with_inner(loss, values)
    shape = (-1,) if labels is None else (-1, 1)
    got = loss(score.view(shape), positive.view(shape), sample_weight=weight)
    torch.testing.assert_close(got, expected)
    (gradient,) = torch.autograd.grad(got, score, retain_graph=True)
    torch.testing.assert_close(gradient, wanted[0])
    got.backward()
    for name, target in zip(names, wanted[1:], strict=True):
        gradient = inner_gradients(loss)[name]
        torch.testing.assert_close(gradient.sum(), torch.zeros_like(gradient.sum()) if target is None else target)
