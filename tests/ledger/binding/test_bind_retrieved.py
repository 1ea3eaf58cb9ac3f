"""Documents of LangChain's and LlamaIndex's retrievers, as their own types."""

from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.ledger.binding import Bound
from tests.ledger.binding.bound_shop import QUOTE, RETURNS, SHIPPING, Sent, sdk

FREE = "Shipping is free above 50 €."


def _document(text: str, **metadata: object) -> object:
    return sdk("langchain_core.documents").Document(page_content=text, metadata=metadata)


def _node(
    text: str, start: int | None, document: str, score: float | None = 0.5, **metadata: object
) -> object:
    schema = sdk("llama_index.core.schema")
    end = None if start is None else start + len(text)
    node = schema.TextNode(text=text, start_char_idx=start, end_char_idx=end, metadata=metadata)
    node.relationships[schema.NodeRelationship.SOURCE] = schema.RelatedNodeInfo(node_id=document)
    return node if score is None else schema.NodeWithScore(node=node, score=score)


def test_a_document_is_known_by_the_source_in_its_metadata(sent: Sent) -> None:
    assert sent.quoted(_document(FREE, source="policies/shipping.md")) == FREE


def test_a_document_is_known_by_the_id_of_the_revision(sent: Sent) -> None:
    found = sent.bind_one(_document(FREE, revision=sent.returns))
    assert isinstance(found, Bound)
    assert found.revision == sent.returns


def test_the_start_that_a_splitter_noted_decides_between_two_places(sent: Sent) -> None:
    start = SHIPPING.index("Shipping is")
    found = sent.bind_one(_document("Shipping", source="policies/shipping.md", start_index=start))
    assert isinstance(found, Bound)
    assert found.position is not None
    assert found.position.start == start
    assert sent.reason(_document("Shipping", source="policies/shipping.md")) == "ambiguous_quote"


def test_a_start_that_the_splitter_lost_is_none(sent: Sent) -> None:
    assert sent.quoted(_document(QUOTE, revision=sent.returns, start_index=-1)) == QUOTE


def test_a_page_of_a_loader_counts_from_zero(sent: Sent) -> None:
    source = sent.ledger.source(native="terms.pdf", title="Terms")
    pages = sent.ledger.revision(source, data="60 days\fNothing\f60 days\f", label="1")
    found = sent.bind_one(_document("60 days", source="terms.pdf", page=2), [pages])
    assert isinstance(found, Bound)
    assert found.position is not None
    assert found.position.start == 16


def test_two_chunks_of_one_page_are_found_where_each_stands(sent: Sent) -> None:
    chunks = [_document(text, revision=sent.returns) for text in (QUOTE, FREE)]
    sent_parts = [SentDocument(sent.returns, text=text) for text in (QUOTE, FREE)]
    found = sent.ledger.bind(chunks, sent_parts)
    assert all(isinstance(one, Bound) for one in found)
    assert len({one.evidence for one in found if isinstance(one, Bound)}) == 2


def test_a_document_of_nothing_known_is_unbound(sent: Sent) -> None:
    assert sent.reason(_document(QUOTE, title="policies/shipping.md")) == "no_document"


def test_a_node_is_known_by_the_document_that_it_was_cut_from(sent: Sent) -> None:
    start = RETURNS.index(QUOTE)
    cited = _node(QUOTE, start, "doc-1")
    found = sent.bind_one(cited, [SentDocument(sent.returns, names=["doc-1"])])
    assert isinstance(found, Bound)
    assert (found.matched, found.position and found.position.start) == ("position", start)


def test_a_node_without_a_score_is_bound_alike(sent: Sent) -> None:
    named = [SentDocument(sent.returns, names=["doc-1"])]
    start = RETURNS.index(QUOTE)
    assert sent.bind_one(_node(QUOTE, start, "doc-1", None), list(named)) == sent.bind_one(
        _node(QUOTE, start, "doc-1"), list(named)
    )


def test_a_node_at_another_place_is_unbound(sent: Sent) -> None:
    cited = _node(QUOTE, RETURNS.index(QUOTE) + 40, "doc-1")
    assert sent.reason(cited, [SentDocument(sent.returns, names=["doc-1"])]) == "quote_not_at_position"


def test_a_node_of_a_page_loader_counts_within_its_page(sent: Sent) -> None:
    source = sent.ledger.source(native="terms.pdf", title="Terms")
    pages = sent.ledger.revision(source, data="60 days\fNothing\f60 days\f", label="1")
    found = sent.bind_one(_node("60 days", 0, "x", file_path="terms.pdf", page_label="3"), [pages])
    assert isinstance(found, Bound)
    assert found.position is not None
    assert found.position.start == 16
