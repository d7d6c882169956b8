r"""A loss for trials: the threshold comes from recent negatives, the gradient from the batch alone.

    python benchmarks/strong_settings.py common \
        'loss={name="queued_threshold:QueuedThresholdLoss",region="fpr<=0.1",ce_weight=0.5}' --methods ours

Exact selection in a batch of a few hundred rests on a handful of negatives. Here the scores of the last batches tell
where the region ends; they grow old, and only the batch's own negatives above that threshold are trained.
"""

import torch
from torch import Tensor, nn

from pauci.region import Region


class QueuedThresholdLoss(nn.Module):
    """Mean of ``(1 - (f_i - f_j))^2`` over positives and the negatives above the threshold of a queue.

    Parameters
    ----------
    region : Region
        One-way: only its `max_fpr` counts.
    size : int, default 4096
        Number of recent instances whose negatives tell the threshold.
    """

    queue: Tensor

    def __init__(self, region: Region, size: int = 4096) -> None:
        super().__init__()
        self.share = region.max_fpr
        # Positives, and places not filled yet, are marked by a score that no negative has.
        self.register_buffer("queue", torch.full((size,), -1.0))

    def forward(self, y_score: Tensor, y_true: Tensor) -> Tensor:
        """Risk of a batch, whose negatives join the queue; nothing in it waits for the device."""
        f, positive = y_score.float().flatten().sigmoid(), y_true.flatten() > 0
        marked = torch.where(positive, -1.0, f.detach())
        self.queue.copy_(torch.cat((marked, self.queue))[: len(self.queue)])
        highest = self.queue.sort(descending=True).values
        last = (self.share * (highest >= 0).sum()).ceil().long().clamp(min=1) - 1
        threshold = highest.gather(0, last.unsqueeze(0))
        p = positive / positive.sum().clamp(min=1)
        q = (~positive & (f >= threshold)) / (self.share * (~positive).sum().clamp(min=1))
        short = 1 - f
        return (p @ short**2) * q.sum() + 2 * (p @ short) * (q @ f) + p.sum() * (q @ f**2)
