import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from pauci.cli.options import share


@given(st.integers(0, 10**9))
def test_a_share_in_per_cent_is_the_float_nearest_to_it(billionths):
    written = Decimal(billionths) / 10**9
    assert share(f"{written * 100:f}%") == share(f" {written:f} ") == float(written)


@pytest.mark.parametrize("text", ["", "%", "0,5", "five", "5%%", "0.5 % of all"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(typer.BadParameter, match=r"such as 0\.005 or 0\.5%"):
        share(text)


def test_commands_take_shares_in_per_cent(run, tmp_path):
    y = np.arange(200) % 4 == 0
    pd.DataFrame({"label": y.astype(int), "score": np.random.default_rng(0).normal(y)}).to_csv(tmp_path / "s.csv")

    def answer(level, confidence):
        asked = ("--region", "fpr<=0.3", "--resamples", 50, "--level", level, "--confidence", confidence, "--json")
        code, out, err = run("score", tmp_path / "s.csv", *asked)
        assert code == 0, err
        return json.loads(out)

    assert answer("90%", "97.5%") == answer("0.9", "0.975")


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [
        (("fit", "t.csv", "--target", "y", "-o", "m.pauci"), "--model", "'boosting', 'mlp', 'linear'"),
        (("score", "s.csv", "--region", "fpr<=0.3"), "--convention", "'paper', 'sklearn'"),
    ],
)
def test_choices_are_listed_in_plain_words(run, command, option, choices):
    code, _, err = run(*command, option, "forest")
    assert code == 2
    assert f"'{option}': 'forest' is not one of {choices}." in " ".join(err.replace("│", " ").split())
