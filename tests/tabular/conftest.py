import pytest

from payments import payments


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where the table behind the models is; they are fitted once for all tests."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def new(folder):
    """New payments, columns in another order, some from a country that was never seen."""
    path = folder / "new.csv"
    table = payments(300, seed=1)
    table.loc[::5, "country"] = "IT"
    table[table.columns[::-1]].to_csv(path, index=False)
    return path
