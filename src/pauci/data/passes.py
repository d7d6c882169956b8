"""Going through a set again and again, each time in a new order."""

import numpy as np
from numpy.typing import NDArray


def shuffled_passes(size: int, length: int, window: int, *, seed: tuple[int, ...]) -> NDArray[np.int64]:
    """Concatenate random permutations of ``range(size)``, cut to a length.

    No index is twice in one of the consecutive windows of `window` places, if there are enough members: where a pass
    ends within a window, the next one begins with others. The seed determines the result on every platform.

    Examples
    --------
    >>> order = shuffled_passes(3, 9, 3, seed=(0,))
    >>> sorted(order[:3].tolist()), sorted(order[6:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    passes = -(-length // size)
    # Sorting raw bits, rather than Generator.permutation: only the bit stream is promised to never change.
    bits = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(passes * size)
    order = np.argsort(np.asarray(bits).reshape(passes, size), axis=1, kind="stable")
    if window <= size:
        recent = np.zeros(size, dtype=bool)
        for k in range(1, passes):
            begun = (k * size) % window
            if begun:
                _begin_with_others(order[k], order[k - 1, size - begun :], window - begun, recent)
    return order.reshape(-1)[:length].astype(np.int64, copy=False)


def _begin_with_others(
    order: NDArray[np.int64], previous: NDArray[np.int64], count: int, recent: NDArray[np.bool_]
) -> None:
    """Move members that are not in `previous` to the first `count` places; `recent` is scratch space."""
    recent[previous] = True
    again = recent[order]
    recent[previous] = False
    if again[:count].any():
        others = np.flatnonzero(~again)[:count]
        order[:] = np.concatenate([order[others], np.delete(order, others)])
