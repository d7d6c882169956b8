import json

import numpy as np
import pandas as pd
import pytest
import safetensors.torch
import torch
from torch import nn

from pauci.errors import FileFormatError, InputError
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.facts import told
from pauci.estimators.state import from_state, to_state


@pytest.mark.parametrize(
    ("value", "kind"), [(np.int64(3), int), (np.float32(0.5), float), (np.bool_(True), bool), (np.str_("a"), str)]
)
def test_facts_may_be_numbers_of_numpy(value, kind):
    assert told({"fact": value}, "fact", kind) == value
    with pytest.raises(FileFormatError, match=r"fact is .*, not list"):
        told({"fact": value}, "fact", list)


def table(n=300):
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    frame = pd.DataFrame({"a": rng.normal(size=n) + y, "city": np.where(rng.random(n) < 0.5, "Ulm", "Bonn")})
    frame.loc[::7, "a"] = np.nan
    return frame, np.where(y, "yes", "no")


def through_files(facts, tensors):
    return json.loads(json.dumps(facts)), safetensors.torch.load(safetensors.torch.save(tensors))


def test_a_device_is_kept_as_its_name():
    y = np.arange(40) % 2
    classifier = PartialAUCClassifier(0.3, method="ce", device=torch.device("cpu")).fit(y[:, None] * 1.0, y)
    assert from_state(*through_files(*to_state(classifier))).device == "cpu"


def test_a_seed_of_numpy_is_kept_as_a_number():
    y = np.arange(40) % 2
    classifier = PartialAUCClassifier(0.3, method="ce", random_state=np.int64(3)).fit(y[:, None] * 1.0, y)
    assert from_state(*through_files(*to_state(classifier))).random_state == 3


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("architecture", ["linear", "mlp"])
def test_a_classifier_survives_json_and_safetensors(architecture):
    X, y = table()
    options = {"confidence": 0.5, "shares": (2.0,), "max_epochs": 2, "random_state": 0}
    classifier = PartialAUCClassifier(0.1, architecture=architecture, **options).fit(X, y)
    facts, tensors = to_state(classifier)
    kept = classifier.report_.choice.kept
    assert facts["networks"] == {
        "scorer": 5 * len(kept) if architecture == "mlp" else 0,
        "anchor": 5 if architecture == "mlp" else 0,
    }
    loaded = from_state(*through_files(facts, tensors))
    for method in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(loaded, method)(X), getattr(classifier, method)(X))
    assert str(loaded.report_) == str(classifier.report_)
    assert loaded.threshold_ == classifier.threshold_
    assert loaded.get_params() == classifier.get_params()
    assert loaded.feature_names_in_.tolist() == ["a", "city"]
    assert loaded.classes_.tolist() == ["no", "yes"]
    rows = classifier._prepared(X)
    np.testing.assert_array_equal(loaded.anchor_(rows), classifier.anchor_(rows))
    np.testing.assert_array_equal(loaded.anchor_scores(X), classifier.anchor_scores(X))


def test_networks_of_ones_own_need_their_function():
    X, y = table()
    X = X.fillna(0.0)[["a"]].to_numpy()

    def network(columns):
        return nn.Linear(columns, 1)

    classifier = PartialAUCClassifier(0.5, architecture=network, confidence=None, shares=(), max_epochs=1).fit(X, y)
    facts, tensors = through_files(*to_state(classifier))
    with pytest.raises(InputError, match="architecture= is needed"):
        from_state(facts, tensors)
    loaded = from_state(facts, tensors, architecture=network)
    np.testing.assert_array_equal(loaded.predict(X), classifier.predict(X))


def test_damaged_states_are_refused():
    X, y = table()
    facts, tensors = to_state(PartialAUCClassifier(0.5, confidence=None, shares=(), random_state=0).fit(X, y))
    with pytest.raises(FileFormatError, match="of this version"):
        from_state({**facts, "format": "pauci-classifier-0"}, tensors)
    with pytest.raises(FileFormatError, match="damaged"):
        from_state(facts, {name: tensor for name, tensor in tensors.items() if name != "scaling.mean"})
    with pytest.raises(FileFormatError, match="damaged"):
        from_state({name: fact for name, fact in facts.items() if name != "report"}, tensors)
    foreign = [
        ("parameters", "x"),
        ("classes", [[], 1]),
        ("report", {**facts["report"], "choice": "x"}),
        ("columns", 1),
        *(
            ("report", {**facts["report"], "choice": {**facts["report"]["choice"], name: value}})
            for name, value in (("names", ["CE", "other"]), ("scores", []), ("errors", []), ("kept", []), ("kept", [1]))
        ),
    ]
    for name, value in foreign:
        with pytest.raises(FileFormatError, match="damaged"):
            from_state({**facts, name: value}, tensors)
    with pytest.raises(FileFormatError, match="damaged"):
        from_state(facts, {**tensors, "scorer.intercept": tensors["scorer.weights"]})
    with pytest.raises(FileFormatError, match="not a classifier"):
        from_state([], tensors)
