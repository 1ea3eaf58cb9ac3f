"""A leaf filled in from a template is the leaf that the encoder writes, and its form is the template's."""

import dataclasses
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from alike_entries import BODIES, COMMITMENTS, NOW, Renaming, Written, nearly_same, written
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from test_encoded_entries import BASE, claims, contexts, evidence
from test_forms import FORMS, PREFIXES

from prov_ledger.checks.forms import Forms, is_exchanged
from prov_ledger.checks.shape_index import ShapeIndex
from prov_ledger.checks.shape_reading import ShapesSeen
from prov_ledger.checks.skeletons import Likeness, find_likeness
from prov_ledger.checks.templates import Templates
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue
from prov_ledger.model.scopes import Edge, Period, Scope
from prov_ledger.model.times import format_instant
from prov_ledger.rdf.encode import encode_entry, encode_triples, write_leaf
from prov_ledger.rdf.writer import Rendered
from prov_ledger.resources import load_topics, shapes_dir
from prov_ledger.vocab import PROV, XSD


def triples_of(entry: r.Entry) -> list[Rendered]:
    """As encoded, but with what a claim was exposed to in an order that two entries can share."""
    triples = encode_triples(BASE, entry)
    used = [triple for triple in triples if triple[1] == f"<{PROV}used>"]
    claim = next((x.record for x in entry.statements if isinstance(x.record, r.ClaimRecord)), None)
    if claim is None or not used:
        return triples
    members = dict.fromkeys(member for members in claim.justifications for member in members)
    place = {f"<{BASE}{id}>": n for n, id in enumerate([*members, *sorted(claim.exposure - members.keys())])}
    in_order = iter(sorted(used, key=lambda triple: place[triple[2]]))
    return [next(in_order) if triple[1] == f"<{PROV}used>" else triple for triple in triples]


def template_of(entry: r.Entry, minted: list[r.Node], likeness: Likeness) -> Templates:
    """What is kept of an entry where its form is known, as on the write path."""
    templates = Templates(BASE, FORMS)
    triples = encode_triples(BASE, entry)
    if FORMS.of(triples, minted) is not None:
        templates.keep(likeness, triples, write_leaf(BASE, triples))
    return templates


def check_alike(one: Written, other: Written) -> None:
    likeness, like = find_likeness(*one), find_likeness(*other)
    if likeness is None or like is None or likeness.skeleton != like.skeleton:
        return
    leaf = template_of(*one, likeness).fill(like)
    event(f"template kept: {leaf is not None}")
    if leaf is not None:
        assert leaf == encode_entry(BASE, other[0])
        form = FORMS.of(triples_of(one[0]), one[1])
        assert FORMS.of(triples_of(other[0]), other[1]) == form
        assert form is not None


@settings(max_examples=400, deadline=None)
@given(written(), st.integers(), st.booleans())
def test_an_entry_of_the_skeleton_of_another_has_its_form_and_the_leaf_that_its_template_gives(
    one: Written, seed: int, apart: bool
):
    check_alike(one, Renaming(seed, apart).all(*one))


@settings(max_examples=400, deadline=None)
@given(nearly_same())
def test_an_entry_that_says_something_else_is_not_taken_for_one_that_is_like_another(
    pair: tuple[Written, Written],
):
    check_alike(*pair)


@settings(max_examples=100, deadline=None)
@given(claims() | evidence() | contexts(), st.integers())
def test_what_agents_write_has_a_template_whatever_its_ids_and_times(record: r.Record, seed: int):
    name = "narrow" if isinstance(record, r.ClaimRecord) else "scope"
    record = dataclasses.replace(record, **{name: None}) if hasattr(record, name) else record
    one = r.entry_of(f"ent_{'0' * 18}", 7, f"agt_{'0' * 18}", NOW, [record]), [f"ent_{'0' * 18}"]
    assume(b"-02-29" not in encode_entry(BASE, one[0]))
    other = Renaming(seed, apart=True).all(*one)
    likeness, like = find_likeness(*one), find_likeness(*other)
    assert likeness is not None
    assert like is not None
    assert template_of(*one, likeness).fill(likeness) == encode_entry(BASE, one[0])
    if likeness.skeleton == like.skeleton:
        assert template_of(*one, likeness).fill(like) == encode_entry(BASE, other[0])


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_is_an_atom_where_a_form_exchanges_it_and_only_there(instant: datetime):
    entry = r.entry_of(f"ent_{'0' * 18}", 7, f"agt_{'0' * 18}", instant, [])
    literal = f'"{format_instant(instant)}"^^<{XSD}dateTime>'
    assert (find_likeness(entry, []) is not None) == is_exchanged(literal)


