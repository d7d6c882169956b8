import pytest

from terminal import failed


@pytest.mark.parametrize("command", ["score", "compare", "report"])
@pytest.mark.parametrize(
    ("given", "region"),
    [
        (["--max-fpr", "0.01"], "'fpr<=0.01'"),
        (["--max-fpr=1%"], "'fpr<=1%'"),
        (["--min-tpr", "0.5", "--max-fpr", "0.3"], "'fpr<=0.3,tpr>=0.5'"),
    ],
)
def test_commands_that_judge_say_how_a_budget_is_a_region(run, command, given, region):
    assert failed(run(command, "scores.csv", *given), "--max-fpr", f"write --region {region} instead")


def test_fit_says_how_a_region_is_a_budget(run):
    outcome = run("fit", "table.csv", "--target", "y", "--region", "fpr<=0.01", "-o", "m.pauci")
    assert failed(outcome, "no --region here", "--max-fpr 0.01", "--min-tpr 0.8")


@pytest.mark.parametrize("command", ["score", "fit"])
def test_a_command_without_anything_says_what_it_needs(run, command):
    code, _, err = run(command)
    assert code == 2
    assert "Missing argument" in err
