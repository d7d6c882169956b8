"""PAUCILoss against the paper's formulas by autograd, pair counts, and its promises about use."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from losses import oracle
from pauci.errors import InputError, LabelError, RegionError, ScoreError
from pauci.losses import Anneal, PAUCILoss
from pauci.losses.terms import Inner
from pauci.region import Region

REGIONS = [{}, {"max_fpr": 0.3}, {"min_tpr": 0.6}, {"max_fpr": 0.5, "min_tpr": 0.5}]
VARIABLES = Inner._fields


def batch(n: int = 40, seed: int = 0, labels: int | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shape = (n,) if labels is None else (n, labels)
    score = 2 * torch.randn(shape, generator=generator, dtype=torch.float64)
    return score, torch.rand(shape, generator=generator) < 0.4


def inner_values(seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    a, b, theta_a, theta_b = torch.rand(4, generator=generator, dtype=torch.float64)
    values = {"a": a, "b": b, "s_pos": -0.7 * a, "s_neg": 1.3 * b, "theta_a": theta_a, "theta_b": theta_b}
    values["gamma"] = 0.5 - a
    return {name: value.clone().requires_grad_() for name, value in values.items()}


def with_inner(loss: PAUCILoss, values: dict[str, torch.Tensor], label: int | None = None) -> PAUCILoss:
    loss = loss.double()
    for name, value in values.items():
        current = getattr(loss, name).clone()
        current[() if label is None else label] = value.detach()
        setattr(loss, name, current)
    return loss


def inner_gradients(loss: PAUCILoss) -> dict[str, torch.Tensor]:
    """Gradients of the objective itself: gamma's is un-reversed."""
    return dict(zip(VARIABLES, [*loss.descent.grad, -loss.ascent.grad], strict=True))


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("selector", ["softplus", "dual"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prior", [None, 0.3])
@pytest.mark.parametrize("path", ["arrays", "tensors"])
def test_value_and_every_gradient_equal_the_papers_formula(region, selector, weighted, prior, path):
    score, positive = batch()
    weight = torch.rand(len(score), dtype=torch.float64) if weighted else None
    values = inner_values()
    score.requires_grad_()
    expected = oracle.objective(
        score, positive, values, **region, selector=selector, kappa=6.0, omega=0.7, batch_prior=prior, weight=weight
    )
    names = list(values)
    wanted = torch.autograd.grad(expected, [score, *values.values()], allow_unused=True)
    labels = None if path == "arrays" else 1
    loss = PAUCILoss(**region, selector=selector, kappa=6.0, omega=0.7, batch_prior=prior, num_labels=labels)
    with_inner(loss, values)
    shape = (-1,) if labels is None else (-1, 1)
    got = loss(score.view(shape), positive.view(shape), sample_weight=weight)
    torch.testing.assert_close(got, expected)
    (gradient,) = torch.autograd.grad(got, score, retain_graph=True)
    torch.testing.assert_close(gradient, wanted[0])
    got.backward()
    for name, target in zip(names, wanted[1:], strict=True):
        gradient = inner_gradients(loss)[name]
        torch.testing.assert_close(gradient.sum(), torch.zeros_like(gradient.sum()) if target is None else target)


BAND = {"region": Region(min_fpr=0.2, max_fpr=0.6, min_tpr=0.2, max_tpr=0.8)}
CORNER = {"region": Region(max_fpr=0.6, max_tpr=0.8)}


@pytest.mark.parametrize(
    ("selector", "region"),
    [(selector, region) for selector in ("hinge", "topk") for region in [*REGIONS, CORNER]] + [("topk", BAND)],
)
def test_exact_selectors_average_the_papers_losses_over_the_region(selector, region):
    score, positive = batch(n=100)
    positive = torch.arange(100) % 2 == 0
    score.requires_grad_()
    values = inner_values()
    values["gamma"].data.fill_(0.2)  # P and N are monotone, so that both selectors take the same instances
    rectangle = region.get("region") or Region(**region)
    counts = rectangle.counts(50, 50)
    f = torch.sigmoid(score)
    a, b, g = values["a"], values["b"], values["gamma"]
    low = f[positive].sort().values[slice(*counts.positives)]
    high = f[~positive].sort(descending=True).values[slice(*counts.negatives)]
    expected = (
        1 + ((low - a) ** 2 - 2 * (1 + g) * low).mean() + ((high - b) ** 2 + 2 * (1 + g) * high).mean()
    ) - 2 * g**2
    if rectangle.height < 1:
        expected = expected - values["theta_a"] * (-a - g)
    if rectangle.width < 1:
        expected = expected - values["theta_b"] * (b - 1 - g)
    wanted = torch.autograd.grad(expected, [score, *values.values()], allow_unused=True)
    loss = with_inner(PAUCILoss(**region, selector=selector), values)
    got = loss(score, positive)
    torch.testing.assert_close(got, expected)
    got.backward()
    torch.testing.assert_close(score.grad, wanted[0])
    for name, target in zip(values, wanted[1:], strict=True):
        gradient = inner_gradients(loss)[name]
        torch.testing.assert_close(gradient, torch.zeros_like(gradient) if target is None else target)


@pytest.mark.parametrize("selector", ["hinge", "topk"])
def test_where_losses_fall_with_scores_the_hinge_takes_the_largest_and_topk_the_highest_scores(selector):
    score, positive = batch(n=100)
    positive = torch.arange(100) % 2 == 0
    loss = PAUCILoss(max_fpr=0.3, selector=selector).double()
    loss.a, loss.b, loss.gamma = 0.5, 1.0, -1.0
    f = torch.sigmoid(score)
    # At gamma = -1 the losses are (f - a)^2 and (f - b)^2, and omega = 1 takes another 2 away.
    taken = f[~positive].sort(descending=selector == "topk").values[:15]
    expected = 1 + ((f[positive] - 0.5) ** 2).mean() + ((taken - 1.0) ** 2).mean() - 2.0
    torch.testing.assert_close(loss(score, positive), expected)


@pytest.mark.parametrize("region", [{"max_fpr": 0.3}, {"max_fpr": 0.5, "min_tpr": 0.5}])
@pytest.mark.parametrize("selector", ["hinge", "topk"])
def test_at_the_inner_optimum_the_exact_loss_is_the_pairwise_risk(region, selector):
    score, _ = batch(n=80)
    positive = torch.arange(80) % 2 == 0
    counts = Region(**region).counts(40, 40)
    risk = oracle.pairwise_risk(torch.sigmoid(score), positive, counts.positives[1], counts.negatives[1])
    loss = PAUCILoss(**region, selector=selector, omega=0.0).double()
    for name, value in vars(loss.inner_optimum(score, positive)).items():
        setattr(loss, name, value)
    torch.testing.assert_close(loss(score, positive), risk)
    torch.testing.assert_close(loss.value, risk)


def test_value_does_not_depend_on_kappa_and_is_not_negative():
    score, positive = batch()
    values = []
    for kappa in (1.0, 50.0):
        loss = PAUCILoss(max_fpr=0.3, kappa=kappa)
        loss(score, positive)
        values.append(loss.value)
    assert values[0] == values[1] >= 0
    with pytest.raises(InputError, match="call the loss first"):
        PAUCILoss().value  # noqa: B018


@given(
    st.integers(0, 10_000),
    st.sampled_from(["softplus", "dual", "hinge", "topk"]),
    st.integers(1, 60),
    st.floats(0.05, 1),
    st.floats(0, 0.9),
)
@settings(max_examples=60, deadline=None)
def test_order_of_instances_does_not_matter(seed, selector, n, max_fpr, min_tpr):
    score, positive = batch(n, seed)
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    results = []
    for rows in (torch.arange(n), order):
        loss = PAUCILoss(max_fpr=max_fpr, min_tpr=min_tpr, selector=selector).double()
        leaf = score[rows].requires_grad_()
        value = loss(leaf, positive[rows])
        value.backward()
        assert torch.isfinite(value)
        results.append((value.detach(), leaf.grad[rows.argsort()], loss.descent.grad, loss.ascent.grad))
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("selector", ["softplus", "dual", "topk"])
def test_labels_have_variables_and_gradients_of_their_own(selector):
    score, positive = batch(labels=3)
    weight = torch.rand(len(score), dtype=torch.float64)
    many = PAUCILoss(max_fpr=0.3, min_tpr=0.4, num_labels=3, selector=selector).double()
    singles = []
    for label in range(3):
        values = inner_values(label)
        with_inner(many, values, label)
        singles.append(with_inner(PAUCILoss(max_fpr=0.3, min_tpr=0.4, selector=selector), values))
    leaf = score.clone().requires_grad_()
    total = many(leaf, positive, sample_weight=weight)
    total.backward()
    columns = [column.clone().requires_grad_() for column in score.T]
    parts = [one(column, y, sample_weight=weight) for one, column, y in zip(singles, columns, positive.T, strict=True)]
    torch.stack(parts).mean().backward()
    torch.testing.assert_close(total, torch.stack(parts).mean())
    torch.testing.assert_close(leaf.grad, torch.stack([column.grad for column in columns], dim=1))
    torch.testing.assert_close(many.descent.grad, torch.stack([one.descent.grad for one in singles], dim=1))
    torch.testing.assert_close(many.ascent.grad, torch.stack([one.ascent.grad for one in singles]))
    torch.testing.assert_close(many.value, torch.stack([one.value for one in singles]).mean())
    assert many.a.shape == (3,)


@pytest.mark.parametrize("selector", ["softplus", "dual", "hinge", "topk"])
def test_integer_weights_repeat_instances(selector):
    score, positive = batch()
    weight = torch.arange(len(score)) % 3
    loss = PAUCILoss(max_fpr=0.3, min_tpr=0.2, selector=selector).double()
    repeated = loss(score.repeat_interleave(weight), positive.repeat_interleave(weight))
    torch.testing.assert_close(loss(score, positive, sample_weight=weight), repeated)
    torch.testing.assert_close(loss(score, positive, sample_weight=torch.full_like(score, 7.0)), loss(score, positive))


@pytest.mark.parametrize("selector", ["softplus", "dual", "hinge", "topk"])
@pytest.mark.parametrize("labels", [None, 1])
@pytest.mark.parametrize("present", [True, False])
def test_an_absent_class_contributes_nothing(selector, labels, present):
    score = torch.linspace(-1, 1, 8, dtype=torch.float64).view(8, *([] if labels is None else [1])).requires_grad_()
    y = torch.full_like(score, float(present))
    loss = PAUCILoss(max_fpr=0.5, min_tpr=0.5, selector=selector, num_labels=labels).double()
    value = loss(score, y)
    value.backward()
    gradients = {name: gradient.sum() for name, gradient in inner_gradients(loss).items()}
    assert torch.isfinite(value)
    assert torch.isfinite(score.grad).all()
    assert gradients["b" if present else "a"] == gradients["s_neg" if present else "s_pos"] == 0
    assert (score.grad != 0).any()


@pytest.mark.parametrize("labels", [None, 1])
@pytest.mark.parametrize("prior", [None, 0.3])
def test_empty_and_weightless_batches_are_defined(labels, prior):
    shape = (0,) if labels is None else (0, 1)
    loss = PAUCILoss(max_fpr=0.5, num_labels=labels, batch_prior=prior)
    empty = torch.zeros(shape, requires_grad=True)
    value = loss(empty, torch.zeros(shape))
    value.backward()
    assert value == 1
    score = torch.ones(3, *shape[1:], requires_grad=True)
    loss(score, torch.ones_like(score), sample_weight=torch.zeros(3)).backward()
    assert (score.grad == 0).all()


@pytest.mark.parametrize("kappa", [1e-3, 4.0, 1e6])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("labels", [None, 1])
@pytest.mark.parametrize("selector", ["softplus", "dual", "hinge", "topk"])
def test_extremes_stay_finite_in_every_precision(kappa, dtype, labels, selector):
    logits = [1e4, -1e4, 0.0, 20.0, -20.0, 1e4, -1e4, 3.0]
    score = torch.tensor(logits, dtype=dtype).view(8, *([] if labels is None else [1])).requires_grad_()
    y = (torch.arange(8) % 2).view_as(score)
    loss = PAUCILoss(max_fpr=0.3, min_tpr=0.3, kappa=kappa, selector=selector, num_labels=labels)
    value = loss(score, y)
    value.backward()
    assert value.dtype == torch.float32
    assert score.grad.dtype == dtype
    assert torch.isfinite(value)
    for tensor in (score.grad, loss.descent.grad, loss.ascent.grad):
        assert torch.isfinite(tensor).all()


@pytest.mark.parametrize("labels", [None, 1])
def test_half_precision_computes_in_single(labels):
    score, positive = batch()
    shape = (-1,) if labels is None else (-1, 1)
    loss = PAUCILoss(max_fpr=0.3, num_labels=labels)
    rough = score.half().view(shape)
    assert loss(rough, positive.view(shape)) == loss(rough.float(), positive.view(shape))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert loss(rough, positive.view(shape)) == loss(rough.float(), positive.view(shape))


def test_long_batches_are_summed_block_by_block():
    score, positive = batch(n=20_011)
    loss = PAUCILoss(max_fpr=0.2, min_tpr=0.1)
    wide = PAUCILoss(max_fpr=0.2, min_tpr=0.1, num_labels=1).double()
    leaf, column = score.float().requires_grad_(), score[:, None].requires_grad_()
    weight = torch.rand(len(score))
    loss(leaf, positive, sample_weight=weight).backward()
    wide(column, positive[:, None], sample_weight=weight).backward()
    torch.testing.assert_close(leaf.grad, column.grad[:, 0].float(), rtol=1e-5, atol=1e-9)
    torch.testing.assert_close(loss.descent.grad, wide.descent.grad[:, 0].float())


def test_differentiating_twice_raises():
    score, positive = batch()
    loss = PAUCILoss(max_fpr=0.3).double()
    with pytest.raises(InputError, match="create_graph"):
        torch.autograd.grad(loss(score.requires_grad_(), positive), score, create_graph=True)


@pytest.mark.parametrize("selector", ["softplus", "topk"])
@pytest.mark.parametrize("factor", [0.0, 3.0])
def test_gradients_scale_with_what_follows_the_loss(factor, selector):
    score, positive = batch()
    score.requires_grad_()
    loss = PAUCILoss(max_fpr=0.3, selector=selector).double()
    leaves = (score, loss.descent, loss.ascent)
    once = torch.autograd.grad(loss(score, positive), leaves)
    scaled = torch.autograd.grad(factor * loss(score, positive), leaves)
    torch.testing.assert_close(scaled, tuple(factor * each for each in once))


@pytest.mark.parametrize("selector", ["softplus", "topk"])
@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_a_kept_graph_can_be_walked_again(selector, shape):
    score, positive = batch()
    score = score.view(shape)
    loss = PAUCILoss(max_fpr=0.3, selector=selector).double()
    value = loss(score.requires_grad_(), positive)
    leaves = (score, loss.descent, loss.ascent)
    value.backward(retain_graph=True)
    once = [leaf.grad.clone() for leaf in leaves]
    # Accumulated gradients are the caller's to change: the graph keeps its own.
    for leaf in leaves:
        leaf.grad.zero_()
    for _ in range(3):
        value.backward(retain_graph=True)
    torch.testing.assert_close([leaf.grad / 3 for leaf in leaves], once)


@pytest.mark.parametrize("labels", [None, 1])
def test_it_can_be_evaluated_without_gradients(labels):
    score, positive = batch(labels=labels)
    loss = PAUCILoss(max_fpr=0.3, num_labels=labels).double()
    expected = loss(score, positive).detach()
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            assert loss(score, positive) == expected


def test_labels_and_shapes_of_every_kind():
    score, positive = batch()
    loss = PAUCILoss(max_fpr=0.3).double()
    expected = loss(score, positive)
    for labels in (positive.int(), positive.float(), 2 * positive.long() - 1, positive[:, None]):
        assert loss(score, labels) == expected
        assert loss(score[:, None], labels) == expected
    assert loss(score, positive, torch.arange(len(score))) == expected
    probabilities = PAUCILoss(max_fpr=0.3, from_logits=False).double()
    torch.testing.assert_close(probabilities(torch.sigmoid(score), positive), expected)


def test_probabilities_get_the_gradient_without_the_sigmoid():
    score, positive = batch()
    f = torch.sigmoid(score).requires_grad_()
    expected = oracle.objective(f, positive, values := inner_values(), max_fpr=0.3, from_logits=False)
    (wanted,) = torch.autograd.grad(expected, f)
    for labels in (None, 1):
        shape = (-1,) if labels is None else (-1, 1)
        loss = with_inner(PAUCILoss(max_fpr=0.3, from_logits=False, num_labels=labels), values)
        (got,) = torch.autograd.grad(loss(f.view(shape), positive.view(shape)), f)
        torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"y_score": torch.tensor([1.0, float("nan")])}, ScoreError, "NaN"),
        ({"y_score": torch.tensor([1.0, float("inf")])}, ScoreError, "infinite"),
        ({"y_score": torch.tensor([1, 0])}, ScoreError, "floating point"),
        ({"y_score": [1.0, 0.0]}, ScoreError, "list"),
        ({"y_true": np.array([1, 0])}, LabelError, "ndarray"),
        ({"sample_weight": [1.0, 1.0]}, InputError, "list"),
        ({"y_score": torch.ones(2, 3)}, ScoreError, "same shape"),
        ({"y_score": torch.ones(2, 0), "y_true": torch.ones(2, 0)}, ScoreError, r"\(2, 0\)"),
        ({"y_true": torch.tensor([0.0, 0.5])}, LabelError, "0.5"),
        ({"y_true": torch.tensor([0, 2])}, LabelError, "2"),
        ({"y_true": torch.tensor([-1, 0])}, LabelError, "-1, 0"),
        ({"y_true": torch.tensor([0, 1, 1])}, LabelError, "same instances"),
        ({"sample_weight": torch.tensor([1.0, -1.0])}, InputError, "negative"),
        ({"sample_weight": torch.ones(3)}, InputError, "same instances"),
    ],
)
def test_bad_batches_raise(arguments, error, words):
    good = {"y_score": torch.tensor([1.0, -1.0]), "y_true": torch.tensor([1, 0])}
    with pytest.raises(error, match=words):
        PAUCILoss(max_fpr=0.3)(**{**good, **arguments})


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"selector": "sort"}, InputError, "sort"),
        ({"kappa": 0.0}, InputError, "kappa"),
        ({"kappa": -1.0, "selector": "topk"}, InputError, "kappa"),
        ({"region": 0.3}, RegionError, "max_fpr=0.3"),
        ({"omega": -1.0}, InputError, "omega"),
        ({"batch_prior": 1.0}, InputError, "batch_prior"),
        ({"batch_prior": "half"}, InputError, "batch_prior='half'"),
        ({"kappa": "4"}, InputError, "kappa='4'"),
        ({"kappa": np.array([1.0, 2.0])}, InputError, "kappa=array.* must be a number, or a schedule"),
        ({"omega": 10**400}, InputError, "omega=1000.* must be a number, or a schedule"),
        ({"omega": None}, InputError, "omega=None"),
        ({"num_labels": 0}, InputError, "num_labels"),
        ({"num_labels": 1.5}, InputError, "num_labels=1.5"),
        ({"inner": "solve", "momentum": "0.1"}, InputError, "momentum='0.1'"),
        ({"inner": "guess"}, InputError, "inner"),
        ({"inner": "solve", "momentum": 0.0}, InputError, "momentum"),
        ({"region": Region(max_fpr=0.1), "max_fpr": 0.2}, RegionError, "one or the other"),
        ({"region": Region(min_fpr=0.1)}, RegionError, "topk"),
        ({**BAND, "selector": "hinge"}, RegionError, "topk"),
        ({"region": Region(max_tpr=0.9), "selector": "dual"}, RegionError, "topk"),
    ],
)
def test_bad_options_raise(arguments, error, words):
    with pytest.raises(error, match=words):
        PAUCILoss(**arguments)


