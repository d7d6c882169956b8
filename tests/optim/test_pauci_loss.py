"""The solvers on the loss they are made for."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn

from optim.saddles import SOLVERS, run_step
from pauci.losses import CrossEntropyLoss, MixedLoss, PAUCILoss
from pauci.optim import ASGDA

REGIONS = [{"max_fpr": 0.3}, {"max_fpr": 0.05}, {"max_fpr": 0.5, "min_tpr": 0.5}]
SETTINGS = [
    *REGIONS,
    {"max_fpr": 0.05, "kappa": 20, "omega": 2},
    {"max_fpr": 0.5, "min_tpr": 0.5, "selector": "dual"},
    {"max_fpr": 0.05, "selector": "dual"},
    {"max_fpr": 0.3, "selector": "hinge"},
]


def fixed_scores(seed=0, n=200):
    generator = torch.Generator().manual_seed(seed)
    positive = torch.arange(n) % 4 == 0
    return torch.sigmoid(torch.randn(n, generator=generator) + 1.5 * positive), positive


def distance(loss, best):
    names = ["a", "b", "gamma"]
    if loss._terms.selector in ("softplus", "dual"):  # the exact selectors find s and s' in every batch
        names += ["s_neg"] if loss.region.min_tpr == 0 else ["s_neg", "s_pos"]
    return max(abs(float(getattr(loss, name)) - float(getattr(best, name))) for name in names)


def solve(loss, score, positive, *, solver=ASGDA, steps=250):
    optimizer = solver(loss.param_groups())
    for _ in range(steps):
        run_step(optimizer, lambda: loss(score, positive))
    return distance(loss, loss.inner_optimum(score, positive))


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_fixed_scores_lead_to_the_inner_optimum(options):
    score, positive = fixed_scores()
    for gamma in (1.0, 0.5, 0.0, -0.5):
        loss = PAUCILoss(**options, from_logits=False)
        loss.gamma = gamma
        assert solve(loss, score, positive) < 2e-3, gamma


@settings(max_examples=8, deadline=None)
@given(
    start=st.tuples(*[st.floats(0, 1)] * 2, st.floats(-1, 1), st.floats(-4, 1), st.floats(0, 5)),
    seed=st.integers(0, 9),
    region=st.sampled_from(REGIONS),
    solver=st.sampled_from(SOLVERS),
)
def test_so_do_random_starts(start, seed, region, solver):
    score, positive = fixed_scores(seed)
    loss = PAUCILoss(**region, from_logits=False)
    loss.a, loss.b, loss.gamma, loss.s_pos, loss.s_neg = start
    assert solve(loss, score, positive, solver=solver, steps=400) < 2e-3


@pytest.mark.parametrize("gamma", [-0.9, 0.9])
def test_gamma_moves_the_same_way_with_an_ordinary_optimiser(gamma):
    score, positive = fixed_scores()
    for make in (*SOLVERS, lambda groups: torch.optim.SGD(groups, lr=0.02)):
        loss = PAUCILoss(max_fpr=0.3, from_logits=False)
        loss.gamma = gamma
        best = loss.inner_optimum(score, positive).gamma
        optimizer = make(loss.param_groups())
        for _ in range(5):
            run_step(optimizer, lambda loss=loss: loss(score, positive))
        assert abs(float(loss.gamma) - best) < abs(gamma - best) - 0.01


def test_inner_variables_solved_by_the_loss_are_averaged_once_per_step():
    score, positive = fixed_scores()
    logits = nn.Parameter(torch.logit(score))
    loss = PAUCILoss(max_fpr=0.3, inner="solve")
    optimizer = ASGDA([{"params": logits}, *loss.param_groups()])
    for _ in range(3):
        run_step(optimizer, lambda: loss(logits, positive))
    assert int(loss._solved) == 3


def digits(seed):
    """3, 8 and 9 against the other digits, in twelve principal components: too few for a linear scorer."""
    x, digit = load_digits(return_X_y=True)
    y = np.isin(digit, [3, 8, 9])
    x, x_test, y, y_test = train_test_split(x, y, test_size=0.5, stratify=y, random_state=seed)
    pca = PCA(12, whiten=True, random_state=seed).fit(x)
    x, x_test = (torch.tensor(pca.transform(part), dtype=torch.float32) for part in (x, x_test))
    return x, torch.tensor(y), x_test, torch.tensor(y_test)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_training_improves_partial_auc_over_its_warm_start(solver):
    gains = []
    for seed in range(3):
        x, y, x_test, y_test = digits(seed)
        warm = LogisticRegression(class_weight="balanced").fit(x, y)
        model, loss = nn.Linear(12, 1), PAUCILoss(max_fpr=0.1)
        with torch.no_grad():
            model.weight.copy_(torch.tensor(warm.coef_))
            model.bias.copy_(torch.tensor(warm.intercept_))

        def judge(model=model, x_test=x_test, y_test=y_test):
            return roc_auc_score(y_test, model(x_test).detach(), max_fpr=0.1)

        before = judge()
        optimizer = solver([{"params": model.parameters()}, *loss.param_groups()])
        generator = torch.Generator().manual_seed(seed)
        for _ in range(200):
            rows = torch.randperm(len(x), generator=generator)[:128]
            run_step(optimizer, lambda model=model, loss=loss, x=x[rows], y=y[rows]: loss(model(x), y))
        gains.append(judge() - before)
    assert min(gains) > 0
    assert np.mean(gains) > 0.01


@pytest.mark.parametrize("build", [PAUCILoss, lambda **region: MixedLoss(PAUCILoss(**region), CrossEntropyLoss())])
@pytest.mark.parametrize("shape", [(64,), (64, 2)])
def test_may_follow_another_optimiser_that_left_the_boxes(build, shape):
    """The loss returns to its boxes when it is called, which after the last step it was not."""
    generator = torch.Generator().manual_seed(0)
    score, label = torch.randn(shape, generator=generator), torch.rand(shape, generator=generator) < 0.5
    loss = build(max_fpr=0.3)
    before = torch.optim.Adam(loss.parameters(), lr=10.0)
    loss(score, label).backward()
    before.step()
    optimizer = ASGDA(loss.param_groups())

    def closure():
        optimizer.zero_grad()
        value = loss(score, label)
        value.backward()
        return value

    assert optimizer.step(closure).isfinite()
