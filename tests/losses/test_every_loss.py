"""One test over every loss: brute-force oracles, and the promises all of them make."""

import copy
import gc
import io
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from torch import multiprocessing, nn

from losses import every_loss_worker as worker
from losses.cases import CASES, Brute
from pauci import losses
from pauci.errors import InputError, LabelError, ScoreError
from pauci.metrics import partial_auc_score

every_loss = pytest.mark.parametrize("name", list(CASES))
remembering = pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.memories])
PAIRWISE = [name for name, case in CASES.items() if not case.one_graph and name != "mixed"]

#: Losses whose gradients are computed, not recorded: they cannot be differentiated again.
ONCE = ("pauci", "auc-m", "sopa-s", "sopa-s scores", "sota-s", "agd-sbcd", "agd-sbcd band", "pairwise sigmoid")


def batch(n: int = 24, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    score = 2 * torch.randn(n, generator=generator, dtype=torch.float64)
    positive = torch.rand(n, generator=generator) < 0.4
    return score, positive, 0.1 + torch.rand(n, generator=generator, dtype=torch.float64)


def value_and_gradient(loss, score, *args, **kwargs):
    score = score.detach().clone().requires_grad_()
    value = loss(score, *args, **kwargs)
    (gradient,) = torch.autograd.grad(value, score)
    return value.detach(), gradient


def test_no_loss_is_forgotten():
    public = {name for name in losses.__all__ if name.endswith("Loss")}
    assert public == {type(case.build()).__name__ for case in CASES.values()}


@every_loss
def test_gradient_is_the_finite_difference(name):
    score, positive, weight = batch(14)
    loss = CASES[name].build().double()
    assert torch.autograd.gradcheck(
        lambda f: loss(f, positive, sample_weight=weight), score.requires_grad_(), fast_mode=False
    )


@every_loss
def test_second_derivatives_are_those_of_the_gradient_or_refused(name):
    score, positive, weight = batch(14)
    loss = CASES[name].build().double()

    def value(f):
        return loss(f, positive, sample_weight=weight)

    if name in ONCE:
        with pytest.raises(InputError, match=r"create_graph=True .* this loss does not have"):
            torch.autograd.functional.hvp(value, score, torch.ones_like(score))
    else:
        assert torch.autograd.gradgradcheck(value, score.requires_grad_())


@every_loss
@settings(max_examples=15, deadline=None)
@given(
    scores=st.lists(st.integers(-128, 128).map(lambda step: step / 32), min_size=2, max_size=12),
    labels=st.integers(1, 2**12 - 2),
    weighted=st.booleans(),
)
def test_value_and_gradient_equal_the_oracle(name, scores, labels, weighted):
    score = torch.tensor(scores, dtype=torch.float64)
    positive = torch.tensor([bool(labels >> i & 1) for i in range(len(scores))])
    weight = 0.5 + torch.arange(len(scores), dtype=torch.float64) % 3 if weighted else None
    value, gradient = value_and_gradient(CASES[name].build().double(), score, positive, sample_weight=weight)
    if positive.all() or not positive.any():
        assert value.isfinite()
        assert gradient.isfinite().all()
        return
    leaf = score.clone().requires_grad_()
    expected = CASES[name].expected(leaf, positive, torch.ones_like(score) if weight is None else weight)
    torch.testing.assert_close(value, expected.detach(), rtol=1e-9, atol=1e-9)
    # Where scores tie, a loss has many subgradients.
    if len(set(scores)) == len(scores):
        (wanted,) = torch.autograd.grad(expected, leaf)
        torch.testing.assert_close(gradient, wanted, rtol=1e-7, atol=1e-7)


@remembering
def test_remembered_state_follows_the_algorithm_pair_by_pair(name):
    loss, brute = CASES[name].build().double(), Brute(name, 30)
    if name == "staco":  # at a level that some positives stay below, so that their duals fall
        brute.level = 1.25
        loss.level.write(torch.tensor([0]), torch.tensor([1.25]))
    generator = torch.Generator().manual_seed(3)
    for seed in range(6):
        score, positive, _ = batch(20, seed)
        index = torch.randint(0, 30, (20,), generator=generator)
        value, gradient = value_and_gradient(loss, score, positive, index)
        leaf = score.clone().requires_grad_()
        expected = brute.step(leaf, positive, index)
        (wanted,) = torch.autograd.grad(expected, leaf)
        torch.testing.assert_close(value, expected.detach(), rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(gradient, wanted, rtol=1e-8, atol=1e-10)
        state = {"log_u": brute.u.log(), "duals": brute.y, "lower_thresholds": brute.lower}
        for memory in CASES[name].memories:
            got = getattr(loss, memory).read(torch.arange(30))
            torch.testing.assert_close(got, state.get(memory, brute.s).nan_to_num(-torch.inf), rtol=1e-9, atol=1e-9)


@every_loss
def test_weights_in_the_place_of_the_index_are_refused_rather_than_lost(name):
    score, positive, weight = batch()
    loss = CASES[name].build()
    for third in (weight, weight.numpy(), weight.tolist(), positive, positive.numpy(), positive.tolist()):
        with pytest.raises(InputError, match=r"index has dtype .*: sample_weight="):
            loss(score, positive, third)
    for index in (torch.arange(len(score)).numpy(), list(range(len(score)))):
        assert loss(score, positive, index).isfinite()


@every_loss
def test_the_value_may_be_changed_in_place(name):
    score, positive, _ = batch()
    value, gradient = value_and_gradient(CASES[name].build(), score, positive)

    def half_with_scores(score, positive):
        changed = CASES[name].build()(score, positive)
        changed += score.sum()
        changed /= 2
        return changed

    changed = value_and_gradient(half_with_scores, score, positive)
    torch.testing.assert_close(changed, ((value + score.sum()) / 2, (gradient + 1) / 2))


@every_loss
def test_what_is_not_where_the_scores_are_is_named(name):
    """As where scores come from a GPU; here the meta device stands for one."""
    score, positive, weight = batch()
    loss, there = CASES[name].build(), score.to("meta")
    with pytest.raises(LabelError, match=r"y_true is on cpu but y_score on meta.*y_true\.to\(y_score\.device\)"):
        loss(there, positive)
    with pytest.raises(InputError, match=r"sample_weight is on cpu but y_score on meta"):
        loss(there, positive.to("meta"), sample_weight=weight)
    if list(loss.parameters()):
        with pytest.raises(InputError, match=r"loss is on cpu but y_score on meta.*loss\.to\("):
            loss(there, positive.to("meta"))


@every_loss
def test_a_loss_that_is_elsewhere_than_the_scores_is_named(name):
    """As where it was left on a GPU; here the meta device stands for one."""
    score, positive, _ = batch()
    loss = CASES[name].build().to("meta")
    if CASES[name].memories or list(loss.parameters()):
        with pytest.raises(InputError, match=r"loss is on meta but y_score on cpu.*loss\.to\("):
            loss(score, positive, torch.arange(len(score)))


def test_a_loss_that_solves_elsewhere_than_the_scores_is_named():
    score, positive, _ = batch()
    with pytest.raises(InputError, match=r"loss is on meta but y_score on cpu"):
        losses.PAUCILoss(inner="solve").to("meta")(score, positive)


@every_loss
def test_weights_that_are_to_be_learned_are_refused_as_they_would_get_no_gradient(name):
    score, positive, weight = batch()
    weight.requires_grad_()
    loss = CASES[name].build()
    with pytest.raises(InputError, match=r"sample_weight requires a gradient.*detach\(\)"):
        loss(score, positive, sample_weight=weight)
    detached = loss(score, positive, sample_weight=weight.detach())
    with torch.no_grad():
        assert loss(score, positive, sample_weight=weight) == detached


@remembering
def test_the_first_index_beyond_the_dataset_is_refused(name):
    score, positive, _ = batch()
    loss, index = CASES[name].build(data_size=len(score)), torch.arange(len(score))
    assert loss(score, positive, index).isfinite()
    with pytest.raises(InputError, match=f"below data_size={len(score)}"):
        loss(score, positive, index + 1)


@remembering
def test_names_in_the_place_of_the_index_are_refused(name):
    score, positive, _ = batch()
    with pytest.raises(InputError, match=r"index holds .*expected dataset indices"):
        CASES[name].build()(score, positive, [f"case {i}" for i in range(len(score))])


@remembering
def test_a_memory_that_grew_is_loaded_into_one_of_a_given_size(name):
    score, positive, _ = batch()
    grown, sized = CASES[name].build(), CASES[name].build(data_size=100)
    grown(score.requires_grad_(), positive, torch.arange(len(score)))
    fresh = copy.deepcopy(sized)
    sized.load_state_dict(grown.state_dict())
    for loaded, saved, new in zip(sized.buffers(), grown.buffers(), fresh.buffers(), strict=True):
        if loaded.ndim == 2 and loaded.shape[1] == 100:
            known = saved.shape[1]  # losses without a memory of instances have none
            assert torch.equal(loaded[:, :known], saved)
            assert torch.equal(loaded[:, known:], new[:, known:])


@remembering
def test_nothing_is_remembered_without_an_index_or_outside_of_training(name):
    loss = CASES[name].build().double()
    score, positive, _ = batch()
    index = torch.arange(len(score))
    before = copy.deepcopy(loss.state_dict())
    plain, _ = value_and_gradient(loss, score, positive)
    with torch.no_grad():
        assert torch.equal(loss(score, positive, index), plain)
    loss.eval()
    evaluated, _ = value_and_gradient(loss, score, positive, index)
    assert torch.equal(evaluated, plain)
    assert all(torch.equal(value, before[key]) for key, value in loss.state_dict().items())


@remembering
def test_the_memory_grows_or_has_the_size_of_the_dataset(name):
    score, positive, _ = batch()
    index = torch.arange(len(score)) + 5
    growing, sized = CASES[name].build(), CASES[name].build(data_size=40)
    results = [value_and_gradient(loss, score.float(), positive, index) for loss in (growing, sized)]
    torch.testing.assert_close(*results)
    assert getattr(sized, CASES[name].memories[0]).values.shape[1] == 40
    with pytest.raises(InputError, match="data_size=40"):
        sized(score.requires_grad_(), positive, index + 40)
    as_column, _ = value_and_gradient(growing, score.float(), positive, index[:, None])
    assert torch.equal(as_column, value_and_gradient(sized, score.float(), positive, index)[0])
    for bad in (index.double(), index[:-1], -index):
        with pytest.raises(InputError, match="index"):
            growing(score, positive, bad)


@every_loss
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 99))
def test_the_order_of_instances_does_not_matter(name, seed):
    score, positive, weight = batch(17, seed)
    loss = CASES[name].build().double()
    order = torch.randperm(17, generator=torch.Generator().manual_seed(seed))
    value, gradient = value_and_gradient(loss, score, positive, sample_weight=weight)
    shuffled = value_and_gradient(loss, score[order], positive[order], sample_weight=weight[order])
    torch.testing.assert_close(shuffled, (value, gradient[order]))


