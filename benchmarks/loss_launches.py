"""How many kernels PAUCILoss launches on a GPU, forward and backward, eager and compiled; and that it never waits.

    python benchmarks/loss_launches.py [--n 2048]

Targets at n = 2048: at most 25 launches in eager mode, 4 forward and 4 backward with torch.compile. Values and
gradients are compared with the CPU's, and everything runs under torch.cuda.set_sync_debug_mode("error").
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from pauci.losses import PAUCILoss

REGIONS: dict[str, dict[str, float]] = {"one-way": {"max_fpr": 0.3}, "two-way": {"max_fpr": 0.5, "min_tpr": 0.5}}


def launches(run: Callable[[], Any]) -> tuple[int, Any]:
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
        result = run()
        torch.cuda.synchronize()
    kernels = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return len(kernels), result


def count(loss: nn.Module, score: Tensor, y: Tensor, upstream: Tensor) -> tuple[int, int, Tensor]:
    for _ in range(4):
        loss(score, y).backward(upstream)
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    loss(score, y).backward(upstream)
    torch.cuda.set_sync_debug_mode("default")
    for leaf in (score, *loss.parameters()):
        leaf.grad = None
    forward, value = launches(lambda: loss(score, y))
    backward, _ = launches(lambda: value.backward(upstream))
    return forward, backward, value.detach()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2048)
    n = parser.parse_args().n
    if not torch.cuda.is_available():
        sys.exit("benchmarks/loss_launches.py counts kernels on a GPU, and torch sees none here.")
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(n) % 2
    logits = torch.randn(n, generator=generator) + y
    upstream = torch.ones((), device="cuda")
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, n={n}")
    print("region   mode      forward  backward  error of value  of gradients")
    for name, region in REGIONS.items():
        reference = PAUCILoss(**region)
        leaf = logits.clone().requires_grad_()
        expected = reference(leaf, y)
        expected.backward()
        for mode in ("eager", "tensors", "compiled"):
            # One label in a column takes the path of tensor operations, which is the one that is compiled.
            columns = mode == "tensors"
            loss: nn.Module = PAUCILoss(**region, num_labels=1 if columns else None).cuda()
            inner = loss
            if mode == "compiled":
                loss = torch.compile(loss, fullgraph=True)
            score = (logits[:, None] if columns else logits).cuda().requires_grad_()
            forward, backward, value = count(loss, score, (y[:, None] if columns else y).cuda(), upstream)
            gap = max(
                (score.grad.view(-1).cpu() - leaf.grad).abs().max().item(),
                (inner.descent.grad.view(-1).cpu() - reference.descent.grad).abs().max().item(),
                (inner.ascent.grad.view(()).cpu() - reference.ascent.grad).abs().max().item(),
            )
            error = abs(value.item() - expected.item())
            print(f"{name:8s} {mode:9s} {forward:7d}  {backward:8d}  {error:14.1e}  {gap:12.1e}", flush=True)


if __name__ == "__main__":
    main()
