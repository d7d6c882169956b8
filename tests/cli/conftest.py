import sys

import pytest

from pauci.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as the terminal would; return exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["pauci", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return call
