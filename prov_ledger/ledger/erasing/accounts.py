"""What is held about a subject: everything, opened, for whoever has to answer a request of access."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from prov_ledger.checks.documents import text_of
from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.erasing.manifest import Derived, Kept
from prov_ledger.ledger.erasing.planning import Plan, Planning
from prov_ledger.ledger.erasing.subjects import statement_of, subjects_of
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.records import Node
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.vault.port import SealedPayload


@dataclass(frozen=True, slots=True)
class HeldText:
    """A text as it is kept; of bytes that have no text, how many there are."""

    owner: Node
    field: str
    text: str

    def lines(self) -> Iterator[str]:
        """The text for a person, each of its lines below the field's name."""
        first, *more = self.text.splitlines() or [""]
        yield f"    {self.field}: {first}"
        yield from (f"      {line}" for line in more)


@dataclass(frozen=True, slots=True)
class HeldThing:
    """Something that is kept: what it is, since when, recorded by whom."""

    id: Node
    kind: str
    recorded: datetime
    by: Node


@dataclass(frozen=True, slots=True)
class ShownOnce:
    """That something of it was shown: to whom, when, for what."""

    id: Node
    reader: Node | None
    at: datetime
    purpose: Node | None


@dataclass(frozen=True, slots=True)
class Account:
    """All that is held about some ids. ``derived`` are the claims that rest on them or had them before
    them; their words are among the texts.
    """

    things: tuple[HeldThing, ...]
    texts: tuple[HeldText, ...]
    derived: tuple[Derived, ...]
    reminders: tuple[Node, ...]
    threads: tuple[Node, ...]
    shown: tuple[ShownOnce, ...]
    backups: tuple[Kept, ...]
    exports: tuple[Kept, ...]

    def lines(self) -> Iterator[str]:
        """The account for a person."""
        for thing in self.things:
            yield _line(thing.kind, f"{thing.id} of {thing.recorded:%Y-%m-%d}")
            yield f"    recorded by {thing.by}"
            for text in self.texts:
                if thing.id in (text.owner, text.owner.partition("#")[0]):
                    yield from text.lines()
        known = {thing.id for thing in self.things}
        for text in self.texts:
            if known.isdisjoint((text.owner, text.owner.partition("#")[0])):
                yield _line("statement", text.owner)
                yield from text.lines()
        yield from (_line("reminder", id) for id in self.reminders)
        yield from (_line("thread", id) for id in self.threads)
        for shown in self.shown:
            yield _line("shown", f"{shown.id} on {shown.at:%Y-%m-%d %H:%M}")
            yield f"    to {shown.reader or 'nobody known'}"
        for what, kept in (("backup", self.backups), ("export", self.exports)):
            yield from (_line(what, f"{x.id} of {x.at:%Y-%m-%d}") for x in kept)


def _line(kind: str, rest: str) -> str:
    return f"{kind:<11}{rest}"


@dataclass(frozen=True, slots=True)
class Mention:
    """That a sealed text holds what was looked for: of which node, in which field, about which id."""

    id: Node
    owner: Node
    field: str


