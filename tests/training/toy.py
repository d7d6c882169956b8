"""A small problem with everything a checkpoint has to remember: dropout, averaging, a schedule, a stateful loss."""

import numpy as np
import torch

from pauci import Region
from pauci.training import Component, LossSpec, Recipe
from pauci.training.specs import ScheduleSpec


def toy_data(rows=300, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.25
    x = rng.normal(size=(rows, columns)) + y[:, None] * rng.random(columns)
    return x, y


def toy_recipe(**changes):
    recipe = Recipe(
        region=Region(max_fpr=0.3),
        model=Component("mlp", {"hidden": [8], "dropout": 0.2}),
        loss=LossSpec(name="pauci", ce_weight=0.5),
        optimizer=Component("sgd", {"lr": 0.05, "momentum": 0.9}),
        schedule=ScheduleSpec(name="onecycle", warmup=0.3),
        epochs=4,
        batch_size=60,
        positive_ratio=0.2,
        ema=0.9,
    )
    return recipe.replace(**changes)


class FragileLoss(torch.nn.Module):
    """Cross-entropy that breaks when scores grow large."""

    def forward(self, y_score, y_true, index=None):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(y_score, y_true.float())
        return torch.where(y_score.abs().max() > 3, torch.nan, loss)


class FragileNet(torch.nn.Linear):
    """A linear model whose scores overflow long before others would."""

    def __init__(self, in_features):
        super().__init__(in_features, 1)

    def forward(self, x):
        score = super().forward(x).squeeze(1)
        return torch.where(score.abs() > 3, torch.inf, score)


def assert_same_weights(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert torch.equal(value, other[name]), name