@pytest.mark.parametrize("labels", [None, 2])
def test_the_risk_of_a_batch_without_pairs_is_nan(labels):
    loss = PAUCILoss(max_fpr=0.3, num_labels=labels)
    shape = (4,) if labels is None else (4, labels)
    loss(torch.zeros(shape), torch.ones(shape))
    assert torch.isnan(loss.value)


def test_double_precision_has_the_very_numbers_asked_for():
    loss = PAUCILoss(max_fpr=0.3, kappa=Anneal(2.1, 4.3, 2), omega=0.7, num_labels=1).double()
    assert loss._shape.tolist() == [2.1, 0.7]
    loss.advance()
    assert loss._shape.tolist() == [loss.kappa, 0.7]


def test_boxes_of_the_thresholds_follow_the_schedule_in_place():
    loss = PAUCILoss(max_fpr=0.05, kappa=Anneal(8.0, 2.0, 1), num_labels=2)
    low, high = loss.param_groups()[0]["domain"]
    loss.advance()
    fresh = PAUCILoss(max_fpr=0.05, kappa=2.0, num_labels=2)
    assert torch.equal(low, fresh._low)
    assert torch.equal(high, fresh._high)
    loss.s_neg = 6.4
    assert (loss.s_neg == 6.4).all()


def test_values_are_not_looked_at_when_told_not_to():
    loss = PAUCILoss(max_fpr=0.5, validate=False)
    assert torch.isfinite(loss(torch.tensor([1.0, -1.0]), torch.tensor([3.0, 0.0])))


