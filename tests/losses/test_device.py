"""The GPU's kernels against the CPU's arrays, without ever waiting for the device."""

import pytest
import torch

from pauci.losses import PAUCILoss

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize("n", [1, 100, 1024, 5000])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_fpr": 0.3},
        {"max_fpr": 0.5, "min_tpr": 0.5, "batch_prior": 0.2},
        {"max_fpr": 0.3, "kappa": 1e6},
        {"max_fpr": 0.3, "min_tpr": 0.4, "selector": "dual"},
        {"max_fpr": 0.3, "selector": "topk"},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_device_gives_what_the_host_gives(options, n, weighted):
    generator = torch.Generator().manual_seed(n)
    logits, y = 3 * torch.randn(n, generator=generator), torch.rand(n, generator=generator) < 0.4
    weight = torch.rand(n, generator=generator) if weighted else None
    results = []
    for device in ("cpu", "cuda"):
        loss = PAUCILoss(**options).to(device)
        loss.a, loss.b, loss.gamma, loss.theta_a, loss.theta_b = 0.7, 0.3, 1.5, 0.2, -0.1
        score, labels = logits.clone().to(device).requires_grad_(), y.to(device)
        own = None if weight is None else weight.to(device)
        # The first pass builds and loads the kernels, which waits.
        loss(score, labels, sample_weight=own).backward()
        for leaf in (score, *loss.parameters()):
            leaf.grad = None
        torch.cuda.set_sync_debug_mode("error")
        try:
            value = loss(score, labels, sample_weight=own)
            value.backward()
        finally:
            torch.cuda.set_sync_debug_mode("default")
        found = (value.detach(), score.grad, loss.descent.grad, loss.ascent.grad, loss.descent.detach(), loss.gamma)
        results.append([tensor.cpu() for tensor in found])
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)


def test_the_value_may_be_changed_in_place():
    score, labels = torch.randn(100, device="cuda"), torch.arange(100, device="cuda") % 3 == 0
    gradients = []
    for in_place in (False, True):
        leaf = score.clone().requires_grad_()
        value = PAUCILoss(max_fpr=0.3).cuda()(leaf, labels)
        if in_place:
            value += leaf.sum()
            value /= 2
        else:
            value = (value + leaf.sum()) / 2
        value.backward()
        gradients.append((value.detach(), leaf.grad))
    torch.testing.assert_close(*gradients)
