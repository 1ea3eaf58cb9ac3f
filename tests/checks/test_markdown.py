from pathlib import Path

import pytest

from prov_ledger.checks.markdown import heading_path, parse_page
from prov_ledger.checks.selectors import find_quote

PAGE = """# Returns

Intro.

## EU *customers*

60 days.

### `Details`

More.

## US

30 days.
"""


def path_of(markdown: str, quote: str) -> tuple[str, ...]:
    return heading_path(markdown, find_quote(markdown, quote))


@pytest.mark.parametrize(
    ("quote", "path"),
    [
        ("Intro.", ("Returns",)),
        ("60 days.", ("Returns", "EU customers")),
        ("More.", ("Returns", "EU customers", "Details")),
        ("30 days.", ("Returns", "US")),
        ("customers", ("Returns", "EU customers")),
    ],
)
def test_a_span_stands_under_its_headings_outermost_first(quote: str, path: tuple[str, ...]) -> None:
    assert path_of(PAGE, quote) == path


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_do_not_shift_the_headings(newline: str, mark: str) -> None:
    page = mark + PAGE.replace("\n", newline)
    assert path_of(page, "More.") == ("Returns", "EU customers", "Details")


def test_text_above_the_first_heading_has_no_path() -> None:
    assert path_of("Above.\n\n# H\n", "Above.") == ()


def test_a_level_that_is_skipped_leaves_no_gap() -> None:
    assert path_of("# A\n\n### C\n\nx y\n", "x y") == ("A", "C")


def test_front_matter_is_no_heading() -> None:
    assert path_of("---\ntitle: Fees\nversion: 2\n---\n\n# H\n\ntext", "text") == ("H",)


def test_a_line_between_rules_further_down_is_a_heading() -> None:
    assert path_of("# A\n\n---\nB\n---\n\ntext", "text") == ("A", "B")


def test_a_hash_in_a_code_block_is_no_heading() -> None:
    assert path_of("# A\n\n```\n# no\n```\n\ntext", "text") == ("A",)


def test_underlined_headings_count() -> None:
    assert path_of("A\n===\n\nB\n---\n\ntext", "text") == ("A", "B")


def test_markup_in_a_heading_is_read_as_its_text() -> None:
    page = parse_page("# [Fees](x) &amp; ~~old~~ ![img](y) \\*now\\* <b>bold</b> #\n")
    assert page.headings[0].text == "Fees & old img *now* bold"


def test_real_pages_have_every_heading_that_their_lines_show(shared: Path) -> None:
    text = (shared / "style.md").read_text(encoding="utf-8")
    shown = [line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")]
    assert [heading.text for heading in parse_page(text).headings] == shown
