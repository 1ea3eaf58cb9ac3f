"""One tenant's open files, and the one way anything gets into them."""

import os
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.checks.skeletons import Likeness, find_likeness
from prov_ledger.checks.templates import Templates
from prov_ledger.errors import ClockWentBack, Corrupt, Refused, ShapeViolation, StorageError
from prov_ledger.ledger.draft import Draft
from prov_ledger.ledger.graph import GraphFactory, graph_of
from prov_ledger.ledger.hop import Hop
from prov_ledger.ledger.layout import tenant_folder
from prov_ledger.ledger.state import DecodedEntries, State
from prov_ledger.model import records as r
from prov_ledger.model.times import format_instant
from prov_ledger.rdf.encode import encode_triples, write_leaf
from prov_ledger.vault.append import SqliteTransaction
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.database import BUSY_TIMEOUT_MS
from prov_ledger.vault.denials import Denial, Denials
from prov_ledger.vault.disclosures import Disclosures
from prov_ledger.vault.journal import SqliteJournal
from prov_ledger.vault.keys import KeyProvider
from prov_ledger.vault.opened import Opened, OpenedTexts, open_those_that_open
from prov_ledger.vault.removing import Removing
from prov_ledger.vault.sealing import Sealer
from prov_ledger.vault.tickets import TicketStore

Clock = Callable[[], datetime]
#: Files in a tenant's folder that say that it moved out, or is being removed: it answers no more.
MOVED, REMOVING = "moved", "removing"
#: How far back a clock may step before a write is refused: corrections by a time service are smaller.
CLOCK_TOLERANCE = timedelta(minutes=5)
#: Kinds of entries that may take something away.
DENYING_KINDS = (
    *("revoke", "member", "retract", "supersede", "reaffirm", "deny", "allow", "erase"),
    *("hold", "release", "retention", "agent"),
)


def system_clock() -> datetime:
    """This instant, in UTC."""
    return datetime.now(UTC)


