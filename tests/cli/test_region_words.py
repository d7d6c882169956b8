import pytest

from terminal import failed


@pytest.mark.parametrize("command", ["score", "compare", "report"])
@pytest.mark.parametrize(
    ("given", "region"),
    [
        (["--max-fpr", "0.01"], "'fpr<=0.01'"),
        (["--max-fpr=1%"], "'fpr<=1%'"),
        (["--min-tpr", "0.5", "--max-fpr", "0.3"], "'fpr<=0.3,tpr>=0.5'"),
        (["--max-fpr"], "'fpr<=...'"),
    ],
)
def test_commands_that_judge_say_how_a_budget_is_a_region(run, command, given, region):
    assert failed(run(command, "scores.csv", *given), "--max-fpr", f"write --region {region} instead")


def test_fit_says_how_a_region_is_a_budget(run):
    outcome = run("fit", "table.csv", "--target", "y", "--region", "fpr<=0.01", "-o", "m.pauci")
    assert failed(outcome, "no --region here", "--max-fpr 0.01", "--min-tpr 0.8")


def test_an_option_without_its_value_is_not_said_to_be_missing(run):
    code, _, err = run("score", "scores.csv", "--region")
    assert code == 2
    assert "requires an argument" in err
    assert "no --region" not in err


def test_a_column_or_a_file_may_have_the_name_of_such_an_option(run, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("label,--max-fpr\n1,0.9\n0,0.1\n1,0.8\n0,0.3\n")
    assert run("score", file, "--score", "--max-fpr", "--region", "fpr<=0.5")[0] == 0
    assert failed(run("score", "--region", "fpr<=0.5", "--", "--max-fpr"), "--max-fpr", "does not exist")
    outcome = run("fit", file, "--target", "--region", "--max-fpr", "0.1", "-o", tmp_path / "m.pauci")
    assert failed(outcome, "no column '--region'")


@pytest.mark.parametrize("command", ["score", "fit"])
def test_a_command_without_anything_says_what_it_needs(run, command):
    code, _, err = run(command)
    assert code == 2
    assert "Missing argument" in err
