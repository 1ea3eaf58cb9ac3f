"""What is written like earlier entries is what the long way writes, and is checked as strictly."""

from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.errors import ShapeViolation
from prov_ledger.ledger.hop import Hop
from prov_ledger.model import records as r
from prov_ledger.model.ids import mint_id
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.rdf.encode import encode_entry

VALIDATOR = EntryValidator.load()
TABLE = "item,days\n" + "".join(f"Item {number},{30 + number}\n" for number in range(9))
FACTS = {"purchase_date": "date", "region": "code", "total": {"number": "EUR"}}


@pytest.fixture
def ledger(tmp_path: Path):
    with Ledger.init(tmp_path / "ledger", facts=FACTS, governed_by="purchase_date") as ledger:
        yield ledger


def write(ledger: Ledger, times: int) -> None:
    """Evidence and claims as agents write them, alone and in a batch."""
    source = ledger.source(native="returns.csv", title="Returns", indifferent_to=["total"])
    table = ledger.revision(source, data=TABLE, media_type="text/csv", label="1")
    text = ledger.revision(source, data=TABLE, label="2")
    for number in range(times):
        cell = ledger.evidence(table, cell={"row": number + 1, "column": "days"}, indifferent_to=["region"])
        with ledger.batch():
            quote = ledger.evidence(text, quote=f"Item {number},{30 + number}")
            claim = ledger.claim(
                says=f"Item {number} may be returned within {30 + number} days.",
                support=[[cell, quote], [quote]],
                transformation={"kind": "select", "by": ["region"], "note": "the cheapest %s {0}"},
                question={
                    "text": "How long?",
                    "facts": {"purchase_date": f"2026-01-{number + 1:02}", "region": "DE", "total": number},
                },
                bound_to=["purchase_date"],
            )
        ledger.supersede(
            claim,
            says="It may be returned.",
            support=[quote],
            transformation={"kind": "quote"},
            question={"text": "May it?"},
            exposure=[cell, claim],
            reason="put shorter",
        )


def test_every_leaf_is_that_of_its_records_and_conforms(ledger: Ledger):
    write(ledger, 6)
    tenant = ledger._tenant
    for stored in tenant.journal.entries():
        assert encode_entry(tenant.base, decode_entry(stored.leaf, tenant.base)) == stored.leaf
        lines = stored.leaf.decode()
        assert VALIDATOR.check(lines, Hop(tenant.base).known(lines)) == ()
    assert ledger.verify().valid


def test_an_entry_nearly_like_others_is_refused_where_a_shape_forbids_it(ledger: Ledger):
    write(ledger, 3)
    tenant = ledger._tenant
    revision = ledger.revision(ledger.source(native="a", title="A"), data="some text", label="1")
    founder = next(decode_entry(stored.leaf, tenant.base).agent for stored in tenant.journal.entries())
    size = tenant.journal.size()
    with tenant.writing() as work:
        draft = work.draft("evidence")
        node, id = f"{draft.id}#retrieval", draft.entity(mint_id("ev"))
        checks = (("passed", None), ("untested", "no_question_yet"))
        draft.records += [
            r.ContextRecord(node, founder, founder, None, "permit", "1", tenant.now(), *checks),
            r.EvidenceRecord(id, revision, r.TextPosition(7, 5), draft.seal(id, "quote", "x"), node),
        ]
        with pytest.raises(ShapeViolation):
            work.append(draft, founder)
    assert tenant.journal.size() == size
