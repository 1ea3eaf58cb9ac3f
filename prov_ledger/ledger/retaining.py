"""Legal holds and retention: what must be kept, and how long what is recorded may be kept."""

from dataclasses import dataclass
from datetime import datetime

from prov_ledger.authz.removals import Held
from prov_ledger.errors import Refused
from prov_ledger.ledger.session import Acting, Session
from prov_ledger.ledger.sources import Sources
from prov_ledger.ledger.tenant import Work
from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration
from prov_ledger.model.ids import parse_id
from prov_ledger.model.records import Node

_COLLECTION = "collection:"


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold in force: on a source or a collection, by whom, since when, and why where it was said."""

    on: Node
    agent: Node
    since: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """For how long bytes and metadata of a source, or a collection's sources, may be kept; None: no limit."""

    on: Node
    since: datetime
    bytes_for: str | None
    metadata_for: str | None


class Retaining:
    """The verbs ``hold``, ``release`` and ``retention``, and their lists.

    They are for any source, whoever may read it: so the role comes before whether there is such an id.
    """

    def __init__(self, session: Session, sources: Sources) -> None:
        self.session, self.sources, self.tenant = session, sources, session.tenant

    def hold(self, work: Work, acting: Acting, on: str, reason: str | None) -> None:
        """Let no erasure touch a source or the sources of a collection, until it is released.

        Raises Refused ``bad_input`` where a hold is on it already.
        """
        id = self._named(work, acting, "hold", on)
        if id in self.tenant.state.removals.holds:
            raise Refused("bad_input", f"a legal hold is on {id} already: nothing to do")
        draft = work.draft("hold")
        sealed = draft.seal_reason(f"{draft.id}#hold", reason)
        draft.records.append(r.HoldRecord(id, sealed))
        draft.about.append(id)
        work.append(draft, acting.agent or "")

    def release(self, work: Work, acting: Acting, on: str, reason: str | None) -> None:
        """End a hold. Raises Refused ``not_found`` where there is none on just this."""
        id = self._named(work, acting, "hold", on, "release")
        held = self.tenant.state.removals.holds.get(id)
        if held is None:
            raise Refused("not_found", f"no legal hold is on {id}: list the holds, then release one")
        draft = work.draft("release")
        sealed = draft.seal_reason(f"{draft.id}#release", reason)
        draft.records += [r.ReleaseRecord(id, sealed), r.EndingRecord((held.node,))]
        draft.about.append(id)
        work.append(draft, acting.agent or "")

    def retention(
        self, work: Work, acting: Acting, on: str, bytes_for: str | None, metadata_for: str | None
    ) -> None:
        """State how long what is recorded may be kept; a later rule about the same takes its place."""
        id = self._named(work, acting, "retention", on)
        for limit in (bytes_for, metadata_for):
            if limit is not None:
                add_duration(work.recorded, parse_duration(limit))
        former = self.tenant.state.removals.retention.rule(id)
        draft = work.draft("retention")
        draft.records.append(r.RetentionRecord(id, bytes_for, metadata_for))
        if former is not None:
            draft.records.append(r.EndingRecord((former.node,)))
        draft.about.append(id)
        work.append(draft, acting.agent or "")

    def _named(self, work: Work, acting: Acting, verb: str, on: str, called: str | None = None) -> Node:
        """The source or ``collection:NAME``; a collection is recorded when it is named first."""
        if on.startswith(_COLLECTION):
            self.session.check_role(acting.agent, verb, called)
            return self.session.name(work, "collection", on.removeprefix(_COLLECTION), acting.agent or "")
        parse_id(on)
        self.session.check_role(acting.agent, verb, called)
        return self.session.require_recorded(on)

    def holds(self, acting: Acting) -> tuple[Hold, ...]:
        """The holds in force, the oldest first."""
        self.session.check_role(acting.agent, "hold")
        return tuple(self._told(held) for held in self.tenant.state.removals.holds.values())

    def _told(self, held: Held) -> Hold:
        stated = held.record.reason is not None
        reason = self.sources.text(held.node, "reason") if stated else None
        return Hold(held.record.on, held.agent, held.since, reason)

    def rules(self, acting: Acting) -> tuple[RetentionRule, ...]:
        """The retention rules in force, by what they are about."""
        self.session.check_role(acting.agent, "retention")
        return tuple(
            RetentionRule(x.record.on, x.since, x.record.bytes_for, x.record.metadata_for)
            for x in self.tenant.state.removals.retention.rules()
        )
