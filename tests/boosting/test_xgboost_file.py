import numpy as np
import pytest

from pauci.boosting.ubjson import read_ubjson
from pauci.boosting.xgboost_file import check_xgboost_file
from pauci.errors import FileFormatError

xgboost = pytest.importorskip("xgboost")

PARAMS = {
    "plain": {},
    "one-hot": {"max_cat_to_onehot": 100},
    "leaf by leaf": {"grow_policy": "lossguide", "max_leaves": 6},
    "no split": {"gamma": 1e9},
    "pruned": {"tree_method": "exact", "gamma": 6.0, "max_depth": 8},
    "dart": {"booster": "dart", "rate_drop": 0.5},
    "forest": {"num_parallel_tree": 2},
}


def rows(n=500):
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(n, 3)), rng.integers(0, 50, n)]
    return X, X[:, 0] * X[:, 1] + (X[:, 3] % 3 == 0) + rng.normal(size=n) / 4 > 0.3


def content(rounds=4, **params):
    X, y = rows()
    categorical = params.get("tree_method") != "exact"
    data = xgboost.DMatrix(X, y, feature_types=["q", "q", "q", "c"] if categorical else None, enable_categorical=True)
    settings = {"objective": "binary:logistic", "max_depth": 4, "nthread": 1, **params}
    return bytes(xgboost.train(settings, data, rounds).save_raw("ubj"))


def written(value):
    """What `read_ubjson` read, as bytes again."""
    if isinstance(value, dict):
        return b"{" + b"".join(text(name) + written(each) for name, each in value.items()) + b"}"
    if isinstance(value, np.ndarray):
        kind = {"int8": b"i", "uint8": b"U", "int32": b"l", "int64": b"L", "float32": b"d"}[value.dtype.name]
        return b"[$" + kind + b"#" + length(len(value)) + value.astype(value.dtype.newbyteorder(">")).tobytes()
    if isinstance(value, list):
        return b"[#" + length(len(value)) + b"".join(map(written, value))
    if isinstance(value, float):
        return b"d" + np.array(value, ">f4").tobytes()
    return b"S" + text(value) if isinstance(value, str) else length(value)


def text(value):
    return length(len(value.encode())) + value.encode()


def length(value):
    return b"L" + value.to_bytes(8, "big")


@pytest.fixture(scope="module")
def plain():
    return content()


@pytest.mark.parametrize("kind", PARAMS)
def test_what_xgboost_writes_is_accepted(kind):
    raw = content(**PARAMS[kind])
    check_xgboost_file(raw, features=4)
    document = read_ubjson(raw)
    if kind == "pruned":
        trees = document["learner"]["gradient_booster"]["model"]["trees"]
        assert any(tree["tree_param"]["num_deleted"] != "0" for tree in trees)
    again = xgboost.Booster(model_file=bytearray(written(document)))
    data = xgboost.DMatrix(rows()[0], feature_types=again.feature_types, enable_categorical=True)
    np.testing.assert_array_equal(again.predict(data), xgboost.Booster(model_file=bytearray(raw)).predict(data))


def put(name, place, value):
    def change(learner):
        learner["gradient_booster"]["model"]["trees"][1][name][place] = value

    return change


def put_number(room, name, value):
    def change(learner):
        forest = learner["gradient_booster"]["model"]
        rooms = {"learner": learner["learner_model_param"], "forest": forest["gbtree_model_param"]}
        (rooms | {"tree": forest["trees"][1]["tree_param"]})[room][name] = value

    return change


def leave_out(name):
    return lambda learner: learner["gradient_booster"]["model"]["trees"][1].pop(name)


def shorten(name):
    def change(learner):
        tree = learner["gradient_booster"]["model"]["trees"][1]
        tree[name] = tree[name][:-1]

    return change


def swap_objective(learner):
    learner["objective"]["name"] = "multi:softprob"


