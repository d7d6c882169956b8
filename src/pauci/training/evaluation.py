"""Judging a network: scores of a whole part, and every metric a run reports."""

import math

import torch
from torch import Tensor, nn

from pauci.metrics.score import partial_auc_score
from pauci.region import Region
from pauci.training.part import Part
from pauci.training.precision import autocast
from pauci.training.recipe import Precision
from pauci.training.specs import REGIONS

#: Most instances per pass, and what their number is a multiple of. Parts of about the same size have passes of the same
#: size, so that a GPU looks for its fastest kernels only once.
_CHUNK, _GRAIN = 1024, 64


@torch.no_grad()
def score_part(model: nn.Module, part: Part, *, precision: Precision = "fp32") -> Tensor:
    """Score all instances of a part, in evaluation mode; the network's mode is as before afterwards.

    Returns
    -------
    Tensor of shape (n,)
        float32, on the part's device.
    """
    was_training = model.training
    model.eval()
    count = len(part)
    passes = max(1, math.ceil(count / _CHUNK))
    size = count if passes == 1 else math.ceil(count / passes / _GRAIN) * _GRAIN
    rows = torch.arange(passes * size, device=part.y.device).clamp_(max=count - 1)
    with autocast(part.y.device, precision):
        scores = [model(part.pick(chunk)).reshape(-1).float() for chunk in torch.split(rows, size)]
    model.train(was_training)
    return torch.cat(scores)[:count]


def all_metrics(y: Tensor, scores: Tensor, target: Region) -> dict[str, float]:
    """Exact partial AUC in the target region and in those every run records.

    Returns
    -------
    dict of str to float
        Normalised areas, "target" first.

    Examples
    --------
    >>> y, scores = torch.tensor([0, 0, 1]), torch.tensor([0.1, 0.7, 0.3])
    >>> all_metrics(y, scores, Region(max_fpr=0.5))
    {'target': 0.0, 'auc': 0.5, ...}
    """
    # One transfer; on a GPU each of the metrics would be some twenty small kernels and a wait.
    labels, values = y.cpu().numpy(), scores.cpu().numpy()
    return {
        name: float(partial_auc_score(labels, values, region=region))
        for name, region in {"target": target, **REGIONS}.items()
    }