ENTRY, AGENT, OTHER_AGENT = f"ent_{BODIES[0]}", f"agt_{BODIES[0]}", f"agt_{BODIES[1]}"
SPAN = r.EvidenceRecord("ev_" + BODIES[0], "rev_" + BODIES[0], r.TextPosition(5, 9), "0" * 64, ENTRY)
CLAIM = r.ClaimRecord(
    "cl_" + BODIES[0],
    COMMITMENTS[0],
    (("ev_" + BODIES[0], "ev_" + BODIES[1]),),
    frozenset({"ev_" + BODIES[0], "ev_" + BODIES[1], "ev_" + BODIES[2]}),
    r.Transformation("quote"),
    r.Question(COMMITMENTS[1], {"region": "DE", "total": Decimal(3), "order_date": date(2026, 1, 2)}),
    AGENT,
    NOW,
)
CONTEXT = r.ContextRecord(
    f"{ENTRY}#retrieval", *(AGENT, AGENT, None, "permit", "1", NOW), ("passed", None), ("untested", "soon")
)
SUPERSESSION = r.SupersessionRecord("cl_" + BODIES[1], "cl_" + BODIES[2])


EV, EV_2, CL = "ev_" + BODIES[0], "ev_" + BODIES[1], "cl_" + BODIES[1]


def one_entry(record: r.Record, sequence: int = 7, minted: int = 2, agent: str = OTHER_AGENT) -> Written:
    entry = r.entry_of(ENTRY, sequence, agent, NOW + timedelta(days=1), [record])
    return entry, [ENTRY, CLAIM.id, SPAN.id][:minted]


def asked(**facts: FactValue) -> r.ClaimRecord:
    return dataclasses.replace(CLAIM, question=r.Question(COMMITMENTS[1], facts))


def on(*groups: tuple[str, ...]) -> r.ClaimRecord:
    return dataclasses.replace(CLAIM, justifications=groups, exposure=CLAIM.exposure.union(*groups))


def made_by(*facts: str) -> r.ClaimRecord:
    return dataclasses.replace(CLAIM, transformation=r.Transformation("quote", frozenset(facts)))


def but(record: r.Record, **changes: object) -> Written:
    return one_entry(dataclasses.replace(record, **changes))


