"""A part of a recipe that is built from a name and options: model, loss, optimiser."""

import difflib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pauci.errors import PauciError, RecipeError

#: Short names of what ships with the package or with torch; anything else is an import path.
NAMES: dict[str, dict[str, str]] = {
    "model": {"resnet18": "pauci.models:ResNet18", "mlp": "pauci.models:MLP"},
    "loss": {
        "pauci": "pauci.losses:PAUCILoss",
        "ce": "pauci.losses:CrossEntropyLoss",
        "focal": "pauci.losses:FocalLoss",
        "auc-m": "pauci.losses:AUCMLoss",
        "mb": "pauci.losses:MiniBatchLoss",
        "auc-poly": "pauci.losses:AUCPolyLoss",
        "auc-exp": "pauci.losses:AUCExpLoss",
        "sopa": "pauci.losses:SOPALoss",
        "sopa-s": "pauci.losses:SOPASLoss",
        "staco": "pauci.losses:STACOLoss",
        "agd-sbcd": "pauci.losses:AGDSBCDLoss",
        "pairwise-sigmoid": "pauci.losses:PairwiseSigmoidLoss",
    },
    "optimizer": {
        "sgd": "torch.optim:SGD",
        "adam": "torch.optim:Adam",
        "adamw": "torch.optim:AdamW",
        "asgda": "pauci.optim:ASGDA",
        "asgda-single-pass": "pauci.optim:SinglePassASGDA",
        "agd-sbcd": "pauci.optim:AGDSBCD",
    },
}
#: Where a bare class name such as "FocalLoss" is looked for.
_HOMES = {"model": "pauci.models", "loss": "pauci.losses", "optimizer": "torch.optim"}


@dataclass(frozen=True)
class Component:
    """A model, loss or optimiser to build, with its options.

    Parameters
    ----------
    name : str
        A short name (``"resnet18"``, ``"pauci"``, ``"sgd"``), a class of the package (``"FocalLoss"``), or an import
        path ``"package.module:factory"``. Import paths run code, so use recipes from people you trust.
    options : mapping of str to object
        Keyword arguments of the class or factory.

    Examples
    --------
    >>> Component("mlp", {"hidden": [16]}).build("model", in_features=4).in_features
    4
    >>> Component("sgd", {"learning_rate": 0.1}).check("optimizer", supplied=("params",))
    Traceback (most recent call last):
    ...
    pauci.errors.RecipeError: optimizer.learning_rate is not an option of sgd; it knows lr, momentum, ...
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def check(self, kind: str, *, supplied: tuple[str, ...] = ()) -> None:
        """Raise `RecipeError` unless the name exists and takes these options.

        Parameters
        ----------
        kind : {"model", "loss", "optimizer"}
            The part of the recipe.
        supplied : tuple of str
            Arguments that training itself passes, so that they cannot be options.
        """
        known, takes_any = _parameters(self.factory(kind))
        known = [name for name in known if name not in supplied]
        for option in self.options:
            if option not in known and not takes_any:
                raise RecipeError(
                    f"{kind}.{option} is not an option of {self.name}; {suggestion(option, known) or _list(known)}"
                )

    def takes(self, kind: str, argument: str) -> bool:
        """Whether `build` passes an argument on.

        Parameters
        ----------
        kind : {"model", "loss", "optimizer"}
            The part of the recipe.
        argument : str
            Its name.

        Returns
        -------
        bool
            True if the class or factory has such a parameter.
        """
        return argument in _parameters(self.factory(kind))[0]

    def build(self, kind: str, *args: Any, **supplied: Any) -> Any:
        """Create the object.

        Parameters
        ----------
        kind : {"model", "loss", "optimizer"}
            The part of the recipe.
        *args, **supplied : object
            Passed on in addition to the options; of `supplied`, only arguments that the factory has a parameter for.

        Returns
        -------
        object
            What the class or factory returns.
        """
        factory = self.factory(kind)
        known, _ = _parameters(factory)
        extra = {name: value for name, value in supplied.items() if name in known}
        try:
            return factory(*args, **{**extra, **self.options})
        except PauciError:
            raise  # these say themselves what is wrong, and with which argument
        except (TypeError, ValueError, LookupError, RuntimeError) as error:  # torch has the last for sizes below zero
            told = repr(error) if isinstance(error, LookupError) else error
            raise RecipeError(f"{kind} {self.name!r} cannot be built with {dict(self.options)!r}: {told}") from error

    def factory(self, kind: str) -> Callable[..., Any]:
        """Find the class or function that the name stands for.

        Parameters
        ----------
        kind : {"model", "loss", "optimizer"}
            The part of the recipe.

        Returns
        -------
        callable
            What `build` calls.
        """
        path = NAMES[kind].get(self.name, self.name)
        module, _, attribute = path.partition(":") if ":" in path else (_HOMES[kind], "", path)
        try:
            found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
            if not callable(found):
                raise ImportError(f"{attribute!r} of {module!r} builds nothing")
        except (ImportError, AttributeError, ValueError) as error:
            raise RecipeError(
                f"{kind}.name={self.name!r} is not known ({error}); "
                f"{suggestion(self.name, NAMES[kind]) or _list(NAMES[kind])} Or give an import path "
                "'package.module:factory'."
            ) from error
        return found


def suggestion(word: str, known: Any) -> str:
    """Return "did you mean ...?" when one of the known words is close, else an empty string."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def _list(known: Any) -> str:
    return f"it knows {', '.join(known)}." if known else "it has none."


def _parameters(factory: Callable[..., Any]) -> tuple[list[str], bool]:
    """Names a factory takes by keyword, and whether it takes others too, or does not say."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except ValueError:
        return [], True
    names = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names, any(p.kind is p.VAR_KEYWORD for p in parameters)
