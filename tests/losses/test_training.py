"""PAUCILoss in use: optimisers, solved inner variables, schedules, torch.compile."""

import copy

import pytest
import torch

from pauci.errors import InputError
from pauci.losses import Anneal, CrossEntropyLoss, MixedLoss, PAUCILoss
from pauci.losses.terms import Inner
from pauci.optim import ASGDA


def fixed_scores(n: int = 400) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    positive = torch.arange(n) % 4 == 0
    return torch.randn(n, generator=generator) + 1.5 * positive, positive


def optimum(loss: PAUCILoss, score: torch.Tensor, positive: torch.Tensor) -> torch.Tensor:
    best = loss.inner_optimum(score, positive)
    return torch.tensor([getattr(best, name) for name in Inner._fields])


def point(loss: PAUCILoss) -> torch.Tensor:
    return torch.stack([getattr(loss, name) for name in Inner._fields])


@pytest.mark.parametrize("gamma", [1.0, 0.5, 0.0, -0.5])
@pytest.mark.parametrize("region", [{"max_fpr": 0.3}, {"max_fpr": 0.5, "min_tpr": 0.5}])
def test_any_optimiser_finds_the_inner_optimum_from_any_gamma(region, gamma):
    score, positive = fixed_scores()
    loss = PAUCILoss(**region, kappa=4.0, omega=4.0)
    loss.gamma = gamma
    optimizer = torch.optim.SGD(loss.parameters(), lr=0.1)
    for _ in range(600):
        optimizer.zero_grad()
        loss(score, positive).backward()
        optimizer.step()
    used = [0, 1, 3, 6] if region == {"max_fpr": 0.3} else range(7)
    torch.testing.assert_close(point(loss)[list(used)], optimum(loss, score, positive)[list(used)], atol=2e-3, rtol=0)


def test_gamma_ascends_under_plain_descent():
    score, positive = fixed_scores()
    loss = PAUCILoss(max_fpr=0.3)
    loss.gamma = -0.9
    before = loss(score, positive)
    (gradient,) = torch.autograd.grad(before, loss.ascent)
    with torch.no_grad():
        loss.ascent.sub_(0.05 * gradient)
    assert loss(score, positive) > before


@pytest.mark.parametrize("labels", [None, 2])
def test_steps_out_of_the_boxes_are_taken_back_by_the_next_call(labels):
    score, positive = fixed_scores()
    if labels:
        score, positive = score[:, None].expand(-1, 2), positive[:, None].expand(-1, 2)
    loss = PAUCILoss(max_fpr=0.3, min_tpr=0.2, num_labels=labels)
    for name, value in zip(Inner._fields, (-1.0, 2.0, -99.0, 99.0, -1.0, -1.0, 3.0), strict=True):
        setattr(loss, name, value)
    loss(score, positive)
    groups = loss.param_groups()
    assert [group["role"] for group in groups] == ["min", "max"]
    assert groups[1]["reversed"]
    for group in groups:
        low, high = group["domain"]
        assert (group["params"][0] >= low).all()
        assert (group["params"][0] <= high).all()
    assert (loss.a == 0).all()
    assert (loss.b == 1).all()
    assert (loss.gamma == 1).all()


def test_groups_go_into_an_ordinary_optimiser_undecayed():
    model, loss = torch.nn.Linear(2, 1), PAUCILoss(max_fpr=0.3)
    optimizer = torch.optim.AdamW([{"params": model.parameters()}, *loss.param_groups()], weight_decay=0.1)
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.1, 0.0, 0.0]
    loss(model(torch.randn(8, 2)), torch.arange(8) % 2).backward()
    optimizer.step()
    assert loss.gamma != 0


@pytest.mark.parametrize("selector", ["softplus", "dual", "hinge", "topk"])
def test_training_separates_the_classes(selector):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(256, 3, generator=generator)
    y = (x[:, 0] + 0.3 * torch.randn(256, generator=generator) > 1).long()
    model = torch.nn.Linear(3, 1)
    with torch.no_grad():
        model.weight.zero_()
    loss = PAUCILoss(max_fpr=0.3, selector=selector)
    optimizer = torch.optim.AdamW([*model.parameters(), *loss.parameters()], lr=0.05)
    loss(model(x), y)
    first = loss.value
    for _ in range(300):
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()
    assert loss.value < 0.5 * first


def test_solved_variables_are_the_optimum_of_the_batch_and_need_no_optimiser():
    score, positive = fixed_scores()
    loss = PAUCILoss(max_fpr=0.3, inner="solve", momentum=1.0)
    leaf = score.clone().requires_grad_()
    loss(leaf, positive).backward()
    assert list(loss.parameters()) == loss.param_groups() == []
    torch.testing.assert_close(point(loss), optimum(loss, score, positive))
    learned = PAUCILoss(max_fpr=0.3)
    for name in Inner._fields:
        setattr(learned, name, getattr(loss, name))
    other = score.clone().requires_grad_()
    learned(other, positive).backward()
    torch.testing.assert_close(leaf.grad, other.grad)


