"""Grounding of the Google SDK, as its own types: bytes of the answer, chunks of what was retrieved."""

from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.ledger.binding import Bound
from tests.ledger.binding.bound_shop import ADDRESS, QUOTE, Sent, sdk

ANSWER = "Für Käufe in der EU: 60 Tage 📦. Versand ist frei."
SEGMENT = "60 Tage 📦."


def _candidate(chunk: dict[str, object], segment: str = SEGMENT, shift: int = 0, index: int = 0) -> object:
    types = sdk("google.genai.types")
    start = len(ANSWER[: ANSWER.index(segment)].encode()) + shift
    return types.Candidate(
        content=types.Content(role="model", parts=[types.Part(text=ANSWER)]),
        grounding_metadata=types.GroundingMetadata(
            grounding_chunks=[types.GroundingChunk.model_validate(chunk)],
            grounding_supports=[
                types.GroundingSupport(
                    grounding_chunk_indices=[index],
                    segment=types.Segment(
                        start_index=start, end_index=start + len(segment.encode()), text=segment
                    ),
                )
            ],
        ),
    )


def _retrieved(**given: object) -> dict[str, object]:
    return {"retrievedContext": {"uri": ADDRESS, "title": "Returns", "text": QUOTE} | given}


def test_the_text_of_a_retrieved_chunk_becomes_evidence(sent: Sent) -> None:
    assert sent.quoted(_candidate(_retrieved())) == QUOTE


def test_bytes_of_the_answer_become_code_points(sent: Sent) -> None:
    found = sent.bind_one(_candidate(_retrieved()))
    assert found.answer is not None
    assert ANSWER[found.answer.start : found.answer.end] == SEGMENT
    assert found.answer.unit == "utf8_bytes"


def test_a_segment_whose_bytes_are_other_words_is_at_no_place(sent: Sent) -> None:
    assert sent.bind_one(_candidate(_retrieved(), shift=1)).answer is None


def test_the_wire_form_in_camel_case_is_read_alike(sent: Sent) -> None:
    candidate = _candidate(_retrieved())
    wire = candidate.model_dump(mode="json", by_alias=True, exclude_none=True)  # type: ignore[attr-defined]
    assert "groundingMetadata" in wire
    assert sent.bind_one({"candidates": [wire]}) == sent.bind_one(candidate)


def test_a_chunk_of_the_web_quotes_nothing(sent: Sent) -> None:
    found = sent.bind_one(_candidate({"web": {"uri": ADDRESS, "title": "shop.example"}}))
    assert isinstance(found, Bound)
    assert (found.revision, found.evidence) == (sent.returns, None)


def test_a_redirecting_address_of_the_service_is_unbound(sent: Sent) -> None:
    chunk = {"web": {"uri": "https://redirect.example/AbC", "title": "shop.example"}}
    assert sent.reason(_candidate(chunk)) == "no_document"


def test_a_chunk_that_is_not_in_the_response_is_unbound(sent: Sent) -> None:
    assert sent.reason(_candidate(_retrieved(), index=3)) == "not_understood"


def test_the_pages_of_a_chunk_narrow_the_place(sent: Sent) -> None:
    source = sent.ledger.source(native="terms.pdf", title="Terms")
    pages = sent.ledger.revision(source, data="60 days\fNothing\f60 days\f", label="1")
    chunk = _retrieved(
        uri="terms.pdf", text="60 days", ragChunk={"pageSpan": {"firstPage": 3, "lastPage": 3}}
    )
    found = sent.bind_one(_candidate(chunk), [SentDocument(pages)])
    assert isinstance(found, Bound)
    assert found.position is not None
    assert found.position.start == 16
