import pytest


@pytest.fixture
def few_steps(monkeypatch):
    """Train networks on a surrogate for a few steps only, where it does not matter how well they learn it."""
    monkeypatch.setattr("pauci.estimators.network_path._EPOCHS_PER_SHARE", 2)
    monkeypatch.setattr("pauci.estimators.network_path._STEPS_PER_SHARE", 10)
