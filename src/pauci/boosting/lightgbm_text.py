"""LightGBM's text of a model, looked at before the library reads it, which trusts every number in it."""

import math
import re
import sys
from itertools import accumulate, pairwise

from pauci.boosting.damage import damage_of, demand, within

_END = b"end of trees\n"
_SETTINGS, _LAST = b"\nparameters:\n", b"\nend of parameters\n"
_SETTING = re.compile(rb"\[[a-z0-9_]+: .*\]")
#: A real number, as the library writes it.
_REAL = re.compile(r"-?([0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?|inf|nan)")
#: What stands in a header without a value.
_BARE = ("tree", "average_output")
_PER_SPLIT = ("split_feature", "threshold", "decision_type", "left_child", "right_child")
#: What a tree may do without.
_MORE_PER_SPLIT = ("split_gain", "internal_value", "internal_weight", "internal_count")
_MORE_PER_LEAF = ("leaf_weight", "leaf_count")


def check_lightgbm_text(content: bytes) -> None:
    r"""Refuse a model that would make LightGBM read outside of its arrays, go round in circles, or end the process.

    Raises
    ------
    FileFormatError
        It is cut off, or something in it does not go with the rest.

    Examples
    --------
    >>> check_lightgbm_text(b"tree\nversion=v4\n\n")
    Traceback (most recent call last):
    pauci.errors.FileFormatError: LightGBM's text of the model is damaged: it is cut off.
    """
    with damage_of("LightGBM's text of the model"):
        _check(content)


def _check(content: bytes) -> None:
    demand(_LAST in content, "it is cut off")
    # For the library, the first ends a line, and the second the text.
    demand(b"\r" not in content and b"\0" not in content, "it holds characters that no model has")
    head, _, body = content.partition(b"\n\n")
    header = _fields(head.decode())
    for name in ("num_class", "num_tree_per_iteration"):
        demand(header[name] == "1", f"{name}={header[name]} is not 1")
    features = _number(header["max_feature_idx"]) + 1
    edges = [0, *accumulate(_whole(header["tree_sizes"]))]
    for number, (start, end) in enumerate(pairwise(edges)):
        with within(f"tree {number}"):
            _check_tree(body[start:end].decode("ascii"), features)
    rest = body[edges[-1] :]
    demand(rest.startswith(_END), "its trees are not of the sizes that it gives")
    settings = rest.partition(_SETTINGS)[2].partition(_LAST)[0].splitlines()
    demand(
        all(_SETTING.fullmatch(line) for line in settings if line), "its parameters are not of the form [name: value]"
    )


def _check_tree(text: str, features: int) -> None:
    title, _, rest = text.partition("\n")
    lines, closed, _ = rest.partition("\n\n")
    demand(title.startswith("Tree=") and closed != "", "it does not begin, or end, where it should")
    tree = _fields(lines)
    leaves, sets = _number(tree["num_leaves"]), _number(tree["num_cat"])
    demand(leaves > 0, f"num_leaves={leaves} is not positive")
    lengths = {"leaf_value": leaves, **dict.fromkeys(_PER_SPLIT, leaves - 1)}
    if leaves > 1:
        lengths |= {name: leaves - 1 for name in _MORE_PER_SPLIT if name in tree}
        lengths |= {name: leaves for name in _MORE_PER_LEAF if name in tree}
    for name, length in lengths.items():
        demand(_count(tree[name]) == length, f"{name} has not {length} entries")
    demand(_count(tree.get("shrinkage", "1")) == 1, "shrinkage is not a number")
    # All nodes but the root, and all leaves, which count down from -1, are the child of one node: no way leads back.
    children = sorted(_whole(tree["left_child"]) + _whole(tree["right_child"]))
    demand(
        leaves == 1 or children == [*range(-leaves, 0), *range(1, leaves - 1)],
        "left_child and right_child make no tree",
    )
    demand(_all_below(_whole(tree["split_feature"]), features), f"split_feature is not below {features}")
    kinds = zip(tree["threshold"].split(), _whole(tree["decision_type"]), strict=True)
    # Odd are the kinds of splits by categories, whose thresholds are places of sets.
    demand(all(float(place) in range(sets) for place, kind in kinds if kind % 2), f"threshold is not below {sets}")
    if sets:
        edges = _whole(tree["cat_boundaries"])
        fit = len(edges) == sets + 1 and edges[0] == 0 and edges == sorted(edges)
        demand(fit and edges[-1] == _count(tree["cat_threshold"]), "cat_boundaries do not divide cat_threshold")
    if tree.get("is_linear", "0") != "0":
        _check_linear(tree, leaves, features)


def _check_linear(tree: dict[str, str], leaves: int, features: int) -> None:
    terms = _whole(tree["num_features"])
    demand(len(terms) == leaves == _count(tree["leaf_const"]), f"num_features or leaf_const has not {leaves} entries")
    places = _whole(tree["leaf_features"])
    fit = min(terms) >= 0 and len(places) == sum(terms) == _count(tree["leaf_coeff"])
    demand(fit, "leaf_features and leaf_coeff are not as many as num_features says")
    demand(_all_below(places, features), f"leaf_features is not below {features}")


def _fields(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in text.split("\n"):
        name, equals, value = line.partition("=")
        fit = re.fullmatch("[a-z_]+", name) and (equals or name in _BARE) and name not in fields
        demand(bool(fit), f"{line[:40]!r} is not a line of it, or is there twice")
        fields[name] = value
    return fields


def _number(text: str) -> int:
    # What does not fit into 32 bits would be another number for the library, as would what Python alone can read.
    demand(re.fullmatch("[0-9]{1,10}", text) is not None and int(text) < 2**31 - 1, f"{text[:40]!r} is no number")
    return int(text)


def _whole(text: str) -> list[int]:
    # Python would read more than these as numbers.
    demand(re.fullmatch("[-0-9 ]*", text) is not None, f"{text[:40]!r} are not whole numbers")
    return [int(number) for number in text.split()]


def _count(text: str) -> int:
    """How many numbers there are."""
    # Python would divide them at more characters, and read more as numbers; on those the library ends the process.
    numbers = [number for number in text.split(" ") if number]
    strange = [number for number in numbers if not _REAL.fullmatch(number) or _out_of_range(number)]
    demand(not strange, f"{''.join(strange)[:40]!r} is no number")
    return len(numbers)


def _out_of_range(number: str) -> bool:
    """Whether the library would refuse a number as too large, or too close to 0, for double precision."""
    digits, size = number.partition("e")[0], abs(float(number))
    if size == 0:
        return digits.strip("-0.") != ""
    return size < sys.float_info.min or (size == math.inf and "inf" not in number)


def _all_below(numbers: list[int], end: int) -> bool:
    return all(0 <= number < end for number in numbers)
