"""Responses of every kind are walked for their citations, and nothing else is taken for one."""

import pytest

from prov_ledger.checks.citations.cited import NOT_UNDERSTOOD
from prov_ledger.checks.citations.parse import parse_citations


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "message", "content": [{"type": "text", "text": "hi"}]},
        {"type": "message", "content": [{"type": "text", "text": "hi", "citations": None}]},
        {"output": [{"type": "reasoning", "summary": []}]},
        {"type": "output_text", "text": "hi", "annotations": []},
        {"choices": [{"message": {"role": "assistant", "content": "hi", "annotations": None}}]},
        {"candidates": [{"content": {"parts": [{"text": "hi"}]}, "groundingMetadata": None}]},
        [],
    ],
)
def test_a_response_that_cites_nothing_has_no_citation(raw: object) -> None:
    assert parse_citations(raw) == []


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "[1]",
        7,
        {},
        {"type": "char_location", "cited_text": "x", "document_index": 0},
        {"type": "char_location", "cited_text": "x", "start_char_index": 0, "end_char_index": 1},
        {"type": "page_location", "document_index": True, "start_page_number": 1, "end_page_number": 2},
        {"title": "Returns", "url": "https://x.example/"},
        {"content": [{"type": "text", "text": "hi", "citations": [{"type": "telepathy"}]}]},
    ],
)
def test_what_has_no_known_form_is_one_citation_that_is_not_understood(raw: object) -> None:
    assert [cited.scheme for cited in parse_citations(raw)] == [NOT_UNDERSTOOD]


def test_citations_come_in_the_order_of_what_holds_them() -> None:
    url = {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://x.example/", "title": ""}
    found = parse_citations([url, {"page_content": "text", "metadata": {}}, url])
    assert [cited.scheme for cited in found] == [
        "openai/url_citation",
        "langchain/document",
        "openai/url_citation",
    ]


def test_a_title_is_never_a_name() -> None:
    found = parse_citations(
        [
            {"page_content": "x", "metadata": {"title": "Returns"}},
            {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "u", "title": "Returns"},
        ]
    )
    assert all("Returns" not in cited.document.names for cited in found)
