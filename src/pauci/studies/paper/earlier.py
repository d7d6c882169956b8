"""Settings that were given up: what those of their runs that the store still has said on test data."""

from collections.abc import Sequence

from pauci.studies.paper.blocks import TARGETS
from pauci.studies.paper.gains import gain_places
from pauci.studies.paper.methods import METHODS
from pauci.studies.paper.summary import Results
from pauci.studies.paper.tables import interval
from pauci.studies.store import Record


def earlier_sentences(present: Sequence[Record], replaced: Sequence[Record]) -> list[str]:
    """Name the replaced runs, whose settings are no longer those of the study, and what came of them.

    Returns
    -------
    list of str
        A sentence per protocol and method; empty if there is nothing to tell.
    """
    sentences = []
    ce = [record for record in present if record.method == "ce"]
    for protocol, method in dict.fromkeys((record.protocol, record.method) for record in replaced):
        own = [record for record in replaced if (record.protocol, record.method) == (protocol, method)]
        count = len({record.recipe for record in own})
        text = (
            f"{METHODS[method].title} had other settings under the {protocol} protocol before, in {count} "
            f"run{'s' * (count > 1)} that the tables leave out"
        )
        if found := Results([*own, *ce]).gain(method, "ce", gain_places(protocol, TARGETS)):
            text += f": minus CE {interval(found[0])}, mean over {len(found[1])} cells"
        sentences.append(f"{text}.")
    return sentences
