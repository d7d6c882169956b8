"""The GPU's kernels, run by Triton's interpreter where there is no GPU, held against tensors in double precision."""

from contextlib import nullcontext

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pauci import PAUCILoss
from pauci.losses import device, fused
from pauci.losses.inputs import tensor_batch

pytest.importorskip("triton", reason="CPU builds of torch come without Triton")
# The exponential of a large number is infinite, as on the GPU; numpy, in which the interpreter computes, warns of it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.fixture(autouse=True, scope="module")
def where_the_interpreter_runs():
    with pytest.MonkeyPatch.context() as patch:
        if DEVICE == "cpu":
            patch.setattr(torch.cuda, "device", nullcontext)
        yield


def by_kernels(score, label, weight, loss, ranks=1):
    batch = tensor_batch(score, label, weight, probabilities=False, validate=False)
    descent, ascent = loss.descent.detach(), loss.ascent.detach()
    boxes = (loss._low, loss._high, loss._boxes[-1])
    outcome = device.device_pass(batch, descent, ascent, boxes, loss._shape, loss._terms, ranks)
    return [outcome.value, *outcome.gradients, descent, ascent]


def by_tensors(score, label, weight, loss, ranks=1):
    weight = None if weight is None else weight.double()
    loss = loss.double()
    batch = tensor_batch(score.double(), label, weight, probabilities=False, validate=False)
    loss._project(loss.descent, loss.ascent)
    descent, ascent = loss.descent.detach(), loss.ascent.detach()
    outcome = fused.tensor_pass(batch, descent, ascent, loss._shape, loss._terms, ranks)
    return [outcome.value, *outcome.gradients, descent, ascent]


def both(score, label, weight, *, inner, ranks=1, **options):
    """Value, gradients of scores and of inner variables, and these after projection; by kernels, and by tensors."""
    results = []
    for way in (by_kernels, by_tensors):
        loss = PAUCILoss(**options).to(DEVICE)
        with torch.no_grad():
            loss.descent.copy_(inner[:6])
            loss.ascent.copy_(inner[6])
        results.append([part.double().cpu() for part in way(score, label, weight, loss, ranks)])
    return results


def made_up(n, seed, *, share=0.3, spread=2.0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    score = (spread * torch.randn(n, generator=generator)).to(dtype)
    label = torch.rand(n, generator=generator) < share
    weight = torch.rand(n, generator=generator)
    weight[torch.rand(n, generator=generator) < 0.1] = 0
    # Some of these lie outside of their boxes.
    inner = torch.tensor([0.7, 0.2, 0.5, 0.8, 0.3, 0.1, -0.2]) + torch.randn(7, generator=generator)
    return score.to(DEVICE), label.to(DEVICE), weight.to(DEVICE), inner.to(DEVICE)


@settings(max_examples=60)
@given(
    # One program, a last one that is not full, and more of them than a power of two.
    n=st.sampled_from([1, 7, 1024, 1025, 3100]),
    seed=st.integers(0, 999),
    spread=st.sampled_from([0.1, 2.0, 1000.0]),
    kappa=st.sampled_from([0.1, 4.0, 30.0]),
    edges=st.sampled_from([(1.0, 0.0), (0.3, 0.0), (1.0, 0.4), (0.5, 0.5), (0.01, 0.99)]),
    selector=st.sampled_from(["softplus", "dual"]),
    logits=st.booleans(),
    weighted=st.booleans(),
    prior=st.sampled_from([None, 0.2]),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    dtype=st.sampled_from([torch.float32, torch.bfloat16, torch.float16]),
)
def test_kernels_and_tensors_agree(n, seed, spread, kappa, edges, selector, logits, weighted, prior, share, dtype):
    score, label, weight, inner = made_up(n, seed, share=share, spread=spread, dtype=dtype)
    options = {"max_fpr": edges[0], "min_tpr": edges[1], "kappa": kappa, "omega_c": 1 / kappa, "batch_prior": prior}
    options |= {"selector": selector, "from_logits": logits}
    found, expected = both(
        score if logits else score.sigmoid(), label, weight if weighted else None, inner=inner, **options
    )
    scale = max(1.0, kappa) / min(edges[0], 1 - edges[1])
    torch.testing.assert_close(found, expected, rtol=1e-5 * scale, atol=1e-6 * scale)


@pytest.mark.parametrize("prior", [None, 0.2])
def test_batches_of_several_processes_count_as_one(monkeypatch, prior):
    """Two processes that hold the same batch."""
    for module in (device, fused):
        monkeypatch.setattr(module, "sum_over_ranks", lambda sums: 2 * sums)
    score, label, weight, inner = made_up(2100, 0)
    options = {"max_fpr": 0.3, "min_tpr": 0.4, "batch_prior": prior, "inner": inner}
    found, expected = both(score, label, weight, ranks=2, **options)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found, both(score, label, weight, **options)[0])


def test_what_is_not_contiguous_is_read_in_its_own_order():
    score, label, weight, inner = made_up(60, 1)
    every_third = [part[::3] for part in (score, label, weight)]
    assert not every_third[0].is_contiguous()
    found, expected = both(*every_third, inner=inner, max_fpr=0.3)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