class Accounts:
    """Accounts for one tenant; who may have them was decided before."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant, self.planning = tenant, Planning(tenant)

    def account(self, ids: Sequence[Node]) -> Account:
        """All that is held about ids that were looked up, with what derives from them."""
        plan = self.planning.account(ids)
        manifest = plan.manifest
        things = sorted({*manifest.goes, *(x.claim for x in manifest.derived)}, key=_rank)
        return Account(
            tuple(x for id in things if (x := self._thing(id)) is not None),
            tuple(self._texts(plan)),
            manifest.derived,
            manifest.reminders,
            manifest.threads,
            tuple(self._shown(things)),
            manifest.backups,
            manifest.exports,
        )

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Every sealed text that holds a text, letter for letter, in whatever case; all are opened."""
        wanted = text.casefold()
        found = []
        for sequence, payload in self.tenant.journal.sealed():
            data = self._data(payload)
            if data is not None and wanted in self._text(payload, data).casefold():
                id = self._subject(sequence, payload.owner)
                found.append(Mention(id, payload.owner, payload.field))
        return tuple(found)

    def _subject(self, sequence: int, owner: Node) -> Node:
        """What a text is about: its owner's id, or what the statement that it stands in is about."""
        id = owner.partition("#")[0]
        entry = self.tenant.journal.entry(sequence) if id.startswith("ent_") else None
        if entry is None or not entry.leaf:
            return id
        stated = {x.node: x.record for x in decode_entry(entry.leaf, self.tenant.base).statements}
        record = stated.get(owner, stated.get(statement_of(owner)))
        return next(iter(subjects_of(record)), id) if record is not None else id

    def _thing(self, id: Node) -> HeldThing | None:
        kind, entry = self.tenant.journal.kind_of(id), self.tenant.state.entry_of(id)
        if entry is None:
            return None
        return HeldThing(id, _KINDS.get(kind or "", kind or ""), entry.recorded, entry.agent)

    def _texts(self, plan: Plan) -> Iterator[HeldText]:
        lost = self.planning.texts_of(self._gone(plan))
        keys = [key for x in plan.manifest.texts if (key := (x.owner, x.field)) not in lost]
        payloads = self.tenant.journal.payloads(keys)
        for key in keys:
            data = self._data(payloads[key]) if key in payloads else None
            if data is None:
                continue
            if key[1] == "quote":
                parts = json.loads(data)
                yield from (HeldText(key[0], name, _joined(part)) for name, part in parts.items())
            else:
                yield HeldText(*key, self._text(payloads[key], data))

    def _gone(self, plan: Plan) -> list[Node]:
        """What of it, and of what its claims' writers had before them, is gone already or waits for the
        sweep; a hold keeps what expired.
        """
        reader, removals = self.tenant.state.reader, self.tenant.state.removals
        claims = [*plan.held.claims, *(x.claim for x in plan.manifest.derived)]
        stated = (x.record for x in self.planning.reach.about(claims))
        restated = [id for x in stated if isinstance(x, r.RestatementRecord) for id in x.exposure]
        world = reader.read([*plan.held.evidence, *claims, *restated])
        before = {*restated, *(id for x in world.claims.values() for id in x.record.exposure)}
        gone = {id for id in before | world.evidence.keys() | world.claims.keys() if removals.is_erased(id)}
        for source in {*plan.touched, *world.source_of.values()}:
            history = reader.history(source)
            if history is not None:
                lost = removals.gone_of(history, self.tenant.now())
                kept = removals.held(source, history.source.record.collection)
                gone |= {id for id in lost if not kept or removals.is_erased(id)}
        return sorted(gone)

    def _data(self, payload: SealedPayload) -> bytes | None:
        try:
            return self.tenant.sealer.open(payload)
        except Corrupt:
            return None

    def _text(self, payload: SealedPayload, data: bytes) -> str:
        if payload.field != "content":
            return data.decode("utf-8", "replace")
        recorded = self.tenant.state.reader.revision(payload.owner)
        media_type = recorded.record.media_type if recorded is not None else "application/octet-stream"
        try:
            return text_of(data, media_type)
        except Refused:
            return f"({len(data)} bytes of {media_type})"

    def _shown(self, ids: Sequence[Node]) -> Iterator[ShownOnce]:
        wanted = set(ids)
        for x in self.tenant.disclosures.shown_of(wanted):
            touched = [id for id in (x.disclosed.id, *x.disclosed.evidence) if id in wanted]
            yield from (
                ShownOnce(id, x.occasion.reader, x.occasion.at, x.occasion.purpose)
                for id in dict.fromkeys(touched)
            )


def _rank(id: Node) -> tuple[int, Node]:
    return _ORDER.index(id.partition("_")[0]), id


def _joined(part: object) -> str:
    """A part of a quote: a text, or a list of texts or of pairs of them."""
    if isinstance(part, list):
        return ", ".join(" = ".join(x) if isinstance(x, list) else str(x) for x in part)
    return str(part)


_KINDS = {
    "src": "source",
    "rev": "revision",
    "ev": "evidence",
    "cl": "claim",
    "agt": "agent",
    "grp": "group",
    "col": "collection",
    "pur": "purpose",
    "ent": "thread",
    "era": "erasure",
}
_ORDER = tuple(_KINDS)
