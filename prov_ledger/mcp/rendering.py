"""The short text of each answer: lines of our own words and ids; whatever others wrote is in a fence."""

from collections.abc import Callable, Iterator

from prov_ledger.mcp.fencing import fence, visible
from prov_ledger.mcp.outputs import (
    Account,
    Checked,
    Decided,
    Erased,
    Finding,
    Output,
    Plan,
    Quote,
    Recorded,
    Reminded,
    Resolved,
)
from prov_ledger.model.slots import Next

#: What each outcome asks for.
_NEXT: dict[Next, str] = {
    "show": "may be said now, cited by its id",
    "ask": "ask for what is missing, then resolve again",
    "rederive": "do not say it; derive it anew, from the candidates where there are any",
    "search": "do not say it; look for evidence with 'find', and if there is none, say that it cannot be "
    "substantiated",
    "reject": "do not say it; drop it",
}


def resolved(answer: Resolved) -> str:
    """The text of resolved ids."""
    return "\n".join(line for slot in answer.slots for line in slot_lines(slot))


def slot_lines(slot: Decided) -> Iterator[str]:
    """One slot: what it says of the id, then its words as data."""
    by = f" (decided by {slot.decided_by})" if slot.decided_by else ""
    yield f"{visible(slot.id)}: {slot.verdict}{by} -> {slot.next}: {_NEXT[slot.next]}"
    if slot.missing:
        yield f"  facts needed: {', '.join(slot.missing)}"
    if slot.unconsidered:
        yield f"  facts that its sources do not look at: {', '.join(slot.unconsidered)}"
    if slot.superseded_by:
        yield f"  superseded by {slot.superseded_by}"
    if slot.candidates:
        more = ", and more" if slot.more_candidates else ""
        yield "  candidates: " + ", ".join(_named(x.id, x.became) for x in slot.candidates) + more
    if slot.same_question is False:
        yield "  made for other facts than these; it holds for these, too"
    if slot.assumed_open:
        yield f"  nobody stated an end of its period; last confirmed {slot.last_confirmed or 'never'}"
    if slot.verdict == "citable":
        yield fence(_words(slot.statement, slot.quotes))


def _named(id: str, became: str | None) -> str:
    return id if became is None else f"{id} ({became})"


def _words(statement: str | None, quotes: list[Quote]) -> dict[str, object]:
    said: dict[str, object] = {} if statement is None else {"statement": statement}
    return said | {"quotes": [_cited(quote.model_dump()) for quote in quotes]}


def _cited(quote: dict[str, object]) -> dict[str, object]:
    names = ("evidence", "id", "revision", "quote", "text", "title", "label", "header_path")
    return {name: quote[name] for name in names if quote.get(name)}


def recorded(answer: Recorded) -> str:
    """The text of a record."""
    return f"{answer.id} recorded"


def reminded(answer: Reminded) -> str:
    """The text of a packet: it comes fenced, and nothing is added to what it counts."""
    return visible(answer.text) or f"{answer.id}: not even the fence fits the budget"


def checked(answer: Checked) -> str:
    """The text of a checked answer."""
    lines = ["allowed" if answer.allowed else "blocked: " + ", ".join(answer.codes)]
    if not answer.allowed:
        lines.append("mend or drop each faulty marker's sentence and check again; show only the text below")
    said: dict[str, object] = {"may_be_shown": answer.text}
    if answer.faults:
        said["faults"] = [one.model_dump() for one in answer.faults]
    if answer.uncited:
        said["uncited"] = answer.uncited
    return "\n".join([*lines, fence(said)])


def found(answer: Finding) -> str:
    """The text of what was found."""
    if not answer.evidence and not answer.passages:
        return "nothing that you may read and that holds for these facts; say that it cannot be substantiated"
    lines = []
    if answer.evidence:
        lines += [
            "evidence, citable now:",
            fence({"evidence": [_cited(x.model_dump()) for x in answer.evidence]}),
        ]
    if answer.passages:
        lines += [
            "passages, no evidence yet; capture_evidence what is to be cited, word for word:",
            fence({"passages": [_cited(x.model_dump()) for x in answer.passages]}),
        ]
    return "\n".join(lines)


def explained(answer: Account) -> str:
    """The text of an account."""
    checks = ", ".join(f"{x.check} {'passed' if x.passed else 'failed'}" for x in answer.checks)
    lines = [
        f"{answer.id}, made {answer.made} by '{answer.transformation}'",
        f"as of {answer.as_of}: {answer.then.verdict}",
        f"checks then: {checks}",
        "now:",
        *slot_lines(answer.now),
    ]
    if answer.facts:
        lines += ["asked for:", fence(answer.facts)]
    return "\n".join([*lines, *(f"{x.at} {x.kind}: {x.about}" for x in answer.since)])


def planned(answer: Plan) -> str:
    """The text of a plan."""
    fallen = ", ".join(f"{x.claim} ({x.outcome})" for x in answer.derived) or "none"
    return (
        f"plan {answer.hash}: nothing has gone yet\ngoes: {', '.join(answer.goes)}\nclaims that rest on it: "
        f"{fallen}\nhave a person look at it; 'erase' with this hash destroys it for good"
    )


def erased(answer: Erased) -> str:
    """The text of a finished erasure."""
    return f"{answer.id}: {answer.texts} texts are gone for good"


_RENDERERS: dict[type[Output], Callable[..., str]] = {
    Resolved: resolved,
    Recorded: recorded,
    Reminded: reminded,
    Checked: checked,
    Finding: found,
    Account: explained,
    Plan: planned,
    Erased: erased,
}


def render(answer: Output) -> str:
    """The text of any answer."""
    return _RENDERERS[type(answer)](answer)
