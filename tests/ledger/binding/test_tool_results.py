"""What a tool answered, as evidence: the call is the source, the answer a state of it."""

import pytest

from prov_ledger.errors import Refused
from prov_ledger.ledger.tool_results import ToolEvidence
from tests.ledger.binding.bound_shop import Sent, sdk

ORDER = '{"order": "88-1417", "total": "129.00 EUR"}'


def _record(sent: Sent, result: object = ORDER, **given: object) -> ToolEvidence:
    return sent.ledger.tool_result("orders.get", {"id": "88-1417"}, result, **given)  # type: ignore[arg-type]


def _quote(sent: Sent, found: ToolEvidence) -> str:
    (slot,) = sent.ledger.resolve([found.evidence])
    return slot.quotes[0].quote


def test_the_whole_result_is_evidence(sent: Sent) -> None:
    assert _quote(sent, _record(sent)) == ORDER


def test_a_quote_of_the_result_is_evidence(sent: Sent) -> None:
    assert _quote(sent, _record(sent, quote="129.00 EUR")) == "129.00 EUR"


def test_a_quote_that_the_tool_did_not_say_is_refused(sent: Sent) -> None:
    with pytest.raises(Refused) as refused:
        _record(sent, quote="130.00 EUR")
    assert refused.value.code == "quote_not_found"


def test_a_refused_result_leaves_nothing_behind(sent: Sent) -> None:
    before = sent.ledger.tree_head()
    with pytest.raises(Refused):
        _record(sent, quote="130.00 EUR")
    assert sent.ledger.tree_head() == before


def test_the_same_answer_again_is_a_check_and_the_same_evidence(sent: Sent) -> None:
    assert _record(sent) == _record(sent)


def test_another_answer_is_another_state_of_the_same_source(sent: Sent) -> None:
    first, second = _record(sent), _record(sent, ORDER.replace("129", "99"))
    assert first.source == second.source
    assert first.revision != second.revision
    # The answer before no longer governs what is asked now.
    assert sent.ledger.resolve([first.evidence])[0].verdict != "citable"


def test_other_arguments_are_another_source_and_their_order_is_none(sent: Sent) -> None:
    one = sent.ledger.tool_result("t", {"a": 1, "b": 2}, "x 1")
    same = sent.ledger.tool_result("t", {"b": 2, "a": 1}, "x 1")
    other = sent.ledger.tool_result("t", {"a": 1, "b": 3}, "x 1")
    assert one.source == same.source != other.source


def test_a_result_is_informal_unless_more_is_said_of_it(sent: Sent) -> None:
    found = _record(sent)
    (slot,) = sent.ledger.resolve([found.evidence], min_authority="official")
    assert slot.verdict == "not_authoritative"


def test_a_result_about_one_order_is_not_applicable_to_another(sent: Sent) -> None:
    sent.ledger.declare_fact("order", "code")
    found = _record(sent, scope=[{"fact": "order", "in": ["88-1417"]}])
    assert sent.ledger.resolve([found.evidence], facts={"order": "88-1417"})[0].verdict == "citable"
    assert sent.ledger.resolve([found.evidence], facts={"order": "88-1418"})[0].verdict == "not_applicable"


def test_a_message_of_langchain_is_read_as_it_comes(sent: Sent) -> None:
    message = sdk("langchain_core.messages").ToolMessage(content=ORDER, tool_call_id="call-1")
    assert _quote(sent, _record(sent, message)) == ORDER


@pytest.mark.parametrize(
    "result",
    [
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": ORDER}]},
        {"type": "tool_result", "tool_use_id": "t", "content": ORDER},
        {"role": "tool", "tool_call_id": "t", "content": ORDER},
        {"type": "function_call_output", "call_id": "t", "output": ORDER},
        {"content": [{"type": "text", "text": ORDER}], "isError": False},
    ],
    ids=["anthropic blocks", "anthropic text", "openai chat", "openai responses", "mcp"],
)
def test_results_are_read_in_the_form_of_each_protocol(sent: Sent, result: object) -> None:
    assert _quote(sent, _record(sent, result)) == ORDER


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "no such order"}], "isError": True},
        {"type": "tool_result", "content": "no such order", "is_error": True},
        {"type": "tool", "content": "no such order", "status": "error"},
        {"content": [{"type": "image", "data": "AA=="}]},
        "",
        7,
    ],
)
def test_an_error_or_a_result_without_text_is_no_evidence(sent: Sent, result: object) -> None:
    with pytest.raises(Refused) as refused:
        _record(sent, result)
    assert refused.value.code == "bad_input"


def test_an_agent_does_not_make_up_results(sent: Sent) -> None:
    sent.ledger.agent("amira")
    with pytest.raises(Refused) as refused:
        _record(sent, by="amira")
    assert refused.value.code == "denied"
