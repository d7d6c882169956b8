"""Messages are told in the words of the command line, whatever names are in them."""

import pytest

from pauci.cli.words import in_command_line_words

NAMES = ["id", "1e5", "None", "[a].csv", "0x10", "a'b", 'a"b', "a'b\"c", "a\\", "x], drop=['y", "a', 'b", "a\n", "\\x"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["drop", "categorical"])
def test_any_column_is_named_as_it_is_written(name, option):
    for names in ([name], [name, "other"], ["other", name, name]):
        told = in_command_line_words(f"leave it out with {option}={names!r}.")
        assert told == f"leave it out with {' '.join(f'--{option} {each!r}' for each in names)}."


@pytest.mark.parametrize("path", ["1e5", "None", "[a].csv", "0x10", "drop=[", "drop=['a.csv", r"drop=['\'].csv"])
def test_names_of_files_are_left_alone(path):
    assert in_command_line_words(f"{path} does not exist.") == f"{path} does not exist."


def test_what_only_looks_like_a_list_is_no_trouble():
    assert in_command_line_words(r"drop=['\x'].csv does not exist.") == r"--drop '\x'.csv does not exist."


@pytest.mark.parametrize("advice", ["confidence=None asks for no more", "average=False keeps one model"])
def test_advice_that_no_option_follows_is_left_out(advice):
    assert in_command_line_words(f"It holds on held-out rows only; {advice}.") == "It holds on held-out rows only."
