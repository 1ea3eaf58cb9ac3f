"""The verbs that set up a tenant and take in what sources say."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from prov_ledger.connectors.port import Connector
from prov_ledger.ledger.capture import Capture, NewEvidence
from prov_ledger.ledger.handle import Handle, Instant, Moment
from prov_ledger.ledger.reaffirming import Reaffirming
from prov_ledger.ledger.session import Acting
from prov_ledger.ledger.sources import NewRevision, NewSource, RawScope
from prov_ledger.ledger.syncing import Progress, Sync
from prov_ledger.ledger.taking import SyncReport
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable, parse_fact_type
from prov_ledger.model.records import Node


class CaptureVerbs(Handle):
    """Facts, collections, sources, revisions, scopes, evidence, checks."""

    @cached_property
    def _capture(self) -> Capture:
        return Capture(self._sources)

    def declare_fact(self, name: str, type: object, *, by: str | None = None) -> None:
        """Declare a fact: ``date``, ``instant``, ``code``, ``{number: UNIT}``, ``{code: personal}``."""
        with self._writing("fact", by, None) as (work, acting):
            table = self._sources.table()
            declared = parse_fact_type(name, type, table.zone)
            if table.declare(declared) is table:
                return
            draft = work.draft("fact")
            draft.records.append(r.FactRecord(declared))
            work.append(draft, acting.agent or "")

    def facts(self) -> FactTable:
        """The declared facts."""
        return self._sources.table()

    def collection(
        self,
        name: str,
        *,
        governed_by: str | None = None,
        indifferent_to: Sequence[str] = (),
        sensitive: bool = False,
        reaffirm: bool = False,
        by: str | None = None,
    ) -> Node:
        """State what holds for the sources of a collection; its id."""
        with self._writing("collection", by, None) as (work, acting):
            return self._sources.collection(
                work, acting, name, governed_by, indifferent_to, sensitive, reaffirm
            )

    def sensitive(self, collection: str, *, by: str | None = None) -> None:
        """Say that reminder packets carry no statements from a collection; what else holds for it stays."""
        with self._writing("collection", by, None, "sensitive") as (work, acting):
            self._sources.mark_sensitive(work, acting, collection)

    def source(
        self,
        *,
        native: str,
        title: str,
        connector: str = "manual",
        authority: str = "official",
        collection: str | None = None,
        governed_by: str | None = None,
        indifferent_to: Sequence[str] = (),
        came_from: Node | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record a source; the same connector and native id again gives the same id, and a new title."""
        new = NewSource(
            native, title, connector, authority, collection, governed_by, indifferent_to, came_from
        )
        with self._writing("source", by, purpose) as (work, acting):
            return self._sources.add(work, acting, new)

    def rename(self, source: str, native: str, since: Instant, *, by: str | None = None) -> None:
        """Give a source a further native id, in use from an instant on."""
        with self._writing("source", by, None, "rename") as (work, acting):
            self._sources.rename_checked(work, acting, source, native, since)

    def revision(
        self,
        source: str,
        *,
        data: bytes | str,
        label: str,
        media_type: str = "text/plain",
        published: Instant | None = None,
        scope: RawScope | None = None,
        relation: Mapping[str, object] | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record one state of a source: its exact bytes, label, scope and relation; its id."""
        new = NewRevision(source, data, label, media_type, published, scope, relation)
        with self._writing("revision", by, purpose) as (work, acting):
            revision = self._sources.revise(work, acting, new)
            self._reaffirm_by_policy(work, acting, [self._tenant.state.reader.source_of(revision) or ""])
            return revision

    def _reaffirm_by_policy(self, work: Work, acting: Acting, sources: Iterable[Node]) -> None:
        """Carry claims over on those sources whose collection says so."""
        reader = self._tenant.state.reader
        histories = (reader.history(source) for source in dict.fromkeys(sources))
        chosen = [h.id for h in histories if h is not None and h.collection and h.collection.reaffirm]
        if chosen:
            Reaffirming(self._session, self._sources, self._capture).on_sources(work, acting, chosen)

    def scope(self, of: str, scope: RawScope, *, by: str | None = None, purpose: str | None = None) -> None:
        """State the scope of a revision or an evidence item anew; the text stays the same."""
        with self._writing("scope", by, purpose) as (work, acting):
            self._sources.state_scope(work, acting, of, scope)

    def evidence(
        self,
        revision: str,
        *,
        quote: str | None = None,
        prefix: str | None = None,
        suffix: str | None = None,
        cell: Mapping[str, object] | None = None,
        scope: RawScope | None = None,
        indifferent_to: Sequence[str] = (),
        page: int | None = None,
        by: str | None = None,
        purpose: str | None = None,
    ) -> Node:
        """Record a quote or a cell of a revision; the same again gives the same id.

        ``page``, from 1, is where the quote stands in a PDF file (a text with form feeds, a sheet).
        """
        new = NewEvidence(revision, quote, prefix, suffix, cell, scope, indifferent_to, page)
        with self._writing("evidence", by, purpose) as (work, acting):
            return self._capture.evidence(work, acting, new)

    def check(self, source: str, outcome: str, *, by: str | None = None) -> None:
        """Record a currency check: ``current``, ``changed``, ``gone`` or ``unreachable``."""
        with self._writing("check", by, None) as (work, acting):
            self._sources.check(work, acting, source, outcome)

    def retire(self, source: str, from_: Moment, *, by: str | None = None) -> None:
        """Say that a source is no authority from a date or an instant on."""
        with self._writing("retire", by, None) as (work, acting):
            self._sources.retire(work, acting, source, from_)

    def authority(self, source: str, level: str, *, by: str | None = None) -> None:
        """State the level of authority of a source; ends a retirement."""
        with self._writing("authority", by, None) as (work, acting):
            self._sources.authority(work, acting, source, level)

    def sync(
        self,
        connector: Connector,
        *,
        collection: str | None = None,
        progress: Progress | None = None,
        by: str | None = None,
    ) -> SyncReport:
        """Take in all that a connector brings that is new; killed anywhere, the next run goes on."""
        acting = self._acting(by, None)
        report = Sync(self._sources).run(acting, connector, collection, progress)
        if self._tenant.state.reader.any_reaffirms():
            with self._tenant.writing(batched=True) as work:
                self._reaffirm_by_policy(work, acting, self._sources.of_connector(connector.name))
        return report