@every_loss
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_half_precision_computes_in_single(name, dtype):
    score, positive, weight = batch()
    score = score.to(dtype)
    wanted, exact = value_and_gradient(CASES[name].build().double(), score.double(), positive, sample_weight=weight)
    value, gradient = value_and_gradient(CASES[name].build(), score, positive, sample_weight=weight)
    assert value.dtype is torch.float32
    assert gradient.dtype is dtype
    torch.testing.assert_close(value.double(), wanted, rtol=2e-5, atol=2e-5)
    torch.testing.assert_close(gradient.double(), exact, rtol=2e-2, atol=2e-3)


@every_loss
def test_autocast_changes_nothing(name):
    score, positive, weight = batch()
    arguments = (score.float(), positive, torch.arange(len(score)))
    plain = value_and_gradient(CASES[name].build(), *arguments, sample_weight=weight)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = value_and_gradient(CASES[name].build(), *arguments, sample_weight=weight)
    torch.testing.assert_close(inside, plain)


@every_loss
@pytest.mark.parametrize("scale", [1e-23, 1e20])
def test_the_scale_of_weights_does_not_matter(name, scale):
    score, positive, weight = batch()
    plain = value_and_gradient(CASES[name].build(), score.float(), positive, sample_weight=weight.float())
    scaled = value_and_gradient(CASES[name].build(), score.float(), positive, sample_weight=scale * weight.float())
    torch.testing.assert_close(scaled, plain)


