"""Numbers and verdicts in words."""

from pauci.metrics.comparison import Comparison
from pauci.region import Region


def percent(share: float) -> str:
    """Write a share as per cent, with the more digits the smaller it is.

    Examples
    --------
    >>> percent(0.712), percent(0.05), percent(0.0012), percent(0.0)
    ('71.2%', '5.00%', '0.120%', '0%')
    """
    value = 100 * share
    if value == 0:
        return "0%"
    digits = next((digits for edge, digits in ((10, 1), (1, 2), (0.1, 3)) if abs(value) >= edge), 4)
    return f"{value:.{digits}f}%"


def p_value(value: float) -> str:
    """Write a p-value, which no line may be broken in.

    Examples
    --------
    >>> p_value(0.0312).split(), p_value(1e-9).split()
    (['p', '=', '0.031'], ['p', '<', '0.001'])
    """
    return "p\N{NO-BREAK SPACE}" + ("<\N{NO-BREAK SPACE}0.001" if value < 0.001 else f"=\N{NO-BREAK SPACE}{value:.3f}")


def region_in_words(region: Region) -> str:
    """Say where a region is.

    Examples
    --------
    >>> region_in_words(Region(max_fpr=0.05)), region_in_words(Region())
    ('false positive rate ≤ 5%', 'the whole ROC curve')
    >>> region_in_words(Region(max_fpr=0.5, min_tpr=0.5))
    'false positive rate ≤ 50%, true positive rate ≥ 50%'
    """
    texts = [
        f"{name} rate {sign} {100 * getattr(region, edge):.6g}%"
        for edge, sign, name, default in (
            ("min_fpr", "≥", "false positive", 0.0),
            ("max_fpr", "≤", "false positive", 1.0),
            ("min_tpr", "≥", "true positive", 0.0),
            ("max_tpr", "≤", "true positive", 1.0),
        )
        if getattr(region, edge) != default
    ]
    return ", ".join(texts) or "the whole ROC curve"


def verdict(name: str, reference: str, found: Comparison) -> str:
    r"""Say what a comparison means.

    Examples
    --------
    >>> verdict("B", "A", Comparison(0.04, 0.01, 0.07, 0.01, 0.95))
    'B ranks better than A in this region: +0.040 partial AUC, 95% interval +0.010 to +0.070 (p\xa0=\xa00.010).'
    >>> verdict("B", "A", Comparison(0.01, -0.02, 0.04, 0.5, 0.95)).partition(":")[0]
    'B and A cannot be told apart in this region'
    """
    if found.low > 0:
        claim = f"{name} ranks better than {reference} in this region"
    elif found.high < 0:
        claim = f"{name} ranks worse than {reference} in this region"
    else:
        claim = f"{name} and {reference} cannot be told apart in this region"
    interval = f"{100 * found.level:.4g}% interval {found.low:+z.3f} to {found.high:+z.3f}"
    return f"{claim}: {found.difference:+z.3f} partial AUC, {interval} ({p_value(found.p_value)})."


def no_difference(name: str, reference: str) -> str:
    """Say why models that rank alike are not compared: an interval would be taken for a doubt about these cases.

    Examples
    --------
    >>> no_difference("B", "A")
    'B ranks these cases exactly as A does, so there is nothing to compare.'
    """
    return f"{name} ranks these cases exactly as {reference} does, so there is nothing to compare."


def no_verdict(name: str, reference: str, *, alike: bool) -> str:
    """Say why two models are not compared; they are alike if they have as many cases of each class.

    Examples
    --------
    >>> no_verdict("B", "A", alike=False)
    'B was judged on other cases than A: the two are not compared.'
    """
    if alike:
        return (
            f"{name} has as many cases of each class as {reference}, but not row by row: if they are the same cases, "
            "bring both files into the same order to have the models compared."
        )
    return f"{name} was judged on other cases than {reference}: the two are not compared."
