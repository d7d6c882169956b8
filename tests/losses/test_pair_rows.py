import pytest
import torch
from torch import Tensor

from pauci.losses import pair_rows
from pauci.losses.pair_rows import pair_row_sums


class Cube:
    """(t - c)^3, in the memory it is given."""

    def value(self, t: Tensor, c: Tensor) -> Tensor:
        return t.sub_(c).pow_(3)

    def slope(self, t: Tensor, c: Tensor) -> Tensor:
        return t.sub_(c).square_().mul_(3)


@pytest.mark.parametrize("sizes", [(30, 4), (4, 30), (1, 1)])
@pytest.mark.parametrize("block", [1, 13, 1 << 16])
def test_blocks_of_any_size_give_the_sums_over_the_whole_matrix_and_their_gradients(sizes, block, monkeypatch):
    monkeypatch.setattr(pair_rows, "_BLOCK", block)
    generator = torch.Generator().manual_seed(0)
    positives, negatives = (torch.randn(n, generator=generator, dtype=torch.float64).requires_grad_() for n in sizes)
    shift, upstream = torch.randn(2, sizes[0], generator=generator, dtype=torch.float64)
    weight = torch.rand(sizes[1], generator=generator, dtype=torch.float64)
    expected = (negatives - positives[:, None] - shift[:, None]) ** 3 @ weight
    sums = pair_row_sums(Cube(), positives, negatives, weight, shift)
    torch.testing.assert_close(sums, expected)
    gradients = (torch.autograd.grad(each @ upstream, (positives, negatives)) for each in (sums, expected))
    for got, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(got, wanted)
