"""Erasing one span: the rest stays citable at its place, and nothing touches the gap."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from prov_ledger.checks.redaction.gap import GAP
from prov_ledger.errors import Refused
from prov_ledger.model.records import TextPosition
from tests.checks.small_pdf import pdf_of
from tests.ledger.erasing.office import places_of
from tests.ledger.worlds import World, conclude, make_world

TEXT = "Seen by Oda Quist of 5 Long Lane, Bremen, on Monday. The parcel was wet. Paid at once."
NAME = "Oda Quist of 5 Long Lane, Bremen"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    made.source = made.ledger.source(native="notes", title="Notes")
    made.revision = made.ledger.revision(made.source, data=TEXT, label="1")
    made.evidence = made.ledger.evidence(made.revision, quote=NAME)
    yield made
    made.ledger.close()


def code_of(refusal: pytest.ExceptionInfo[Refused]) -> str:
    return refusal.value.code


def test_the_span_is_a_marked_gap_of_its_length(world: World) -> None:
    world.ledger.erase([world.evidence])

    assert world.ledger.show(world.revision).data.decode() == TEXT.replace(NAME, GAP * len(NAME))
    assert list(places_of(world.folder, NAME)) == []


def test_other_evidence_stays_citable_at_its_place(world: World) -> None:
    wet = world.ledger.evidence(world.revision, quote="The parcel was wet.")
    beside = world.ledger.evidence(world.revision, quote=", on Monday")

    world.ledger.erase([world.evidence])

    slots = world.ledger.resolve([wet, beside])
    assert [(slot.verdict, slot.quotes[0].quote) for slot in slots] == [
        ("citable", "The parcel was wet."),
        ("citable", ", on Monday"),
    ]
    (redaction,) = world.ledger._tenant.state.removals.redactions.values()
    assert redaction.gaps == (TextPosition(8, 8 + len(NAME)),)


def test_the_same_quote_beside_the_gap_is_the_same_evidence(world: World) -> None:
    wet = world.ledger.evidence(world.revision, quote="The parcel was wet.")
    world.ledger.erase([world.evidence])

    assert world.ledger.evidence(world.revision, quote="The parcel was wet.") == wet


def test_evidence_that_overlaps_the_span_goes_too(world: World) -> None:
    before = world.ledger.evidence(world.revision, quote="Seen by Oda")
    within = world.ledger.evidence(world.revision, quote="Bremen")
    around = world.ledger.evidence(world.revision, quote=TEXT[: TEXT.index("Monday")])
    touching = world.ledger.evidence(world.revision, quote="Seen by ")
    plan = world.ledger.plan_erasure([world.evidence])

    world.ledger.run_erasure(plan.hash)

    assert plan.goes == tuple(sorted([world.evidence, before, within, around]))
    assert [slot.verdict for slot in world.ledger.resolve([before, within, around, touching])] == [
        "withheld",
        "withheld",
        "withheld",
        "citable",
    ]
    assert world.ledger.show(world.revision).data.decode().startswith("Seen by " + GAP)


@pytest.mark.parametrize("quote", ["Oda", NAME, "by Oda Quist of", GAP * 4, "y " + GAP])
def test_a_quote_that_touches_the_gap_is_not_found(world: World, quote: str) -> None:
    world.ledger.erase([world.evidence])

    with pytest.raises(Refused) as refusal:
        world.ledger.evidence(world.revision, quote=quote, prefix="Seen by " if quote == GAP * 4 else None)

    assert code_of(refusal) == "quote_not_found"


def test_a_handle_that_had_the_page_open_does_not_quote_it_from_memory(world: World) -> None:
    world.ledger.evidence(world.revision, quote="Paid at once.")
    world.ledger.erase([world.evidence])

    with pytest.raises(Refused) as refusal:
        world.ledger.evidence(world.revision, quote="Oda Quist")

    assert code_of(refusal) == "quote_not_found"


def test_a_second_gap_keeps_the_first(world: World) -> None:
    wet = world.ledger.evidence(world.revision, quote="The parcel was wet.")
    world.ledger.erase([world.evidence])

    world.ledger.erase([wet])

    shown = world.ledger.show(world.revision).data.decode()
    assert shown == TEXT.replace(NAME, GAP * len(NAME)).replace("The parcel was wet.", GAP * 19)
    (redaction,) = world.ledger._tenant.state.removals.redactions.values()
    assert len(redaction.gaps) == 2
    assert world.ledger.verify().findings == ()


def test_claims_on_the_span_lose_their_words_and_those_on_the_rest_do_not(world: World) -> None:
    wet = world.ledger.evidence(world.revision, quote="The parcel was wet.")
    on_it = conclude(world.ledger, "Oda Quist saw it.", [world.evidence])
    both = conclude(world.ledger, "Oda saw that it was wet.", [[world.evidence], [wet]])
    beside = conclude(world.ledger, "It was wet.", [wet])
    had_read = conclude(world.ledger, "The parcel of Oda was wet.", [wet], exposure=[world.evidence])

    world.ledger.erase([world.evidence])

    slots = world.ledger.resolve([on_it, both, beside, had_read])
    assert [(slot.verdict, slot.words) for slot in slots] == [
        ("withheld", None),
        ("citable", "withheld"),
        ("citable", "shown"),
        ("citable", "withheld"),
    ]
    assert list(places_of(world.folder, "Oda")) == []
    outcomes = dict(next(iter(world.ledger._tenant.state.removals.erasures.values())).record.outcomes)
    assert outcomes == {on_it: "erased", both: "kept", had_read: "kept"}


def test_a_cell_of_a_table_is_a_gap_and_the_key_of_its_row_is_forgotten(world: World) -> None:
    rows = "name,amount\nOda Quist,17\nBo,18\n"
    revision = world.ledger.revision(world.source, data=rows, media_type="text/csv", label="table")
    name = world.ledger.evidence(revision, cell={"row": 1, "column": "name"})
    amount = world.ledger.evidence(revision, cell={"row": {"name": "Oda Quist"}, "column": "amount"})

    world.ledger.erase([name])

    assert world.ledger.show(revision).data.decode() == rows.replace("Oda Quist", GAP * 9)
    assert world.ledger.resolve([amount])[0].quotes[0].quote == "17"
    left = [place for place in places_of(world.folder, "Oda Quist") if revision in place or amount in place]
    assert left == []
    with pytest.raises(Refused) as refusal:
        world.ledger.evidence(revision, cell={"row": 1, "column": "name"})
    assert code_of(refusal) == "bad_cell"


def test_the_plan_names_where_else_the_text_is(world: World) -> None:
    other = world.ledger.source(native="copy", title="Copy")
    copy = world.ledger.revision(other, data=f"As said: {NAME}.", label="1")
    cited = world.ledger.evidence(copy, quote=NAME)
    world.ledger.revision(other, data="Nothing of it.", label="2")

    (found,) = world.ledger.plan_erasure([world.evidence]).copies

    assert (found.revision, found.whole, found.evidence) == (copy, False, (cited,))


def test_a_page_of_a_pdf_file_is_erased_as_a_whole(world: World) -> None:
    data = pdf_of([["Caller Oda Quist"]])
    revision = world.ledger.revision(world.source, data=data, media_type="application/pdf", label="pdf")
    quoted = world.ledger.evidence(revision, quote="Oda Quist")

    with pytest.raises(Refused, match="erase the revision instead"):
        world.ledger.plan_erasure([quoted])

    world.ledger.erase([revision])
    assert world.ledger.resolve([quoted])[0].verdict == "withheld"


def test_a_copy_in_the_same_revision_in_another_spelling_is_told_in_the_plan(world: World) -> None:
    told = f"By {NAME}. Again: {NAME.upper().replace('LONG', '*long*')}."
    revision = world.ledger.revision(world.source, data=told, media_type="text/markdown", label="2")
    plan = world.ledger.plan_erasure([world.ledger.evidence(revision, quote=NAME)])

    assert revision in {copy.revision for copy in plan.copies}


TAGGED = NAME.replace("Quist", "<b>Qu</b>ist")
ESCAPED = NAME.replace("Quist", "\\u0051uist")


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("text/plain", f"Seen by {NAME.upper()}."),
        ("text/plain", "Seen by " + NAME.replace("Quist", "Qu\u200bist")),
        ("text/plain; charset=utf-16le", f"Seen by {NAME}.".encode("utf-16le")),
        ("text/markdown", f"Seen by {NAME.replace('Quist', '*Quist*')}."),
        ("text/html", f"<p>Seen</p><!-- {NAME} -->"),
        ("text/html", f"<p>Seen by <del>{NAME}</del>"),
        ("text/html", f"<p>Seen by <span hidden>{TAGGED}</span>"),
        ("text/html", f"<p>Seen</p><img alt='{NAME}'>"),
        ("text/html", f"<p>Seen by {NAME.replace('Quist', 'Qu&shy;ist')}"),
        ("text/html", f"<a href='/{NAME.replace(' ', '%20')}'>Seen</a>"),
        ("application/octet-stream", f"Seen by {NAME}.".encode()),
        ("application/octet-stream", f"Seen by {NAME}.".encode("utf-16")),
        ("application/pdf", f"Seen by {NAME}.".encode()),
        ("application/json", f'{{"by": "{ESCAPED}"}}'),
        ("text/csv", "by,of\nOda Quist of 5,Long Lane Bremen\n"),
    ],
)
def test_the_span_comes_back_in_no_other_spelling(world: World, media_type: str, data: str | bytes) -> None:
    world.ledger.erase([world.evidence])

    with pytest.raises(Refused) as refusal:
        world.ledger.revision(world.source, data=data, media_type=media_type, label="2")

    assert code_of(refusal) == "erased_bytes"
