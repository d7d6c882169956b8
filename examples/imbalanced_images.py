"""Train a network on imbalanced images with a recipe.

The digit 8 (one in ten) as 8x8 images. The recipe `strong`, made for the paper's image tasks on a GPU, is made small: a
narrow ResNet and a few epochs. Its twin `strong-ce`, cross-entropy alone, is what it has to beat; a run this small
decides nothing. For the real thing: pauci train strong --set data.task=cifar10-lt-3
"""

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_digits

from pauci import Region
from pauci.training import Component, load_recipe, train
from pauci.training.specs import DataSpec


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    x = (images.reshape(-1, 8, 8, 1) * 255 / 16).astype(np.uint8)
    y = digits == 8
    parts = {"train": (x[:700], y[:700]), "val": (x[700:1000], y[700:1000]), "test": (x[1000:], y[1000:])}
    for name in ("strong", "strong-ce"):
        recipe = load_recipe(name)
        recipe = replace(
            recipe,
            region=Region(max_fpr=0.05),
            data=DataSpec(flip=False, pad=1),  # a mirrored digit is none, and these images are small
            epochs=8,
            batch_size=100,
            precision="fp32",
            ema=0.9,
            model=Component("resnet18", {"stem": "cifar", "width": 8}),
        )
        result = train(recipe, parts, device="cpu")
        print(f"{name}: {result.test_metrics['target']:.3f} at FPR <= 0.05 on test images, {result.seconds:.1f} s")


if __name__ == "__main__":
    main()
