"""The objective and all its gradients on a GPU in two kernels."""

import torch
from torch import Tensor

from pauci.losses import kernels
from pauci.losses.fused import Outcome, TensorGradients
from pauci.losses.inputs import Batch
from pauci.losses.reduction import sum_over_ranks
from pauci.losses.terms import Terms

_BLOCK = 1024


def fits(batch: Batch, descent: Tensor, terms: Terms) -> bool:
    """Tell whether `device_pass` takes a batch: one label, a smooth selector, up to single precision, on a GPU.

    It takes none where Triton is not installed; `tensor_pass` takes everything.
    """
    score = batch.score
    return (
        kernels.triton is not None
        and score.is_cuda
        and score.ndim == 1
        and score.numel() > 0
        and not terms.exact
        and score.dtype is not torch.float64
        and descent.dtype is torch.float32
    )


def device_pass(
    batch: Batch,
    descent: Tensor,
    ascent: Tensor,
    boxes: tuple[Tensor, Tensor, tuple[float, float]],
    shape: Tensor,
    terms: Terms,
    ranks: int,
) -> Outcome:
    """Move inner variables into their boxes, then do what `tensor_pass` does for one label, scores (N,).

    The boxes are the low and the high end of `descent`, and gamma's interval. Nothing waits for the device.
    """
    score = batch.score.contiguous()
    positive = batch.positive.contiguous().view(torch.uint8)
    weight = score if batch.weight is None else batch.weight.contiguous()
    n = len(score)
    parts = -(-n // _BLOCK)
    slope = torch.empty_like(score, dtype=torch.float32)
    partial = torch.empty((parts, 8), dtype=torch.float32, device=score.device)
    out = torch.empty(8, dtype=torch.float32, device=score.device)
    low, high, (gamma_low, gamma_high) = boxes
    sides = {"SELECT_POSITIVES": terms.select_positives, "SELECT_NEGATIVES": terms.select_negatives, "BLOCK": _BLOCK}
    with torch.cuda.device(score.device):
        kernels.moments_kernel[(parts,)](
            *(score, positive, weight, descent, ascent, low, high, shape, slope, partial, n, gamma_low, gamma_high),
            DUAL=terms.selector == "dual",
            LOGITS=terms.logits,
            WEIGHTED=batch.weight is not None,
            **sides,
        )
        if ranks > 1:
            partial = sum_over_ranks(partial.sum(0, keepdim=True))
        shares = (terms.positives.share, terms.negatives.share, 0.0 if terms.prior is None else terms.prior)
        kernels.settle_kernel[(parts,)](
            *(partial, len(partial), positive, descent, ascent, shape, slope, out, n, ranks, *shares),
            HAS_PRIOR=terms.prior is not None,
            PARTS=max(2, 1 << (len(partial) - 1).bit_length()),
            **sides,
        )
    # No view: whoever adds to the loss in place, as in ``loss += other``, must be allowed to.
    return Outcome(out[7].data, TensorGradients(slope, out[:6], out[6]))
