"""What an estimator did, and what it found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pauci.errors import FileFormatError
from pauci.estimators.choice import Choice
from pauci.estimators.facts import built
from pauci.estimators.threshold import DecisionThreshold
from pauci.metrics import Comparison
from pauci.region import Region


@dataclass(frozen=True)
class Report:
    """The choice made while fitting, the gain expected from it, and its threshold.

    Attributes
    ----------
    model : str
        The fitted model, in words.
    region : Region
        The region that the model is judged by.
    train_region : Region
        The region that the model was trained on.
    choice : Choice
        The candidates, what was kept of them, and its gain over cross-entropy.
    threshold : DecisionThreshold
        The threshold that `predict` decides by.
    folds : int
        Number of parts in which candidates were judged; 0 if there were too few instances to judge any.

    Examples
    --------
    >>> import numpy as np
    >>> from pauci.estimators import PartialAUCClassifier
    >>> X, y = np.arange(200.0)[:, None] % 37, np.arange(200) % 37 > 20
    >>> print(PartialAUCClassifier(max_fpr=0.3, confidence=None, shares=(1.0,)).fit(X, y).report_)
    linear, mean of 10 for fpr<=0.3, trained on fpr<=0.9: ...
    """

    model: str
    region: Region
    train_region: Region
    choice: Choice
    threshold: DecisionThreshold
    folds: int

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Rebuild a report from what `dataclasses.asdict` made of it, also after a round trip through JSON.

        Parameters
        ----------
        facts : mapping
            The fields.

        Returns
        -------
        Report
            The same report.

        Raises
        ------
        FileFormatError
            If the facts do not go together.
        """
        choice = built(Choice, {**facts["choice"], "gain": built(Comparison, facts["choice"]["gain"])})
        candidates = len(choice.names)
        alike = len(choice.scores) == len(choice.errors) == candidates
        if not alike or not choice.kept or not all(0 <= place < candidates for place in choice.kept):
            raise FileFormatError(f"the report is damaged: its choice is not about {candidates} candidates throughout.")
        parts = {
            "region": built(Region, facts["region"]),
            "train_region": built(Region, facts["train_region"]),
            "choice": choice,
            "threshold": built(DecisionThreshold, facts["threshold"]),
        }
        return built(cls, {**facts, **parts})

    def __str__(self) -> str:
        judged = (
            f"partial AUC, mean over {self.folds} parts that the scoring models had not seen, difference to the first:"
            if self.folds
            else "too little was held out to compare: the first was taken."
        )
        return "\n".join(
            [
                f"{self.model} for {self.region}, trained on {self.train_region}: {self.choice.name}",
                judged,
                str(self.choice),
                f"threshold keeps {self.threshold}",
            ]
        )
