"""One call of a verb for each tool: as the caller, for the caller's purpose, whatever was sent."""

from prov_ledger.mcp import inputs as i
from prov_ledger.mcp import outputs as o
from prov_ledger.mcp.caller import Asker


def capture(asker: Asker, given: i.CaptureEvidence) -> o.Recorded:
    """Record a quote or a cell as evidence."""
    id = asker.ledger.evidence(
        given.revision,
        quote=given.quote,
        prefix=given.prefix,
        suffix=given.suffix,
        cell=given.cell.model_dump() if given.cell is not None else None,
        scope=i.raw_scope(given.scope),
        page=given.page,
        by=asker.name,
        purpose=asker.purpose,
    )
    return o.Recorded(id=id)


def _transformation(given: i.RecordClaim) -> dict[str, object]:
    note = {} if given.note is None else {"note": given.note}
    return {"kind": given.kind, "by": list(given.depends_on), **note}


def _support(given: i.RecordClaim) -> list[list[str]]:
    return [list(given.support), *(list(one) for one in given.alternatives)]


def claim(asker: Asker, given: i.RecordClaim) -> o.Recorded:
    """Record a conclusion."""
    id = asker.ledger.claim(
        says=given.says,
        support=_support(given),
        transformation=_transformation(given),
        question={"text": given.question, "facts": dict(given.facts)},
        bound_to=given.bound_to,
        narrow=i.raw_scope(given.narrow),
        exposure=given.exposure,
        by=asker.name,
        purpose=asker.purpose,
    )
    return o.Recorded(id=id)


def supersede(asker: Asker, given: i.SupersedeClaim) -> o.Recorded:
    """Put a claim in place of another."""
    id = asker.ledger.supersede(
        given.claim,
        says=given.says,
        support=_support(given),
        transformation=_transformation(given),
        question={"text": given.question, "facts": dict(given.facts)},
        bound_to=given.bound_to,
        narrow=i.raw_scope(given.narrow),
        exposure=given.exposure,
        reason=given.reason,
        by=asker.name,
        purpose=asker.purpose,
    )
    return o.Recorded(id=id)


def restate(asker: Asker, given: i.RestateClaim) -> o.Recorded:
    """Put a claim into new words."""
    asker.ledger.restate(
        given.claim, says=given.says, exposure=given.exposure, by=asker.name, purpose=asker.purpose
    )
    return o.Recorded(id=given.claim)


def remind(asker: Asker, given: i.Remind) -> o.Reminded:
    """Make a packet."""
    packet = asker.ledger.remind(
        given.claims, given.budget, thread=given.thread, by=asker.name, purpose=asker.purpose
    )
    return o.reminded(packet)


def resolve(asker: Asker, given: i.Resolve) -> o.Resolved:
    """Decide ids for a question."""
    slots = asker.ledger.resolve(
        given.ids,
        principal=asker.name,
        purpose=asker.purpose,
        facts=given.facts,
        thread=given.thread,
        min_authority=given.min_authority,
        max_age=given.max_age,
    )
    return o.Resolved(slots=[o.decided(slot) for slot in slots])


def check(asker: Asker, given: i.CheckAnswer) -> o.Checked:
    """Check an answer."""
    answer = asker.ledger.check_answer(
        given.text,
        principal=asker.name,
        purpose=asker.purpose,
        facts=given.facts,
        thread=given.thread,
        strict=given.strict,
        min_authority=given.min_authority,
        max_age=given.max_age,
    )
    return o.checked(answer)


def find(asker: Asker, given: i.Find) -> o.Finding:
    """Look for what may be shown."""
    return o.found(asker.ledger.find(given.text, given.facts, asker.name, asker.purpose, limit=given.limit))


def explain(asker: Asker, given: i.Explain) -> o.Account:
    """Account for a claim."""
    account = asker.ledger.explain(
        given.claim, as_of=given.as_of, principal=asker.name, purpose=asker.purpose
    )
    return o.account(account)


def plan(asker: Asker, given: i.PlanErasure) -> o.Plan:
    """Say what an erasure would take."""
    return o.planned(asker.ledger.plan_erasure(given.ids, by=asker.name))


def erase(asker: Asker, given: i.Erase) -> o.Erased:
    """Carry a plan out."""
    done = asker.ledger.run_erasure(given.plan, reason=given.reason, by=asker.name)
    return o.Erased(id=done.id, plan=done.plan, texts=done.texts, epoch=done.epoch)
