"""The CPU's own way through the loss, held against the tensor operations that every other batch takes."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pauci import PAUCILoss
from pauci.losses import host


def both(score, label, weight=None, **options):
    """Value and all gradients by arrays, and by tensors: a batch with a column per label takes that way."""
    results = []
    for columns in (None, 1):
        loss = PAUCILoss(num_labels=columns, **options).to(score.dtype)
        for name in ("a", "b", "gamma", "theta_a", "theta_b"):
            setattr(loss, name, {"a": 0.7, "b": 0.2, "gamma": -0.3}.get(name, 0.25))
        leaf = score.clone().requires_grad_()
        shape = (-1,) if columns is None else (-1, 1)
        value = loss(leaf.view(shape), label.view(shape), sample_weight=None if weight is None else weight.view(shape))
        value.backward()
        results.append([value.detach(), leaf.grad, loss.descent.grad.flatten(), loss.ascent.grad.flatten()])
    return results


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 999),
    spread=st.sampled_from([0.1, 2.0, 40.0, 1000.0]),
    kappa=st.sampled_from([0.1, 4.0, 8.0, 30.0, 1000.0]),
    edges=st.sampled_from([(1.0, 0.0), (0.3, 0.0), (1.0, 0.4), (0.5, 0.5), (0.01, 0.99)]),
    selector=st.sampled_from(["softplus", "dual"]),
    weighted=st.booleans(),
    prior=st.sampled_from([None, 0.2]),
    share=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_arrays_and_tensors_agree(seed, spread, kappa, edges, selector, weighted, prior, share):
    generator = torch.Generator().manual_seed(seed)
    score = spread * torch.randn(19, generator=generator, dtype=torch.float64)
    label = torch.rand(19, generator=generator) < share
    weight = torch.rand(19, generator=generator, dtype=torch.float64) if weighted else None
    options = {"max_fpr": edges[0], "min_tpr": edges[1], "kappa": kappa, "omega_c": 1 / kappa, "batch_prior": prior}
    by_arrays, by_tensors = both(score, label, weight, selector=selector, **options)
    torch.testing.assert_close(by_arrays, by_tensors, rtol=1e-9, atol=1e-12)


def test_blocks_add_up(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    score = torch.randn(1000, generator=generator)
    weight = torch.rand(1000, generator=generator)
    label = score > 0.5
    monkeypatch.setattr(host, "_BLOCK", 300)
    for given_weight in (None, weight):
        torch.testing.assert_close(*both(score, label, given_weight, max_fpr=0.3), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kappa", [4.0, 100.0])
def test_unchecked_scores_outside_of_the_unit_interval_do_not_overflow(kappa):
    score = torch.tensor([-30.0, 40.0, 0.5, 0.1], dtype=torch.float32)
    label = torch.tensor([1, 0, 1, 0])
    found = both(score, label, max_fpr=0.3, kappa=kappa, from_logits=False, validate=False)
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)
    assert all(part.isfinite().all() for part in found[0])