@every_loss
@pytest.mark.parametrize("scale", [1e36, 1e38])
def test_weights_too_large_to_add_up_are_an_error(name, scale):
    score, positive, weight = batch()
    with pytest.raises(InputError, match=r"sample_weight adds up to .*, too much for float32.*: divide them"):
        CASES[name].build()(score.float(), positive, sample_weight=scale * weight)
    assert CASES[name].build().double()(score, positive, sample_weight=scale * weight).isfinite()


@every_loss
@pytest.mark.parametrize("light", [0, 1])
def test_weights_too_small_to_divide_by_are_an_error(name, light):
    score, positive, weight = batch()
    weight = torch.where(positive == light, 1e-40, 1.0) * weight
    message = rf"of the {('negatives', 'positives')[light]} adds up to .*, too little for float32.*: divide all weights"
    with pytest.raises(InputError, match=message):
        CASES[name].build()(score.float(), positive, sample_weight=weight)
    assert CASES[name].build().double()(score, positive, sample_weight=weight).isfinite()


def test_weights_of_labels_instead_of_instances_are_told_the_shape_that_was_passed():
    score, weight = torch.zeros(5, 3), torch.ones(3)
    with pytest.raises(InputError, match=re.escape("sample_weight has shape (3,) but y_score (5, 3)")):
        losses.CrossEntropyLoss()(score, score, sample_weight=weight)


