"""How the loss of a run worked: its inner variables against their optimum."""

import copy
import warnings
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from pauci.losses.diagnosis import Diagnosis
from pauci.losses.pauci import PAUCILoss
from pauci.training.checkpoint import Checkpoints
from pauci.training.evaluation import score_part
from pauci.training.inputs import Inputs
from pauci.training.network import build_state
from pauci.training.ranks import Ranks
from pauci.training.result import Result


@dataclass(frozen=True)
class RunDiagnosis:
    """A diagnosis, and the numbers of cases that it was measured on."""

    found: Diagnosis
    n_positive: int
    n_negative: int
    #: Whether it is about the network and inner variables of a checkpoint. Without one it is about the final network,
    #: with the best inner variables for its scores.
    kept_inner: bool


def diagnose_run(folder: Path, result: Result, inputs: Inputs) -> RunDiagnosis | None:
    """Diagnose a run's loss on the validation part of its data, which are on the CPU; None for losses but PAUCI.

    The newest checkpoint in the run's folder knows the inner variables.
    """
    found = Checkpoints(folder / "checkpoints", owner=inputs.owner(result.recipe)).load()
    state = build_state(
        result.recipe,
        copy.deepcopy(result.model),
        device=torch.device("cpu"),
        steps_per_epoch=1 if found is None else len(found[0]["losses"]),
        data_size=len(inputs.train),
        ranks=Ranks(),
    )
    losses = [module for module in state.loss.modules() if isinstance(module, PAUCILoss)]
    if not losses:
        return None
    if found is not None:
        state.unpack(*found)
    labels, scores = inputs.val.y, score_part(state.judged, inputs.val, precision=result.recipe.precision)
    if found is None:
        _settle(losses[0], scores, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of stands in the report, beside what it should be
        diagnosis = losses[0].diagnose(scores, labels)
    if not isinstance(diagnosis, Diagnosis):
        return None
    n_positive = int(labels.sum())
    return RunDiagnosis(diagnosis, n_positive, len(labels) - n_positive, found is not None)


def _settle(loss: PAUCILoss, scores: Tensor, labels: Tensor) -> None:
    """Move inner variables to their optimum."""
    for name, value in vars(loss.inner_optimum(scores, labels)).items():
        setattr(loss, name, value)
