"""Documents of retrievers, LangChain's and LlamaIndex's: a chunk of a source, whole, as its own quote.

Which document it is stands in metadata that a loader wrote: a path, an address, or an id of this ledger
under ``revision``. A LangChain splitter may say where the chunk began (``start_index``), LlamaIndex does.

Source: langchain-core Document; LlamaIndex TextNode (start_char_idx, end_char_idx: code
points, end exclusive).
"""

from collections.abc import Mapping

from prov_ledger.checks.citations.cited import Cited, DocumentReference, Passage, Position
from prov_ledger.checks.citations.wire import fields_in, number_in, text_in, texts_in

_NAMES = ("revision", "source", "url", "file_path", "file_name", "document_id", "doc_id")


def parse_langchain(fields: Mapping[str, object]) -> Cited:
    """A ``Document``: its page number, where a loader gave one, counts from 0."""
    metadata = fields_in(fields, "metadata")
    text = text_in(fields, "page_content") or ""
    start, page = number_in(metadata, "start_index"), number_in(metadata, "page")
    position = None
    # A splitter gives -1 where it lost the place. On a page, the start counts within that page.
    if page is not None:
        position = Position(page, page, "pages", 0, "inclusive")
    elif start is not None and start >= 0:
        position = Position(start, start + len(text))
    names = texts_in(metadata, *_NAMES) + texts_in(fields, "id")
    return Cited("langchain/document", DocumentReference(names=names), Passage("source", text, position))


def parse_llama_index(fields: Mapping[str, object]) -> Cited:
    """A ``NodeWithScore``, or a node without its score."""
    node = fields_in(fields, "node") or fields
    metadata = fields_in(node, "metadata")
    start, end = number_in(node, "start_char_idx"), number_in(node, "end_char_idx")
    position = Position(start, end) if start is not None and end is not None else None
    # A page loader makes one document per page: then the indexes count within that page.
    label = text_in(metadata, "page_label")
    if label is not None:
        page = int(label) if label.isdecimal() else None
        position = Position(page, page, "pages", 1, "inclusive") if page else None
    names = texts_in(metadata, *_NAMES) + _origins(node) + texts_in(node, "id_", "node_id")
    quote = text_in(node, "text") or ""
    return Cited("llama_index/node", DocumentReference(names=names), Passage("source", quote, position))


def _origins(node: Mapping[str, object]) -> tuple[str, ...]:
    """The id of the document that a node was cut from: the relationship ``1`` (SOURCE)."""
    return texts_in(fields_in(fields_in(node, "relationships"), "1"), "node_id")
