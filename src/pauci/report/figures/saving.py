"""Writing a figure: the same figure always gives the same file."""

from pathlib import Path
from typing import TYPE_CHECKING

from pauci.errors import InputError
from pauci.extras import require
from pauci.replacing import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What no picture of ours states: when it was made. A picture that did not change is then the same file.
_NO_DATE = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
#: Suffixes of the formats a figure can be saved in.
PICTURES = tuple(_NO_DATE)


def save(figure: "Figure", path: str | Path) -> None:
    """Write a figure as SVG, PNG or PDF, under a temporary name first, so that no partial picture is ever left.

    Parameters
    ----------
    figure : Figure
        A figure of this package or any other.
    path : str or Path
        The file; its suffix decides the format.

    Examples
    --------
    >>> import tempfile
    >>> from pauci.report.figures import ForestRow, forest
    >>> path = Path(tempfile.mkdtemp()) / "forest.svg"
    >>> save(forest([ForestRow("digits", 0.014, 0.007, 0.020)]), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _NO_DATE:
        raise InputError(f"path={str(path)!r}: pictures end in {', '.join(PICTURES)}.")
    if not path.parent.is_dir():
        raise InputError(f"path={str(path)!r}: the folder {path.parent} does not exist; create it first.")
    settings = require("matplotlib", purpose="saving a figure").rc_context(
        # Without the salt, the identifiers inside an SVG are drawn at random.
        {"svg.hashsalt": "pauci", "svg.fonttype": "path"}
    )
    with replacing(path) as unfinished, settings:
        figure.savefig(unfinished, dpi=150, metadata=_NO_DATE[suffix])