def test_of_several_labels_the_one_is_told_whose_weights_are_too_small():
    y_true = torch.tensor([[1, 0, 1], [1, 0, 0], [0, 0, 1]])  # of the second nothing is positive, and nothing wrong
    weight = torch.tensor([1e-36, 1e-36, 1.0])
    with pytest.raises(InputError, match=r"of the positives adds up to 2e-36, too little"):
        losses.CrossEntropyLoss()(torch.zeros(3, 3), y_true, sample_weight=weight)


@every_loss
def test_a_transform_that_hides_values_is_an_error_that_says_so(name):
    score, positive, _ = batch()
    with pytest.raises(InputError, match=r"cannot be read here .* inside torch\.func\.grad .* validate=False"):
        torch.func.grad(lambda given: CASES[name].build()(given, positive))(score)


def test_without_validation_cross_entropy_can_be_transformed():
    score, positive, _ = batch()
    loss = losses.CrossEntropyLoss(validate=False)
    expected = value_and_gradient(loss, score, positive)[1]
    torch.testing.assert_close(torch.func.grad(lambda given: loss(given, positive))(score), expected)


@every_loss
def test_integer_weights_repeat_instances(name):
    score, positive, _ = batch(15)
    times = torch.arange(15) % 3 + 1
    loss = CASES[name].build().double()
    weighted, gradient = value_and_gradient(loss, score, positive, sample_weight=times.double())
    many = torch.arange(15).repeat_interleave(times)
    repeated, parts = value_and_gradient(loss, score[many], positive[many])
    torch.testing.assert_close(weighted, repeated)
    torch.testing.assert_close(gradient, torch.zeros_like(score).index_add(0, many, parts))


