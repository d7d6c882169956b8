import dataclasses
import re
import shlex
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.errors import CheckpointError, RecipeError
from pauci.losses import Anneal
from pauci.region import Region
from pauci.training import Component, LossSpec, Recipe, load_recipe, shipped_recipes
from pauci.training.claim import claim
from pauci.training.component import suggestion
from pauci.training.objective import build_objective
from pauci.training.recipe_file import about_recipe, with_changes
from pauci.training.recipe_toml import recipe_to_toml
from pauci.training.recipe_tree import recipe_from_dict
from pauci.training.schedule import rate_factor
from pauci.training.specs import DataSpec, ScheduleSpec, SelectionSpec, WarmupSpec

recipes = st.builds(
    Recipe,
    name=st.text(max_size=5),
    region=st.builds(lambda edge: Region(max_fpr=edge / 1000), st.integers(1, 1000)),
    loss=st.builds(
        LossSpec,
        ce_weight=st.floats(0, 1),
        options=st.fixed_dictionaries({}, optional={"kappa": st.floats(1, 9), "omega": st.integers(0, 4)}),
    ),
    schedule=st.builds(ScheduleSpec, name=st.sampled_from(["cosine", "constant"]), warmup=st.floats(0, 0.9)),
    warmup=st.builds(WarmupSpec, epochs=st.integers(0, 9)),
    selection=st.builds(SelectionSpec, metric=st.sampled_from(["auc", "last"])),
    model=st.builds(lambda sizes: Component("mlp", {"hidden": sizes}), st.lists(st.integers(1, 9))),
    epochs=st.integers(1, 99),
    seed=st.integers(0, 2**40),
    precision=st.sampled_from(["fp32", "bf16"]),
)


@given(recipes)
def test_toml_round_trip_keeps_everything(recipe):
    again = recipe_from_dict(tomllib.loads(recipe_to_toml(recipe)))
    assert again == recipe
    assert again.hash == recipe.hash


plain = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8"), max_size=5)
tables = st.recursive(plain, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3))


@given(st.dictionaries(st.text(), tables, max_size=4))
def test_toml_round_trip_keeps_whatever_a_network_of_ones_own_is_built_with(options):
    options.pop("name", None)
    recipe = Recipe(model=Component("types:SimpleNamespace", options))
    again = recipe_from_dict(tomllib.loads(recipe_to_toml(recipe)))
    assert again == recipe
    assert again.hash == recipe.hash


def test_toml_is_read_back_with_words_of_any_language_and_numbers_without_end():
    options = {"größe": 3, "tafel": {"ü": 1}, "most": np.inf, "least": -np.inf}
    recipe = Recipe(model=Component("types:SimpleNamespace", options))
    assert recipe_from_dict(tomllib.loads(recipe_to_toml(recipe))).model == recipe.model


def test_toml_is_read_back_with_numbers_that_numpy_computed():
    recipe = Recipe(positive_ratio=np.mean([1, 0, 0, 0]), schedule=ScheduleSpec(floor=np.float64(0.1)))
    assert recipe_from_dict(tomllib.loads(recipe_to_toml(recipe))) == recipe
    assert recipe.hash == Recipe(positive_ratio=0.25, schedule=ScheduleSpec(floor=0.1)).hash


@given(recipes, recipes)
def test_hash_tells_recipes_apart_but_not_names(one, other):
    assert (one.hash == other.hash) == (one.replace(name="") == other.replace(name=""))
    assert one.replace(name="else").hash == one.hash


def test_hash_is_the_same_for_every_spelling():
    assert load_recipe("strong", overrides=["loss.kappa=4"]).hash == load_recipe("strong").hash
    assert load_recipe("strong", overrides=["loss.kappa=5"]).hash != load_recipe("strong").hash


def test_hash_is_what_it_was_before_columns_could_be_left_out():
    recipe = load_recipe("tabular", overrides=['data.drop=["id"]', 'data.categorical=["postcode"]'])
    assert recipe.data.drop == ("id",)
    assert recipe_from_dict(recipe.to_dict()) == recipe
    assert recipe.hash != load_recipe("tabular").hash == load_recipe("tabular", overrides=["data.drop=[]"]).hash
    assert "drop" not in load_recipe("tabular").to_dict()["data"]


