"""diagnose() tells the known failures apart."""

import warnings

import pytest
import torch

from pauci.errors import LabelError
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


def test_a_loss_that_is_convex_in_gamma_is_warned_about():
    score, positive = scores()
    separated = score + 8 * (2 * positive.float() - 1)
    loss = at_optimum(PAUCILoss(max_fpr=0.3, min_tpr=0.5), separated, positive)
    with pytest.warns(UserWarning, match="convex in gamma"):
        report = loss.diagnose(separated, positive)
    assert report.curvature == pytest.approx(report.curvature_optimum, abs=1e-4)
    assert report.curvature > 0
    enough = at_optimum(PAUCILoss(max_fpr=0.3, min_tpr=0.5, omega=4.0), separated, positive)
    assert enough.diagnose(separated, positive).curvature < 0


def test_an_untrained_loss_is_warned_about_whatever_its_a_and_b_say():
    score, positive = scores()
    separated = score + 4 * (2 * positive.float() - 1)
    loss = PAUCILoss(max_fpr=0.3)
    with pytest.warns(UserWarning, match=r"gamma is .* optimum for these scores"):
        report = loss.diagnose(separated, positive)
    assert report.gamma == pytest.approx(report.gamma_optimum, abs=0.01)
    assert report.optimum == loss.inner_optimum(separated, positive)
    assert abs(report.gamma - report.optimum.gamma) > 0.4


def test_the_report_is_a_line_per_quantity_with_its_target():
    score, positive = scores()
    loss = at_optimum(PAUCILoss(max_fpr=0.3, min_tpr=0.5, omega=4.0), score, positive)
    report = loss.diagnose(score, positive)
    assert report.selected_negatives == pytest.approx(0.3, abs=1e-5)
    assert report.selected_positives == pytest.approx(0.5, abs=1e-5)
    lines = str(report).splitlines()
    assert lines[0] == (
        f"gamma                 {report.gamma:9.3f}  (should be: {report.optimum.gamma:.3f} for these scores, "
        f"{report.gamma_optimum:.3f} for a and b)"
    )
    assert "negatives selected        0.300  (should be: 0.300)" in lines


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
    assert at_optimum(loss, 20 * score, positive).diagnose(20 * score, positive).saturated > 0.5


def test_each_label_is_diagnosed():
    score, positive = scores()
    loss = PAUCILoss(max_fpr=0.3, num_labels=2, omega=4.0)
    loss.gamma = torch.tensor([0.25, -0.25])
    with pytest.warns(UserWarning, match="gamma is"):
        reports = loss.diagnose(torch.stack((score, 20 * score), 1), torch.stack((positive, positive), 1))
    assert [report.gamma for report in reports] == [0.25, -0.25]
    assert reports[0].saturated < reports[1].saturated
    best = loss.inner_optimum(torch.stack((score, score), 1), torch.stack((positive, positive), 1))
    assert best[0] == best[1]
    assert set(vars(best[0])) == set(Inner._fields)


def test_what_is_said_of_one_of_several_labels_names_it():
    score, positive = scores()
    separated = score + 8 * (2 * positive.float() - 1)
    loss = PAUCILoss(max_fpr=0.3, min_tpr=0.5, num_labels=2, omega=4.0)
    at = loss.inner_optimum(torch.stack((score, score), 1), torch.stack((positive, positive), 1))
    for name in Inner._fields:
        setattr(loss, name, torch.tensor([getattr(point, name) for point in at]))
    with pytest.warns(UserWarning, match=r"^label 1: gamma is") as raised:
        loss.diagnose(torch.stack((score, separated), 1), torch.stack((positive, positive), 1))
    assert len(raised) == 1
    both = torch.stack((separated, separated), 1)
    loss = PAUCILoss(max_fpr=0.3, min_tpr=0.5, num_labels=2)
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        loss.diagnose(both, torch.stack((positive, positive), 1))
    said = [str(warning.message).partition(" (")[0] for warning in raised]
    assert [text for text in said if "convex" in text] == [
        f"label {label}: the objective is convex in gamma on these scores" for label in range(2)
    ]


@pytest.mark.filterwarnings("ignore:label 0. gamma is")
@pytest.mark.parametrize("ask", [PAUCILoss.diagnose, PAUCILoss.inner_optimum])
def test_the_label_that_lacks_a_class_is_named(ask):
    score, positive = scores()
    loss = PAUCILoss(max_fpr=0.3, num_labels=2)
    with pytest.raises(LabelError, match=r"^label 1: there are no positives"):
        ask(loss, torch.stack((score, score), 1), torch.stack((positive, positive & False), 1))
    with pytest.raises(LabelError, match=r"^there are no positives"):
        ask(PAUCILoss(max_fpr=0.3), score, positive & False)


@pytest.mark.filterwarnings("ignore:gamma is")
def test_exact_selection_is_reported_as_the_loss_selects():
    score, positive = scores()
    loss = PAUCILoss(max_fpr=0.3, min_tpr=0.5, selector="hinge")
    report = loss.diagnose(score, positive)
    assert report.selected_negatives == pytest.approx(0.3)
    assert report.selected_positives == pytest.approx(0.5)
    assert report.active_negatives == pytest.approx(120, rel=0.01)
    assert report.effective_region.negatives == pytest.approx(1, abs=0.02)
    assert report.optimum == loss.inner_optimum(score, positive)


@pytest.mark.filterwarnings("ignore:gamma is")
def test_a_step_out_of_the_boxes_is_reported_from_inside():
    score, positive = scores()
    loss = PAUCILoss(max_fpr=0.3)
    with torch.no_grad():
        loss.descent += 10
        loss.ascent += 10
    before = loss.diagnose(score, positive)
    loss(score, positive)  # moves them back
    assert before == loss.diagnose(score, positive)
    assert before.gamma == 1


@pytest.mark.filterwarnings("ignore:gamma is")
def test_advice_suits_the_dual_selector_too_which_has_no_kappa():
    score, positive = scores()
    report = PAUCILoss(max_fpr=0.3, selector="dual", omega_c=0.5).diagnose(score, positive)
    assert report.effective_region.negatives < 0.9
    assert "lower omega_c" in str(report)
