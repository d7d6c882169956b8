"""The methods that are compared, as changes to a protocol's recipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pauci.region import Region

#: The paper's two target regions, and the metric that judges each.
ONE_WAY, TWO_WAY = Region(max_fpr=0.3), Region(max_fpr=0.5, min_tpr=0.5)
METRIC: dict[str, str] = {str(ONE_WAY): "opauc@0.3", str(TWO_WAY): "tpauc@0.5,0.5"}


@dataclass(frozen=True, kw_only=True)
class Method:
    """How a method differs from others.

    Attributes
    ----------
    title : str
        As in tables.
    losses : mapping of str to mapping
        Target region to ``[loss]`` table of a recipe; regions that the method does not know are missing.
    changes : mapping
        Dotted path to value, for what else differs.
    needs_warmup : bool
        Whether epochs of cross-entropy come first where the protocol leaves that open. Methods with cross-entropy in
        them need none.
    """

    title: str
    losses: Mapping[str, Mapping[str, Any]]
    changes: Mapping[str, Any] = field(default_factory=dict)
    needs_warmup: bool = True

    @property
    def is_region_free(self) -> bool:
        """Whether what is trained is the same for all regions, so that one training will do."""
        first, *others = self.losses.values()
        return first.get("region") != "target" and all(loss == first for loss in others)

    @property
    def has_own_solver(self) -> bool:
        """Whether it brings an optimiser, so that settings of the others' mean nothing to it."""
        return any(path.startswith("optimizer") for path in self.changes)

    @property
    def title_with_region(self) -> str:
        """As in means over regions: a method that knows one region says so."""
        return self.title if len(self.losses) > 1 else f"{self.title} (one-way)"

    def warmup(self, region: str) -> int:
        """Count the epochs in which its loss is not yet what it will be."""
        epochs: int = self.losses[region].get("warmup", 0)
        return epochs


def _same(**loss: Any) -> dict[str, Mapping[str, Any]]:
    return {str(ONE_WAY): loss, str(TWO_WAY): loss}


def _target(one_way: Mapping[str, Any], two_way: Mapping[str, Any] | None = None) -> dict[str, Mapping[str, Any]]:
    """Tables of a loss that is given the target region."""
    return {
        str(ONE_WAY): {**one_way, "region": "target"},
        str(TWO_WAY): {**(one_way if two_way is None else two_way), "region": "target"},
    }


#: By the name in the store. What the paper tunes has the middle of its range here.
METHODS: dict[str, Method] = {
    "ce": Method(title="CE", losses=_same(name="ce"), needs_warmup=False),
    "ce-natural": Method(
        title="CE (natural ratio)", losses=_same(name="ce"), changes={"positive_ratio": 0.0}, needs_warmup=False
    ),
    "focal": Method(title="focal", losses=_same(name="focal"), needs_warmup=False),
    "auc-m": Method(title="AUC-M", losses=_same(name="auc-m")),
    "mb": Method(title="MB", losses=_target({"name": "mb"})),
    "auc-poly": Method(
        title="AUC-poly",
        losses=_target(
            {"name": "auc-poly", "power": 0.1, "warmup": 10},
            {"name": "auc-poly", "power": 0.1, "warmup": 10, "two_way": True},
        ),
    ),
    "auc-exp": Method(
        title="AUC-exp",
        losses=_target(
            {"name": "auc-exp", "rate": 15.0, "warmup": 10},
            {"name": "auc-exp", "rate": 15.0, "warmup": 10, "two_way": True},
        ),
    ),
    "sopa": Method(title="SOPA", losses=_target({"name": "sopa"}, {"name": "staco"})),
    "sopa-s": Method(
        title="SOPA-S",
        losses=_target(
            {"name": "sopa-s", "temperature": 1.0},
            {"name": "sopa-s", "temperature": 1.0, "positive_temperature": 1.0},
        ),
    ),
    "agd-sbcd": Method(
        title="AGD-SBCD",
        losses={str(ONE_WAY): {"name": "agd-sbcd", "region": "target"}},
        changes={"optimizer": {"name": "agd-sbcd", "lr": 0.1, "weight_decay": 1e-4}, "schedule.name": "constant"},
    ),
    "pauci": Method(
        title="PAUCI (ASGDA)",
        losses=_target({"name": "pauci", "kappa": 4.0, "omega": 1.0}),
        changes={"optimizer.name": "asgda", "schedule.name": "constant"},
    ),
    "pauci-sgd": Method(title="PAUCI (SGD)", losses=_target({"name": "pauci", "kappa": 4.0, "omega": 1.0})),
    "pauci-exact": Method(
        title="PAUCI (exact selector)",
        losses=_target({"name": "pauci", "selector": "hinge", "omega": 1.0}),
        changes={"optimizer.name": "asgda", "schedule.name": "constant"},
    ),
    "ours": Method(
        title="ours (CE + PAUCI)",
        losses=_same(name="pauci", region="fpr<=0.1", ce_weight=0.5, kappa=4.0, omega=1.0),
        needs_warmup=False,
    ),
}