def test_scores_that_diverged_unseen_are_not_blamed_on_inner_variables():
    loss = PAUCILoss(max_fpr=0.5, validate=False)
    with pytest.raises(ScoreError, match="y_score is not finite"):
        loss(torch.tensor([float("nan"), -1.0]), torch.tensor([1, 0]))


def test_inner_variables_that_diverged_are_named():
    loss = PAUCILoss(max_fpr=0.5)
    loss.gamma = float("nan")
    with pytest.raises(InputError, match="gamma=nan"):
        loss(torch.tensor([1.0, -1.0]), torch.tensor([1, 0]))


def test_state_dict_and_copies_carry_everything():
    score, positive = batch()
    loss = with_inner(PAUCILoss(max_fpr=0.3, min_tpr=0.5), inner_values())
    loss(score.requires_grad_(), positive).backward()
    twin = PAUCILoss(max_fpr=0.3, min_tpr=0.5).double()
    twin.load_state_dict(loss.state_dict())
    for other in (twin, copy.deepcopy(loss)):
        assert other(score, positive) == loss(score, positive)
        assert {name: getattr(other, name) for name in VARIABLES} == {name: getattr(loss, name) for name in VARIABLES}


def test_a_number_of_labels_that_nobody_gave_is_told_to_be_that_of_the_first_batch():
    loss = PAUCILoss(max_fpr=0.3)
    loss(torch.zeros(4, 2), torch.tensor([[0, 1]] * 4))
    with pytest.raises(ScoreError, match=r"has num_labels=2, which was given or is that of its first batch"):
        loss(torch.zeros(4), torch.tensor([0, 1, 0, 1]))


