"""Reminder packets: recorded once, rendered anew for whoever reads them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prov_ledger.checks.candidates import leaves_of
from prov_ledger.checks.packet import (
    PacketLine,
    TokenCounter,
    count_tokens,
    describe_scope,
    render_packet,
    smallest_budget,
)
from prov_ledger.checks.verdict import Judge
from prov_ledger.errors import Refused
from prov_ledger.ledger.resolving import statement_owner
from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.tenant import Work
from prov_ledger.ledger.threads import Threads
from prov_ledger.model import records as r
from prov_ledger.model.ids import mint_id, parse_id
from prov_ledger.model.records import Node
from prov_ledger.model.scopes import Scope, intersect
from prov_ledger.model.world import World

_LARGEST_BUDGET = 100_000
#: A line that has a label: the template begins it, and no statement or title holds a line break.
_LABELLED = re.compile(r"^\[c\d+\] (cl_[0-9a-z]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet as rendered for one reader now; ``tokens`` by the counter that was used.

    ``labels`` are the claims of its lines: the first is ``[c1]`` in this reader's answers.
    ``thread`` names the conversation that it was made for.
    """

    id: Node
    text: str
    tokens: int
    labels: tuple[Node, ...] = ()
    thread: Node | None = None


class Reminders:
    """The verb ``remind`` and the rendering of packets."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant

    def remind(
        self,
        work: Work,
        acting: Acting,
        claims: Sequence[str],
        budget: int,
        thread: str | None,
        readers: Sequence[str] = (),
        count: TokenCounter = count_tokens,
    ) -> Node:
        """Record a packet of claims, in order, for a thread where one is named.

        Raises Refused ``unknown_id`` for a thread that the agent neither owns nor reads; ``bad_input``
        for a budget in which no packet fits.
        """
        ids, world = self.session.require(acting, claims)
        if not ids:
            raise Refused("incomplete", "a reminder needs at least one claim")
        for id in ids:
            if id not in world.claims:
                raise Refused("bad_input", f"{id} is no claim: a reminder holds claims")
        if not 1 <= budget <= _LARGEST_BUDGET:
            raise Refused("bad_input", f"a budget is 1 to {_LARGEST_BUDGET} tokens")
        reminder = mint_id("rem")
        needed = smallest_budget(reminder, count)
        if budget < needed:
            raise Refused("bad_input", f"no packet fits in {budget} tokens: the smallest needs {needed}")
        agent = acting.agent or ""
        home = self._thread(work, acting, thread, readers) if thread is not None else None
        draft = work.draft("remind")
        id = draft.entity(reminder)
        unique = tuple(dict.fromkeys(ids))
        draft.records.append(r.ReminderRecord(id, unique, budget, agent, self.tenant.now(), home))
        draft.about += [f"{claim}#reminders" for claim in unique]
        if home is not None:
            draft.about.append(home)
        work.append(draft, agent)
        return id

    def _thread(self, work: Work, acting: Acting, name: str, readers: Sequence[str]) -> Node:
        if not name.strip():
            raise Refused("bad_input", "the name of a thread is empty: give its conversation id")
        if self.session.find_name("thread", name) is not None:
            return self._joined(acting, name, readers)
        agent = acting.agent or ""
        known = frozenset(self.session.agent(work, reader) for reader in readers)
        draft = work.draft("thread")
        id = draft.entity(f"{draft.id}#thread")
        draft.records.append(r.ThreadRecord(id, draft.seal(id, "name", name), agent, known))
        draft.name("thread", name, id)
        work.append(draft, agent)
        return id

    def _joined(self, acting: Acting, name: str, readers: Sequence[str]) -> Node:
        """A thread that is there already, for those who take part in it; they let nobody else in."""
        record = Threads(self.session).require(acting, name)
        if acting.agent != record.owner and not self.session.is_curator(acting.agent):
            known = {self.session.find_name("agent", reader) for reader in readers}
            if not known <= {record.owner, *record.readers}:
                raise Refused("denied", "only the owner of a thread or a curator names further readers of it")
        return record.id

    def packet(self, acting: Acting, reminder: str, count: TokenCounter = count_tokens) -> Packet:
        """Render a packet for a reader now: what is withheld from them is not in it, and not counted."""
        id = parse_id(reminder)
        record = self._reminder(id)
        world = self.tenant.state.reader.read(record.claims)
        judge = self.session.judge(acting, world)
        shown = [claim for claim in record.claims if judge.decide(claim).verdict != "withheld"]
        text = render_packet(id, [self._line(judge, claim) for claim in shown], record.budget, count)
        labels = tuple(_LABELLED.findall(text))
        return Packet(id, text, count(text), labels, record.thread)

    def _reminder(self, id: Node) -> r.ReminderRecord:
        entry = self.tenant.state.entry_of(id) if id.startswith("rem_") else None
        for stated in entry.statements if entry is not None else ():
            if isinstance(stated.record, r.ReminderRecord) and stated.record.id == id:
                return stated.record
        raise unknown(id)

    def _line(self, judge: Judge, claim: Node) -> PacketLine:
        world = judge.world
        titles, sensitive = [], False
        for source in self._sources(judge, claim):
            history = world.sources[source]
            owner = history.titles[-1].node if history.titles else source
            titles.append(self.sources.text(owner, "title"))
            sensitive = sensitive or bool(history.collection and history.collection.sensitive)
        told = judge.words(claim) and not sensitive
        statement = self.sources.text(statement_owner(world, claim), "statement") if told else None
        status = _STATUS.get(judge.decide(claim).verdict, "unverified until resolved")
        return PacketLine(claim, statement, tuple(dict.fromkeys(titles)), self._scope(judge, claim), status)

    def _sources(self, judge: Judge, claim: Node) -> list[Node]:
        world: World = judge.world
        shown = (leaf for leaf in leaves_of(world, claim) if judge.is_readable(leaf))
        return list(dict.fromkeys(world.source_of[world.evidence[leaf].record.revision] for leaf in shown))

    def _scope(self, judge: Judge, claim: Node) -> str:
        """The scope of the first justification that the reader may see."""
        record = judge.world.claims[claim].record
        readable = [
            members
            for members in record.justifications
            if all(judge.decide(member).verdict != "withheld" for member in members)
        ]
        scope = record.narrow or Scope()
        for leaf in (leaf for members in readable[:1] for m in members for leaf in leaves_of(judge.world, m)):
            if judge.evidence(leaf).verdict == "withheld":
                continue
            try:
                scope = intersect(scope, judge.scope(leaf), judge.world.table)
            except Refused:
                return "no common scope any more"
        return describe_scope(scope)


#: A packet may lower a status; it never raises one.
_STATUS: dict[str, str] = {
    "retracted": "retracted",
    "superseded": "superseded",
    "undercut": "undercut",
    "outdated": "outdated",
}
