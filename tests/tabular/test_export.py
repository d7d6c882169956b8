import copy
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from pauci.data import iter_table
from pauci.errors import InputError
from pauci.tabular import export
from pauci.tabular.export import export_model
from payments import model


def matrix(fitted, path):
    (part,) = iter_table(path, columns=fitted.columns, dtype="float64")
    return part.X


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_onnx_scores_and_decides_as_the_model(kind, folder, new, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    fitted = model(kind, folder)
    written = export_model(fitted, tmp_path / "model.onnx")
    session = runtime.InferenceSession(written[0], providers=["CPUExecutionProvider"])
    X, expected = matrix(fitted, new), fitted.score_file(new)
    for rows in (1, 300):
        score, probability, decision = session.run(["score", "probability", "decision"], {"X": X[:rows]})
        assert score == pytest.approx(expected[:rows], abs=1e-5)
        assert probability == pytest.approx(fitted.probability(expected[:rows]), abs=1e-5)
        clear = np.abs(expected[:rows]) > 1e-4
        assert (decision == (expected[:rows] >= 0))[clear].all()
    assert 0 < decision.mean() < 1
    facts = json.loads(written[1].read_text())
    assert json.loads(session.get_modelmeta().custom_metadata_map["pauci"]) == facts
    assert [column["name"] for column in facts["columns"]] == [column.name for column in fitted.columns]
    assert (facts["promise"], facts["decision"]) == ("fpr<=0.1", "score >= 0")
    assert str(Path(export.__file__).parent).encode() not in written[0].read_bytes()


def at_the_edge(fitted, score):
    """The same model with a threshold just above a score."""
    estimator = copy.copy(fitted.estimator)
    estimator.threshold_ = dataclasses.replace(estimator.threshold_, threshold=np.nextafter(score, np.inf))
    return dataclasses.replace(fitted, estimator=estimator)


@pytest.mark.slow
def test_onnx_keeps_the_threshold_in_double_precision(folder, new, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    fitted = model("linear", folder)
    written = export_model(fitted, tmp_path / "model.onnx")
    session = runtime.InferenceSession(written[0], providers=["CPUExecutionProvider"])
    score, probability = session.run(["score", "probability"], {"X": matrix(fitted, new)})
    expected = fitted.score_file(new)
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(probability, fitted.probability(expected), rtol=0, atol=1e-12)


def test_xgboost_scores_are_compared_in_double_precision(folder, new, tmp_path):
    """A threshold lies between two scores, which may be neighbours in single precision."""
    xgboost = pytest.importorskip("xgboost")
    fitted = model("xgboost", folder)
    row = matrix(fitted, new)[1:2]
    fitted = at_the_edge(fitted, fitted.estimator.ensemble_(row)[0])
    place, beside = export_model(fitted, tmp_path / "model.ubj")
    facts = json.loads(beside.read_text())
    known = {"xgboost": xgboost, "numpy": np, "FILE": str(place), "X": row} | facts
    score = eval(facts["score"], dict(known))
    assert fitted.score(row) < 0
    assert not eval(facts["decision"], known | {"score": score})


@pytest.mark.parametrize(("kind", "suffix"), [("lightgbm", ".txt"), ("xgboost", ".ubj")])
def test_a_booster_is_used_as_its_facts_say(kind, suffix, folder, new, tmp_path):
    library = pytest.importorskip(kind)
    fitted = model(kind, folder)
    place, beside = export_model(fitted, tmp_path / f"model{suffix}")
    facts = json.loads(beside.read_text())
    X = matrix(fitted, new)
    for at, column in enumerate(facts["columns"]):
        if column["kind"] == "categorical":
            X[X[:, at] < 0, at] = np.nan
    known = {kind: library, "numpy": np, "FILE": str(place), "X": X, "exp": np.exp} | facts
    score = eval(facts["score"], dict(known))
    expected = fitted.score_file(new)
    assert eval(facts["score_of_predict"], known | {"score": score}) == pytest.approx(expected, abs=1e-6)
    assert eval(facts["decision"], known | {"score": score}).tolist() == (expected >= 0).tolist()
    probability = eval(facts["probability"], known | {"score": score})
    assert probability == pytest.approx(fitted.probability(expected), abs=1e-6)
    # Shuffled columns of a DataFrame would be scored without a word.
    assert "in the order of 'columns', by which alone the model knows them" in facts["values"]


def test_each_model_has_its_own_format(folder, tmp_path):
    for kind, name, right in (("lightgbm", "m.onnx", r"m\.txt"), ("linear", "m.txt", r"m\.onnx")):
        with pytest.raises(InputError, match=f"name it {right}"):
            export_model(model(kind, folder), tmp_path / name)
    assert not list(tmp_path.iterdir())
