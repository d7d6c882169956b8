"""Sums over pairs that have no sorted form: block by block, so that the matrix of pairs never exists."""

from typing import Any, Protocol

import torch
from torch import Tensor

from pauci.losses.checks import check_differentiated_once

#: Pairs per block: small enough for the cache of a CPU core.
_BLOCK = 1 << 16


class Kernel(Protocol):
    """A function of a pair: of t = f_j - f_i, and of a number c that belongs to the positive i."""

    def value(self, t: Tensor, c: Tensor) -> Tensor:
        """Return the function of each pair; may overwrite `t`."""

    def slope(self, t: Tensor, c: Tensor) -> Tensor:
        """Return its derivative in `t`; may overwrite `t`."""


def pair_row_sums(
    kernel: Kernel, positives: Tensor, negatives: Tensor, weight: Tensor, shift: Tensor | None = None
) -> Tensor:
    """For every positive, sum a function of its pairs over the negatives: sum_j w_j kernel(f_j - f_i, c_i).

    The shifts c_i, one per positive and 0 by default, are taken as constants; in both classes' scores the sums are once
    differentiable. The backward pass computes the pairs anew instead of keeping them: memory is that of one block.
    """
    shift = torch.zeros_like(positives) if shift is None else shift.detach()
    sums: Tensor = _PairRowSums.apply(positives, negatives, weight, shift, kernel)  # type: ignore[no-untyped-call]
    return sums


class _PairRowSums(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, positives: Tensor, negatives: Tensor, weight: Tensor, shift: Tensor, kernel: Kernel
    ) -> Tensor:
        ctx.save_for_backward(positives, negatives, weight, shift)
        ctx.kernel = kernel
        sums = torch.empty_like(positives)
        for part in _blocks(positives, negatives):
            t = negatives - positives[part, None]
            torch.mv(kernel.value(t, shift[part, None]), weight, out=sums[part])
        return sums

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        check_differentiated_once()
        positives, negatives, weight, shift = ctx.saved_tensors
        to_positives, to_negatives = torch.empty_like(positives), torch.zeros_like(negatives)
        with torch.autocast(positives.device.type, enabled=False):
            for part in _blocks(positives, negatives):
                slope = ctx.kernel.slope(negatives - positives[part, None], shift[part, None])
                torch.mv(slope, weight, out=to_positives[part])
                to_negatives.addmv_(slope.T, upstream[part])
        return -to_positives * upstream, to_negatives * weight, None, None, None


def _blocks(positives: Tensor, negatives: Tensor) -> list[slice]:
    # A GPU wants larger blocks than a CPU: the launches are what costs there.
    rows = max(1, (_BLOCK if positives.is_cpu else 64 * _BLOCK) // max(1, len(negatives)))
    return [slice(start, start + rows) for start in range(0, len(positives), rows)]
