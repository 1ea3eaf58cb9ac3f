"""Whatever the encoder writes of a complete record conforms, and nothing of a record can be left out."""

import dataclasses
import re
import typing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prov_ledger.checks.shapes import EntryValidator
from prov_ledger.ledger.hop import Hop
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactKind, FactType, SealedValue
from prov_ledger.model.scopes import Among, Edge, Period, Range, Scope
from prov_ledger.rdf.decode import decode_entry
from prov_ledger.rdf.encode import encode_entry

BASE = "https://ledger.example/acme/"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
BODY = "0123456789abcdefghjkmnpqrstvwxyz"
VALIDATOR = EntryValidator.load()
HOP = Hop(BASE)


def ids(prefix: str) -> st.SearchStrategy[str]:
    return st.text(BODY, min_size=18, max_size=18).map(lambda body: f"{prefix}_{body}")


ENT, AGT, SRC, REV, EV, CL, ERA = map(ids, ("ent", "agt", "src", "rev", "ev", "cl", "era"))
COMMITMENT = st.text("0123456789abcdef", min_size=64, max_size=64)
FACT = st.sampled_from(["question_date", "purchase_date", "region", "total_2"])
FACTS = st.frozensets(FACT, max_size=3)
INSTANT = st.datetimes(datetime(1980, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
DAY = st.dates(date(1980, 1, 1), date(2100, 1, 1))
NUMBER = st.decimals(-1000, 1000, places=2)
EDGE = st.sampled_from([Edge.OPEN, Edge.UNKNOWN])
LEVEL = st.sampled_from(r.LEVELS)


def in_entry(fragment: str) -> st.SearchStrategy[str]:
    return st.just(f"ent_{'0' * 18}#{fragment}")


@st.composite
def scopes(draw: st.DrawFn, node: str) -> Scope:
    start = draw(INSTANT)
    later = start + timedelta(days=draw(st.integers(1, 9)))
    low, high = sorted([draw(NUMBER), draw(NUMBER)])
    sealed = SealedValue(f"{node}.9.v1", draw(COMMITMENT))
    conditions = [
        Period(draw(FACT), start, later),
        Period(draw(FACT), start.date(), later.date()),
        Period(draw(FACT), draw(EDGE | DAY), draw(EDGE)),
        Period(draw(FACT), draw(EDGE), draw(EDGE | INSTANT)),
        Range(draw(FACT), low, True, high, True),
        Range(draw(FACT), low, False, high + 1, False),
        Range(draw(FACT), None, True, high, draw(st.booleans())),
        Among(draw(FACT), frozenset(draw(st.sets(st.text(max_size=5) | NUMBER | DAY, min_size=1)))),
        Among(draw(FACT), frozenset({sealed})),
    ]
    return Scope(tuple(c for c in conditions if draw(st.booleans())))


@st.composite
def claims(draw: st.DrawFn) -> r.ClaimRecord:
    id = draw(CL)
    members = st.lists(EV | CL, min_size=1, max_size=3, unique=True).map(tuple)
    justifications = tuple(draw(st.lists(members, min_size=1, max_size=3)))
    exposure = frozenset(m for j in justifications for m in j) | draw(st.frozensets(EV | CL, max_size=3))
    value = st.text(max_size=9) | NUMBER | DAY | INSTANT
    facts = draw(st.dictionaries(FACT, value, max_size=3))
    sealed = {"order": SealedValue(f"{id}#given.order", draw(COMMITMENT))}
    return r.ClaimRecord(
        id,
        draw(COMMITMENT),
        justifications,
        exposure,
        r.Transformation(draw(st.sampled_from(r.TRANSFORMATIONS)), draw(FACTS), draw(st.none() | COMMITMENT)),
        r.Question(draw(COMMITMENT), {**facts, **draw(st.sampled_from([{}, sealed]))}),
        draw(AGT),
        draw(INSTANT),
        draw(FACTS),
        draw(st.none() | scopes(f"{id}#scope")),
    )


@st.composite
def revisions(draw: st.DrawFn) -> r.RevisionRecord:
    id = draw(REV)
    start = draw(INSTANT | DAY)
    relation = draw(
        st.none()
        | REV.map(lambda to: r.Relation("replaces", to, start))
        | REV.map(lambda to: r.Relation("corrects", to))
        | REV.map(lambda to: r.Relation("parallel", to))
    )
    media_type = draw(st.sampled_from(["text/plain", "text/csv; charset=utf-8"]))
    return r.RevisionRecord(
        id,
        draw(SRC),
        media_type,
        draw(st.integers(0, 10**12)),
        draw(COMMITMENT),
        draw(COMMITMENT),
        draw(INSTANT),
        draw(INSTANT),
        draw(in_entry("capture")),
        draw(st.none() | scopes(f"{id}#scope")),
        relation,
        draw(st.none() | REV),
    )


@st.composite
def evidence(draw: st.DrawFn) -> r.EvidenceRecord:
    id, start, count = draw(EV), draw(st.integers(0, 10**6)), st.integers(1, 10**4)
    span = st.builds(r.TextPosition, st.just(start), st.integers(start + 1, 10**7))
    selector = draw(span | st.builds(r.CellPosition, count, count, count))
    context = draw(ENT) + "#retrieval"
    scope = draw(st.none() | scopes(f"{id}#scope"))
    return r.EvidenceRecord(id, draw(REV), selector, draw(COMMITMENT), context, scope, draw(FACTS))


def contexts() -> st.SearchStrategy[r.ContextRecord]:
    checked = st.tuples(st.sampled_from(["passed", "failed"]), st.none())
    result = checked | st.just(("untested", "no_facts_given"))
    purpose = st.none() | ids("pur")
    policy = st.text(st.characters(codec="utf-8"), min_size=1, max_size=9)
    return st.builds(
        r.ContextRecord,
        in_entry("retrieval"),
        AGT,
        AGT,
        purpose,
        st.just("permit"),
        policy,
        INSTANT,
        result,
        result,
    )


def fact_types() -> st.SearchStrategy[FactType]:
    zone = st.none() | st.just("Europe/Berlin")
    kind = st.sampled_from([FactKind.DATE, FactKind.INSTANT, FactKind.CODE, FactKind.TEXT])
    plain = st.builds(FactType, FACT, kind, st.none(), zone, st.booleans())
    return plain | st.builds(FactType, FACT, st.just(FactKind.NUMBER), st.none() | st.just("EUR"))


OPTIONAL = st.none() | COMMITMENT
DURATION = st.none() | st.sampled_from(["P30D", "P1Y6M", "PT36H"])
RECORDS: dict[type, st.SearchStrategy[r.Record]] = {
    r.TenantRecord: st.builds(r.TenantRecord, st.just("Europe/Berlin"), FACT),
    r.FactRecord: st.builds(r.FactRecord, fact_types()),
    r.AgentRecord: st.builds(
        r.AgentRecord, AGT, COMMITMENT, st.frozensets(st.sampled_from(r.Role), min_size=1)
    ),
    r.NameRecord: st.builds(r.NameRecord, ids("grp") | ids("col") | ids("pur"), COMMITMENT),
    r.CollectionRecord: st.builds(
        r.CollectionRecord, ids("col"), st.none() | FACT, FACTS, st.booleans(), st.booleans()
    ),
    r.SourceRecord: st.builds(
        r.SourceRecord,
        SRC,
        st.sampled_from(["git", "files", "manual"]),
        COMMITMENT,
        COMMITMENT,
        LEVEL,
        st.none() | ids("col"),
        st.none() | FACT,
        FACTS,
        st.none() | SRC,
    ),
    r.NativeRecord: st.builds(r.NativeRecord, SRC, COMMITMENT, INSTANT),
    r.TitleRecord: st.builds(r.TitleRecord, SRC, COMMITMENT),
    r.AuthorityRecord: st.builds(r.AuthorityRecord, SRC, LEVEL, st.none() | INSTANT),
    r.RetirementRecord: st.builds(r.RetirementRecord, SRC, INSTANT),
    r.RevisionRecord: revisions(),
    r.ScopeRecord: st.builds(r.ScopeRecord, REV | EV, scopes(f"ent_{'0' * 18}#scope")),
    r.ContextRecord: contexts(),
    r.EvidenceRecord: evidence(),
    r.ClaimRecord: claims(),
    r.RestatementRecord: st.builds(
        r.RestatementRecord,
        in_entry("restatement"),
        CL,
        COMMITMENT,
        st.frozensets(EV | CL, min_size=1, max_size=3),
        AGT,
        INSTANT,
    ),
    r.SupersessionRecord: st.builds(
        r.SupersessionRecord, st.just("cl_" + "0" * 18), st.just("cl_" + "1" * 18), OPTIONAL, st.booleans()
    ),
    r.RetractionRecord: st.builds(r.RetractionRecord, CL, OPTIONAL),
    r.GrantRecord: st.builds(
        r.GrantRecord,
        in_entry("grant"),
        AGT | ids("grp"),
        SRC | ids("col") | st.just("*"),
        st.none() | ids("pur"),
        st.none() | INSTANT,
        st.none() | st.sampled_from(["P30D", "PT12H", "P1Y6M"]),
    ),
    r.RevocationRecord: st.builds(
        r.RevocationRecord,
        st.lists(ENT.map(lambda ent: f"{ent}#grant"), min_size=1, max_size=3, unique=True).map(tuple),
    ),
    r.MembershipRecord: st.builds(r.MembershipRecord, AGT, ids("grp"), st.booleans()),
    r.CheckRecord: st.builds(
        r.CheckRecord, in_entry("check"), SRC, st.sampled_from(r.CHECK_OUTCOMES), INSTANT
    ),
    r.ThreadRecord: st.builds(
        r.ThreadRecord, in_entry("thread"), COMMITMENT, AGT, st.frozensets(AGT | ids("grp"), max_size=3)
    ),
    r.ReminderRecord: st.builds(
        r.ReminderRecord,
        ids("rem"),
        st.lists(CL, min_size=1, max_size=4, unique=True).map(tuple),
        st.integers(0, 10**6),
        AGT,
        INSTANT,
        st.none() | ENT.map(lambda ent: f"{ent}#thread"),
    ),
    r.DenialRecord: st.builds(r.DenialRecord, SRC, st.booleans(), OPTIONAL),
    r.ContradictionRecord: st.builds(
        r.ContradictionRecord, st.lists(CL, min_size=2, max_size=2, unique=True).map(tuple)
    ),
    r.SyncRecord: st.builds(r.SyncRecord, in_entry("sync"), COMMITMENT, COMMITMENT, AGT, INSTANT),
    r.ErasureRecord: st.builds(
        r.ErasureRecord,
        ERA,
        st.lists(SRC | REV | EV | CL, min_size=1, max_size=3, unique=True).map(tuple),
        st.frozensets(
            SRC | REV | EV | CL | AGT | ENT.map(lambda ent: f"{ent}#title"), min_size=1, max_size=4
        ),
        COMMITMENT,
        st.sampled_from(["request", "retention"]),
        st.dictionaries(CL, st.sampled_from(r.ERASURE_OUTCOMES), max_size=3).map(
            lambda outcomes: tuple(outcomes.items())
        ),
        OPTIONAL,
        OPTIONAL,
    ),
    r.RedactionRecord: st.builds(
        r.RedactionRecord,
        REV,
        ERA,
        COMMITMENT,
        st.integers(0, 10**12),
        st.lists(
            st.integers(0, 99).flatmap(
                lambda start: st.builds(r.TextPosition, st.just(start), st.integers(start + 1, 200))
            )
            | st.builds(r.CellPosition, st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
            min_size=1,
            max_size=3,
        ).map(tuple),
    ),
    r.RequoteRecord: st.builds(r.RequoteRecord, EV, ERA, COMMITMENT),
    r.ReceiptRecord: st.builds(
        r.ReceiptRecord, ERA, INSTANT, st.integers(0, 10**6), st.none() | st.integers(0, 9)
    ),
    r.HoldRecord: st.builds(r.HoldRecord, SRC | ids("col"), OPTIONAL),
    r.ReleaseRecord: st.builds(r.ReleaseRecord, SRC | ids("col"), OPTIONAL),
    r.RetentionRecord: st.builds(r.RetentionRecord, SRC | ids("col"), DURATION, DURATION),
    r.PruneRecord: st.builds(
        r.PruneRecord,
        ERA,
        st.lists(st.text(BODY[1:], min_size=18, max_size=18), min_size=1, max_size=3, unique=True).map(
            lambda bodies: tuple(f"ent_{body}" for body in bodies)
        ),
        st.frozensets(SRC | REV | EV | REV.map(lambda rev: f"{rev}#scope"), max_size=4),
    ),
    r.BackupRecord: st.builds(
        r.BackupRecord,
        in_entry("backup"),
        INSTANT,
        st.integers(0, 10**6),
        COMMITMENT,
        st.none() | st.integers(0, 9),
    ),
    r.ExportRecord: st.builds(
        r.ExportRecord, in_entry("export"), INSTANT, COMMITMENT, st.frozensets(CL | EV | SRC, max_size=3)
    ),
    r.IncarnationRecord: st.builds(r.IncarnationRecord, st.integers(0, 10**6), COMMITMENT, st.booleans()),
    r.GrantsConfirmedRecord: st.builds(r.GrantsConfirmedRecord),
    r.DisclosureHeadRecord: st.builds(r.DisclosureHeadRecord, st.integers(0, 10**6), COMMITMENT),
    r.EndingRecord: st.builds(
        r.EndingRecord,
        st.lists(REV.map(lambda rev: f"{rev}#scope"), min_size=1, max_size=3, unique=True).map(tuple),
    ),
}


#: Lines that say more than is needed; a range has a second bound, a set a second value.
OPTIONAL_LINE = re.compile(
    r"#(noteCommitment|indifferentTo|boundTo|used|by|value|purpose|min|above|max|below)>"
)


def lines_of(*records: r.Record) -> str:
    entry = r.entry_of(f"ent_{'0' * 18}", 7, f"agt_{'0' * 18}", NOW, records)
    return encode_entry(BASE, entry).decode()


def test_every_kind_of_record_is_tried():
    assert set(RECORDS) == set(typing.get_args(r.Record))


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_encoded_record_conforms(kind: type, data: st.DataObject):
    # An entry that ends statements always makes one.
    beside = [r.TitleRecord("src_" + "0" * 18, "0" * 64)] if kind is r.EndingRecord else []
    lines = lines_of(data.draw(RECORDS[kind]), *beside)
    assert VALIDATOR.check(lines, HOP.known(lines)) == ()


#: Nothing but these is written with an order that RDF does not keep.
UNORDERED = ("justifications", "outcomes", "targets", "gaps", "entries", "grants", "claims", "statements")


def without_order(record: r.Record) -> r.Record:
    kept = {
        name: tuple(sorted(getattr(record, name), key=repr)) for name in UNORDERED if hasattr(record, name)
    }
    return dataclasses.replace(record, **kept)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_encoded_record_is_decoded_as_it_was(kind: type, data: st.DataObject):
    record = data.draw(RECORDS[kind])
    entry = r.entry_of(f"ent_{'0' * 18}", 7, f"agt_{'0' * 18}", NOW, [record])
    (stated,) = decode_entry(encode_entry(BASE, entry), BASE).statements
    assert (stated.node, without_order(stated.record)) == (entry.statements[0].node, without_order(record))


@settings(max_examples=100, deadline=None)
@given(record=claims() | evidence() | contexts(), data=st.data())
def test_no_line_of_a_complete_record_can_be_left_out(record: r.Record, data: st.DataObject):
    lines = lines_of(record).splitlines(True)
    needed = [line for line in lines if OPTIONAL_LINE.search(line) is None]
    gone = data.draw(st.sampled_from(needed))
    known = list(HOP.known("".join(lines)))
    assert VALIDATOR.check("".join(line for line in lines if line != gone), known) != ()


def test_a_decimal_that_is_whole_is_still_a_decimal():
    scope = Scope((Range("total_2", Decimal("10"), True, Decimal("10"), True),))
    lines = lines_of(r.ScopeRecord("rev_" + "0" * 18, scope))
    assert VALIDATOR.check(lines, HOP.known(lines)) == ()
