"""Citations of the Anthropic SDK, as its own types: numbers of a request become ids in the same call."""

import pytest

from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.ledger.binding import AnswerSpan, Bound
from tests.ledger.binding.bound_shop import QUOTE, RETURNS, SHIPPING, Sent, sdk

START = RETURNS.index(QUOTE)
FREE = "Shipping is free above 50 €."


def _char(quote: str = QUOTE, start: int = START, end: int | None = None, index: int = 0) -> object:
    return sdk("anthropic.types").CitationCharLocation(
        type="char_location",
        cited_text=quote,
        document_index=index,
        document_title="Some title",
        file_id=None,
        start_char_index=start,
        end_char_index=start + len(quote) if end is None else end,
    )


def _message(*citations: object) -> object:
    types = sdk("anthropic.types")
    return types.Message.model_construct(
        type="message",
        role="assistant",
        content=[
            types.TextBlock(type="text", text="As the page says: ", citations=None),
            types.TextBlock(type="text", text="60 days", citations=list(citations)),
        ],
    )


def test_a_char_location_becomes_evidence(sent: Sent) -> None:
    assert sent.quoted(_char()) == QUOTE


def test_it_names_the_source_and_revision_at_that_place_of_the_request(sent: Sent) -> None:
    found = sent.bind_one(_char(FREE, SHIPPING.index(FREE), index=1))
    assert isinstance(found, Bound)
    assert (found.revision, found.matched, found.unit) == (sent.shipping, "position", "code_points")


def test_the_json_of_the_service_is_bound_like_the_object(sent: Sent) -> None:
    wire = _char().model_dump(mode="json")  # type: ignore[attr-defined]
    assert sent.bind_one(wire) == sent.bind_one(_char())


def test_the_same_citation_again_is_the_same_evidence(sent: Sent) -> None:
    first, again = sent.ledger.bind([_char(), _char()], sent.documents)
    assert first == again


def test_offsets_in_utf16_units_are_recognised_by_the_words(sent: Sent) -> None:
    found = sent.bind_one(_char(start=START + 1))
    assert isinstance(found, Bound)
    assert found.unit == "utf16_units"


def test_an_index_after_the_history_was_cut_is_unbound(sent: Sent) -> None:
    # The page cited was the second document; now it is the only one, and the index means nothing.
    cited = _char(FREE, SHIPPING.index(FREE), index=1)
    assert sent.reason(cited, [sent.shipping]) == "no_document"


def test_an_index_that_means_another_document_now_is_unbound_though_the_words_are_there(sent: Sent) -> None:
    cited = _char(FREE, SHIPPING.index(FREE), index=1)
    assert sent.reason(cited, [sent.shipping, sent.returns]) == "quote_not_at_position"


@pytest.mark.parametrize("index", [-1, 2])
def test_an_index_beyond_the_request_is_unbound(sent: Sent, index: int) -> None:
    assert sent.reason(_char(index=index)) == "no_document"


@pytest.mark.parametrize(
    ("quote", "reason"),
    [("", "empty_quote"), (" \n", "empty_quote"), ("Goods may be returned.", "quote_not_at_position")],
)
def test_an_empty_or_paraphrased_quote_is_unbound(sent: Sent, quote: str, reason: str) -> None:
    assert sent.reason(_char(quote)) == reason


def test_a_part_of_a_page_that_was_sent_counts_from_its_own_beginning(sent: Sent) -> None:
    part = SentDocument(sent.returns, text=RETURNS[START:])
    assert sent.quoted(_char(start=0), [part]) == QUOTE


def test_a_text_that_was_sent_but_is_not_of_the_revision_is_unbound(sent: Sent) -> None:
    forged = SentDocument(sent.returns, text="Goods may be returned within 600 days.")
    assert sent.reason(_char("Goods", 0), [forged]) == "not_in_revision"