def test_solved_variables_are_averaged_while_training_only():
    score, positive = fixed_scores()
    loss = PAUCILoss(max_fpr=0.3, inner="solve", momentum=0.25)
    batches = [(score + shift, positive) for shift in (0.0, 0.5, 1.0, 1.5, 2.0)]
    expected = torch.zeros(7)
    for count, one in enumerate(batches, start=1):
        loss(*one)
        expected.lerp_(optimum(loss, *one), max(0.25, 1 / count))
    torch.testing.assert_close(point(loss), expected)
    loss(score, torch.zeros_like(positive))  # nothing to learn from one class
    loss.eval()
    loss(score - 3, positive)
    torch.testing.assert_close(point(loss), expected)
    twin = PAUCILoss(max_fpr=0.3, inner="solve", momentum=0.25)
    twin.load_state_dict(loss.state_dict())
    torch.testing.assert_close(point(twin), expected)
    for one in (loss.train(), twin):
        one(*batches[0])
    assert torch.equal(point(twin), point(loss))


def test_solving_works_per_label():
    score, positive = fixed_scores()
    loss = PAUCILoss(max_fpr=0.3, inner="solve", num_labels=2)
    loss(torch.stack((score, score + 1), 1), torch.stack((positive, positive), 1))
    one = PAUCILoss(max_fpr=0.3, inner="solve")
    one(score + 1, positive)
    torch.testing.assert_close(point(loss)[:, 1], point(one))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_label_that_lacks_a_class_keeps_no_other_from_being_solved(dtype):
    generator = torch.Generator().manual_seed(0)
    labels = torch.rand(5, 40, 3, generator=generator) < 0.3
    labels[:, :, 1] = False
    labels[1:4, :, 2] = True
    several = PAUCILoss(max_fpr=0.3, inner="solve").to(dtype)
    singles = [PAUCILoss(max_fpr=0.3, inner="solve").to(dtype) for _ in range(3)]
    for y in labels:
        score = torch.randn(40, 3, generator=generator, dtype=dtype)
        values = [single(score[:, label].clone(), y[:, label]) for label, single in enumerate(singles)]
        torch.testing.assert_close(several(score, y), torch.stack(values).mean())
        torch.testing.assert_close(point(several), torch.stack([point(single) for single in singles], 1))
    resumed = PAUCILoss(max_fpr=0.3, inner="solve", num_labels=3).to(dtype)
    resumed.load_state_dict(several.state_dict())
    for loss in (several, resumed):
        loss(score, labels[0])
    assert torch.equal(point(resumed), point(several))


def test_batches_counted_for_all_labels_together_are_read_from_earlier_checkpoints():
    score, positive = fixed_scores()
    batch = torch.stack((score, score + 1), 1), torch.stack((positive, positive), 1)
    loss = PAUCILoss(max_fpr=0.3, inner="solve", num_labels=2)
    loss(*batch)
    state = loss.state_dict()
    earlier, resumed = {**state, "_solved": state["_solved"][0]}, PAUCILoss(max_fpr=0.3, inner="solve", num_labels=2)
    resumed.load_state_dict(earlier)
    for one in (loss, resumed):
        one(batch[0] - 1, batch[1])
    assert torch.equal(point(resumed), point(loss))


def test_solved_variables_have_the_precision_of_the_loss():
    score, positive = fixed_scores()
    loss = PAUCILoss(max_fpr=0.3, inner="solve", momentum=1.0).double()
    loss(score.double(), positive)
    assert [getattr(loss, name).item() for name in ("a", "b", "gamma")] == [
        getattr(loss.inner_optimum(score.double(), positive), name) for name in ("a", "b", "gamma")
    ]


def test_schedules_advance_when_told_and_survive_checkpoints():
    def build() -> PAUCILoss:
        return PAUCILoss(max_fpr=0.3, kappa=Anneal(2, 32, 4, shape="geometric"), omega=Anneal(1, 3, 2))

    loss = build()
    score, positive = fixed_scores()
    seen = []
    for _ in range(3):
        seen.append((loss.kappa, loss.omega))
        loss(score, positive)
        loss.advance()
    assert seen == [(2.0, 1.0), (4.0, 2.0), (8.0, 3.0)]
    assert loss(score, positive) == _at(16.0, 3.0)(score, positive)
    column = PAUCILoss(max_fpr=0.3, kappa=16.0, omega=3.0, num_labels=1)
    for name in Inner._fields:
        setattr(column, name, getattr(loss, name))
    torch.testing.assert_close(column(score[:, None], positive[:, None]), loss(score, positive))
    twin = build()
    twin.load_state_dict(loss.state_dict())
    assert (twin.kappa, twin.omega) == (16.0, 3.0)
    assert twin(score, positive) == loss(score, positive)
    assert copy.deepcopy(loss).kappa == 16.0


