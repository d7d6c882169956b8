import numpy as np
import pytest

from pauci.metrics import partial_auc_score
from pauci.studies.tabular.models import CROSS_ENTROPY, FAMILIES


def data(seed, size=300):
    rng = np.random.default_rng(seed)
    y = (rng.random(size) < 0.2).astype(np.int64)
    return (rng.normal(size=(size, 4)) + 1.5 * y[:, None] * [1, 0.5, 0, 0]).astype(np.float32), y


@pytest.mark.parametrize(("family", "method"), [(family, method) for family in FAMILIES for method in FAMILIES[family]])
def test_every_model_learns_and_repeats_itself(family, method, monkeypatch):
    monkeypatch.setattr("pauci.studies.tabular.networks._STEPS", (60, 60))
    model = FAMILIES[family][method]
    assert len(model.configs) == 8
    (X, y), (X_new, y_new) = data(0), data(1)
    found = model.scores(X, y, X_new, model.configs, seed=3)
    assert len(found) == 8
    values = [partial_auc_score(y_new, scores) for scores in found]
    assert max(values) > 0.8
    again = model.scores(X, y, X_new, model.configs[3:4], seed=3)[0]
    np.testing.assert_allclose(again, found[3], rtol=1e-4, atol=1e-5)


def test_every_family_has_cross_entropy_to_compare_with():
    assert all("ce" in models and set(models) & set(CROSS_ENTROPY) for models in FAMILIES.values())


def test_configurations_differ():
    for models in FAMILIES.values():
        for model in models.values():
            assert len({str(sorted(config.items())) for config in model.configs}) == 8