@every_loss
def test_memory_is_freed_without_the_garbage_collector(name):
    loss = CASES[name].build()
    score, positive, _ = batch()
    value_and_gradient(loss, score.float(), positive)
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        value_and_gradient(loss, score.float(), positive)
        gc.collect()
        # Only what a loss could leave behind: threads of other libraries make garbage of their own at any time, and so
        # does what an earlier test has compiled.
        assert not [kind for kind in map(type, gc.garbage) if kind in (torch.Tensor, torch.nn.Parameter)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@every_loss
def test_labels_of_every_kind_and_columns(name):
    loss = CASES[name].build().double()
    score, positive, _ = batch()
    index = torch.arange(len(score))
    expected = loss(score, positive)
    tracked = positive.double().requires_grad_()
    for labels in (positive.long(), positive.double(), 2 * positive.long() - 1, positive[:, None], tracked):
        assert torch.equal(loss(score[:, None], labels), expected)
    assert loss(score, positive, index).isfinite()
    with pytest.raises(LabelError):
        loss(score, positive.long() + 2)
    with pytest.raises(ScoreError, match=r"scores\[:, 1\]"):
        loss(score.view(-1, 2), positive[: len(score) // 2])
    with pytest.raises(ScoreError, match="NaN"):
        loss(score * torch.nan, positive)
    assert repr(loss)


@every_loss
@pytest.mark.parametrize("remembered", [False, True])
@pytest.mark.parametrize("told", [{}, {"num_labels": 2}])
def test_several_labels_are_averaged(name, remembered, told):
    n = 12
    score, positive, weight = (part.view(n, 2) for part in batch(2 * n))
    index = torch.arange(n) if remembered else None
    several = CASES[name].build(**told).double()
    singles = [CASES[name].build().double() for _ in range(2)]
    for step in range(2):
        value, gradient = value_and_gradient(several, score + step, positive, index, sample_weight=weight)
        columns = [
            value_and_gradient(loss, score[:, k] + step, positive[:, k], index, sample_weight=weight[:, k])
            for k, loss in enumerate(singles)
        ]
        torch.testing.assert_close(value, torch.stack([column[0] for column in columns]).mean())
        torch.testing.assert_close(gradient, torch.stack([column[1] for column in columns], dim=1) / 2)
    per_instance = several(score, positive, sample_weight=weight[:, 0])
    torch.testing.assert_close(per_instance, several(score, positive, sample_weight=weight[:, :1].expand(n, 2)))


@every_loss
@pytest.mark.parametrize("num_labels", [0, -1, 2.0, "2", True])
def test_what_is_no_number_of_labels_is_refused(name, num_labels):
    with pytest.raises(InputError, match=rf"num_labels={num_labels!r} must be a whole number of at least 1, or None"):
        CASES[name].build(num_labels=num_labels)


@every_loss
def test_other_labels_than_were_told_are_refused(name):
    with pytest.raises(ScoreError, match="num_labels=3"):
        CASES[name].build(num_labels=3)(torch.rand(4, 2), torch.ones(4, 2))


@every_loss
def test_labels_are_taken_unseen_where_no_check_is_wanted(name):
    score, positive, _ = batch()
    with pytest.raises(LabelError):
        CASES[name].build()(score, 2 * positive)
    unchecked = CASES[name].build(validate=False)
    torch.testing.assert_close(unchecked(score, 2 * positive), CASES[name].build()(score, positive))


@every_loss
@pytest.mark.parametrize("present", [True, False])
def test_one_class_is_defined_and_leaves_no_trace(name, present):
    loss = CASES[name].build()
    score = torch.linspace(-2, 2, 7)
    before = copy.deepcopy(loss.state_dict())
    labels = torch.full((7,), present)
    for kwargs in ({}, {"sample_weight": torch.ones(7)}):
        value, gradient = value_and_gradient(loss, score, labels, torch.arange(7), **kwargs)
        assert value.isfinite()
        assert gradient.isfinite().all()
        if name in PAIRWISE:
            assert value == 0
            assert not gradient.any()
    assert all(torch.equal(part, before[key]) for key, part in loss.state_dict().items())
    # Nor does an empty batch do harm, nor one whose instances weigh nothing.
    assert value_and_gradient(loss, score[:0], labels[:0])[0].isfinite()
    nothing = value_and_gradient(loss, score, torch.arange(7) % 2, sample_weight=torch.zeros(7))
    assert nothing[0].isfinite()
    assert nothing[1].isfinite().all()


@every_loss
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_extremes_stay_finite(name, dtype):
    score = torch.tensor([1e4, -1e4, 1e4, -1e4, 0.0, 1e-7, -30.0, 30.0], dtype=dtype)
    for labels in ([1, 0, 1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 0, 1, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0]):
        loss = CASES[name].build()
        for _ in range(3):
            value, gradient = value_and_gradient(loss, score, torch.tensor(labels), torch.arange(8))
            assert value.isfinite()
            assert gradient.isfinite().all()
        assert all(not part.isnan().any() for part in loss.state_dict().values())


def resumable(name):
    """A model, its loss and an optimiser with a state of its own."""
    model, loss = nn.Linear(4, 1), CASES[name].build()
    nn.init.constant_(model.weight, 0.1)
    nn.init.zeros_(model.bias)
    return model, loss, torch.optim.SGD([*model.parameters(), *loss.parameters()], lr=0.05, momentum=0.9)


def train(model, loss, optimizer, steps):
    for step in steps:
        generator = torch.Generator().manual_seed(step)
        x = torch.randn(30, 4, generator=generator)
        index = torch.randint(0, 10 * (step + 1), (30,), generator=generator)
        optimizer.zero_grad()
        loss(model(x), x[:, 0] > 0.5, index).backward()
        optimizer.step()
        if hasattr(loss, "advance"):
            loss.advance()


@every_loss
def test_a_run_resumes_bit_for_bit(name):
    through = resumable(name)
    train(*through, range(6))
    first = resumable(name)
    train(*first, range(3))
    file = io.BytesIO()
    torch.save([part.state_dict() for part in first], file)
    file.seek(0)
    second = resumable(name)
    for part, state in zip(second, torch.load(file, weights_only=True), strict=True):
        part.load_state_dict(state)
    train(*second, range(3, 6))
    for mine, other in zip(through[:2], second[:2], strict=True):
        state = other.state_dict()
        assert mine.state_dict().keys() == state.keys()
        assert all(torch.equal(value, state[key]) for key, value in mine.state_dict().items())


@pytest.fixture
def filled_memory():
    """Let torch fill tensors that nothing was written into: with NaN and such, not with zeros by chance."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@every_loss
@pytest.mark.usefixtures("filled_memory")
def test_made_without_memory_a_loss_begins_like_any_other(name):
    options = {"data_size": 30} if CASES[name].memories else {}
    with torch.device("meta"):
        made = CASES[name].build(**options)
    loss, other = made.to_empty(device="cpu"), CASES[name].build(**options)
    for part in (*loss.modules(), *other.modules()):
        if callable(reset := getattr(part, "reset_parameters", None)):
            reset()
    assert dict(loss.named_buffers()).keys() == dict(other.named_buffers()).keys()
    torch.testing.assert_close(dict(loss.named_buffers()), dict(other.named_buffers()), rtol=0, atol=0)
    torch.testing.assert_close(dict(loss.named_parameters()), dict(other.named_parameters()), rtol=0, atol=0)


@every_loss
@pytest.mark.parametrize("where", ["cpu", "meta"])
def test_a_loss_takes_over_the_tensors_of_a_state(name, where):
    """As models do that are made without memory, and get it with load_state_dict(assign=True)."""
    model, loss, optimizer = resumable(name)
    train(model, loss, optimizer, range(3))
    with torch.device(where):
        other = CASES[name].build()
    other.load_state_dict(copy.deepcopy(loss.state_dict()), assign=True)
    assert dict(loss.named_buffers()).keys() == dict(other.named_buffers()).keys()
    torch.testing.assert_close(dict(loss.named_buffers()), dict(other.named_buffers()), rtol=0, atol=0)
    torch.testing.assert_close(dict(loss.named_parameters()), dict(other.named_parameters()), rtol=0, atol=0)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    multiprocessing.spawn(worker.work, args=(str(folder),), nprocs=2)
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(2)]


@pytest.mark.slow
@every_loss
def test_two_processes_equal_one(ranks, name):
    expected = worker.train(name, slice(None), wrap=False)
    for rank in ranks:
        torch.testing.assert_close(rank[name], expected, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@every_loss
def test_compiles(name):
    torch.compiler.reset()
    loss = CASES[name].build()
    compiled = torch.compile(loss, fullgraph=CASES[name].one_graph, backend="aot_eager")
    score, positive, _ = batch()
    wanted = value_and_gradient(loss, score.float(), positive)
    torch.testing.assert_close(value_and_gradient(compiled, score.float(), positive), wanted)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@every_loss
@pytest.mark.parametrize("remembered", [False, True])
def test_a_gpu_computes_the_same(name, remembered):
    on_cpu, on_gpu = CASES[name].build(), CASES[name].build().to("cuda")
    for seed in range(3):
        score, positive, weight = batch(64, seed)
        index = torch.arange(64) % 40 if remembered else None
        wanted = value_and_gradient(on_cpu, score.float(), positive, index, sample_weight=weight.float())
        moved = (None if part is None else part.cuda() for part in (score.float(), positive, index))
        got = value_and_gradient(on_gpu, *moved, sample_weight=weight.float().cuda())
        assert got[0].is_cuda
        torch.testing.assert_close([part.cpu() for part in got], list(wanted), rtol=1e-4, atol=1e-5)
    state = on_cpu.state_dict()
    for key, value in on_gpu.state_dict().items():
        torch.testing.assert_close(value.cpu(), state[key], rtol=1e-4, atol=1e-5)


@every_loss
def test_training_raises_the_partial_auc(name):
    data = load_breast_cancer()
    x = torch.tensor((data.data - data.data.mean(0)) / data.data.std(0), dtype=torch.float32)[:, :4]
    y = torch.tensor(1 - data.target)
    model, loss = nn.Linear(4, 1), CASES[name].build()
    nn.init.zeros_(model.bias)
    # A start that ranks by texture alone.
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[0.0, 1.0, 0.0, 0.0]]))
    optimizer = torch.optim.SGD([*model.parameters(), *loss.parameters()], lr=0.5, momentum=0.5)
    generator = torch.Generator().manual_seed(0)

    def judge() -> float:
        return float(partial_auc_score(y, model(x).detach().flatten(), max_fpr=0.3))

    start = judge()
    for _ in range(60):
        rows = torch.randint(0, len(y), (128,), generator=generator)
        optimizer.zero_grad()
        loss(model(x[rows]), y[rows], rows).backward()
        optimizer.step()
    assert start < 0.5
    assert judge() > 0.8