def at(start: int, end: int) -> r.EvidenceRecord:
    return dataclasses.replace(SPAN, selector=r.TextPosition(start, end))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (one_entry(CLAIM), one_entry(CLAIM, minted=1)),
        (one_entry(CLAIM), one_entry(CLAIM, agent=AGENT)),
        (one_entry(CLAIM, sequence=1), one_entry(CLAIM, sequence=2)),
        (one_entry(CLAIM), one_entry(dataclasses.replace(CLAIM, statement=COMMITMENTS[1]))),
        (one_entry(CLAIM), one_entry(dataclasses.replace(CLAIM, made=NOW + timedelta(days=1)))),
        (one_entry(on((EV,))), one_entry(on((CL,)))),
        (one_entry(on((EV, EV))), one_entry(on((EV, EV_2)))),
        (one_entry(on((EV, EV_2))), one_entry(on((EV,), (EV_2,)))),
        (one_entry(made_by()), one_entry(made_by("region"))),
        (one_entry(CLAIM), but(CLAIM, transformation=r.Transformation("select"))),
        (one_entry(CLAIM), but(CLAIM, transformation=r.Transformation("quote", note=COMMITMENTS[0]))),
        (one_entry(CLAIM), but(CLAIM, bound_to=frozenset({"region"}))),
        (one_entry(asked(region="DE", zone="DE")), one_entry(asked(region="FR", zone="DE"))),
        (one_entry(asked(region="DE")), one_entry(asked(zone="DE"))),
        (one_entry(asked(x=Decimal(2))), one_entry(asked(x=date(2026, 1, 1)))),
        (one_entry(asked(x=Decimal(2), y=Decimal(2))), one_entry(asked(x=Decimal(2), y=Decimal(3)))),
        (one_entry(at(5, 9)), one_entry(at(9, 5))),
        (one_entry(at(5, 9)), one_entry(at(5, 5))),
        (one_entry(at(5, 9)), one_entry(at(7, 9))),
        (one_entry(at(0, 9)), one_entry(at(1, 9))),
        (one_entry(at(5, 9)), one_entry(at(5, 10**18))),
        (one_entry(SPAN), but(SPAN, context=f"{ENTRY}#retrieval")),
        (one_entry(SPAN), but(SPAN, indifferent_to=frozenset({"region"}))),
        (but(SPAN, selector=r.CellPosition(2, 3, 1)), but(SPAN, selector=r.CellPosition(2, 3, 4))),
        (one_entry(CONTEXT), but(CONTEXT, id=f"{ENTRY}#retrieval.2")),
        (one_entry(CONTEXT), but(CONTEXT, policy_version="2")),
        (one_entry(CONTEXT), but(CONTEXT, purpose="pur_" + BODIES[0])),
        (one_entry(CONTEXT), but(CONTEXT, authority=("failed", None))),
        (one_entry(CONTEXT), but(CONTEXT, applicability=("untested", "later"))),
        (one_entry(SUPERSESSION), but(SUPERSESSION, reaffirmed=True)),
        (one_entry(SUPERSESSION), but(SUPERSESSION, reason=COMMITMENTS[0])),
    ],
)
def test_what_is_said_otherwise_or_has_other_atoms_the_same_has_another_skeleton(
    one: Written, other: Written
):
    skeletons = [
        found.skeleton for found in (find_likeness(*one), find_likeness(*other)) if found is not None
    ]
    assert len(set(skeletons)) == 2


@pytest.mark.parametrize(
    "record",
    [
        dataclasses.replace(SPAN, scope=Scope((Period("question_date", NOW, Edge.OPEN),))),
        dataclasses.replace(CLAIM, narrow=Scope(())),
        dataclasses.replace(CLAIM, exposure=frozenset()),
        dataclasses.replace(CLAIM, agent="*"),
        dataclasses.replace(CLAIM, agent=f"{AGENT} {AGENT}"),
        dataclasses.replace(CLAIM, statement="A" * 64),
        dataclasses.replace(CLAIM, statement=f'{COMMITMENTS[0]}""{COMMITMENTS[0]}'),
        dataclasses.replace(CLAIM, made=datetime(2024, 2, 29, tzinfo=UTC)),
        asked(x=date(2024, 2, 29)),
        asked(x=Decimal(10) ** 18),
        r.TitleRecord("src_" + BODIES[0], COMMITMENTS[0]),
    ],
)
def test_what_is_unusual_has_no_skeleton(record: r.Record):
    assert find_likeness(*one_entry(record)) is None


def test_an_entry_of_texts_that_are_exchanged_and_others_that_stay_has_no_skeleton():
    entry = r.entry_of(ENTRY, 7, AGENT, NOW, [CONTEXT, asked(region="1")])
    assert find_likeness(entry, [ENTRY]) is None


def kept(written: Written, forms: Forms = FORMS) -> bool:
    likeness = find_likeness(*written)
    assert likeness is not None
    templates, triples = Templates(BASE, forms), encode_triples(BASE, written[0])
    templates.keep(likeness, triples, write_leaf(BASE, triples))
    return templates.fill(likeness) is not None