@pytest.mark.parametrize("name", shipped_recipes())
def test_shipped_recipes_say_what_they_are(name):
    assert re.fullmatch(r"[A-Z].{40,200}\.", about_recipe(name))


@pytest.mark.parametrize("name", shipped_recipes())
def test_shipped_recipes_build(name):
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe_from_dict(recipe.to_dict()) == recipe


def test_the_paper_recipe_is_the_papers_protocol():
    recipe = load_recipe("paper-cifar10-lt")
    assert (recipe.batch_size, recipe.positive_ratio, recipe.epochs, recipe.warmup.epochs) == (1024, 0.2, 50, 10)
    assert recipe.model == Component("resnet18", {"stem": "imagenet"})
    assert recipe.optimizer.name == "asgda"
    assert recipe.train_region == recipe.region == Region(max_fpr=0.3)
    two_way = load_recipe("paper-cifar10-lt", overrides=["region=fpr<=0.5,tpr>=0.5"])
    assert two_way.train_region == Region(max_fpr=0.5, min_tpr=0.5)


def test_strong_differs_from_its_rival_in_the_loss_and_in_what_was_tuned_for_each():
    ours, rival = load_recipe("strong"), load_recipe("strong-ce")
    tuned = {"lr", "weight_decay"}
    assert {k: v for k, v in ours.optimizer.options.items() if k not in tuned} == {
        k: v for k, v in rival.optimizer.options.items() if k not in tuned
    }
    same = dataclasses.replace(ours, loss=rival.loss, optimizer=rival.optimizer, name="")
    assert same == dataclasses.replace(rival, name="")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("epoch=3", "unknown key 'epoch'; did you mean 'epochs'?"),
        ("loss.kapa=3", "loss.kapa is not an option of pauci; did you mean 'kappa'?"),
        ("model.hiden=[3]", "model.hiden is not an option of mlp; did you mean 'hidden'?"),
        ("optimizer.learnrate=3", "optimizer.learnrate is not an option of adamw"),
        ("schedule.nmae=3", "unknown key 'schedule.nmae'; did you mean 'name'?"),
        ("schedule.name=cosin", "schedule.name='cosin' is not known; use one of onecycle, cosine, constant"),
        ("model.name=resnet", "model.name='resnet' is not known .* did you mean 'resnet18'?"),
        ("model.name=no.such.module:thing", "model.name='no.such.module:thing' is not known"),
        ("epochs=many", "epochs='many' must be of type int, not str"),
        ("epochs=2.5", "epochs=2.5 must be of type int, not float"),
        ("epochs=0", "epochs=0 must be at least 1"),
        ("epochs=true", "epochs=True must be of type int, not bool"),
        ("ema=1", "ema=1.0 must be a decay below 1"),
        ("positive_ratio=nan", "positive_ratio=nan must be a share"),
        ("region=fpr<2", "cannot read 'fpr<2'"),
        ("region=0.05", "cannot read '0.05'. Write conditions on fpr and tpr"),
        ("region={max_fpr=0.05}", 'region={max_fpr = 0.05} must be a text of conditions, such as "fpr<=0.05,tpr>=0.5"'),
        ("region=[2020-01-01]", r"region=\[2020-01-01\] must be a text of conditions"),
        ("data.target=[1]", r"data.target=\[1\] must be of type str, not list; put it in quotes"),
        ("loss.region=fpr<=3", "3 is not between 0 and 1; write 0.03 or 3%"),
        ("loss=3", "loss must be a table, not 3"),
        ("epochs.more=3", "cannot change 'epochs.more': 'epochs' is a value"),
        ("epochs", "must have the form key=value"),
        ("data.drop=id", r"data.drop='id' must be a list of texts, .* --set 'data.drop=\[\"customer\"\]'"),
        ("data.drop=[1]", r"data.drop=\[1\] must be a list of texts"),
        ("selection.metric=opauc", "selection.metric='opauc' is not known; .*opauc@0.3"),
    ],
)
def test_bad_overrides_say_what_is_wrong(override, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        load_recipe("tabular", overrides=[override])


@pytest.mark.parametrize("text", ["1", "007", "1e5", "true", "2024-01-31", "a b", ""])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_texts_need_no_quotes_on_the_command_line(text, quote):
    assert load_recipe("tabular", overrides=[f"data.positive={quote}{text}{quote}"]).data.positive == text


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ("amsgrad=False", False),
        ("amsgrad=True", True),
        ("lr=.01", 0.01),
        ("lr=1.", 1.0),
        ("betas=[.5, .9]", [0.5, 0.9]),
        ("lr=None", "None"),
        ("lr='.5'", ".5"),
    ],
)
def test_numbers_and_truth_values_may_be_written_as_in_python(change, kept):
    recipe = load_recipe("tabular", overrides=[f"optimizer.{change}"])
    assert recipe.optimizer.options[change.partition("=")[0]] == kept  # "False", a text, would be true
    assert load_recipe("tabular", overrides=["data.target=False", "ema=.5"]).data.target == "False"


