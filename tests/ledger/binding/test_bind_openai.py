"""Annotations of the OpenAI SDK, as its own types: they name a document, and words of the answer."""

import pytest

from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.ledger.binding import Bound
from tests.ledger.binding.bound_shop import ADDRESS, QUOTE, Sent, sdk

ANSWER = "Goods may be returned 📦 ([shop](https://shop.example/)). Ask us."
MARKER = "([shop](https://shop.example/))"
START = ANSWER.index(MARKER)


def _url(url: str = ADDRESS, start: int = START, end: int = START + len(MARKER)) -> object:
    types = sdk("openai.types.responses.response_output_text")
    return types.AnnotationURLCitation(
        type="url_citation", start_index=start, end_index=end, title="Anything", url=url
    )


def _output(*annotations: object) -> object:
    types = sdk("openai.types.responses.response_output_text")
    return types.ResponseOutputText(type="output_text", text=ANSWER, annotations=list(annotations))


def _words(found: object) -> str:
    span = getattr(found, "answer", None)
    assert span is not None
    return ANSWER[span.start : span.end]


def test_an_address_names_source_and_revision_and_quotes_nothing(sent: Sent) -> None:
    found = sent.bind_one(_output(_url()))
    assert isinstance(found, Bound)
    assert (found.revision, found.evidence) == (sent.returns, None)


def test_an_address_that_was_not_sent_is_unbound(sent: Sent) -> None:
    assert sent.reason(_output(_url("https://shop.example/returns?lang=en"))) == "no_document"


def test_the_parameter_that_the_service_adds_does_not_make_another_address(sent: Sent) -> None:
    added = ADDRESS.replace("lang=en", "lang=en&utm_source=openai")
    assert isinstance(sent.bind_one(_output(_url(added))), Bound)


@pytest.mark.parametrize(("beyond", "end_is"), [(0, "exclusive"), (-1, "inclusive")])
def test_the_end_that_matches_is_recorded(sent: Sent, beyond: int, end_is: str) -> None:
    found = sent.bind_one(_output(_url(end=START + len(MARKER) + beyond)))
    assert _words(found) == MARKER
    assert found.answer is not None
    assert found.answer.end_is == end_is


def test_the_unit_that_matches_is_recorded(sent: Sent) -> None:
    found = sent.bind_one(_output(_url(start=START + 1, end=START + 1 + len(MARKER))))
    assert _words(found) == MARKER
    assert found.answer is not None
    assert found.answer.unit == "utf16_units"


def test_a_chat_completion_is_read_as_it_comes(sent: Sent) -> None:
    chat = sdk("openai.types.chat.chat_completion_message")
    cited = chat.AnnotationURLCitation(
        start_index=START, end_index=START + len(MARKER), title="T", url=ADDRESS
    )
    message = chat.ChatCompletionMessage(
        role="assistant",
        content=ANSWER,
        annotations=[chat.Annotation(type="url_citation", url_citation=cited)],
    )
    found = sent.bind_one({"choices": [{"index": 0, "message": message}]})
    assert isinstance(found, Bound)
    assert _words(found) == MARKER


def test_a_whole_response_is_read_as_it_comes(sent: Sent) -> None:
    types = sdk("openai.types.responses")
    message = types.ResponseOutputMessage(
        id="m", type="message", role="assistant", status="completed", content=[_output(_url())]
    )
    response = types.Response.model_construct(output=[message])
    assert sent.bind_one(response) == sent.bind_one(_output(_url()))


def test_a_file_citation_names_the_document_by_the_id_it_was_given(sent: Sent) -> None:
    types = sdk("openai.types.responses.response_output_text")
    cited = types.AnnotationFileCitation(type="file_citation", file_id="file-1", filename="r.md", index=22)
    found = sent.bind_one(_output(cited), [sent.shipping, SentDocument(sent.returns, names=["file-1"])])
    assert isinstance(found, Bound)
    assert found.revision == sent.returns
    assert found.answer is not None
    assert (found.answer.start, found.answer.end) == (22, 22)


def test_a_file_is_not_known_by_its_name(sent: Sent) -> None:
    types = sdk("openai.types.responses.response_output_text")
    cited = types.AnnotationFileCitation(
        type="file_citation", file_id="file-1", filename="policies/shipping.md", index=0
    )
    assert sent.reason(_output(cited)) == "no_document"


def test_a_container_file_citation_names_the_document_and_the_words(sent: Sent) -> None:
    types = sdk("openai.types.responses.response_output_text")
    cited = types.AnnotationContainerFileCitation(
        type="container_file_citation",
        container_id="c",
        file_id="cfile-1",
        filename="r.md",
        start_index=START,
        end_index=START + len(MARKER),
    )
    found = sent.bind_one(_output(cited), [SentDocument(sent.returns, names=["cfile-1"])])
    assert isinstance(found, Bound)
    assert _words(found) == MARKER


def test_one_id_for_two_documents_is_unbound(sent: Sent) -> None:
    types = sdk("openai.types.responses.response_output_text")
    cited = types.AnnotationFileCitation(type="file_citation", file_id="file-1", filename="r.md", index=0)
    both = [SentDocument(revision, names=["file-1"]) for revision in sent.documents]
    assert sent.reason(_output(cited), list(both)) == "several_documents"


def test_a_quote_of_an_assistant_becomes_evidence(sent: Sent) -> None:
    text = {
        "type": "text",
        "text": {
            "value": "60 days【4:0†source】",
            "annotations": [
                {
                    "type": "file_citation",
                    "text": "【4:0†source】",
                    "start_index": 7,
                    "end_index": 19,
                    "file_citation": {"file_id": "file-1", "quote": QUOTE},
                }
            ],
        },
    }
    assert sent.quoted(text, [SentDocument(sent.returns, names=["file-1"])]) == QUOTE


def test_a_bare_annotation_counts_in_the_answer_that_is_given(sent: Sent) -> None:
    found = sent.bind_one(_url(), answer=ANSWER)
    assert _words(found) == MARKER
    assert sent.bind_one(_url()).answer is None
