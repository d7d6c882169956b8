"""Images per second of flip + crop + normalisation, against the same done operation by operation.

    python benchmarks/augment.py [--device cuda] [--threads 1 2] [--side 32]

Both variants give channels-last float32 batches of 1,024 from uint8 images; they take turns in one run. Two threads
gain only where two cores are free: when others use them, threads wait for each other.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch

from pauci.data.augment import Augmenter

BATCH, PAD = 1024, 4
MEAN, STD = [0.49, 0.48, 0.45], [0.25, 0.24, 0.26]


def straightforward(images: torch.Tensor, index: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Select, normalise, pad, crop by advanced indexing, flip: one tensor operation after the other."""
    side, device = images.shape[1], images.device
    mean, std = torch.tensor(MEAN, device=device).view(-1, 1, 1), torch.tensor(STD, device=device).view(-1, 1, 1)
    black = (-mean / std).view(1, -1, 1, 1)
    batch = (images[index].permute(0, 3, 1, 2).float() / 255 - mean) / std
    padded = torch.nn.functional.pad(batch - black, [PAD] * 4) + black
    top, left = torch.randint(2 * PAD + 1, (2, len(index), 1), generator=generator, device=device)
    span = torch.arange(side, device=device)
    rows, columns = (top + span)[:, :, None], (left + span)[:, None, :]
    crops = padded.permute(0, 2, 3, 1)[torch.arange(len(index), device=device)[:, None, None], rows, columns]
    crops = crops.permute(0, 3, 1, 2)
    mirrored = torch.randint(2, (len(index), 1, 1, 1), generator=generator, device=device).bool()
    return torch.where(mirrored, crops.flip(3), crops).contiguous(memory_format=torch.channels_last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    generator = torch.Generator(options.device).manual_seed(0)
    shape = (10_000, options.side, options.side, 3)
    images = torch.randint(256, shape, generator=generator, device=options.device, dtype=torch.uint8)
    augment = Augmenter(images, mean=MEAN, std=STD, pad=PAD, device=options.device)
    index = torch.randint(len(images), (BATCH,), generator=generator, device=options.device)

    for threads in options.threads:
        torch.set_num_threads(threads)
        speeds: dict[str, list[float]] = {"Augmenter": [], "straightforward": []}
        for _ in range(options.rounds):
            speeds["Augmenter"].append(measure(lambda: augment(index, generator=generator), 20))
            speeds["straightforward"].append(measure(lambda: straightforward(images, index, generator), 2))
        print(f"{options.device}, {threads} thread(s), {options.side} x {options.side}")
        for name, values in speeds.items():
            low, middle, high = min(values), statistics.median(values), max(values)
            print(f"  {name:<16} {middle:>12,.0f} images/s   (slowest round {low:,.0f}, fastest {high:,.0f})")
        ratios = [a / b for a, b in zip(*speeds.values(), strict=True)]
        print(f"  ratio            {statistics.median(ratios):>12.1f}")


def measure(run: Callable[[], torch.Tensor], repeats: int) -> float:
    run()
    synchronise()
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    synchronise()
    return repeats * BATCH / (time.perf_counter() - start)


def synchronise() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