def forms_with(shape: str) -> Forms:
    """The forms where there is one more shape of what a statement says."""
    text = f"{PREFIXES}<urn:shape> a sh:NodeShape ; sh:targetClass pl:FactValue ; sh:property {shape} ."
    return Forms(ShapesSeen(ShapeIndex({**load_topics(shapes_dir()), "further": text}).triples()))


def test_no_template_is_made_where_a_form_exchanges_what_is_no_atom():
    assert kept(one_entry(asked(region="DE")))
    assert not kept(one_entry(asked(**{f"ev_{BODIES[1]}": "DE"})))


def test_no_template_is_made_where_shapes_compare_what_a_skeleton_has_no_order_of():
    assert kept(one_entry(SPAN))
    assert not kept(one_entry(SPAN), forms_with("[ sh:path pl:sequence ; sh:lessThan pl:other ]"))


def test_no_template_is_made_where_shapes_look_at_the_text_of_a_fact():
    pattern = forms_with('[ sh:path pl:value ; sh:datatype xsd:string ; sh:pattern "^D" ]')
    assert kept(one_entry(asked(region="DE")))
    assert not kept(one_entry(asked(region="DE")), pattern)
    assert kept(one_entry(asked(total=Decimal(3))), pattern)


def test_of_more_templates_than_are_kept_the_oldest_go_one_by_one():
    templates, found = Templates(BASE, FORMS), []
    for number in range(300):
        entry, minted = one_entry(asked(**{f"fact_{number}": "DE"}))
        likeness, triples = find_likeness(entry, minted), encode_triples(BASE, entry)
        assert likeness is not None
        templates.keep(likeness, triples, write_leaf(BASE, triples))
        found.append(likeness)
    held = [number for number, likeness in enumerate(found) if templates.fill(likeness) is not None]
    assert len(held) == 256
    assert held[0] in range(1, 20)
    assert held[-1] in range(290, 300)


def test_what_was_only_seen_may_have_any_order():
    seen = ["ev_" + BODIES[1], "cl_" + BODIES[2], "ev_" + BODIES[2], "cl_" + BODIES[1]]
    found = {
        find_likeness(*one_entry(dataclasses.replace(CLAIM, exposure=CLAIM.exposure.union(some)))).skeleton
        for some in (seen[:2], seen[1:3], seen[2:])
    }
    assert len(found) == 1


EVIDENCE_IDS = [f"<{BASE}ev_{{{n}}}{rest}>" for n in (4, 5, 6) for rest in ("", "#a", "#a.1")]
#: Terms of the atoms of that claim, by their places, and of nothing.
TERMS = [*EVIDENCE_IDS, "{7}", "{8}", "{9}", f"<{BASE}tenant>", f"<{BASE}>", '"x"']
NO_ATOMS = [
    f'"77"^^<{XSD}integer>',
    f"<{BASE}fact/ev_{BODIES[0]}>",
    f"<{BASE}ev_{'9' * 18}>",
    '"\0"',
    "<u:\0>",
]
TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(EVIDENCE_IDS),
        st.sampled_from(["<urn:p>", "<urn:q>"]),
        st.sampled_from(TERMS * 4 + NO_ATOMS),
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=600, deadline=None)
@given(TRIPLES, st.integers())
def test_lines_that_would_come_in_an_order_that_cannot_be_told_have_no_template(
    triples: list[Rendered], seed: int
):
    one, other = one_entry(CLAIM), Renaming(seed, apart=True).all(*one_entry(CLAIM))
    likeness, like = find_likeness(*one), find_likeness(*other)
    assert likeness is not None
    assert like is not None
    assert likeness.skeleton == like.skeleton
    first, second = (
        [(s.format(*found.atoms), p, o.format(*found.atoms)) for s, p, o in triples]
        for found in (likeness, like)
    )
    templates = Templates(BASE, FORMS)
    templates.keep(likeness, first, write_leaf(BASE, first))
    leaf = templates.fill(like)
    event(f"template kept: {leaf is not None}")
    assert leaf is None or leaf == write_leaf(BASE, second)
    if any(o in NO_ATOMS for _, _, o in triples):
        assert leaf is None
