"""diagnose() tells the known failures apart."""

import pytest
import torch

from pauci.losses import PAUCILoss
from pauci.losses.terms import Inner


def scores(n: int = 600) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    positive = torch.arange(n) % 3 == 0
    return torch.randn(n, generator=generator) + 0.8 * positive, positive


def at_optimum(loss: PAUCILoss, score: torch.Tensor, positive: torch.Tensor) -> PAUCILoss:
    for name, value in vars(loss.inner_optimum(score, positive)).items():
        setattr(loss, name, value)
    return loss


def test_curvature_is_the_second_derivative_of_the_loss_in_gamma():
    score, positive = scores()
    loss = at_optimum(PAUCILoss(max_fpr=0.3, min_tpr=0.4, omega=4.0).double(), score, positive)
    gamma, step, values = loss.gamma.clone(), 1e-3, []
    for shift in (-step, 0.0, step):
        loss.gamma = gamma + shift
        values.append(loss(score.double(), positive).item())
    loss.gamma = gamma
    measured = (values[0] - 2 * values[1] + values[2]) / step**2
    assert loss.diagnose(score, positive).curvature == pytest.approx(measured, abs=1e-4)


def test_a_convex_objective_is_warned_about():
    score, positive = scores()
    loss = at_optimum(PAUCILoss(max_fpr=0.05, kappa=60.0, omega=0.0), score, positive)
    with pytest.warns(UserWarning, match="convex in gamma"):
        report = loss.diagnose(score, positive)
    assert report.curvature > 0


def test_small_kappa_spreads_the_selection():
    score, positive = scores()
    shares = [
        at_optimum(PAUCILoss(max_fpr=0.1, kappa=kappa, omega=9.0), score, positive)
        .diagnose(score, positive)
        .effective_region.negatives
        for kappa in (1.0, 4.0, 30.0)
    ]
    assert shares[0] < shares[1] < shares[2]


def test_what_is_active_saturated_and_optimal():
    score, positive = scores()
    loss = at_optimum(PAUCILoss(max_fpr=0.1, selector="topk"), score, positive)
    report = loss.diagnose(score, positive)
    assert report.active_negatives == pytest.approx(40)
    assert report.active_positives == pytest.approx(200)
    assert report.gamma == pytest.approx(report.gamma_optimum)
    assert report.saturated == 0
    assert loss.diagnose(20 * score, positive).saturated > 0.5
    loss.gamma = 0.5
    assert loss.diagnose(score, positive).gamma == 0.5


def test_each_label_is_diagnosed():
    score, positive = scores()
    loss = PAUCILoss(max_fpr=0.3, num_labels=2)
    loss.gamma = torch.tensor([0.25, -0.25])
    reports = loss.diagnose(torch.stack((score, 20 * score), 1), torch.stack((positive, positive), 1))
    assert [report.gamma for report in reports] == [0.25, -0.25]
    assert reports[0].saturated < reports[1].saturated
    best = loss.inner_optimum(torch.stack((score, score), 1), torch.stack((positive, positive), 1))
    assert best[0] == best[1]
    assert set(vars(best[0])) == set(Inner._fields)
