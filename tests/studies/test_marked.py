import pytest

from pauci.errors import FileFormatError
from pauci.studies.marked import write_marked


@pytest.mark.parametrize("text", ["", "begin\n", "end\n", "end\nbegin\n", "begin of it\nend\n"])
def test_a_page_without_both_marks_is_left_as_it_is(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(FileFormatError, match="lacks the lines 'begin' and 'end'"):
        write_marked(page, "new", begin="begin", end="end")
    assert page.read_text() == text
