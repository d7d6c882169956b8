"""The folder of a run: whose it is, and that only one process at a time trains in it."""

import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pauci.errors import CheckpointError, RecipeError
from pauci.locking import lock_file
from pauci.training.files import write_bytes
from pauci.training.recipe import Recipe
from pauci.training.recipe_toml import recipe_to_toml
from pauci.training.recipe_tree import recipe_from_dict

#: The files of a run: what its folder is for, a line per epoch, the outcome in short, and the weights with all facts.
RECIPE, LOG, SUMMARY, RESULT = "recipe.toml", "log.jsonl", "result.json", "model.safetensors"

_LOCK = ".training.lock"

#: What a killed process may leave of files that only a run writes. Others may be writing further ones to its folder.
_LEFTOVERS = (
    *(f".unfinished-*-{name}" for name in (RECIPE, LOG, SUMMARY, RESULT)),
    "checkpoints/.unfinished-*",
    "warmup/checkpoints/.unfinished-*",
)


def claim(folder: Path, recipe: Recipe) -> None:
    """Write down whose a folder is, if nobody has.

    Raises
    ------
    CheckpointError
        It belongs to another recipe.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> claim(folder, Recipe(epochs=3))
    >>> is_claimed(folder, Recipe(epochs=3))
    True
    >>> claim(folder, Recipe(epochs=4))
    Traceback (most recent call last):
    pauci.errors.CheckpointError: ... holds a run of another recipe; compare ...
    """
    if not is_claimed(folder, recipe):
        write_bytes(folder / RECIPE, recipe_to_toml(recipe).encode())


def is_claimed(folder: Path, recipe: Recipe) -> bool:
    """Whether a folder belongs to a recipe; one of another recipe is refused."""
    note = folder / RECIPE
    if not note.exists():
        return False
    if not _describes(note, recipe):
        raise CheckpointError(
            f"{folder} holds a run of another recipe; compare {note} with this one, or choose another folder."
        )
    return True


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from training in a folder, which is made where missing, for as long as the block lasts.

    What a process was writing when it was killed is removed.

    Raises
    ------
    CheckpointError
        Another process is at it, or it cannot be made or written to.
    """
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(lock_file(folder / _LOCK, wait=False))
        except BlockingIOError:
            raise CheckpointError(
                f"another process is training in {folder}; wait for it, or choose another folder."
            ) from None
        except OSError as error:
            raise CheckpointError(
                f"cannot write to {folder}: {error.strerror or error}; choose another folder."
            ) from error
        for leftover in (path for pattern in _LEFTOVERS for path in folder.glob(pattern)):
            leftover.unlink(missing_ok=True)
        yield


def _describes(note: Path, recipe: Recipe) -> bool:
    try:
        text = note.read_text(encoding="utf-8")
        return text == recipe_to_toml(recipe) or recipe_from_dict(tomllib.loads(text)).hash == recipe.hash
    except (RecipeError, ValueError, RecursionError):
        return False
