import re
import time

import numpy as np
import pytest

from pauci.boosting.lightgbm_text import check_lightgbm_text
from pauci.boosting.lightgbm_trees import LightGBMEnsemble
from pauci.errors import FileFormatError

lightgbm = pytest.importorskip("lightgbm")

PARAMS = {
    "plain": {},
    "stumps": {"num_leaves": 2},
    "constant": {"min_data_in_leaf": 10_000, "feature_pre_filter": False},
    "linear": {"linear_tree": True},
    "linear-constant": {"linear_tree": True, "min_data_in_leaf": 10_000, "feature_pre_filter": False},
    "dart": {"boosting": "dart"},
    "forest": {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
}


def rows(n=600):
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(n, 3)), rng.integers(0, 50, n)]
    return X, (X[:, 0] * X[:, 1] + (X[:, 3] % 3 == 0) + rng.normal(size=n) / 4 > 0.3).astype(float)


def content(rounds=3, **params):
    X, y = rows()
    data = lightgbm.Dataset(X, y, categorical_feature=[] if params.get("linear_tree") else [3])
    settings = {"objective": "binary", "verbosity": -1, "num_threads": 1, "min_data_per_group": 5, **params}
    return lightgbm.train(settings, data, rounds).model_to_string().encode()


@pytest.mark.parametrize("kind", PARAMS)
def test_what_lightgbm_writes_is_accepted(kind):
    text = content(**PARAMS[kind])
    check_lightgbm_text(text)
    if kind == "plain":
        assert b"num_cat=0" not in text
    assert np.isfinite(LightGBMEnsemble.from_bytes(text, rounds=3, offset=0.0)(rows()[0])).all()


def test_a_model_without_trees_is_accepted():
    data = lightgbm.Dataset(np.zeros((50, 2)), np.arange(50) % 2)
    booster = lightgbm.Booster({"objective": "none", "verbosity": -1}, data)
    check_lightgbm_text(booster.model_to_string().encode())


def test_hundreds_of_trees_take_a_moment():
    text = content(rounds=500)
    start = time.perf_counter()
    check_lightgbm_text(text)
    assert time.perf_counter() - start < 2


def changed(text, name, change, number=1):
    """Change a field of a tree, and its size in the header with it."""
    head, *trees = re.split(rb"^(?=Tree=)", text, flags=re.MULTILINE)
    old = re.search(rb"(?m)^%b=.*$" % name.encode(), trees[number])[0].decode()
    new = f"{name}={change(old.partition('=')[2])}"
    trees[number] = trees[number].replace(old.encode(), new.encode())
    sizes = [len(tree.partition(b"end of trees")[0]) for tree in trees]
    head = re.sub(rb"tree_sizes=.*", b"tree_sizes=" + " ".join(map(str, sizes)).encode(), head)
    return head + b"".join(trees)


def first(value):
    return lambda text: " ".join([str(value), *text.split()[1:]])


def one_negative(text):
    """Make the first number -1, and leave the sum as it is."""
    numbers = [int(number) for number in text.split()]
    return " ".join(map(str, [-1, numbers[0] + numbers[1] + 1, *numbers[2:]]))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("left_child", first(100_000), "tree 1: left_child and right_child make no tree"),
        ("left_child", first(-100_000), "make no tree"),
        ("left_child", first(0), "make no tree"),
        ("right_child", lambda text: text.rpartition(" ")[0], r"right_child has not \d+ entries"),
        ("num_leaves", lambda text: "7", "leaf_value has not 7 entries"),
        ("num_leaves", lambda text: "0", "num_leaves=0 is not positive"),
        ("num_leaves", lambda text: "many", "'many' is no number"),
        ("num_leaves", lambda text: f"{text}_0", "_0' is no number"),
        ("num_cat", lambda text: f"{text}_0", "_0' is no number"),
        ("split_feature", first(4), "split_feature is not below 4"),
        ("split_feature", first(-1), "split_feature is not below 4"),
        ("split_feature", first("1.5"), "are not whole numbers"),
        ("leaf_value", first("x"), "'x' is no number"),
        # At these the library would end the process. The second is a space for Python alone.
        ("split_gain", first("1_0"), "'1_0' is no number"),
        ("internal_value", first("1.5\x1d"), "is no number"),
        ("shrinkage", lambda text: f"\v{text}", "is no number"),
        ("num_cat", lambda text: "0", "threshold is not below 0"),
        ("cat_boundaries", lambda text: text + "0", "cat_boundaries do not divide"),
        ("cat_threshold", lambda text: text + " 1", "cat_boundaries do not divide"),
        ("leaf_count", lambda text: text + " 1", r"leaf_count has not \d+ entries"),
        ("shrinkage", lambda text: "", "shrinkage is not a number"),
    ],
)
def test_trees_that_were_changed_are_refused(name, change, message):
    text = content()
    with pytest.raises(FileFormatError, match=f"LightGBM's text of the model is damaged: .*{message}"):
        LightGBMEnsemble.from_bytes(changed(text, name, change), rounds=3, offset=0.0)


