"""Made-up images for the miniature of the study."""

import numpy as np

from pauci.data.tasks import TASKS, Split, Task

_SIDE = 8


def miniature_task(name: str) -> Task:
    """Make a task of noisy images, some of which are a little brighter in one corner; its name decides the noise.

    There are 160, 80 and 80 images, a quarter of them positive.

    Examples
    --------
    >>> task = miniature_task("cifar10-lt-1")
    >>> task.train.x.shape, int(task.train.y.sum())
    ((160, 8, 8, 3), 40)
    """
    rng = np.random.default_rng(list(TASKS).index(name))
    return Task(name, *(_split(rng, size) for size in (160, 80, 80)))


def _split(rng: np.random.Generator, size: int) -> Split:
    y = (np.arange(size) % 4 == 0).astype(np.uint8)
    x = rng.integers(0, 200, (size, _SIDE, _SIDE, 3))
    x[:, : _SIDE // 2, : _SIDE // 2] += 40 * y[:, None, None, None]
    return Split(x.astype(np.uint8), y)
