"""What ASGDA costs besides its two passes, on a ResNet-18 for small images.

Time inside of the closure is told from time outside of it within each step, and candidates are interleaved, so that
a busy machine spoils neither ratio:

    python benchmarks/asgda_overhead.py --batch-size 32 --rounds 9
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from pauci.optim import ASGDA, SinglePassASGDA


class Block(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, width_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        same = stride == 1 and width_in == width
        shortcut = [] if same else [nn.Conv2d(width_in, width, 1, stride, bias=False), nn.BatchNorm2d(width)]
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's activations."""
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


def resnet18() -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    width_in = 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(width_in, width, stride), Block(width, width, 1)]
        width_in = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1))


def settle(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    device = torch.device(options.device)

    generator = torch.Generator().manual_seed(0)
    images = torch.randn(options.batch_size, 3, 32, 32, generator=generator).to(device)
    labels = (torch.arange(options.batch_size) % 2).float().to(device)
    model = resnet18().to(device)

    inside = 0.0

    def one_pass() -> Tensor:
        nonlocal inside
        start = time.perf_counter()
        model.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(images).squeeze(1), labels)
        loss.backward()
        settle(device)
        inside += time.perf_counter() - start
        return loss

    two_pass = ASGDA(model.parameters(), nu=1e-3)
    single_pass = SinglePassASGDA(model.parameters(), nu=1e-3)
    sgd = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
    candidates: dict[str, Callable[[], object]] = {
        "two passes alone": lambda: (one_pass(), one_pass()),
        "ASGDA": lambda: two_pass.step(one_pass),
        "SinglePassASGDA": lambda: single_pass.step(one_pass),
        "SGD with momentum": lambda: sgd.step(one_pass),
    }
    total: dict[str, list[float]] = {name: [] for name in candidates}
    own: dict[str, list[float]] = {name: [] for name in candidates}
    for round_number in range(options.rounds + 1):
        for name, action in candidates.items():
            inside, start = 0.0, time.perf_counter()
            action()
            settle(device)
            seconds = time.perf_counter() - start
            if round_number:  # the first one warms up
                total[name].append(seconds)
                own[name].append(seconds / inside - 1)

    passes = statistics.median(total["two passes alone"])
    print(f"ResNet-18, {sum(p.numel() for p in model.parameters()):,} parameters, batch {options.batch_size}, {device}")
    for name in candidates:
        median = statistics.median(total[name])
        print(
            f"{name:18s} {1e3 * median:8.1f} ms, {median / passes:.2f} of the two passes; "
            f"besides its own passes {statistics.median(own[name]):+.1%}"
        )


if __name__ == "__main__":
    main()
