"""The step of an erasure that counts: all that goes is denied, durably, in one entry.

What it takes out of bytes that stay, and what is left to do, are committed with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from prov_ledger.errors import Corrupt, Refused
from prov_ledger.ledger.draft import Draft
from prov_ledger.ledger.erasing.gaps import Redacted
from prov_ledger.ledger.erasing.order import Order, order_key
from prov_ledger.ledger.erasing.planning import Plan, Planning
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import ErasureCause, Node
from prov_ledger.vault.crash import crash_point
from prov_ledger.vault.fingerprints import Fingerprint, FingerprintMaker

#: How long erased bytes and spans are recognised when somebody brings them back.
RECOGNISED_FOR = "P10Y"


@dataclass(frozen=True, slots=True)
class Asked:
    """An erasure as it is asked for; ``plan`` is the hash of the plan that it has to be, None for any."""

    targets: Sequence[Node]
    plan: str | None = None
    cause: ErasureCause = "request"
    reason: str | None = None
    subject: str | None = None
    recognised_for: str = RECOGNISED_FOR

    def of(self, targets: Sequence[Node]) -> "Asked":
        """The same of targets that were looked up."""
        return replace(self, targets=targets)


class Running:
    """Records erasures; ``Finishing`` does what follows from them."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant, self.planning = tenant, Planning(tenant)

    def deny(self, work: Work, agent: Node, asked: Asked) -> Node:
        """Record the erasure; its id. From its commit on nothing of it is given out.

        Raises Refused ``plan_changed`` where the plan is another one by now, ``legal_hold``, ``bad_input``.
        """
        plan = self.planning.plan(asked.targets, asked.cause)
        if asked.plan is not None and asked.plan != plan.manifest.hash:
            raise Refused(
                "plan_changed", "what would go is no longer what was planned: plan again, look, then run that"
            )
        self.check_not_held(plan)
        return self._carry_out(work, agent, plan, asked)

    def again(self, work: Work, agent: Node, ids: Sequence[Node]) -> Node:
        """Record an erasure of an earlier life of the ledger anew; no hold of that time counts against it.

        The bytes around a gap went with their key: what was kept of them is not in this journal.
        """
        asked = Asked(ids)
        return self._carry_out(work, agent, self.planning.plan(ids, asked.cause), asked)

    def _carry_out(self, work: Work, agent: Node, plan: Plan, asked: Asked) -> Node:
        expires = add_duration(work.recorded, parse_duration(asked.recognised_for))
        draft = work.draft("erase")
        id = draft.entity(mint_id("era"))
        key = self.tenant.tickets.fingerprint_key
        prints = list(self._fingerprints(plan, FingerprintMaker(key), expires))
        tickets = self._redact(work, draft, id, plan.redacted)
        self._record(draft, id, plan, asked)
        keys = [(text.owner, text.field) for text in plan.manifest.texts]
        order = Order([*tickets, *work.removing.tickets_of(keys)], keys, plan.held.all())
        work.removing.set_meta(order_key(id), order.to_text())
        work.append(draft, agent)
        # Before the bytes can go; where the commit fails, these bytes cannot be captured a second time.
        self.tenant.denials.add_fingerprints(prints, len(self.tenant.state.removals.erasures), key)
        crash_point("erase.recognisable")
        return id

    def check_not_held(self, plan: Plan) -> None:
        """Raise Refused ``legal_hold`` where a hold covers any source that something of it is of."""
        removals, reader = self.tenant.state.removals, self.tenant.state.reader
        for source in plan.touched:
            held = removals.hold_on(source, reader.collection_of(source))
            if held is not None:
                raise Refused("legal_hold", f"{source} is under a legal hold ({held.node}): release it first")

    def _record(self, draft: Draft, id: Node, plan: Plan, asked: Asked) -> None:
        manifest = plan.manifest
        draft.records.append(
            r.ErasureRecord(
                id,
                manifest.targets,
                frozenset(manifest.goes),
                manifest.hash,
                manifest.cause,
                tuple((x.claim, x.outcome) for x in manifest.derived),
                draft.seal_or_none(id, "reason", asked.reason),
                draft.seal_or_none(id, "subject", asked.subject),
            )
        )
        draft.about += manifest.targets

    def _redact(self, work: Work, draft: Draft, erasure: Node, redacted: Sequence[Redacted]) -> list[int]:
        """Put the redacted copies in the place of what they are of; the keys of what was there."""
        tickets: list[int] = []
        known = self.tenant.state.removals.redactions
        for each in redacted:
            replaced = [(each.revision, "content"), *((id, "quote") for id in each.quotes)]
            tickets += work.removing.remove_payloads(replaced, work.next_sequence)
            before = known[each.revision].gaps if each.revision in known else ()
            content = draft.seal(each.revision, "content", each.after)
            gaps = tuple(sorted({*before, *each.spans}, key=repr))
            draft.records.append(r.RedactionRecord(each.revision, erasure, content, len(each.after), gaps))
            draft.about.append(each.revision)
            for id, quote in sorted(each.quotes.items()):
                draft.records.append(r.RequoteRecord(id, erasure, draft.seal(id, "quote", quote.to_bytes())))
                draft.about.append(id)
        return tickets

    def _fingerprints(self, plan: Plan, maker: FingerprintMaker, expires: datetime) -> Iterator[Fingerprint]:
        """What is to be recognised: whole bytes that go or get a gap, and spans that were asked for."""
        for revision in plan.held.revisions:
            data = self._content(revision)
            if data is not None:
                yield maker.of_bytes(data, expires)
        for each in plan.redacted:
            yield maker.of_bytes(each.before, expires)
            source = self.tenant.state.reader.source_of(each.revision) or ""
            for text in each.erased:
                found = maker.of_span(source, text, expires)
                if found is not None:
                    yield found

    def _content(self, revision: Node) -> bytes | None:
        payload = self.tenant.journal.payload(revision, "content")
        try:
            return self.tenant.sealer.open(payload) if payload is not None else None
        except Corrupt:
            return None
