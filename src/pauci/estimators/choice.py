"""What was chosen among candidates, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pauci.metrics import Comparison

#: Of the interval of the gain.
LEVEL = 0.95
#: That of the anchor over itself.
NO_GAIN = Comparison(0.0, 0.0, 0.0, 1.0, LEVEL)


@dataclass(frozen=True)
class Choice:
    """Which candidates were kept, and why.

    Attributes
    ----------
    kept : tuple of int
        Numbers of the candidates kept, in order; several stand for the mean of their scores. 0 is the anchor.
    names : tuple of str
        The candidates, in order of their distance from the anchor.
    scores : tuple of float
        Partial AUC of each candidate as a share of the region, averaged over the parts; NaN where nothing could be
        judged.
    errors : tuple of float
        Standard error of each candidate's paired difference to the anchor; 0 for the anchor itself.
    gain : Comparison
        Partial AUC of what is kept minus that of the anchor; 0 if the anchor alone is kept. Each part judges what the
        other parts would keep, so the search for the best does not flatter the gain.

    Examples
    --------
    >>> import numpy as np
    >>> from pauci import Region
    >>> from pauci.estimators.selection import choose
    >>> y, s = np.repeat([1, 0], [40, 160]), np.linspace(0, 3, 200) % 1
    >>> parts = np.arange(200) % 4
    >>> choice = choose(y, [s, s + 0.5 * y], region=Region(max_fpr=0.1), parts=parts, names=["CE", "other"])
    >>> choice.name, choice.gain.low > 0
    ('other', True)
    """

    kept: tuple[int, ...]
    names: tuple[str, ...]
    scores: tuple[float, ...]
    errors: tuple[float, ...]
    gain: Comparison

    @property
    def name(self) -> str:
        """What is kept, in words."""
        first, last = self.names[self.kept[0]], self.names[self.kept[-1]]
        return first if len(self.kept) == 1 else f"mean of {len(self.kept)}, {first} to {last}"

    @property
    def is_anchor(self) -> bool:
        """Whether the anchor alone is kept."""
        return self.kept == (0,)

    def __str__(self) -> str:
        marks = ["*" if index in self.kept else " " for index in range(len(self.names))]
        if math.isnan(self.scores[0]):
            return "\n".join(f"{mark} {name}" for mark, name in zip(marks, self.names, strict=True))
        width = max(map(len, self.names))
        lines = []
        for index, (name, score, error) in enumerate(zip(self.names, self.scores, self.errors, strict=True)):
            difference = f"   {score - self.scores[0]:+z.4f} +- {error:.4f}" if index else ""
            lines.append(f"{marks[index]} {name:<{width}}  {score:.4f}{difference}")
        gain = self.gain
        lines.append(f"gain over {self.names[0]}: {gain.difference:+z.4f} [{gain.low:+z.4f}, {gain.high:+z.4f}]")
        return "\n".join(lines)


def unjudged(names: Sequence[str]) -> Choice:
    """Return the choice where there is too little to judge: the anchor.

    Examples
    --------
    >>> unjudged(["CE", "lambda 1"]).name
    'CE'
    """
    nothing = (math.nan,) * len(names)
    return Choice((0,), tuple(names), nothing, nothing, NO_GAIN)