class Tenant:
    """The journal, keys, denials, graph and state of one tenant; owns them until ``close``."""

    def __init__(
        self,
        ledger: Path,
        name: str,
        keys: KeyProvider,
        clock: Clock,
        graph: GraphFactory | None = None,
        records_disclosures: bool = True,
        restoring: bool = False,
        closed: bool = False,
    ) -> None:
        folder = tenant_folder(ledger, name)
        self.ledger, self.name, self.clock = ledger, name, clock
        self._moved, self._removing = str(folder / MOVED), str(folder / REMOVING)
        self._may_be_closed = closed
        self._refuse_closed()
        with ExitStack() as opened:
            self.journal = opened.enter_context(closing(SqliteJournal.open(folder)))
            self.tickets = opened.enter_context(closing(TicketStore.open(folder, keys)))
            self.denials = opened.enter_context(closing(Denials.open(folder)))
            self.sealer = Sealer(self.tickets, self.journal.cover_generation)
            self.opened = OpenedTexts(self.journal, self.tickets, self.sealer)
            self.base = self.journal.meta("base") or ""
            self.hop = Hop(self.base)
            self.graph = graph_of(ledger, name, self.base, self.journal, self.is_writing, graph)
            self.reading = State(self.journal, self.base)
            #: Held by a verb that reads: the reading state is one for all threads.
            self.lock = threading.RLock()
            self._begun = threading.local()
            self._writing = State(self.journal, self.base)
            self.records_disclosures = records_disclosures
            self._disclosures: Disclosures | None = None
            self._turn = threading.Lock()
            self._work: Work | None = None
            self._writer: int | None = None
            self._validator: EntryValidator | None = None
            self._templates: Templates | None = None
            if not restoring:
                self._refuse_older()
            self.complete_denials()
            for file in (self.journal, self.tickets, self.denials):
                file.scrub_if_due()
            opened.pop_all()

    def _refuse_closed(self) -> None:
        """Raise Refused ``not_found`` where the tenant moved out, or is being removed."""
        # Asked at every write, so by a call that raises nothing inside where there is none.
        if not self._may_be_closed and os.access(self._moved, os.F_OK):
            raise Refused(
                "not_found",
                f"tenant '{self.name}' moved out of here: open it where it is now, or reopen it here",
            )
        if os.access(self._removing, os.F_OK):
            raise Refused("not_found", f"tenant '{self.name}' is being removed: remove it again to finish")

    def _refuse_older(self) -> None:
        """Raise Corrupt when the journal is older than its list of denials, or than its keys.

        What was taken away since would be given out again.
        """
        last, size = self.denials.last_sequence(), self.journal.size()
        if last > size or not self._covered():
            raise Corrupt(
                f"tenant '{self.name}': its denials know of entry {last}, its journal ends at {size}, or is "
                "older than its keys: an older ledger.sqlite was put back; put the newest one back, with "
                "nothing else changed, or restore a backup into a new folder"
            )

        erasures = sum(1 for _ in self.journal.entries(kinds=("erase",)))
        if self.denials.known_erasures() < erasures:
            raise Corrupt(
                f"tenant '{self.name}': an older denials.sqlite was put back, which does not recognise what "
                "was erased since; put the newest one back, or restore a backup into a new folder"
            )
        if erasures and not self.denials.is_sealed(self.tickets.fingerprint_key):
            raise Corrupt(
                f"tenant '{self.name}': fingerprints of what was erased were removed from denials.sqlite, or "
                "changed; put the newest one back, or restore a backup into a new folder"
            )

    def _covered(self) -> bool:
        """Whether the keys still know the one over the journal's names, as any erasure replaces it."""
        # Asked twice: another process may replace it in between.
        return any(self.journal.cover_generation() in self.tickets.cover_generations() for _ in range(2))

    @property
    def validator(self) -> EntryValidator:
        """The compiled shapes; compiled at the first write."""
        if self._validator is None:
            self._validator = EntryValidator.load()
        return self._validator

    @property
    def templates(self) -> Templates:
        """The leaves of entries that are like earlier ones of this process."""
        if self._templates is None:
            self._templates = Templates(self.base, self.validator.forms)
        return self._templates

    @property
    def disclosures(self) -> Disclosures:
        """Who was shown what; opened, and created where it is not there yet, at the first use."""
        with self.lock:
            if self._disclosures is None:
                self._disclosures = Disclosures.open(tenant_folder(self.ledger, self.name))
            return self._disclosures

    @property
    def state(self) -> State:
        """The state for this thread: within a write its own, otherwise what is committed."""
        # Asked a dozen times a write, so in one step: ``is_writing``.
        if self._work is not None and self._writer == threading.get_ident():
            return self._writing
        with self.lock:
            self.reading.refresh()
        return self.reading

    @property
    def names(self) -> dict[tuple[str, str], r.Node]:
        """What names were found to stand for; read without the lock, as by an authoriser in its thread."""
        return (self._writing if self.is_writing() else self.reading).names

    def begin(self) -> None:
        """Say that this thread begins to decide what it is about to show."""
        work = self._work
        if work is not None and self.is_writing():
            self._begun.at = work.next_sequence - 1
        else:
            self._begun.at = self.journal.size()

    @property
    def begun_at(self) -> int:
        """The journal's size when this thread began: whatever it shows was decided since."""
        return getattr(self._begun, "at", 0) or self.journal.size()

    def is_writing(self) -> bool:
        """Whether this thread is within a write."""
        return self._work is not None and self._writer == threading.get_ident()

    def last_entry(self) -> tuple[int, r.Node] | None:
        """Sequence and id of the entry that this thread's write appended last; None where it did none."""
        work = self._work
        return work.last if work is not None and self.is_writing() else None

    def now(self) -> datetime:
        """The time by which all is judged: the clock, and never before the last entry was recorded.

        A clock that was set back revives nothing that had ended. Raises as ``clock_time``.
        """
        now, last = self.clock_time(), self.state.last_recorded
        return now if last is None else max(now, last)

    def clock_time(self) -> datetime:
        """The clock, in UTC. Raises Refused ``bad_input`` for a clock that does not know its zone."""
        now = self.clock()
        if now.tzinfo is None:
            raise Refused("bad_input", "the clock gives times without a zone: give it one, such as UTC")
        return now if now.tzinfo is UTC else now.astimezone(UTC)

    @contextmanager
    def writing(self, batched: bool = False) -> Iterator["Work"]:
        """The write lock: all that is appended within becomes durable together, or not at all.

        Within a write of the same thread it joins that write, so a batch is a write around writes; what
        a refused verb had appended by then is undone alone, and the batch may go on.
        """
        if self._work is not None and self.is_writing():
            with self._work.part():
                yield self._work
            return
        if not self._turn.acquire(timeout=BUSY_TIMEOUT_MS / 1000):
            raise StorageError("another thread is writing for too long: try again", code="busy")
        try:
            with self._transaction(batched) as work:
                yield work
            if work.denials:
                crash_point("denials.due")
                self.complete_denials()
        finally:
            self._turn.release()

    @contextmanager
    def _transaction(self, batched: bool) -> Iterator["Work"]:
        """The journal's write lock; after a failure nothing is remembered of what was undone."""
        try:
            with self.journal.writing() as transaction:
                self._refuse_closed()
                self._writing.refresh(transaction.size)
                self._work = Work(self, transaction, self._writing, batched)
                self._writer = threading.get_ident()
                self._writing.reader.pinned = True
                yield self._work
                crash_point("write.complete")
        except BaseException:
            self._writing.drop()
            raise
        finally:
            self._writing.reader.pinned = False
            self._work = self._writer = None

    def complete_denials(self) -> None:
        """Bring the list of denials to the journal's end: also what another process left out, killed."""
        last = self.denials.last_sequence()
        entries = DecodedEntries(self.journal, self.base).entries(last, DENYING_KINDS)
        missing = [row for entry in entries for row in denials_of(entry)]
        if missing:
            self.denials.append(missing, through=missing[-1].sequence)

    def open_texts(self, keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], Opened | None]:
        """The texts of (owner, field), None for one that is not there or does not open.

        What a write has not yet made durable is opened for this call alone.
        """
        if not self.is_writing():
            return self.opened.read(keys)
        payloads = self.journal.payloads(keys)
        opened = open_those_that_open(self.sealer, payloads.values())
        return dict.fromkeys(keys) | {(x.sealed.owner, x.sealed.field): x for x in opened}

    def drop_opened_texts(self) -> None:
        """Forget every text that was opened in this process: for whatever takes texts away, at once."""
        self.opened.drop()

    def close(self) -> None:
        """Close every file."""
        self.drop_opened_texts()
        self.graph.close()
        if self._disclosures is not None:
            self._disclosures.close()
        self.denials.close()
        self.tickets.close()
        self.journal.close()