def test_sets_of_categories_that_reach_beyond_the_last_one_are_refused():
    text = changed(content(), "num_cat", lambda _: "2")
    with pytest.raises(FileFormatError, match="cat_boundaries do not divide"):
        check_lightgbm_text(changed(text, "cat_boundaries", lambda edges: edges.replace("0 ", "0 1000 ")))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("num_features", first(5), "leaf_features and leaf_coeff are not as many"),
        ("num_features", one_negative, "leaf_features and leaf_coeff are not as many"),
        ("leaf_features", lambda text: text.replace("0", "9"), "leaf_features is not below 4"),
        ("leaf_const", lambda text: "", "leaf_const has not"),
        ("leaf_const", first("1e309"), "'1e309' is no number"),
        ("leaf_const", first("1e-310"), "'1e-310' is no number"),
        ("leaf_const", first("0.0e-5 0.1e-400"), "'0.1e-400' is no number"),
    ],
)
def test_linear_leaves_that_were_changed_are_refused(name, change, message):
    text = content(linear_tree=True)
    with pytest.raises(FileFormatError, match=message):
        check_lightgbm_text(changed(text, name, change))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (rb"left_child", b"lost_child", "tree 0 has no 'left_child'"),
        (rb"max_feature_idx=.*\n", b"", "it has no 'max_feature_idx'"),
        # Of these the library would read the first digit alone, and read behind the end of the rows.
        (rb"max_feature_idx=3", b"max_feature_idx=3_000", "'3_000' is no number"),
        (rb"max_feature_idx=3", "max_feature_idx=3\uff10".encode(), "is no number"),
        (rb"max_feature_idx=3", b"max_feature_idx=%d" % (2**32 + 3), "'4294967299' is no number"),
        (rb"num_class=1", b"num_class=3", "num_class=3 is not 1"),
        (rb"num_tree_per_iteration=1", b"num_tree_per_iteration=0", "is not 1"),
        (rb"tree_sizes=\d", b"tree_sizes=", "not begin, or end, where it should"),
        (rb" \d+\n\nTree=0", b"\n\nTree=0", "trees are not of the sizes"),
        (rb"leaf_value=", b"leaf_value", "is not a line of it"),
        (rb"num_class=1", b"num_class=1\nnum_class=1", "'num_class=1' is not a line of it, or is there twice"),
        (rb"version=v4", b"version=v4\0", "characters that no model has"),
        (rb"\[boosting: gbdt\]", b"[boosting", "parameters are not of the form"),
        (rb"feature_names=", b"feature_name=", "LightGBM cannot read"),
    ],
)
def test_texts_that_were_changed_are_refused(old, new, message):
    text = re.sub(old, new, content(), count=1)
    with pytest.raises(FileFormatError, match=message):
        LightGBMEnsemble.from_bytes(text, rounds=3, offset=0.0)


def test_texts_that_are_cut_off_anywhere_are_refused():
    text = content(num_leaves=4)
    whole = text.index(b"\nend of parameters\n")
    for end in range(0, whole, 7):
        with pytest.raises(FileFormatError, match="damaged"):
            check_lightgbm_text(text[:end])
