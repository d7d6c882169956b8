import io
import sys
import time

import pytest

from pauci.cli import progress
from pauci.cli.progress import late_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(monkeypatch, *, patience):
    """Replace stderr; not in a fixture, since pytest puts its own in place when the test begins."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", patience)
    return stream


def test_long_work_shows_a_bar(monkeypatch):
    terminal = on_terminal(monkeypatch, patience=0.01)
    with late_progress("[resampling]", 2) as advance:
        time.sleep(0.2)
        advance()
        advance()
    assert "[resampling]" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_short_work_shows_none(monkeypatch):
    terminal = on_terminal(monkeypatch, patience=60.0)
    with late_progress("resampling", 1) as advance:
        advance()
    assert "resampling" not in terminal.getvalue()


def test_nothing_is_shown_when_quiet_or_redirected(monkeypatch):
    terminal = on_terminal(monkeypatch, patience=0.0)
    with late_progress("resampling", 1, quiet=True):
        time.sleep(0.05)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with late_progress("resampling", 1):
        time.sleep(0.05)
    assert sys.stderr.getvalue() == ""


def test_errors_pass_through_and_end_the_bar(monkeypatch):
    terminal = on_terminal(monkeypatch, patience=0.01)

    def fail():
        with late_progress("resampling", 1):
            time.sleep(0.1)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_work_without_steps_shows_a_bar_too(monkeypatch):
    terminal = on_terminal(monkeypatch, patience=0.01)
    with late_progress("reading"):
        time.sleep(0.2)
    assert "reading" in terminal.getvalue()