def denials_of(entry: r.Entry) -> list[Denial]:
    """What an entry takes away: rows that outlive a restored backup."""
    found: list[Denial] = []
    for stated in entry.statements:
        record, sequence = stated.record, entry.sequence
        if isinstance(record, r.RevocationRecord):
            found += [Denial(sequence, "revocation", grant) for grant in record.grants]
        elif isinstance(record, r.MembershipRecord) and record.left:
            found.append(Denial(sequence, "left", f"{record.who} {record.group}"))
        elif isinstance(record, r.RetractionRecord):
            found.append(Denial(sequence, "retraction", record.claim))
        elif isinstance(record, r.SupersessionRecord):
            found.append(Denial(sequence, "supersession", f"{record.old} {record.new}"))
        elif isinstance(record, r.DenialRecord):
            found.append(Denial(sequence, "allowance" if record.allowed else "denial", record.source))
        elif isinstance(record, r.ErasureRecord):
            found += [Denial(sequence, "erasure", id) for id in sorted(record.erased)]
        elif isinstance(record, r.HoldRecord):
            found.append(Denial(sequence, "hold", record.on))
        elif isinstance(record, r.ReleaseRecord):
            found.append(Denial(sequence, "release", record.on))
        elif isinstance(record, r.RetentionRecord):
            limits = f"{record.bytes_for or '-'} {record.metadata_for or '-'}"
            found.append(Denial(sequence, "retention", f"{record.on} {limits}"))
        elif isinstance(record, r.AgentRecord) and not _begins_tenant(entry):
            found.append(Denial(sequence, "roles", " ".join((record.id, *sorted(record.roles)))))
    return found


