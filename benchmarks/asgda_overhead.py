"""What ASGDA costs besides its two passes, on a ResNet-18 for small images.

Rounds are interleaved and ratios taken of medians, so that a busy machine slows all candidates alike:

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


def seconds(action: Callable[[], object], device: torch.device) -> float:
    start = time.perf_counter()
    action()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


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

    def one_pass() -> Tensor:
        model.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(images).squeeze(1), labels)
        loss.backward()
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
    for action in candidates.values():
        seconds(action, device)
    times = {name: [] for name in candidates}
    for _ in range(options.rounds):
        for name, action in candidates.items():
            times[name].append(seconds(action, device))

    median = {name: statistics.median(values) for name, values in times.items()}
    passes = median["two passes alone"]
    paired = [step / both - 1 for step, both in zip(times["ASGDA"], times["two passes alone"], strict=True)]
    print(f"ResNet-18, {sum(p.numel() for p in model.parameters()):,} parameters, batch {options.batch_size}, {device}")
    for name, value in median.items():
        print(f"{name:20s} {1e3 * value:8.1f} ms  {value / passes:6.3f} of the two passes")
    print(
        f"ASGDA's own share: {median['ASGDA'] / passes - 1:+.1%} (median of paired rounds {statistics.median(paired):+.1%})"
    )
    print(f"ASGDA to SinglePassASGDA: {median['ASGDA'] / median['SinglePassASGDA']:.2f}x")


if __name__ == "__main__":
    main()
