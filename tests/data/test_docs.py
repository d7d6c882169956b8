import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_the_page_has_snippets():
    assert len(SNIPPETS) == 2


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet_runs(snippet):
    exec(compile(snippet, str(PAGE), "exec"), {})