def _at(kappa: float, omega: float) -> PAUCILoss:
    loss = PAUCILoss(max_fpr=0.3, kappa=kappa, omega=omega)
    start = PAUCILoss(max_fpr=0.3, kappa=2.0, omega=1.0)
    loss.load_state_dict(start.state_dict())
    return loss


def test_anneal_refuses_what_makes_no_sense():
    for arguments in (
        *((1, 2, 0), (1, 2, 1.5), (1, 2, float("nan")), (1, "2", 3), (float("inf"), 2, 3)),
        *((0, 2, 3, "geometric"), (1, 2, 3, "cosine")),
    ):
        with pytest.raises(InputError):
            Anneal(*arguments)
    assert [Anneal(1, 0, 2)(step) for step in (0, 1, 2, 9)] == [1.0, 0.5, 0.0, 0.0]


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True])
def test_compiled_without_breaks_or_recompilation(mixed):
    torch.compiler.reset()
    score, positive = fixed_scores()
    loss: torch.nn.Module = PAUCILoss(max_fpr=0.3, kappa=Anneal(2, 8, 3), num_labels=1 if mixed else None)
    if mixed:
        loss = MixedLoss(loss, CrossEntropyLoss(num_labels=1), weight=Anneal(1, 0, 4))
        score, positive = score[:, None], positive[:, None]
    eager = copy.deepcopy(loss)
    compiled = torch.compile(loss, fullgraph=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for _ in range(3):
            results = []
            for one, module in ((compiled, loss), (eager, eager)):
                leaf = score.clone().requires_grad_()
                for parameter in module.parameters():
                    parameter.grad = None
                value = one(leaf, positive)
                value.backward()
                results.append([value.detach(), leaf.grad, *(parameter.grad for parameter in module.parameters())])
                module.advance()
            torch.testing.assert_close(*results)


@pytest.mark.slow
def test_compiled_the_first_batch_tells_the_number_of_labels_too():
    torch.compiler.reset()
    generator = torch.Generator().manual_seed(0)
    score, y = torch.randn(64, 3, generator=generator), torch.rand(64, 3, generator=generator) < 0.3
    loss, told = PAUCILoss(max_fpr=0.3), PAUCILoss(max_fpr=0.3, num_labels=3)
    compiled = torch.compile(loss, backend="aot_eager")
    for one in (compiled, told):
        for _ in range(2):
            one(score.requires_grad_(), y).backward()
    torch.testing.assert_close([p.grad for p in loss.parameters()], [p.grad for p in told.parameters()])


def test_asgda_finds_the_number_of_labels_out_as_other_optimisers_do():
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(64, 4, generator=generator), torch.rand(64, 3, generator=generator) < 0.3
    ends = []
    for num_labels in (None, 3):
        torch.manual_seed(0)
        model, loss = torch.nn.Linear(4, 3), PAUCILoss(max_fpr=0.3, num_labels=num_labels)
        optimizer = ASGDA([{"params": list(model.parameters())}, *loss.param_groups()])

        def closure(model=model, loss=loss, optimizer=optimizer):
            optimizer.zero_grad()
            value = loss(model(x), y)
            value.backward()
            return value

        for _ in range(5):
            optimizer.step(closure)
        ends.append((model.weight.detach(), loss.descent.detach()))
    torch.testing.assert_close(ends[0], ends[1])
    assert ends[0][1].shape == (6, 3)


def test_asgda_finds_the_number_of_labels_out_for_variables_that_the_loss_solves_too():
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(64, 4, generator=generator), torch.rand(64, 3, generator=generator) < 0.3
    model, loss = torch.nn.Linear(4, 3), PAUCILoss(max_fpr=0.3, inner="solve")
    optimizer = ASGDA(model.parameters())

    def closure():
        optimizer.zero_grad()
        value = loss(model(x), y)
        value.backward()
        return value

    values = [optimizer.step(closure).item() for _ in range(20)]
    assert loss.a.shape == (3,)
    assert values[-1] < values[0]


@pytest.mark.parametrize("inner", ["learn", "solve"])
def test_a_first_batch_in_inference_mode_leaves_a_loss_that_trains(inner):
    generator = torch.Generator().manual_seed(0)
    score, y = torch.randn(64, 3, generator=generator), torch.rand(64, 3, generator=generator) < 0.3
    loss, other = PAUCILoss(max_fpr=0.3, inner=inner), PAUCILoss(max_fpr=0.3, inner=inner)
    with torch.inference_mode():
        loss.eval()(score, y)
    for each in (loss.train(), other):
        scored = score.clone().requires_grad_()
        each(scored, y).backward()
        each.reset_parameters()
        each(scored, y).backward()
        each.load_state_dict(copy.deepcopy(each.state_dict()))
    torch.testing.assert_close(loss.state_dict(), other.state_dict(), rtol=0, atol=0)
