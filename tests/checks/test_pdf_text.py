"""PDF files: text page by page, read from files that are made here."""

import pytest

from prov_ledger.checks.documents import extractor_of, text_of
from prov_ledger.checks.pages import get_page, page_spans
from prov_ledger.errors import Refused
from tests.checks.small_pdf import pdf_of

PDF = "application/pdf"


def _code(data: bytes) -> str:
    with pytest.raises(Refused) as refused:
        text_of(data, PDF)
    return refused.value.code


def test_each_page_is_followed_by_its_end() -> None:
    data = pdf_of([["Returns", "Goods may be returned within 60 days."], ["Shipping takes 3 days."]])
    assert text_of(data, PDF) == "Returns\nGoods may be returned within 60 days.\fShipping takes 3 days.\f"


def test_letters_beyond_ascii_are_read() -> None:
    assert text_of(pdf_of([["Für Käufe über 50 €."]]), PDF) == "Für Käufe über 50 €.\f"


def test_a_page_without_text_keeps_its_number() -> None:
    text = text_of(pdf_of([["one"], [], ["three"]]), PDF)
    third = get_page(text, 3)
    assert text[third.start : third.end] == "three"


def test_a_page_beyond_the_last_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        get_page("one\ftwo\f", 3)
    assert refused.value.code == "quote_not_found"


def test_a_text_whose_last_page_is_not_ended_has_that_page_too() -> None:
    assert [(span.start, span.end) for span in page_spans("one\ftwo")] == [(0, 3), (4, 7)]


def test_a_file_that_is_none_is_refused() -> None:
    assert _code(b"%PDF-1.7 and nothing more") == "bad_input"


def test_a_scan_without_text_is_refused() -> None:
    assert _code(pdf_of([[], []])) == "bad_input"


def test_the_extractor_is_named_with_its_version() -> None:
    name, number = extractor_of(PDF).split(" ")
    assert name == "pypdfium2"
    assert number[0].isdigit()


def test_a_text_as_stored_has_no_extractor() -> None:
    assert [extractor_of(media) for media in ("text/plain", "text/markdown", "text/csv")] == ["", "", ""]
