"""XGBoost's binary JSON of a model, looked at before the library reads it, which trusts every number in it."""

from typing import Any

import numpy as np

from pauci.boosting.damage import damage_of, demand, within
from pauci.boosting.ubjson import read_ubjson

#: What the root has instead of a parent, and deleted nodes instead of a column.
_NONE = 2**31 - 1
#: Far more categories than a column of a table may have; a set of them is a string of bits up to the largest.
_MOST_CATEGORIES = 2**24
_WHOLE = ("left_children", "right_children", "parents", "split_indices", "split_type", "default_left")
_REAL = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")


def check_xgboost_file(content: bytes, *, features: int) -> None:
    """Refuse a model that would make XGBoost read outside of its arrays, go round in circles, or take all memory.

    `features` is the number of columns that the model reads.

    Raises
    ------
    FileFormatError
        It is cut off, or something in it does not go with the rest.

    Examples
    --------
    >>> check_xgboost_file(b"{", features=3)
    Traceback (most recent call last):
    pauci.errors.FileFormatError: XGBoost's file of the model is damaged: it is cut off.
    """
    with damage_of("XGBoost's file of the model"):
        _check(read_ubjson(content)["learner"], features)


def _check(learner: dict[str, Any], features: int) -> None:
    about = learner["learner_model_param"]
    for name, expected in (("num_class", "0"), ("num_target", "1"), ("num_feature", str(features))):
        demand(about[name] == expected, f"{name}={about[name]!r} is not {expected}")
    demand(learner["objective"]["name"] == "binary:logistic", "its objective is not binary:logistic")
    for name in ("feature_names", "feature_types"):
        demand(len(learner[name]) in (0, features), f"{name} has not {features} entries")
    grown = learner["gradient_booster"]
    demand(grown["name"] in ("gbtree", "dart"), "it is made of something else than trees")
    forest = (grown["gbtree"] if grown["name"] == "dart" else grown)["model"]
    count = len(forest["trees"])
    demand(np.shape(grown.get("weight_drop", [0] * count)) == (count,), f"weight_drop has not {count} entries")
    _check_forest(forest, count)
    for number, tree in enumerate(forest["trees"]):
        with within(f"tree {number}"):
            _check_tree(tree, features)


def _check_forest(forest: dict[str, Any], count: int) -> None:
    demand(forest["gbtree_model_param"]["num_trees"] == str(count), f"num_trees is not {count}")
    demand(not _ints(forest["tree_info"], count).any(), "tree_info is not 0")
    edges = _ints(forest["iteration_indptr"])
    demand(
        len(edges) > 0 and edges[0] == 0 and edges[-1] == count and bool((np.diff(edges) >= 0).all()),
        f"iteration_indptr does not lead from 0 to {count}",
    )
    demand(not any(len(part) for part in forest.get("cats", {}).values()), "it recodes categories")


def _check_tree(tree: dict[str, Any], features: int) -> None:
    about, size = tree["tree_param"], len(tree["left_children"])
    for name, expected in (("num_nodes", (str(size),)), ("num_feature", (str(features),)), ("size_leaf_vector", "01")):
        demand(about[name] in expected, f"{name}={about[name]!r} does not go with the rest")
    left, right, parents, column, kind, _ = (_ints(tree[name], size) for name in _WHOLE)
    for name in _REAL:
        demand(np.shape(tree[name]) == (size,), f"{name} has not {size} entries")
    demand(size > 0, "it has no node")
    gone = column == _NONE
    demand(not gone[0] and about["num_deleted"] == str(gone.sum()), "num_deleted does not go with the rest")
    demand(_all_in(np.concatenate((left, right)), -1, size), "its children are not among its nodes")
    demand(_all_in(parents[parents != _NONE], -1, size), "its parents are not among its nodes")
    demand(_all_in(column[~gone], 0, features), f"split_indices is not below {features}")
    # Children come later than their parent, and all nodes but the root are the child of one: no way leads back.
    splits = np.flatnonzero((left != -1) & ~gone)
    both, children = np.tile(splits, 2), np.concatenate((left[splits], right[splits]))
    is_tree = np.array_equal(np.sort(children), np.flatnonzero(~gone)[1:]) and bool((children > both).all())
    leaves = (left == -1) & ~gone
    demand(is_tree and bool((right[leaves] == -1).all()), "left_children and right_children make no tree")
    demand(parents[0] == _NONE and np.array_equal(parents[children], both), "parents are not those of the children")
    _check_categories(tree, np.flatnonzero(kind & ~gone))


def _check_categories(tree: dict[str, Any], by_category: Any) -> None:
    nodes, codes = _ints(tree["categories_nodes"]), _ints(tree["categories"])
    starts, lengths = (_ints(tree[f"categories_{name}"], len(nodes)) for name in ("segments", "sizes"))
    demand(np.array_equal(nodes, by_category), "categories_nodes are not those that split_type says")
    demand(_all_in(codes, 0, _MOST_CATEGORIES), "categories are no codes")
    ends = np.concatenate(([0], np.cumsum(lengths)))
    fit = bool((lengths >= 0).all()) and np.array_equal(starts, ends[:-1]) and ends[-1] == len(codes)
    demand(fit, "categories_segments and categories_sizes do not divide categories")


def _ints(values: Any, size: int | None = None) -> Any:
    found = np.asarray(values)
    demand(found.ndim == 1 and (found.dtype.kind in "iu" or len(found) == 0), "a list is not of whole numbers")
    demand(size is None or len(found) == size, f"a list has {len(found)} entries instead of {size}")
    return found.astype(np.int64)


def _all_in(values: Any, first: int, end: int) -> bool:
    return bool(((values >= first) & (values < end)).all())
