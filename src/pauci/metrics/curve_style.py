"""How curves look: colours, widths and legend entries."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pauci.errors import InputError
from pauci.metrics.region_curve import RegionCurve

#: Okabe and Ito's colours, which people with any colour vision tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def curve_styles(
    curves: Sequence[RegionCurve],
    curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    *,
    drawn_before: int = 0,
) -> list[dict[str, Any]]:
    """Style and legend entry of each curve, as matplotlib's `plot` takes them.

    Parameters
    ----------
    curves : sequence of RegionCurve
        Curves that share a name are folds of one model: they share colour and legend entry.
    curve_kwargs : dict or list of dict, optional
        The user's own, for all curves or one for each; they win.
    drawn_before : int
        Curves already on these axes, whose colours are taken.

    Returns
    -------
    list of dict
        One per curve; the `gid` "curve" marks them as drawn by a display.

    Examples
    --------
    >>> from pauci.region import Region
    >>> curve = RegionCurve.of([0, 0, 1], [0.1, 0.7, 0.3], Region(), n_resamples=0)
    >>> curve_styles([curve], {"lw": 3})[0]["linewidth"]
    3
    """
    own = curve_kwargs if isinstance(curve_kwargs, Sequence) else [curve_kwargs or {}] * len(curves)
    if len(own) != len(curves):
        raise InputError(f"curve_kwargs has {len(own)} entries but there are {len(curves)} curves.")
    names = list(dict.fromkeys(curve.name for curve in curves))
    folds = len(curves) > len(names) and not isinstance(curve_kwargs, Sequence)
    styles = []
    for curve, kwargs in zip(curves, own, strict=True):
        color = COLORS[(drawn_before + names.index(curve.name)) % len(COLORS)]
        style = {"color": color, "label": curve.label, "linewidth": 1.0 if folds else 1.8, "gid": "curve"}
        if folds:
            style |= {"alpha": 0.6, "label": _fold_label(curves, curve)}
        styles.append(style | unabbreviated(kwargs))
    return styles


def unabbreviated(style: Mapping[str, Any]) -> dict[str, Any]:
    """Spell out matplotlib's short names (`c`, `lw`), which it does not accept beside the long ones."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return normalize_kwargs(dict(style), Line2D)


def _fold_label(curves: Sequence[RegionCurve], curve: RegionCurve) -> str | None:
    """One legend entry for all folds, at the first of them."""
    values = [fold.partial_auc for fold in curves if fold.name == curve.name]
    if curve is not next(fold for fold in curves if fold.name == curve.name):
        return None
    summary = f"pAUC {np.mean(values):.3f} +/- {np.std(values):.3f} ({len(values)} folds)"
    return curve.titled(summary)
