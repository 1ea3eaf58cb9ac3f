"""Sources and their states: recording them, renaming, checking, retiring, stating scopes."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from prov_ledger.checks.documents import parse_media_type
from prov_ledger.checks.redaction.readings import readings_of_bytes
from prov_ledger.errors import Refused
from prov_ledger.ledger.draft import Draft, encoded
from prov_ledger.ledger.session import Acting, Session, unknown
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.facts import TEMPORAL_KINDS, FactTable, SealedValue
from prov_ledger.model.ids import mint_id, parse_id
from prov_ledger.model.records import CHECK_OUTCOMES, LEVELS, CheckOutcome, Level, Node
from prov_ledger.model.scopes import Among, Scope, open_scope, parse_scope
from prov_ledger.model.times import day_interval, parse_date_or_instant, parse_instant
from prov_ledger.model.world import SourceHistory
from prov_ledger.vault.fingerprints import FingerprintMaker
from prov_ledger.vault.port import Lookup

_CONNECTOR = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,64}/[\w!#$&^.+-]{1,64}(?: *;[ -~\t]{1,120})?", re.ASCII)
RawScope = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class NewSource:
    """What is stated about a source when it is recorded."""

    native: str
    title: str
    connector: str = "manual"
    authority: str = "official"
    collection: str | None = None
    governed_by: str | None = None
    indifferent_to: Sequence[str] = ()
    came_from: Node | None = None


def check_connector(name: str) -> None:
    """Raise Refused ``bad_input`` unless a text can name a connector."""
    if not isinstance(name, str) or not _CONNECTOR.fullmatch(name):
        raise Refused("bad_input", "a connector's name is 1 to 32 of a-z, 0-9, '-' and '_', a letter first")


def parse_level(level: str) -> Level:
    """One of the levels of authority. Raises Refused ``bad_input``."""
    if level not in LEVELS:
        raise Refused("bad_input", f"a level of authority is one of {', '.join(LEVELS)}")
    return level


def temporal_fact(table: FactTable, name: str) -> str:
    """A declared fact that can govern. Raises Refused ``undeclared_fact``, ``bad_fact``."""
    if table.get(name).kind not in TEMPORAL_KINDS:
        raise Refused("bad_fact", f"fact '{name}' is no date and no instant: a governing fact has to be one")
    return name


def declared(table: FactTable, names: Iterable[str]) -> frozenset[str]:
    """Names of declared facts. Raises Refused ``undeclared_fact``."""
    return frozenset(table.get(name).name for name in names)


def native_key(connector: str, native: str) -> str:
    """What a native id is looked up by: it is a name within its connector."""
    return f"{connector}\0{native}"


class Sources:
    """The verbs about sources and revisions."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.tenant = session.tenant

    def table(self) -> FactTable:
        """The declared facts."""
        return self.tenant.state.reader.table()

    def find(self, connector: str, native: str) -> Node | None:
        """The source that has a native id now, or None."""
        found = self.holders(connector, native)
        return found[-1].id if found else None

    def holders(self, connector: str, native: str) -> list[Lookup]:
        """All sources that ever had a native id of a connector, and since when, in recorded order; without
        those that are erased or expired.
        """
        found = self.ever_held(connector, native)
        gone = self._gone({x.id for x in found})
        return [x for x in found if x.id not in gone]

    def ever_held(self, connector: str, native: str) -> list[Lookup]:
        """As ``holders``, with those that expired and were not swept yet."""
        key = self.tenant.sealer.token("native", native_key(connector, native))
        return self.tenant.journal.find("native", key)

    def _gone(self, sources: Iterable[Node]) -> frozenset[Node]:
        state = self.tenant.state
        if state.removals.took_nothing:
            return frozenset()
        pairs = [(source, state.reader.collection_of(source)) for source in sources]
        return state.gone_sources(pairs, self.tenant.now())

    def connectors(self) -> list[str]:
        """The connectors that gave the ledger any source."""
        return [
            x.id for x in self.tenant.journal.find("connector", self.tenant.sealer.token("connector", ""))
        ]

    def of_connector(self, connector: str) -> list[Node]:
        """All sources that a connector gave and that are there, in recorded order."""
        records = (x.record for entry in self.tenant.state.entries_of("source") for x in entry.statements)
        given = [x.id for x in records if isinstance(x, r.SourceRecord) and x.connector == connector]
        gone = self._gone(given)
        return [id for id in given if id not in gone]

    def describe(self, id: Node) -> str:
        """The text that an id stands for: a title, label, quote, statement or name; empty when gone."""
        if id.startswith("src_"):
            return self.title(id)
        if id.startswith("cl_"):
            world = self.tenant.state.reader.read([id])
            restated = world.restatements.get(id)
            return self.text(restated.node if restated is not None else id, "statement")
        field = {"rev": "label", "ev": "quote"}.get(id.partition("_")[0], "name")
        data = self.data(id, field)
        return str(json.loads(data)["exact"]) if field == "quote" else data.decode()

    def opened_scope(self, scope: Scope) -> Scope:
        """A recorded scope with its sealed values opened."""
        nodes = [
            value.node
            for condition in scope.conditions
            if isinstance(condition, Among)
            for value in condition.values
            if isinstance(value, SealedValue)
        ]
        return open_scope(scope, {node: self.text(node, "value") for node in nodes}, self.table())

    def add(self, work: Work, acting: Acting, new: NewSource) -> Node:
        """Record a source; the same connector and native id again gives it a new title, same id."""
        if not new.native.strip() or not new.title.strip():
            raise Refused("incomplete", "a source needs a native id and a title: give both")
        check_connector(new.connector)
        level, table = parse_level(new.authority), self.table()
        if new.came_from is not None:
            new = replace(new, came_from=self.session.require_source(acting, new.came_from))
        known = self.find(new.connector, new.native)
        if known is not None:
            return self._again(work, acting, known, new, level)
        agent = _agent(acting)
        collection = new.collection
        named = self.session.name(work, "collection", collection, agent) if collection else None
        return self.record(work, agent, new, level, named, table)

    def record(
        self,
        work: Work,
        agent: Node,
        new: NewSource,
        level: Level,
        collection: Node | None,
        table: FactTable,
        since: datetime | None = None,
    ) -> Node:
        """Record a source under a new id; ``since`` when its native id was another source's before."""
        draft = work.draft("source")
        id = draft.entity(mint_id("src"))
        draft.records.append(
            r.SourceRecord(
                id,
                new.connector,
                draft.seal(id, "native", new.native),
                draft.seal(id, "title", new.title),
                level,
                collection,
                temporal_fact(table, new.governed_by) if new.governed_by else None,
                declared(table, new.indifferent_to),
                new.came_from,
            )
        )
        draft.name("native", native_key(new.connector, new.native), id, since)
        draft.name("title", new.title, id)
        if new.connector not in self.connectors():
            draft.name("connector", "", new.connector)
        work.append(draft, agent)
        return id

    def _again(self, work: Work, acting: Acting, known: Node, new: NewSource, level: Level) -> Node:
        self.require_known(acting, known)
        if self.title(known) != new.title:
            self.retitle(work, _agent(acting), known, new.title)
        return known

    def require_known(self, acting: Acting, source: Node) -> None:
        """Raise Refused ``unknown_id`` unless a source that was found by its native id may be read; the
        refusal does not tell its id. Without the role for it, ``denied``, as where there is none.
        """
        try:
            self.session.require_source(acting, source)
        except Refused as refusal:
            self.session.check_role(acting.agent, "source")
            if refusal.code != "unknown_id":
                raise
            raise unknown("that source") from None

    def native(self, history: SourceHistory) -> str:
        """The native id that a source has now."""
        return self.text(history.natives[-1].node if history.natives else history.id, "native")

    def title(self, source: Node) -> str:
        """The present title of a source."""
        history = self.tenant.state.reader.history(source)
        owner = history.titles[-1].node if history and history.titles else source
        return self.text(owner, "title")

    def text(self, owner: Node, field: str) -> str:
        """A sealed text, opened. Raises Corrupt; Refused ``not_found`` when it is not there."""
        return self.data(owner, field).decode()

    def data(self, owner: Node, field: str) -> bytes:
        """Sealed bytes, opened; raises as ``text``."""
        payload = self.tenant.journal.payload(owner, field)
        if payload is None:
            raise Refused("not_found", f"{owner} has no {field} here any more")
        return self.tenant.sealer.open(payload)

    def retitle(self, work: Work, agent: Node, source: Node, title: str) -> None:
        """State a new title of a source."""
        history = self.tenant.state.reader.history(source)
        draft = work.draft("title")
        node = f"{draft.id}#title"
        draft.records.append(r.TitleRecord(source, draft.seal(node, "title", title)))
        draft.about.append(source)
        draft.name("title", title, source)
        _end(draft, [x.node for x in history.titles[-1:]] if history else [])
        work.append(draft, agent)

    def rename_checked(
        self, work: Work, acting: Acting, source: str, native: str, since: str | datetime
    ) -> None:
        """As ``rename``, for a caller's source; under the connector that the source has."""
        id = self.session.require_source(acting, source)
        if not native.strip():
            raise Refused("incomplete", "the native id is empty: give the new one")
        history = self.tenant.state.reader.history(id)
        connector = history.source.record.connector if history is not None else ""
        self.rename(work, _agent(acting), id, connector, native, parse_instant(since))

    def rename(
        self, work: Work, agent: Node, source: Node, connector: str, native: str, since: datetime
    ) -> None:
        """Give a source a further native id, in use from ``since`` on."""
        history = self.tenant.state.reader.history(source)
        draft = work.draft("native")
        node = f"{draft.id}#native"
        draft.records.append(r.NativeRecord(source, draft.seal(node, "native", native), since))
        draft.about.append(source)
        draft.name("native", native_key(connector, native), source, since)
        _end(draft, [x.node for x in history.natives[-1:]] if history else [])
        work.append(draft, agent)

    def collection(
        self,
        work: Work,
        acting: Acting,
        name: str,
        governed_by: str | None,
        indifferent_to: Sequence[str],
        sensitive: bool,
        reaffirm: bool,
    ) -> Node:
        """State what holds for the sources of a collection."""
        table = self.table()
        agent = _agent(acting)
        if governed_by is not None:
            temporal_fact(table, governed_by)
        facts = declared(table, indifferent_to)
        id = self.session.name(work, "collection", name, agent)
        draft = work.draft("collection")
        draft.records.append(r.CollectionRecord(id, governed_by, facts, sensitive, reaffirm))
        draft.about.append(id)
        work.append(draft, agent)
        return id

    def mark_sensitive(self, work: Work, acting: Acting, name: str) -> None:
        """State anew what holds for a collection, and that it is sensitive."""
        id = self.session.name(work, "collection", name, _agent(acting))
        held = self.tenant.state.reader.collection(id)
        self.collection(
            work,
            acting,
            name,
            held.governed_by if held else None,
            sorted(held.indifferent_to) if held else (),
            sensitive=True,
            reaffirm=held.reaffirm if held else False,
        )

    # revisions

    def revise(self, work: Work, acting: Acting, new: "NewRevision") -> Node:
        """Record one state of a source. Raises Refused; see ``NewRevision``."""
        session, table = self.session, self.table()
        source = session.require_source(acting, new.source)
        relation = self._relation(acting, source, new.relation)
        if not new.label.strip():
            raise Refused("incomplete", "a revision needs a label: its version, date or commit")
        if not _MEDIA_TYPE.fullmatch(new.media_type):
            raise Refused("bad_input", "a media type is TYPE/SUBTYPE, with parameters after ';'")
        parse_media_type(new.media_type)
        scope = parse_scope(new.scope, table) if new.scope is not None else None
        published = parse_instant(new.published) if new.published is not None else self.tenant.now()
        return self.record_revision(work, _agent(acting), source, new, published, scope, relation)

    def record_revision(
        self,
        work: Work,
        agent: Node,
        source: Node,
        new: "NewRevision",
        published: datetime,
        scope: Scope | None = None,
        relation: r.Relation | None = None,
    ) -> Node:
        """Record a revision whose parts were checked before."""
        data = encoded(new.data) if isinstance(new.data, str) else new.data
        if self.was_erased(source, data, new.media_type) or self.has_expired(
            self._with_its_name(source), data
        ):
            raise Refused(
                "erased_bytes", "these bytes, or a part of them, were erased: they are not taken in again"
            )
        draft = work.draft("revision")
        id = draft.entity(mint_id("rev"))
        sealed = draft.seal_scope(scope, f"{id}#scope", self.table()) if scope is not None else None
        draft.records.append(
            r.RevisionRecord(
                id,
                source,
                new.media_type,
                len(data),
                draft.seal(id, "content", data),
                draft.seal(id, "label", new.label),
                published,
                self.tenant.now(),
                f"{draft.id}#capture",
                sealed,
                relation,
                self._previous(source, published),
            )
        )
        draft.about.append(source)
        work.append(draft, agent)
        return id

    def any_erased(self) -> bool:
        """Whether any source was erased: then nobody can tell any more which native ids there were."""
        erasures = self.tenant.state.removals.erasures.values()
        return any(id.startswith("src_") for x in erasures for id in x.record.erased)

    def was_erased(self, source: Node | None, data: bytes, media_type: str) -> bool:
        """Whether these bytes were erased anywhere, or hold a span that was erased in this source."""
        denials, now = self.tenant.denials, self.tenant.now()
        whole = denials.fingerprints("bytes")
        spans = denials.fingerprints("span", source) if source is not None else ()
        if not whole and not spans:
            return False
        maker = FingerprintMaker(self.tenant.tickets.fingerprint_key)
        if maker.matches_bytes(data, whole, now):
            return True
        return bool(spans) and maker.matches_span(
            source or "", tuple(readings_of_bytes(data, media_type)), spans, now
        )

    def has_expired(self, sources: Iterable[Node], data: bytes) -> bool:
        """Whether these bytes are a state of one of the sources that expired and waits for the sweep, which
        leaves no fingerprint yet.
        """
        state, now = self.tenant.state, self.tenant.now()
        for source in sources if state.removals.retention else ():
            history = state.reader.history(source)
            gone = state.removals.gone_of(history, now) if history is not None else ()
            for x in history.revisions if history is not None and gone else ():
                if x.record.id in gone and x.record.size_bytes == len(data):
                    payload = self.tenant.journal.payload(x.record.id, "content")
                    if payload is not None and self.tenant.sealer.equals(payload, data):
                        return True
        return False

    def _with_its_name(self, source: Node) -> set[Node]:
        """A source and all that ever had the native id that it has now; itself where nothing expires."""
        history = self.tenant.state.reader.history(source) if self.tenant.state.removals.retention else None
        if history is None:
            return {source}
        found = self.ever_held(history.source.record.connector, self.native(history))
        return {source, *(x.id for x in found)}

    def _previous(self, source: Node, published: datetime) -> Node | None:
        history = self.tenant.state.reader.history(source)
        earlier = [x for x in history.revisions if x.record.published <= published] if history else []
        latest = max(earlier, key=lambda x: (x.record.published, x.sequence), default=None)
        return latest.record.id if latest is not None else None

    def _relation(self, acting: Acting, source: Node, raw: Mapping[str, object] | None) -> r.Relation | None:
        if raw is None:
            return None
        kinds = [kind for kind in ("replaces", "corrects", "parallel") if kind in raw]
        extra = set(raw) - {"replaces", "corrects", "parallel", "from"}
        named = len(kinds) == 1 and isinstance(raw[kinds[0]], str)
        if not named or extra or ("from" in raw) != (kinds == ["replaces"]):
            raise Refused(
                "bad_input",
                "a relation is {replaces: REV, from: DATE}, {corrects: REV} or {parallel: REV}",
            )
        kind = kinds[0]
        other = self.session.require_revision(acting, str(raw[kind]))
        if self.tenant.state.reader.source_of(other) != source:
            raise Refused("bad_input", f"{other} is of another source: relations hold within one source")
        start = parse_date_or_instant(raw["from"]) if kind == "replaces" else None
        return r.Relation(kind, other, start)  # type: ignore[arg-type]

    def state_scope(self, work: Work, acting: Acting, of: str, raw: RawScope) -> None:
        """State the scope of a revision or an evidence item anew."""
        id = parse_id(of)
        if id.startswith("rev_"):
            self.session.require_revision(acting, id)
        elif id.startswith("ev_"):
            self.session.require(acting, [id])
        else:
            raise Refused("bad_input", f"{id}: a scope is stated of a revision or an evidence item")
        self.record_scope(work, _agent(acting), id, parse_scope(raw, self.table()))

    def record_scope(self, work: Work, agent: Node, id: Node, scope: Scope) -> None:
        """Record a scope statement; the one before is no longer the latest."""
        draft = work.draft("scope")
        sealed = draft.seal_scope(scope, f"{draft.id}#scope", self.table())
        draft.records.append(r.ScopeRecord(id, sealed))
        source = self.tenant.state.reader.source_of(id) if id.startswith("rev_") else None
        draft.about += [id] if source is None else [id, source]
        _end(draft, self._latest_scope(id, source))
        work.append(draft, agent)

    def _latest_scope(self, id: Node, source: Node | None) -> list[Node]:
        reader = self.tenant.state.reader
        if source is None:
            stated = list(reader.scopes_of(id, None))
            first = reader.read([id]).evidence[id].record.scope is not None
        else:
            history = reader.history(source)
            stated = [x for x in history.scopes if x.record.of == id] if history else []
            revision = reader.revision(id)
            first = revision is not None and revision.record.scope is not None
        return [stated[-1].node] if stated else [f"{id}#scope"] if first else []

    # currency and authority

    def check(self, work: Work, acting: Acting, source: str, outcome: str) -> Node:
        """Record a currency check of a source."""
        id = self.session.require_source(acting, source)
        if outcome not in CHECK_OUTCOMES:
            raise Refused("bad_input", f"the outcome of a check is one of {', '.join(CHECK_OUTCOMES)}")
        return self.record_check(work, _agent(acting), id, outcome)

    def record_check(self, work: Work, agent: Node, source: Node, outcome: CheckOutcome) -> Node:
        """Record what a look at a source found, now."""
        draft = work.draft("check")
        node = f"{draft.id}#check"
        draft.records.append(r.CheckRecord(node, source, outcome, self.tenant.now()))
        draft.about.append(source)
        work.append(draft, agent)
        return node

    def retire(self, work: Work, acting: Acting, source: str, from_: object) -> None:
        """Retire a source from a date (in the tenant's zone) or an instant on."""
        id = self.session.require_source(acting, source)
        zone = self.tenant.state.reader.tenant().zone
        start = parse_date_or_instant(from_)
        self.record_retirement(work, _agent(acting), id, instant_from(start, zone))

    def record_retirement(self, work: Work, agent: Node, source: Node, from_: datetime) -> None:
        """Record that a source is no authority from an instant on."""
        draft = work.draft("retire")
        draft.records.append(r.RetirementRecord(source, from_))
        draft.about.append(source)
        work.append(draft, agent)

    def authority(self, work: Work, acting: Acting, source: str, level: str) -> None:
        """State the level of authority of a source; ends a retirement."""
        id = self.session.require_source(acting, source)
        self.record_authority(work, _agent(acting), id, parse_level(level))

    def record_authority(
        self, work: Work, agent: Node, source: Node, level: Level, since: datetime | None = None
    ) -> None:
        """Record a level of authority, in force since an instant where one is given."""
        history = self.tenant.state.reader.history(source)
        draft = work.draft("authority")
        draft.records.append(r.AuthorityRecord(source, level, since))
        draft.about.append(source)
        ended = [x.node for x in history.authorities[-1:]] if history else []
        last = history.authorities[-1].sequence if history and history.authorities else -1
        ended += [x.node for x in history.retirements if x.sequence > last] if history else []
        _end(draft, ended)
        work.append(draft, agent)


@dataclass(frozen=True, slots=True)
class NewRevision:
    """One state of a source as it comes in; ``published`` None: now."""

    source: str
    data: bytes | str
    label: str
    media_type: str = "text/plain"
    published: str | datetime | None = None
    scope: RawScope | None = None
    relation: Mapping[str, object] | None = None


def _agent(acting: Acting) -> Node:
    if acting.agent is None:
        raise Refused("denied", "nobody is acting: name an agent")
    return acting.agent


def _end(draft: Draft, statements: Sequence[Node]) -> None:
    if statements:
        draft.records.append(r.EndingRecord(tuple(sorted(statements))))


def instant_from(start: date | datetime, zone: str) -> datetime:
    """The instant at which a date begins in a zone; an instant as it is."""
    return start if isinstance(start, datetime) else day_interval(start, zone)[0]