WRONG = {
    "child far outside": (put("left_children", 0, 10**8), "children are not among its nodes"),
    "child below all": (put("right_children", 0, -7), "children are not among its nodes"),
    "a circle": (put("left_children", 1, 0), "make no tree"),
    "one child twice": (put("right_children", 0, 1), "make no tree"),
    "half a leaf": (put("right_children", -1, 1), "make no tree"),
    "parent far outside": (put("parents", 2, 10**8), "parents are not among its nodes"),
    "another parent": (put("parents", 1, 2), "parents are not those"),
    "root with a parent": (put("parents", 0, 1), "parents are not those"),
    "column far outside": (put("split_indices", 0, 10**8), "split_indices is not below 4"),
    "column below 0": (put("split_indices", 0, -1), "split_indices is not below 4"),
    "a node that was deleted": (put("split_indices", 1, 2**31 - 1), "num_deleted"),
    "set of categories elsewhere": (put("categories_segments", 0, 10**9), "do not divide categories"),
    "endless set of categories": (put("categories_sizes", 0, 10**9), "do not divide categories"),
    "huge category": (put("categories", 0, 2**31 - 1), "categories are no codes"),
    "set of another node": (put("categories_nodes", 0, 3), "categories_nodes"),
    "another kind of split": (put("split_type", slice(None), 1), "categories_nodes"),
    "few weights": (shorten("split_conditions"), "tree 1: split_conditions has not"),
    "few parents": (shorten("parents"), "tree 1: a list has"),
    "no parents": (leave_out("parents"), "tree 1 has no 'parents'"),
    "other number of nodes": (put_number("tree", "num_nodes", "3"), "tree 1: num_nodes='3'"),
    "vectors in leaves": (put_number("tree", "size_leaf_vector", "9"), "size_leaf_vector"),
    "other number of trees": (put_number("forest", "num_trees", "9"), "num_trees is not 4"),
    "more columns": (put_number("learner", "num_feature", "2000000000"), "num_feature='2000000000' is not 4"),
    "many classes": (put_number("learner", "num_class", "3"), "num_class='3' is not 0"),
    "another objective": (swap_objective, "its objective"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_would_lead_astray_is_refused(kind, plain):
    change, message = WRONG[kind]
    document = read_ubjson(plain)
    change(document["learner"])
    with pytest.raises(FileFormatError, match=message):
        check_xgboost_file(written(document), features=4)


def test_trees_of_other_classes_and_rounds_are_refused(plain):
    for name, message in (("tree_info", "tree_info is not 0"), ("iteration_indptr", "from 0 to 4")):
        document = read_ubjson(plain)
        document["learner"]["gradient_booster"]["model"][name][-1] = 10**8
        with pytest.raises(FileFormatError, match=message):
            check_xgboost_file(written(document), features=4)


def test_cut_off_files_are_refused(plain):
    for end in (0, 1, 2, 12, *range(20, len(plain), 97), len(plain) - 1):
        with pytest.raises(FileFormatError, match="XGBoost's file of the model is damaged"):
            check_xgboost_file(plain[:end], features=4)
    with pytest.raises(FileFormatError, match="goes on after its end"):
        check_xgboost_file(plain + b"}", features=4)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"learner": {}}', "where a length should be"),
        (b"[#" + length(2**40), "cut off"),
        (b"[$l#" + length(2**62), "cut off"),
        (b"[$S#" + length(1), "no type of numbers"),
        (b"[#" + length(1) + b"N", "begins nothing"),
        ((b"[#" + length(1)) * 5000 + b"Z", "begins nothing"),
        (b"{" + 2 * (text("a") + b"Z") + b"}", "'a' is there twice"),
        (b"{" + length(1) + b"\xff" + b"Z}", "utf-8"),
        (b"Z", "damaged"),
        (b"S" + text("learner"), "damaged"),
    ],
)
def test_other_documents_are_refused(raw, message):
    with pytest.raises(FileFormatError, match=message):
        check_xgboost_file(raw, features=4)


def test_numbers_and_constants_are_read():
    raw = b"[#" + length(4) + b"T" + b"F" + b"d" + np.array(0.5, ">f4").tobytes() + b"i\xff"
    assert read_ubjson(raw) == [True, False, 0.5, -1]


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_never_end_the_process(plain, seed):
    """Whatever passes the check, XGBoost loads and predicts with, or raises."""
    rng = np.random.default_rng(seed)
    data = xgboost.DMatrix(rows(50)[0], feature_types=["q", "q", "q", "c"], enable_categorical=True)
    for _ in range(200):
        raw = bytearray(plain)
        for place in rng.integers(0, len(raw), rng.integers(1, 4)):
            raw[place] = rng.integers(0, 256)
        try:
            check_xgboost_file(bytes(raw), features=4)
            xgboost.Booster(model_file=raw).predict(data)
        except (FileFormatError, xgboost.core.XGBoostError):
            continue
