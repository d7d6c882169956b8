"""The mean of several models of LightGBM, put together from their texts: the library itself cannot merge them."""

import re
from collections.abc import Sequence

import numpy as np

from pauci.boosting.lightgbm_trees import LightGBMEnsemble
from pauci.errors import InputError

_END = "end of trees"
_TREE = re.compile(r"^(?=Tree=\d+$)", re.MULTILINE)
_NUMBER = re.compile(r"^Tree=\d+")
#: What of a tree is proportional to its output; constants and coefficients are there if its leaves are linear.
_OUTPUTS = re.compile(r"^(leaf_value|internal_value|leaf_const|leaf_coeff|shrinkage)=(.*)$", re.MULTILINE)


def lightgbm_mean(ensembles: Sequence[LightGBMEnsemble]) -> LightGBMEnsemble:
    """See `mean_ensemble`."""
    texts = [ensemble.to_bytes().decode() for ensemble in ensembles]
    parts = [_TREE.split(text[: text.index(_END)]) for text in texts]
    trees = [_divided(tree, len(ensembles)) for part in parts for tree in part[1:]]
    trees = [_NUMBER.sub(f"Tree={place}", tree) for place, tree in enumerate(trees)]
    header = _header([part[0] for part in parts], sizes=[len(tree) for tree in trees])
    # After the trees come parameters, and counts of splits that LightGBM takes from the trees whenever it writes.
    content = "".join([header, *trees, texts[0][texts[0].index(_END) :]]).encode()
    offset = float(np.mean([ensemble.offset for ensemble in ensembles]))
    return LightGBMEnsemble.from_bytes(content, rounds=len(trees), offset=offset)


def _divided(tree: str, by: int) -> str:
    # Spaces stay as they are: those between linear leaves are doubled.
    return _OUTPUTS.sub(
        lambda line: f"{line[1]}=" + re.sub(r"\S+", lambda value: repr(float(value[0]) / by), line[2]), tree
    )


def _header(headers: Sequence[str], *, sizes: Sequence[int]) -> str:
    facts = [dict(line.partition("=")[::2] for line in header.splitlines() if line) for header in headers]
    if len({each.get("objective") for each in facts}) > 1:
        # Raw scores are log-odds whatever trees were grown for; a mean of several objectives has none to turn them by.
        for each in facts:
            each.pop("objective", None)
    infos = [each.pop("feature_infos").split() for each in facts]
    common = {**facts[0], "tree_sizes": ""}
    for each in facts:
        each["tree_sizes"] = ""
        for name in {**common, **each}:
            if common.get(name) != each.get(name):
                raise InputError(
                    f"ensembles differ in {name} ({common.get(name)!r} and {each.get(name)!r}), so that their mean "
                    "means nothing; pass those grown on the same columns."
                )
    if "average_output" in common:
        raise InputError("ensembles are random forests (boosting='rf'), not sums of trees; use boosting='gbdt'.")
    common["feature_infos"] = " ".join(_seen(column) for column in zip(*infos, strict=True))
    common["tree_sizes"] = " ".join(map(str, sizes))
    return "\n".join([*(f"{name}={value}" if value else name for name, value in common.items()), "", ""])


def _seen(infos: Sequence[str]) -> str:
    """Return what any of them has seen of a column: ``[least:largest]``, categories as ``0:2:1``, or ``none``."""
    known = [info for info in infos if info != "none"]
    if not known:
        return "none"
    if len({info.startswith("[") for info in known}) > 1:
        raise InputError(
            f"ensembles differ in whether a column is categorical ({' and '.join(known)}); "
            "pass those grown on the same columns."
        )
    if not known[0].startswith("["):
        return ":".join(dict.fromkeys(code for info in known for code in info.split(":")))
    lows, highs = zip(*(map(float, info[1:-1].split(":")) for info in known), strict=True)
    return f"[{min(lows)!r}:{max(highs)!r}]"