def test_content_blocks_are_counted_in_the_blocks_that_were_sent(sent: Sent) -> None:
    types = sdk("anthropic.types")
    cited = types.CitationContentBlockLocation(
        type="content_block_location",
        cited_text=FREE,
        document_index=0,
        document_title=None,
        file_id=None,
        start_block_index=1,
        end_block_index=2,
    )
    blocks = SentDocument(sent.returns, blocks=[QUOTE, FREE])
    assert sent.quoted(cited, [blocks]) == FREE
    assert sent.reason(cited, [SentDocument(sent.returns, blocks=[FREE])]) == "quote_not_at_position"


def test_search_results_are_counted_apart_from_documents(sent: Sent) -> None:
    types = sdk("anthropic.types")
    cited = types.CitationsSearchResultLocation(
        type="search_result_location",
        cited_text=FREE,
        search_result_index=0,
        source="anything",
        title=None,
        start_block_index=0,
        end_block_index=1,
    )
    result = SentDocument(sent.shipping, blocks=[FREE], role="search_result")
    found = sent.bind_one(cited, [sent.returns, result])
    assert isinstance(found, Bound)
    assert found.revision == sent.shipping
    assert sent.reason(cited, [sent.returns]) == "no_document"


def test_pages_are_counted_from_one(sent: Sent) -> None:
    source = sent.ledger.source(native="terms.txt", title="Terms")
    pages = sent.ledger.revision(source, data="60 days\fNo\nreturns.\f60 days\f", label="1")
    types = sdk("anthropic.types")

    def cited(quote: str, first: int, end: int) -> object:
        return types.CitationPageLocation(
            type="page_location",
            cited_text=quote,
            document_index=0,
            document_title=None,
            file_id=None,
            start_page_number=first,
            end_page_number=end,
        )

    found = sent.bind_one(cited("60 days", 3, 4), [pages])
    assert isinstance(found, Bound)
    assert found.position is not None
    assert found.position.start == 20
    assert sent.quoted(cited("No returns.", 2, 3), [pages]) == "No\nreturns."
    assert sent.reason(cited("60 days", 2, 3), [pages]) == "quote_not_found"
    assert sent.reason(cited("60 days", 1, 4), [pages]) == "ambiguous_quote"
    assert sent.reason(cited("60 days", 4, 5), [pages]) == "quote_not_at_position"


def test_a_web_result_is_known_by_its_exact_address(sent: Sent) -> None:
    types = sdk("anthropic.types")

    def cited(url: str) -> object:
        return types.CitationsWebSearchResultLocation(
            type="web_search_result_location", cited_text=QUOTE, encrypted_index="x", title="T", url=url
        )

    assert sent.quoted(cited("https://shop.example/returns?lang=en#eu")) == QUOTE
    assert sent.reason(cited("https://shop.example/returns?lang=de#eu")) == "no_document"
    assert sent.reason(cited("https://shop.example/returns?lang=en")) == "no_document"


def test_a_message_says_for_which_words_of_the_answer_each_citation_stands(sent: Sent) -> None:
    found = sent.bind_one(_message(_char()))
    assert found.answer == AnswerSpan(18, 25, "code_points", "exclusive")


def test_a_message_without_citations_has_none(sent: Sent) -> None:
    assert sent.ledger.bind(_message(), sent.documents) == []


def test_what_is_no_citation_is_unbound_and_names_nothing(sent: Sent) -> None:
    found = sent.bind_one({"type": "guess_location", "document_title": "Returns", "url": "https://x.y/"})
    assert (found.scheme, getattr(found, "reason", "")) == ("not_understood", "not_understood")
    assert not hasattr(found, "source")


def test_a_document_that_the_agent_may_not_read_keeps_its_place_and_binds_nothing(sent: Sent) -> None:
    sent.ledger.agent("amira")
    source = sent.ledger.show(sent.shipping).source
    sent.ledger.grant("amira", source)
    cited = [_char(), _char(FREE, SHIPPING.index(FREE), index=1)]
    first, second = sent.ledger.bind(cited, sent.documents, by="amira")
    assert getattr(first, "reason", "") == "no_document"
    assert isinstance(second, Bound)


def test_nothing_is_recorded_of_an_unbound_citation(sent: Sent) -> None:
    before = sent.ledger.tree_head()
    sent.ledger.bind([_char(index=7)], sent.documents)
    assert sent.ledger.tree_head() == before
