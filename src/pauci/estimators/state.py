"""A fitted classifier as plain facts and tensors, from which it can be built again: no pickle is needed."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from pauci.data import Column
from pauci.errors import FileFormatError, InputError
from pauci.estimators.architecture import new_network
from pauci.estimators.calibration import Calibration
from pauci.estimators.classifier import PartialAUCClassifier
from pauci.estimators.encoding import Encoding
from pauci.estimators.facts import built, parameter_facts, parameters_of, told
from pauci.estimators.linear import LinearScorer
from pauci.estimators.mean_network import MeanNetwork
from pauci.estimators.network_scorer import NetworkScorer
from pauci.estimators.report import Report
from pauci.estimators.scaling import Scaling
from pauci.models import MLP

_FORMAT = "pauci-classifier-2"
_ROLES = ("scorer", "anchor")
_ENCODING = tuple(field.name for field in dataclasses.fields(Encoding) if field.name != "columns")


def to_state(classifier: PartialAUCClassifier) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Take a fitted classifier apart.

    Parameters
    ----------
    classifier : PartialAUCClassifier
        Fitted; its labels are numbers, booleans or text.

    Returns
    -------
    facts : dict
        Everything but arrays, as JSON knows it.
    tensors : dict of str to Tensor
        The arrays, on the CPU.

    Examples
    --------
    >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    >>> classifier = PartialAUCClassifier(0.5, confidence=None, shares=(1.0,)).fit(X, y)
    >>> facts, tensors = to_state(classifier)
    >>> bool((from_state(facts, tensors).predict(X) == classifier.predict(X)).all())
    True
    """
    check_is_fitted(classifier)
    encoding = classifier.encoding_
    names = getattr(classifier, "feature_names_in_", None)
    facts = {
        "format": _FORMAT,
        "parameters": _parameters(classifier),
        "classes": classifier.classes_.tolist(),
        "n_features_in": classifier.n_features_in_,
        "feature_names_in": None if names is None else names.tolist(),
        "columns": None if encoding is None else [dataclasses.asdict(column) for column in encoding.columns],
        "calibration": dataclasses.asdict(classifier.calibration_),
        "report": dataclasses.asdict(classifier.report_),
        "networks": {role: _networks(getattr(classifier, f"{role}_")) for role in _ROLES},
    }
    arrays: dict[str, Any] = {"scaling.mean": classifier.scaling_.mean, "scaling.scale": classifier.scaling_.scale}
    if encoding is not None:
        arrays |= {f"encoding.{name}": getattr(encoding, name) for name in _ENCODING}
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
    for role in _ROLES:
        of_role = _scorer_tensors(getattr(classifier, f"{role}_"))
        tensors |= {f"{role}.{name}": tensor for name, tensor in of_role.items()}
    return facts, tensors


def from_state(
    facts: Mapping[str, Any],
    tensors: Mapping[str, Tensor],
    *,
    architecture: Callable[[int], nn.Module] | None = None,
) -> PartialAUCClassifier:
    """Build a classifier from what `to_state` gave.

    Parameters
    ----------
    facts, tensors : mapping
        As `to_state` returned them, or read from files.
    architecture : callable, optional
        The function that made the network, if it was one of the user's own.

    Returns
    -------
    PartialAUCClassifier
        Fitted; it decides and scores as the original did.
    """
    found = facts.get("format") if isinstance(facts, Mapping) else facts
    if found != _FORMAT:
        raise FileFormatError(f"format={found!r} is not {_FORMAT!r}: this is not a classifier of this version.")
    parameters = facts.get("parameters")
    if isinstance(parameters, Mapping) and parameters.get("architecture", "") is None:
        if architecture is None:
            raise InputError("architecture= is needed: this network was made by a function of the user's own.")
        parameters = {**parameters, "architecture": architecture}
    try:
        return _built({**facts, "parameters": parameters}, tensors)
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise FileFormatError(f"the classifier's state is damaged or incomplete: {error!r}") from error


def _built(facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> PartialAUCClassifier:
    classifier = PartialAUCClassifier(**parameters_of(facts["parameters"]))
    classifier.classes_ = np.array(facts["classes"])
    if len(classifier.classes_) != 2:
        raise FileFormatError(f"classes={facts['classes']!r} are not two.")
    classifier.n_features_in_ = told(facts, "n_features_in", int)
    if told(facts, "feature_names_in", list[str] | None) is not None:
        classifier.feature_names_in_ = np.array(facts["feature_names_in"], dtype=object)
    arrays = {name: tensor.numpy() for name, tensor in tensors.items() if not name.startswith(("scorer.", "anchor."))}
    classifier.scaling_ = Scaling(arrays["scaling.mean"], arrays["scaling.scale"])
    classifier.encoding_ = None
    if facts["columns"] is not None:
        columns = tuple(built(Column, column) for column in facts["columns"])
        classifier.encoding_ = Encoding(columns, **{name: arrays[f"encoding.{name}"] for name in _ENCODING})
    classifier.calibration_ = built(Calibration, facts["calibration"])
    classifier.report_ = Report.from_facts(facts["report"])
    classifier.threshold_ = classifier.report_.threshold
    for role in _ROLES:
        own = {name.removeprefix(f"{role}."): value for name, value in tensors.items() if name.startswith(f"{role}.")}
        setattr(classifier, f"{role}_", _scorer(classifier, own, facts["networks"][role]))
    return classifier


def _parameters(classifier: PartialAUCClassifier) -> dict[str, Any]:
    """Parameters as JSON knows them; what cannot be written is left at what predicting needs of it."""
    parameters = parameter_facts(classifier)
    if not isinstance(parameters["architecture"], str):
        parameters["architecture"] = None
    if not isinstance(parameters["method"], str):
        parameters["method"] = type(parameters["method"]).__name__
    if not isinstance(parameters["random_state"], int | None):
        parameters["random_state"] = None
    # The columns are kept with the encoding.
    return parameters | {"columns": None, "device": str(parameters["device"])}


def _networks(scorer: Any) -> int:
    return len(scorer.members) if isinstance(scorer, NetworkScorer) else 0


def _scorer_tensors(scorer: Any) -> dict[str, Tensor]:
    if isinstance(scorer, LinearScorer):
        return {
            "weights": torch.from_numpy(np.array(scorer.weights)),
            "intercept": torch.tensor(scorer.intercept, dtype=torch.float64),
        }
    state: dict[str, Tensor] = scorer.network.state_dict()
    return {name: tensor.detach().cpu().contiguous().clone() for name, tensor in state.items()}


def _scorer(
    classifier: PartialAUCClassifier, tensors: dict[str, Tensor], networks: int
) -> LinearScorer | NetworkScorer:
    architecture: Any = classifier.architecture
    if architecture == "linear":
        return LinearScorer(tensors["weights"].numpy(), float(tensors["intercept"]))
    factory: Callable[[int], nn.Module] = MLP if architecture == "mlp" else architecture
    members = [new_network(factory, len(classifier.scaling_.mean)) for _ in range(networks)]
    network = members[0] if networks == 1 else MeanNetwork(members)
    network.load_state_dict(tensors)
    return NetworkScorer(network)
