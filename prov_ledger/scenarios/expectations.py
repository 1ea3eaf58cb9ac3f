"""The steps that look at the world, each giving what differs from what the scenario expects."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prov_ledger.model.plain import encode_plain
from prov_ledger.model.slots import Became, Candidate, Slot
from prov_ledger.scenarios import erasing
from prov_ledger.scenarios.changes import CHANGES_SUPPORTED
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World
from prov_ledger.store.port import Rows


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as expected; ``unsupported`` where the ledger cannot say yet."""

    what: str
    expected: str = ""
    got: str = ""
    unsupported: bool = False


Expectation = Callable[[World, Step], Iterator[Difference]]
PACKET_READER = "support-bot"
_BECAME: tuple[Became, ...] = ("same", "moved", "changed")


def _shown(value: object) -> str:
    return json.dumps(encode_plain(value), ensure_ascii=False)


def _who(step: Step) -> str:
    return step.find_text("who") or step.agent()


def _slots(world: World, step: Step) -> list[Slot]:
    return world.ledger(step).resolve(
        world.ids_of(step.texts("ids")),
        principal=_who(step),
        facts=step.mapping("facts"),
        purpose=step.find_text("purpose"),
        as_of=step.moment("as_of"),
        thread=step.find_text("thread"),
        min_authority=world.scenario.min_authority,
        max_age=world.scenario.max_age,
    )


def _resolve(world: World, step: Step) -> Iterator[Difference]:
    slots = dict(zip(step.texts("ids"), _slots(world, step), strict=True))
    for handle, expected in step.mapping("expect").items():
        if isinstance(expected, Mapping):
            yield from _compare_slot(world, handle, expected, slots[handle])


def _thread(world: World, step: Step) -> Iterator[Difference]:
    """Exactly the slots that are expected, each as it is expected."""
    slots = world.ledger(step).thread(
        step.needed("thread"),
        principal=_who(step),
        facts=step.mapping("facts"),
        purpose=step.find_text("purpose"),
    )
    by_id = {slot.id: slot for slot in slots}
    expected = {world.id_of(handle): handle for handle in step.mapping("expect")}
    if by_id.keys() != expected.keys():
        got = sorted(str(world.handle_of(id_)) for id_ in by_id)
        yield Difference("the claims of the thread", _shown(sorted(expected.values())), _shown(got))
    for id_, handle in expected.items():
        wanted = step.mapping("expect")[handle]
        if id_ in by_id and isinstance(wanted, Mapping):
            yield from _compare_slot(world, handle, wanted, by_id[id_])


def _compare_slot(
    world: World, handle: str, expected: Mapping[str, object], slot: Slot
) -> Iterator[Difference]:
    for key, wanted in expected.items():
        if key == "candidates":
            yield from _compare_candidates(world, handle, wanted, slot)
            continue
        if key == "superseded_by":
            yield from _compare_head(world, handle, wanted, slot)
            continue
        got = _SLOT_VALUES[key](world, slot)
        if key in _IN_ANY_ORDER:
            wanted = sorted(map(str, wanted)) if isinstance(wanted, list) else wanted
        if got != wanted:
            yield Difference(f"{handle}.{key}", _shown(wanted), _shown(got))


_IN_ANY_ORDER = frozenset({"quotes", "missing", "unconsidered"})
_SLOT_VALUES: Mapping[str, Callable[[World, Slot], object]] = {
    "verdict": lambda world, slot: slot.verdict,
    "quotes": lambda world, slot: sorted(citation.quote for citation in slot.quotes),
    "same_question": lambda world, slot: slot.same_question,
    "words": lambda world, slot: slot.words,
    "missing": lambda world, slot: sorted(slot.missing),
    "unconsidered": lambda world, slot: sorted(slot.unconsidered),
    "decided_by": lambda world, slot: slot.decided_by,
}


def _compare_candidates(world: World, handle: str, wanted: object, slot: Slot) -> Iterator[Difference]:
    listed = wanted if isinstance(wanted, list) else []
    expected = {_expected_candidate(world, raw) for raw in listed}
    got = set(slot.candidates)
    if expected == got:
        return
    if any(each.became for each in expected) and not any(each.became for each in got):
        yield Difference(f"{handle}.candidates: what became of a quote in another revision", unsupported=True)
        return
    yield Difference(f"{handle}.candidates", _named(world, expected), _named(world, got))


def _expected_candidate(world: World, raw: object) -> Candidate:
    if not isinstance(raw, Mapping):
        return Candidate(world.id_of(str(raw)))
    became = next((each for each in _BECAME if each == raw.get("quote")), None)
    return Candidate(world.id_of(str(raw.get("as"))), became)


def _named(world: World, candidates: Iterable[Candidate]) -> str:
    """Candidates by their handles, in one order."""
    named = [(world.handle_of(each.id), each.became) for each in candidates]
    return _shown(sorted(f"{handle}: {became}" if became else str(handle) for handle, became in named))