def test_options_of_what_is_exchanged_by_name():
    for part, name in {"loss": "focal", "optimizer": "asgda", "model": "mlp"}.items():
        with pytest.raises(RecipeError, match=f"has it for another {part}; exchange all of that: ") as raised:
            load_recipe("strong", overrides=[f"{part}.name={name}"])
        (said,) = shlex.split(str(raised.value).rpartition(": ")[2].removesuffix("."))  # as a shell takes it
        assert getattr(load_recipe("strong", overrides=[said]), part).name == name
    with pytest.raises(RecipeError, match=r"did you mean 'kappa'\?$"):
        load_recipe("strong", overrides=["loss.kapa=3", "optimizer={name='adam'}"])


@pytest.mark.parametrize("content", ["a = " + "[" * 100_000, "epochs = " + "1" * 5000, "clip = " + "1" * 400, "\udcff"])
def test_files_that_readers_stumble_over(tmp_path, content):
    path = tmp_path / "strange.toml"
    path.write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(RecipeError, match=r"cannot be read|must be of type float"):
        load_recipe(path)
    path.rename(tmp_path / "recipe.toml")
    with pytest.raises(CheckpointError, match="holds a run of another recipe"):
        claim(tmp_path, Recipe())


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(RecipeError, match=r"did you mean 'strong'\?"):
        load_recipe("stong")
    with pytest.raises(RecipeError, match="does not exist"):
        load_recipe(tmp_path / "none.toml")
    (tmp_path / "broken.toml").write_text("epochs = = 3")
    with pytest.raises(RecipeError, match="cannot be read"):
        load_recipe(tmp_path / "broken.toml")


def test_parts_that_do_not_go_together():
    with pytest.raises(RecipeError, match="use precision='bf16'"):
        load_recipe("paper-cifar10-lt", overrides=["precision=fp16"])


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("model", Component("mlp", {"dropout": 3})),
        ("model", Component("mlp", {"dropout": -0.5})),
        ("model", Component("mlp", {"hidden": ["many"]})),
    ],
)
def test_values_that_nothing_is_built_of(kind, part):
    with pytest.raises(RecipeError, match=rf"{kind} '{part.name}' cannot be built with .*: "):
        part.build(kind, region=Region(), in_features=2)


@pytest.mark.parametrize("name", ["ce", "focal", "auc-m", "sopa-s", "auc-poly"])
def test_a_region_for_a_loss_without_one_is_refused(name):
    with pytest.raises(RecipeError, match=rf"loss.region='fpr<=0.01' would change nothing: {name}"):
        Recipe(loss=LossSpec(name=name, region="fpr<=0.01"))
    for region in ("", "target"):
        Recipe(loss=LossSpec(name=name, region=region))


def test_import_paths_build_anything():
    model = Component("collections:OrderedDict").build("model")
    assert model == {}
    assert suggestion("nothing alike", ["x"]) == ""


def test_the_warm_up_depends_on_nothing_that_comes_after():
    recipe = load_recipe("paper-cifar10-lt")
    phase = recipe.warmup_recipe()
    for change in ("loss.kappa=6", "optimizer.nu=0.01", "epochs=7", "region=fpr<=0.1", "ema=0.9"):
        assert load_recipe("paper-cifar10-lt", overrides=[change]).warmup_recipe().hash == phase.hash
    for change in ("warmup.epochs=3", "seed=1", "batch_size=512", "model.stem=cifar", "data.flip=false"):
        assert load_recipe("paper-cifar10-lt", overrides=[change]).warmup_recipe().hash != phase.hash