def _begins_tenant(entry: r.Entry) -> bool:
    return any(isinstance(stated.record, r.TenantRecord) for stated in entry.statements)


class Work:
    """The write lock held: drafts become entries, one after another."""

    def __init__(self, tenant: Tenant, transaction: SqliteTransaction, state: State, batched: bool) -> None:
        self.tenant, self.state, self.batched = tenant, state, batched
        self.appended = 0
        #: Sequence and id of the entry that was appended last.
        self.last: tuple[int, r.Node] | None = None
        self.denials: list[Denial] = []
        self._transaction = transaction
        self.recorded = self._time()
        #: The retrieval context that evidence of this write may share, by what it says.
        self.contexts: dict[object, r.Node] = {}

    @contextmanager
    def part(self) -> Iterator[None]:
        """What one verb appends within a batch: undone alone when the verb is refused."""
        appended, denials, contexts = self.appended, len(self.denials), dict(self.contexts)
        last = self.last
        try:
            with self._transaction.part():
                yield
        except BaseException:
            if self.appended != appended:
                self.state.restart()
                self.appended, self.contexts, self.last = appended, contexts, last
                del self.denials[denials:]
            raise

    def _time(self) -> datetime:
        """The recorded time of the next entry: the clock, and never before the last entry."""
        now, last = self.tenant.clock_time(), self._transaction.last_recorded
        if last is None or now >= last:
            return now
        if last - now > CLOCK_TOLERANCE:
            raise ClockWentBack(
                f"the clock says {format_instant(now)}, the last entry was recorded at "
                f"{format_instant(last)}: set the clock right; nothing was written"
            )
        return last

    @property
    def removing(self) -> Removing:
        """What may be taken out of the journal within this write."""
        return Removing(self._transaction)

    @property
    def next_sequence(self) -> int:
        """The sequence of the entry that is appended next."""
        return self._transaction.size + 1

    def draft(self, kind: str) -> Draft:
        """A new draft of an entry."""
        return Draft(kind, self.tenant.sealer)

    def append(self, draft: Draft, agent: r.Node) -> r.Entry:
        """Encode, check against the shapes and log one entry. Raises ShapeViolation, Refused."""
        self.recorded = self._time()
        sequence = self._transaction.size + 1
        entry = r.entry_of(draft.id, sequence, agent, self.recorded, draft.records)
        minted = [draft.id, *(id for id, _ in draft.entities)]
        likeness = find_likeness(entry, minted)
        leaf = self.tenant.templates.fill(likeness) if likeness is not None else None
        if leaf is None:
            leaf = self._encode(draft.kind, entry, minted, likeness)
        self._transaction.append(draft.to_entry(leaf, self.recorded))
        self.appended += 1
        self.last = (sequence, draft.id)
        self.state.take(entry)
        self.denials += denials_of(entry)
        return entry

    def _encode(self, kind: str, entry: r.Entry, minted: list[r.Node], likeness: Likeness | None) -> bytes:
        """The leaf of an entry that is like none before, checked; one whose form is known is a model."""
        triples = encode_triples(self.tenant.base, entry)
        leaf = write_leaf(self.tenant.base, triples)
        validator = self.tenant.validator
        form = validator.forms.of(triples, minted)
        # The hop tells the class of a node by what a form keeps of its name.
        if form is not None and validator.conforms(form):
            if likeness is not None:
                self.tenant.templates.keep(likeness, triples, leaf)
            return leaf
        lines = leaf.decode()
        findings = validator.check(lines, self.tenant.hop.known(lines, minted), form)
        if findings:
            found = tuple((f.focus_node, f.path, f.message) for f in findings)
            first = findings[0]
            raise ShapeViolation(f"entry '{kind}', node {first.focus_node}: {first.message}", found)
        return leaf
