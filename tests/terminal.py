"""What tests of the command line have in common."""


def failed(outcome, *words):
    """Whether a command ended with one line on stderr that holds certain words."""
    code, out, err = outcome
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err
    return True
