"""What `pauci fit` can fit, and with which options."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError
from pauci.region import Region

if TYPE_CHECKING:
    from pauci.data.schema import Column
    from pauci.tabular.fitting import Estimator


class Family(StrEnum):
    """What can be fitted."""

    boosting = "boosting"
    mlp = "mlp"
    linear = "linear"


class Base(StrEnum):
    """The libraries that boost trees."""

    lightgbm = "lightgbm"
    xgboost = "xgboost"


#: Defaults of options that only boosting has; None tells that one was not given.
BASE = Base.lightgbm
ROUNDS = 1000


def check_family(family: Family, base: Base | None, rounds: int | None) -> None:
    """Refuse options of boosted trees where none are fitted."""
    for name, given in (("--base", base), ("--rounds", rounds)):
        if given is not None and family is not Family.boosting:
            raise InputError(
                f"{name} {given} is about boosted trees, but --model {family} fits none. Drop one of them."
            )


def build_estimator(
    family: Family,
    region: Region,
    confidence: float,
    columns: "Sequence[Column]",
    *,
    base: Base | None,
    rounds: int | None,
    jobs: int | None,
    seed: int,
) -> "Estimator":
    """Make the estimator that the options ask for."""
    from pauci.boosting import PartialAUCBooster
    from pauci.estimators import PartialAUCClassifier

    common: dict[str, Any] = {
        "max_fpr": region.max_fpr,
        "min_tpr": region.min_tpr,
        "confidence": confidence,
        "columns": columns,
        "random_state": seed,
    }
    if family is Family.boosting:
        return PartialAUCBooster(**common, base=(base or BASE).value, max_rounds=rounds or ROUNDS, n_jobs=jobs)
    if jobs is not None:
        import torch

        torch.set_num_threads(jobs)
    return PartialAUCClassifier(**common, architecture="mlp" if family is Family.mlp else "linear")
