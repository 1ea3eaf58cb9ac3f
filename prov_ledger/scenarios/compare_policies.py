"""What each policy would show for an id that a context still carries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from prov_ledger.checks.packet import PacketLine, describe_scope, render_packet
from prov_ledger.checks.quotes import Quote
from prov_ledger.checks.verdict import Asked, Judge
from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.resolving import Demand, statement_owner
from prov_ledger.model.records import Node
from prov_ledger.model.slots import Slot
from prov_ledger.model.world import World
from prov_ledger.scenarios.compare_decisions import ABLATIONS, Inside
from prov_ledger.scenarios.compare_memory import Transcript

#: Larger than any packet of one line.
_ROOM = 100_000


@dataclass(frozen=True, slots=True)
class Asking:
    """One id put to every policy, by a reader with facts, at the time of the scenario's step.

    ``world`` and ``asked`` are what the ledger's decision is about; ``line`` is the packet for the id.
    """

    ledger: Ledger
    inside: Inside
    transcript: Transcript
    id: Node
    who: str
    purpose: str | None
    demand: Demand
    thread: str | None
    world: World
    asked: Asked
    line: str


@dataclass(frozen=True, slots=True)
class Given:
    """What a policy lets out for an id, and the text that the context has to hold for it."""

    statement: str | None = None
    quotes: tuple[str, ...] = ()
    context: str = ""


Policy = Callable[[Asking], Given]


def ledger(asking: Asking) -> Given:
    """The packet's line, then whatever resolving the id gives now, for this reader and these facts."""
    return _resolved(asking, None)


def summary_only(asking: Asking) -> Given:
    """The statement of the reminder is the answer; nothing is looked up, and nobody asks who reads."""
    statement = asking.transcript.statement(asking.id)
    return Given(statement, (), statement or "")


def whole_transcript(asking: Asking) -> Given:
    """Every page, quote and statement stays in the context; what the id meant is answered from there."""
    transcript = asking.transcript
    statement = transcript.statements.get(asking.id)
    return Given(statement, transcript.quotes_of(asking.id), transcript.whole())


def latest_text(asking: Asking) -> Given:
    """The newest revision of each source under the id is read again, and what it still says is shown."""
    text = asking.transcript.newest_pages(asking.id)
    still = tuple(quote for quote in asking.transcript.quotes_of(asking.id) if quote in text)
    return Given(None, still, text)


def stale_ids(asking: Asking) -> Given:
    """The id is resolved as of the time of its packet, and that verdict is kept."""
    packed = asking.transcript.packed.get(asking.id)
    return _resolved(asking, packed) if packed is not None else Given()


def digest_only(asking: Asking) -> Given:
    """It is shown as long as the bytes quoted and the page that they are from are unchanged."""
    inside, transcript = asking.inside, asking.transcript
    leaves = transcript.leaves.get(asking.id, ())
    if not leaves or not all(_unchanged(inside, leaf) for leaf in leaves):
        return Given(None, (), asking.line)
    statement, quotes = transcript.statements.get(asking.id), transcript.quotes_of(asking.id)
    return Given(statement, quotes, asking.line + _text(statement, quotes))


def _unchanged(inside: Inside, evidence: Node) -> bool:
    try:
        inside.data(evidence, "quote")
        inside.data(inside.read(evidence).evidence[evidence].record.revision, "content")
    except (ProvLedgerError, KeyError):
        return False
    return True


def _resolved(asking: Asking, as_of: str | None) -> Given:
    (slot,) = asking.ledger.resolve(
        [asking.id],
        principal=asking.who,
        purpose=asking.purpose,
        facts=asking.demand.facts,
        as_of=as_of,
        min_authority=asking.demand.min_authority,
        max_age=asking.demand.max_age,
        thread=asking.thread if as_of is None else None,
    )
    statement, quotes = _shown(slot)
    return Given(statement, quotes, asking.line + _text(statement, quotes))


def _shown(slot: Slot) -> tuple[str | None, tuple[str, ...]]:
    return slot.statement, tuple(dict.fromkeys(citation.quote for citation in slot.quotes))


def _text(statement: str | None, quotes: tuple[str, ...]) -> str:
    return "\n".join(["", *([statement] if statement else []), *quotes])


def whole_decision(asking: Asking) -> Given:
    """The ledger's decision by the copy that the ablations are made from: with nothing off."""
    return _judged(asking, Judge(asking.world, asking.asked))


def without(check: str) -> Policy:
    """The ledger's decision with one check off."""
    return lambda asking: _judged(asking, ABLATIONS[check](asking.world, asking.asked))


def _judged(asking: Asking, judge: Judge) -> Given:
    given = _decided(asking.inside, judge, asking.id)
    return Given(*given, asking.line + _text(*given))


def _decided(inside: Inside, judge: Judge, id: Node) -> tuple[str | None, tuple[str, ...]]:
    decision = judge.decide(id)
    if decision.verdict != "citable":
        return None, ()
    quotes = [Quote.from_bytes(inside.data(leaf, "quote")).exact for leaf in decision.citations]
    owner = statement_owner(judge.world, id)
    statement = inside.text(owner, "statement") if decision.words else None
    return statement, tuple(dict.fromkeys(quotes))


def packet_line(inside: Inside, own: Transcript, id: Node, world: World, asked: Asked) -> str:
    """The packet that a context carries for one id, as far as its reader may read it."""
    judge = Judge(world, asked)
    leaves = [x for x in own.leaves.get(id, ()) if judge.evidence(x).verdict != "withheld"]
    titles = []
    for source in dict.fromkeys(own.sources[leaf] for leaf in leaves):
        history = world.sources[source]
        titles.append(inside.text(history.titles[-1].node if history.titles else source, "title"))
    scope = describe_scope(judge.scope(leaves[0])) if leaves else ""
    statement = own.statement(id) if leaves else None
    return render_packet("", [PacketLine(id, statement, tuple(titles), scope)], _ROOM)


#: What each policy does, for its readers; in the order of the table.
ABOUT: Mapping[str, str] = {
    "ledger": "the packet's line, and whatever resolving the id shows now, to this reader, for these facts",
    "summary only": "the statement of the reminder answers: nothing is looked up, nobody asks who reads",
    "whole transcript": "every page, quote and statement ever captured stays in the context, and answers",
    "latest text": "the newest revision of each source under the id is read, what it still holds is shown",
    "stale ids": "the id is resolved as of the time of its packet (else of its making), and that is kept",
    "digest only": "shown as long as the bytes quoted, and the page that they are from, are unchanged",
    "without CHECK": f"the ledger's decision with one check off: {', '.join(ABLATIONS)}",
}
#: In the order of the table.
POLICIES: Mapping[str, Policy] = {
    "ledger": ledger,
    "summary only": summary_only,
    "whole transcript": whole_transcript,
    "latest text": latest_text,
    "stale ids": stale_ids,
    "digest only": digest_only,
    **{f"without {check}": without(check) for check in ABLATIONS},
}