def test_labels_are_counted_in_the_first_batch():
    score, y = torch.randn(64, 3, generator=torch.Generator().manual_seed(0)), torch.arange(192).view(64, 3) % 2
    told, found = PAUCILoss(max_fpr=0.3, num_labels=3), PAUCILoss(max_fpr=0.3)
    optimiser = torch.optim.Adam(found.parameters(), lr=0.1)
    reference = torch.optim.Adam(told.parameters(), lr=0.1)
    for _ in range(3):
        for loss, solver in ((told, reference), (found, optimiser)):
            solver.zero_grad()
            loss(score, y).backward()
            solver.step()
    torch.testing.assert_close(found.descent, told.descent)
    assert torch.equal(found.param_groups()[0]["domain"][0], told.param_groups()[0]["domain"][0])
    loaded = PAUCILoss(max_fpr=0.3)
    loaded.load_state_dict(found.state_dict())
    torch.testing.assert_close(loaded(score, y), found(score, y))
    single = PAUCILoss(max_fpr=0.3)
    single(score[:, 0], y[:, 0])
    with pytest.raises(ScoreError, match="one label before"):
        single(score, y)


def test_nothing_is_remembered_without_gradients():
    loss = PAUCILoss(max_fpr=0.3, inner="solve")
    before = {name: value.clone() for name, value in loss.state_dict().items()}
    with torch.no_grad():
        loss(torch.randn(20), torch.arange(20) % 4 == 0)
    torch.testing.assert_close(loss.state_dict(), before)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selector": "dual", "omega_c": Anneal(0.4, 0.0, 4)}, "omega_c=0.0 after 4 steps"),
        ({"selector": "dual", "omega_c": Anneal(0.0, 0.4, 4)}, "omega_c=0.0 after 0 steps"),
        ({"kappa": Anneal(4.0, -1.0, 3)}, "kappa=-1.0 must be positive"),
        ({"omega": Anneal(1.0, -1.0, 3)}, "omega=-1.0 must be at least 0"),
    ],
)
def test_where_a_schedule_ends_is_checked_at_the_start(options, words):
    """At omega_c = 0 the selector is another one, which a loss that began with this one does not become."""
    with pytest.raises(InputError, match=words):
        PAUCILoss(max_fpr=0.3, **options)


def test_a_schedule_of_ones_own_is_checked_as_it_goes():
    loss = PAUCILoss(max_fpr=0.3, selector="dual", omega_c=lambda step: 0.2 - 0.1 * step)
    loss.advance()
    with pytest.raises(InputError, match="Use selector='hinge'"):
        loss.advance()


def test_another_region_needs_a_loss_of_its_own():
    """Assigned, it would be shown, and not trained for."""
    loss = PAUCILoss(max_fpr=0.3)
    with pytest.raises(AttributeError):
        loss.region = Region(max_fpr=0.05)
    assert loss.region == Region(max_fpr=0.3)
