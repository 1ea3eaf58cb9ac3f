"""What an agent without a ledger would still have: every text that a scenario let it capture or write.

Kept outside the ledger and as first seen, so nothing that the ledger later withholds goes missing here.
"""

from dataclasses import dataclass, field

from prov_ledger.checks.candidates import leaves_of
from prov_ledger.checks.quotes import Quote
from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.ledger.resolving import statement_owner
from prov_ledger.model.records import Node
from prov_ledger.model.times import format_instant
from prov_ledger.scenarios.compare_decisions import Inside
from prov_ledger.scenarios.scenario import Step
from prov_ledger.scenarios.world import World


@dataclass(slots=True)
class Transcript:
    """One tenant's: statements by claim, quotes by evidence, pages by revision, what rests on which evidence.

    ``packed`` is the time up to which an id was last put into a packet, else when it was made.
    """

    statements: dict[Node, str] = field(default_factory=dict)
    reminded: dict[Node, str] = field(default_factory=dict)
    packed: dict[Node, str] = field(default_factory=dict)
    quotes: dict[Node, str] = field(default_factory=dict)
    leaves: dict[Node, tuple[Node, ...]] = field(default_factory=dict)
    sources: dict[Node, Node] = field(default_factory=dict)
    pages: dict[Node, str] = field(default_factory=dict)
    newest: dict[Node, Node] = field(default_factory=dict)

    def statement(self, id: Node) -> str | None:
        """What a reminder says of a claim, or the claim where it was never reminded of; None for others."""
        return self.reminded.get(id) or self.statements.get(id)

    def quotes_of(self, id: Node) -> tuple[str, ...]:
        """The quotes that an id rests on, each once."""
        return tuple(dict.fromkeys(self.quotes[leaf] for leaf in self.leaves.get(id, ())))

    def whole(self) -> str:
        """Everything that was ever captured or written, in order."""
        return "\n".join([*self.pages.values(), *self.quotes.values(), *self.statements.values()])

    def newest_pages(self, id: Node) -> str:
        """The newest text of each source under an id."""
        found = dict.fromkeys(self.sources[leaf] for leaf in self.leaves.get(id, ()))
        return "\n".join(self.pages[self.newest[source]] for source in found)


class Memory:
    """Remembers after every step what it brought, for each tenant."""

    def __init__(self) -> None:
        self._of: dict[str, Transcript] = {}

    def of(self, tenant: str) -> Transcript:
        """The transcript of a tenant."""
        return self._of.setdefault(tenant, Transcript())

    def take(self, world: World, step: Step) -> None:
        """Remember what a step made: by its handle, or by those that it named for what it made."""
        tenant = step.find_text("tenant") or world.scenario.tenant
        transcript = self.of(tenant)
        if step.do == "remind":
            self._remind(world, step, transcript)
            return
        new = [id for id in world.made(step) if id not in transcript.leaves and id not in transcript.pages]
        ledger = world.ledger(step)
        for id in new:
            if id.startswith("rev_"):
                _take_page(transcript, ledger, id)
            elif id.startswith(("cl_", "ev_")):
                _take_words(transcript, ledger, id)
                transcript.packed[id] = format_instant(world.now)
        if step.do == "restate":
            transcript.statements[world.id_of(step.text("claim"))] = step.text("says")

    @staticmethod
    def _remind(world: World, step: Step, transcript: Transcript) -> None:
        for id in world.ids_of(step.texts("claims")):
            if id in transcript.statements:
                transcript.reminded[id] = transcript.statements[id]
                transcript.packed[id] = format_instant(world.now)


def _take_page(transcript: Transcript, ledger: Ledger, revision: Node) -> None:
    inside = Inside(ledger)
    record = inside.revision(revision)
    transcript.pages[revision] = inside.data(revision, "content").decode(errors="replace")
    before = transcript.newest.get(record.source)
    if before is None or inside.revision(before).published <= record.published:
        transcript.newest[record.source] = revision


def _take_words(transcript: Transcript, ledger: Ledger, id: Node) -> None:
    inside = Inside(ledger)
    world = inside.read(id)
    if id in world.claims:
        transcript.statements[id] = inside.text(statement_owner(world, id), "statement")
    transcript.leaves[id] = tuple(
        leaf for leaf in leaves_of(world, id) if _take_quote(transcript, inside, leaf)
    )
    for leaf in transcript.leaves[id]:
        transcript.sources[leaf] = world.source_of[world.evidence[leaf].record.revision]


def _take_quote(transcript: Transcript, inside: Inside, evidence: Node) -> bool:
    """Keep a quote; one that cannot be read any more was never in this transcript."""
    if evidence not in transcript.quotes:
        try:
            transcript.quotes[evidence] = Quote.from_bytes(inside.data(evidence, "quote")).exact
        except ProvLedgerError:
            return False
    return True