@given(
    st.sampled_from(["onecycle", "cosine", "constant"]),
    st.floats(0, 0.9),
    st.floats(0, 1),
    st.integers(1, 300),
    st.data(),
)
def test_rates_stay_between_zero_and_one(name, warmup, floor, total, data):
    schedule = ScheduleSpec(name=name, warmup=warmup, floor=floor)
    step = data.draw(st.integers(0, total - 1))
    assert 0 <= rate_factor(schedule, step, total) <= 1 + 1e-12
    if total > 1 and name != "constant":
        assert rate_factor(schedule, total - 1, total) == pytest.approx(floor, abs=1e-12)


def test_onecycle_agrees_with_torch():
    import torch

    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 0.4, total_steps=50, pct_start=0.3, cycle_momentum=False, final_div_factor=1e9
    )
    ours = ScheduleSpec(name="onecycle", warmup=0.3)
    for step in range(50):
        # torch counts its peak from step pct_start * total - 1, one before the share of the way.
        assert 0.4 * rate_factor(ours, step, 50) == pytest.approx(optimizer.param_groups[0]["lr"], abs=0.02)
        optimizer.step()
        if step < 49:
            theirs.step()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schedule": ScheduleSpec(name="linear")}, r"schedule\.name='linear' is not known; use one of"),
        ({"precision": "float32"}, r"precision='float32' is not known"),
        ({"epochs": 2.5}, r"epochs=2\.5 must be of type int, not float"),
        ({"batch_size": np.int64(64)}, r"batch_size=.*64.* must be of type int, not int64"),
        ({"clip": np.float32(0.5)}, r"clip=.*0\.5.* must be of type float, not float32"),
        ({"ema": "0.9"}, r"ema='0\.9' must be of type float, not str"),
        ({"clip": True}, r"clip=True must be of type float, not bool"),
        ({"name": 3}, r"name=3 must be of type str, not int"),
        ({"region": "fpr<=0.05"}, r"region='fpr<=0\.05' must be of type Region, not str"),
        ({"model": "mlp"}, r"model='mlp' must be of type Component, not str"),
        ({"model": Component("mlp", [16])}, r"model\.options=\[16\] must be of type Mapping, not list"),
        ({"loss": Component("pauci")}, r"loss=Component.* must be of type LossSpec, not Component"),
        ({"loss": LossSpec(region=Region(max_fpr=0.1))}, r"loss\.region=.* must be of type str, not Region"),
        ({"data": DataSpec(flip="no")}, r"data\.flip='no' must be of type bool, not str"),
        ({"data": DataSpec(drop="id")}, r"data\.drop='id' must be a list of texts"),
        ({"optimizer": Component("sgd", {"lr": np.float32(0.1)})}, r"optimizer\.lr=.* is of type float32"),
        ({"optimizer": Component("sgd", {"foreach": None})}, r"optimizer\.foreach=None cannot be written"),
        ({"loss": LossSpec(options={"kappa": Anneal(2.0, 8.0, 4)})}, r"loss\.kappa=Anneal.*cannot hold"),
    ],
)
def test_recipes_made_in_python_are_checked_like_files(changes, words):
    with pytest.raises(RecipeError, match=words):
        Recipe(**changes)


def test_a_value_that_changes_has_no_further_keys():
    recipe = Recipe(loss=LossSpec(options={"kappa": {"start": 2.0, "end": 8.0, "steps": 3, "x": 1}}))
    with pytest.raises(RecipeError, match=r"loss\.kappa\.x is not known"):
        build_objective(recipe)


def test_a_change_within_a_table_that_is_given_leaves_the_table_as_it_was():
    table = {"name": "sgd", "lr": 0.1}
    changes = {"optimizer": table, "optimizer.lr": 0.2}
    assert with_changes(Recipe(), changes).optimizer.options["lr"] == 0.2
    assert table == {"name": "sgd", "lr": 0.1}


def test_a_folder_does_not_hide_a_shipped_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    assert load_recipe("demo").hash