def _compare_head(world: World, handle: str, wanted: object, slot: Slot) -> Iterator[Difference]:
    """Two handles may stand for one id, so ids are compared and handles are shown."""
    expected = None if wanted is None else world.id_of(str(wanted))
    if expected != slot.superseded_by:
        got = world.handle_of(slot.superseded_by)
        yield Difference(f"{handle}.superseded_by", _shown(wanted), _shown(got))


def _alike(world: World, step: Step) -> Iterator[Difference]:
    names = step.texts("ids")
    forms = [_without_id(slot) for slot in _slots(world, step)]
    for name, form in zip(names[1:], forms[1:], strict=True):
        if form != forms[0]:
            yield Difference(f"{name} alike {names[0]}", forms[0], form)


def _without_id(slot: Slot) -> str:
    plain = encode_plain(slot)
    kept = {key: value for key, value in plain.items() if key != "id"} if isinstance(plain, dict) else plain
    return json.dumps(kept, ensure_ascii=False)


def _answer(world: World, step: Step) -> Iterator[Difference]:
    checked = world.ledger(step).check_answer(
        world.fill(step.text("text")),
        principal=_who(step),
        facts=step.mapping("facts"),
        purpose=step.find_text("purpose"),
        thread=step.find_text("thread"),
        min_authority=world.scenario.min_authority,
        max_age=world.scenario.max_age,
    )
    got = {"allowed": checked.allowed, "codes": sorted(checked.codes), "uncited": len(checked.uncited)}
    expected = step.mapping("expect")
    for key in sorted(got.keys() & expected.keys()):
        raw = expected[key]
        wanted = sorted(map(str, raw)) if isinstance(raw, list) else raw
        if got[key] != wanted:
            yield Difference(f"answer.{key}", _shown(wanted), _shown(got[key]))
    yield from _compare_text(world, checked.text, expected)


def _packet(world: World, step: Step) -> Iterator[Difference]:
    expected = step.mapping("expect")
    packet = world.ledger(step).packet(
        world.id_of(step.text("of")),
        principal=step.find_text("who") or PACKET_READER,
        purpose=step.find_text("purpose"),
    )
    yield from _compare_text(world, packet.text, expected)
    most = expected.get("tokens_at_most")
    if isinstance(most, int) and packet.tokens > most:
        yield Difference("packet tokens", f"at most {most}", str(packet.tokens))


def _compare_text(world: World, text: str, expected: Mapping[str, object]) -> Iterator[Difference]:
    for wanted in _texts(expected.get("has")):
        if world.fill(wanted) not in text:
            yield Difference("text", f"to hold {_shown(wanted)}", "it does not")
    for unwanted in _texts(expected.get("lacks")):
        if world.fill(unwanted) in text:
            yield Difference("text", f"to lack {_shown(unwanted)}", "it holds it")


def _texts(value: object) -> Sequence[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _find(world: World, step: Step) -> Iterator[Difference]:
    """Exactly the evidence that is expected; two handles may stand for one id, so ids are compared."""
    found = world.ledger(step).find(
        step.text("text"),
        principal=_who(step),
        facts=step.mapping("facts"),
        purpose=step.find_text("purpose"),
        limit=None,
        min_authority=world.scenario.min_authority,
        max_age=world.scenario.max_age,
    )
    got = {each.id for each in found.evidence}
    expected = step.texts("expect")
    if got != set(world.ids_of(expected)):
        named = sorted(str(world.handle_of(id_)) for id_ in got)
        yield Difference("the evidence found", _shown(sorted(expected)), _shown(named))


def _absent(world: World, step: Step) -> Iterator[Difference]:
    for place in dict.fromkeys(erasing.places_of(world, step)):
        yield Difference("the text", "nowhere", place)


def _verify(world: World, step: Step) -> Iterator[Difference]:
    expected = step.find_text("expect") or "valid"
    report = world.ledger(step).verify()
    got = "valid" if report.valid else "corrupt"
    if got != expected:
        yield Difference("verify", expected, got)


def _select(world: World, step: Step) -> Iterator[Difference]:
    answer = world.ledger(step).sparql(step.text("query"))
    got = str(len(answer.rows)) if isinstance(answer, Rows) else "no rows: not a SELECT"
    if got != str(step.number_of("rows")):
        yield Difference("rows", str(step.number_of("rows")), got)


#: What can be looked at so far, by the name of the step; ``refused`` is the runner's own.
EXPECTATIONS_SUPPORTED: Mapping[str, Expectation] = {
    "resolve": _resolve,
    "alike": _alike,
    "thread": _thread,
    "answer": _answer,
    "packet": _packet,
    "find": _find,
    "absent": _absent,
    "verify": _verify,
    "select": _select,
}


def is_supported(step: Step) -> bool:
    """Whether the ledger can do a step so far; a ``refused`` one as far as the step that it holds."""
    inner = step.inner()
    if inner is not None:
        return is_supported(inner)
    return step.do in CHANGES_SUPPORTED or step.do in EXPECTATIONS_SUPPORTED
