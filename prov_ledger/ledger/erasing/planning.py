"""From what an officer asks for to all that goes with it: the plan, and what its run needs beside it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from prov_ledger.errors import Refused
from prov_ledger.ledger.erasing.copies import Copies
from prov_ledger.ledger.erasing.deriving import derive
from prov_ledger.ledger.erasing.gaps import Gaps, Redacted
from prov_ledger.ledger.erasing.manifest import Copy, Derived, Kept, Manifest, Text
from prov_ledger.ledger.erasing.reach import Held, Key, Reach, about_sources, reasons_about
from prov_ledger.ledger.session import unknown
from prov_ledger.ledger.tenant import Tenant
from prov_ledger.model import records as r
from prov_ledger.model.ids import parse_id
from prov_ledger.model.records import ErasureCause, Node
from prov_ledger.model.world import SourceHistory
from prov_ledger.rdf.supports import Supported

_ERASABLE = ("src_", "rev_", "ev_", "cl_", "agt_", "grp_", "col_", "pur_", "era_")
#: A thread has no id of its own: it is what its entry began.
_THREAD = "#thread"


@dataclass(frozen=True, slots=True)
class Plan:
    """A manifest with what its run needs: the redacted copies, and the sources that a hold may cover."""

    manifest: Manifest
    redacted: tuple[Redacted, ...]
    held: Held
    touched: tuple[Node, ...]


class Planning:
    """Makes plans from what the journal holds now."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.reach, self.gaps = Reach(tenant), Gaps(tenant)

    def require(self, ids: Sequence[str]) -> list[Node]:
        """Ids of what may be erased, whoever may read it. Raises Refused ``malformed_id``, ``unknown_id``,
        ``incomplete``, ``bad_input``.
        """
        if not ids:
            raise Refused("incomplete", "nothing is named to be erased: give the ids")
        parsed = [self._parsed(id) for id in ids]
        for id in parsed:
            if self.tenant.state.removals.is_erased(id) or self.tenant.journal.kind_of(id) is None:
                raise unknown(id)
            if not id.startswith(_ERASABLE) and not id.endswith(_THREAD):
                raise Refused(
                    "bad_input",
                    f"{id}: sources, revisions, evidence, claims, and names, of threads and of "
                    "erasures' subjects too, can be erased",
                )
        return list(dict.fromkeys(parsed))

    def _parsed(self, text: str) -> Node:
        """An id as it is kept; of an entry that began a thread, the thread's, with its mark or without."""
        id = parse_id(text.removesuffix(_THREAD))
        began = id.startswith("ent_") and self.tenant.journal.kind_of(id + _THREAD) is not None
        if text.endswith(_THREAD) and not began:
            raise unknown(text)
        return id + _THREAD if began else id

    def plan(self, targets: Sequence[Node], cause: ErasureCause) -> Plan:
        """The plan for targets that were looked up. Raises Refused ``bad_input`` where a span cannot be
        taken out of the bytes that hold it.
        """
        held = self._held(targets)
        return self._planned(held, targets, tuple(self._redacted(held, targets)), cause)

    def told(self, plan: Plan) -> Manifest:
        """The manifest with what is held, where else the same text stays, and who was shown what goes: all
        is read.
        """
        manifest = plan.manifest
        shown = self._shown_to({*manifest.goes, *(x.claim for x in manifest.derived)})
        copies = self._copies(plan.held, plan.redacted)
        held = tuple(source for source in plan.touched if self._is_held(source))
        return replace(manifest, copies=tuple(copies), shown_to=tuple(shown), held=held)

    def _is_held(self, source: Node) -> bool:
        state = self.tenant.state
        return state.removals.held(source, state.reader.collection_of(source))

    def account(self, targets: Sequence[Node]) -> Plan:
        """As ``plan``, of what is held and stays: no span is taken out of anything."""
        return self._planned(self._held(targets), targets, (), "request")

    def texts_of(self, targets: Sequence[Node]) -> frozenset[Key]:
        """The sealed texts that an erasure of the targets takes: theirs, and words that had them before."""
        if not targets:
            return frozenset()
        held = self._held(targets)
        return frozenset(self._texts(held, *self._derived(held)))

    def _planned(
        self, held: Held, targets: Sequence[Node], redacted: tuple[Redacted, ...], cause: ErasureCause
    ) -> Plan:
        derived, nodes = self._derived(held)
        texts = self._texts(held, derived, nodes)
        affected = {x.claim for x in derived}
        reminders = self.reach.reminders_of(affected)
        manifest = Manifest(
            tuple(sorted(targets)),
            tuple(sorted(held.all())),
            tuple(Text(*key) for key in texts),
            tuple(derived),
            tuple(x.gap for x in redacted),
            tuple(sorted({x.id for x in reminders})),
            tuple(sorted({x.thread for x in reminders if x.thread is not None})),
            tuple(self._backups()),
            tuple(self._exports(set(held.all()) | affected)),
            cause,
            self.tenant.now(),
        )
        return Plan(manifest, redacted, held, tuple(self._touched(held)))

    # what goes

    def _held(self, targets: Sequence[Node]) -> Held:
        held, reader = Held(), self.tenant.state.reader
        for id in targets:
            held.add(id)
        erased = self.tenant.state.removals.is_erased
        for source in held.sources:
            history = self._history(source)
            for x in history.revisions if history is not None else ():
                if not erased(x.record.id):
                    held.add(x.record.id)
        sources = dict.fromkeys(reader.source_of(revision) or "" for revision in held.revisions)
        for id in self.reach.evidence_of(list(sources), set(held.revisions)):
            held.add(id)
        return held

    def _history(self, source: Node) -> SourceHistory | None:
        return self.tenant.state.reader.history(source)

    def _redacted(self, held: Held, targets: Sequence[Node]) -> Iterator[Redacted]:
        """The revisions that stay and lose a span; the evidence that overlaps it goes too."""
        found = self.tenant.state.reader.read(held.evidence).evidence
        by_revision: dict[Node, list[Node]] = {}
        for id in targets:
            if id in found and found[id].record.revision not in held.revisions:
                by_revision.setdefault(found[id].record.revision, []).append(id)
        for revision, ids in sorted(by_revision.items()):
            source = self.tenant.state.reader.source_of(revision) or ""
            redacted = self.gaps.of(revision, sorted(ids), self.reach.evidence_of([source], {revision}))
            if redacted is not None:
                for id in redacted.taken:
                    held.add(id)
                yield redacted

    def _derived(self, held: Held) -> tuple[list[Derived], list[Node]]:
        """What becomes of claims, and the statements that hold other words about them."""
        gone = {*held.evidence, *held.claims}
        claims = self.reach.claims_on(gone)
        stated = self.reach.about([claim.id for claim in claims])
        restatements: dict[Node, list[r.RestatementRecord]] = {}
        for x in stated:
            if isinstance(x.record, r.RestatementRecord):
                restatements.setdefault(x.record.claim, []).append(x.record)
        derived = derive(claims, restatements, gone, self._withdrawn(claims))
        speechless = {x.claim for x in derived if x.claim in x.words}
        return derived, list(reasons_about(stated, speechless))

    def _withdrawn(self, claims: Sequence[Supported]) -> Collection[Node]:
        """The claims under these that were retracted or superseded."""
        members = {m for x in claims for group in x.justifications for m in group if m.startswith("cl_")}
        world = self.tenant.state.reader.read(sorted(members))
        return {*world.retracted, *world.superseded_by}

    def _texts(self, held: Held, derived: Sequence[Derived], reasons: Sequence[Node]) -> list[Key]:
        whole = [*held.all(), *(x.claim for x in derived if x.outcome == "erased" and x.words)]
        kept = {x.claim for x in derived if x.claim in x.words} - set(whole)
        stated = self.reach.about([*held.sources, *held.revisions, *held.evidence])
        restated = [node for x in derived for node in x.words if "#" in node]
        keys = self.reach.texts_below(whole)
        keys += self.reach.words_of(kept)
        keys += self.reach.texts_of_statements([*about_sources(stated), *restated, *reasons])
        return sorted(set(keys))

    # what it touches, and what stays

    def _touched(self, held: Held) -> Iterator[Node]:
        """The sources that any of it is of: a hold on one of them forbids all of it."""
        reader = self.tenant.state.reader
        world = reader.read([*held.evidence, *held.claims])
        revisions = {reader.source_of(revision) for revision in held.revisions}
        found = {*held.sources, *world.source_of.values(), *(x for x in revisions if x is not None)}
        yield from sorted(found)

    def _backups(self) -> Iterator[Kept]:
        for entry in self.tenant.state.entries_of("backup"):
            for x in (stated.record for stated in entry.statements):
                if isinstance(x, r.BackupRecord):
                    yield Kept(x.id, x.at, x.epoch)

    def _exports(self, ids: Collection[Node]) -> Iterator[Kept]:
        """The exports that hold any of it; one that does not list what it holds may hold all of it."""
        for entry in self.tenant.state.entries_of("export"):
            for x in (stated.record for stated in entry.statements):
                if isinstance(x, r.ExportRecord) and (not x.items or not x.items.isdisjoint(ids)):
                    yield Kept(x.id, x.at)

    def _copies(self, held: Held, redacted: Sequence[Redacted]) -> list[Copy]:
        gapped = {x.revision: x.after for x in redacted}
        texts = {text for x in redacted for text in x.erased}
        return Copies(self.tenant).of([*held.revisions, *gapped], texts, held.revisions, gapped)

    def _shown_to(self, ids: Collection[Node]) -> Iterator[tuple[Node | None, int]]:
        """Who was shown any of it, and on how many occasions."""
        times: dict[Node | None, set[object]] = {}
        for shown in self.tenant.disclosures.shown_of(ids):
            times.setdefault(shown.occasion.reader, set()).add((shown.occasion.at, shown.occasion.sequence))
        yield from sorted(((who, len(at)) for who, at in times.items()), key=lambda x: (-x[1], x[0] or ""))
