"""What was published: partial AUC on test data, one number per cell, without spread.

From the paper's two result tables; "successor" is the same authors' later method (arXiv 2512.01213). The splits are not
public, so that these are other test images of the same construction; those of CIFAR-100-LT leak (variant "paper").
"""

from pauci.data.tasks import TASKS
from pauci.studies.paper.methods import ONE_WAY, TWO_WAY

#: Region to method to the nine tasks, in the order of `TASKS`.
_TABLES: dict[str, dict[str, tuple[float, ...]]] = {
    str(ONE_WAY): {
        "ce": (0.7417, 0.9431, 0.7428, 0.8903, 0.9695, 0.8321, 0.8023, 0.8917, 0.8878),
        "auc-m": (0.7334, 0.9609, 0.7442, 0.8996, 0.9845, 0.8403, 0.8102, 0.9011, 0.9043),
        "mb": (0.7492, 0.9648, 0.7500, 0.9003, 0.9804, 0.8575, 0.8193, 0.9072, 0.9091),
        "auc-poly": (0.7542, 0.9672, 0.7538, 0.9027, 0.9859, 0.8441, 0.8185, 0.9084, 0.9100),
        "auc-exp": (0.7347, 0.9620, 0.7457, 0.8987, 0.9850, 0.8407, 0.8127, 0.9026, 0.9049),
        "sopa": (0.7659, 0.9688, 0.7651, 0.9108, 0.9875, 0.8483, 0.8157, 0.9037, 0.9066),
        "sopa-s": (0.7548, 0.9674, 0.7542, 0.9033, 0.9860, 0.8449, 0.8180, 0.9087, 0.9095),
        "agd-sbcd": (0.7526, 0.9615, 0.7497, 0.9105, 0.9814, 0.8406, 0.8135, 0.9081, 0.9057),
        "pauci": (0.7721, 0.9716, 0.7746, 0.9155, 0.9889, 0.8492, 0.8267, 0.9214, 0.9217),
        "successor": (0.7764, 0.9702, 0.8061, 0.9225, 0.9905, 0.8503, 0.8559, 0.9515, 0.9558),
    },
    str(TWO_WAY): {
        "ce": (0.6420, 0.9353, 0.6798, 0.8467, 0.9603, 0.7311, 0.7223, 0.8517, 0.8478),
        "auc-m": (0.6520, 0.9381, 0.6821, 0.8505, 0.9822, 0.7324, 0.7361, 0.8517, 0.8598),
        "mb": (0.6437, 0.9492, 0.6913, 0.8665, 0.9677, 0.7583, 0.7348, 0.8651, 0.8624),
        "auc-poly": (0.6804, 0.9543, 0.6974, 0.8618, 0.9835, 0.7431, 0.7349, 0.8676, 0.8627),
        "auc-exp": (0.6669, 0.9493, 0.6930, 0.8613, 0.9827, 0.7447, 0.7328, 0.8672, 0.8626),
        "sopa": (0.7096, 0.9593, 0.7220, 0.8714, 0.9855, 0.7485, 0.7417, 0.8681, 0.8650),
        "sopa-s": (0.6603, 0.9456, 0.6917, 0.8617, 0.9812, 0.7419, 0.7354, 0.8666, 0.8628),
        "pauci": (0.7192, 0.9663, 0.7305, 0.8814, 0.9874, 0.7497, 0.7618, 0.8875, 0.8860),
        "successor": (0.7486, 0.9772, 0.7632, 0.8878, 0.9882, 0.7801, 0.7941, 0.8940, 0.9047),
    },
}

#: Training images of each data set in the paper's table, positives and negatives.
PUBLISHED_ROWS = {"cifar10-lt": 10_415, "cifar100-lt": 15_146, "tiny-imagenet": 70_000}


def published(region: str, method: str, task: str) -> float | None:
    """Look up a published number, also of the method "successor"; None where nothing was published.

    Examples
    --------
    >>> published("fpr<=0.3", "pauci", "cifar10-lt-1")
    0.7721
    >>> published("fpr<=0.3", "focal", "cifar10-lt-1") is None
    True
    """
    row = _TABLES.get(region, {}).get(method)
    return None if row is None else row[list(TASKS).index(task)]


def best_published(region: str, task: str) -> float:
    """Return the highest number that was published for a cell, of whatever method.

    Examples
    --------
    >>> best_published("fpr<=0.3", "cifar100-lt-3")
    0.8575
    """
    return max(row[list(TASKS).index(task)] for row in _TABLES[region].values())
