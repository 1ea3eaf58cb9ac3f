"""The plan of an erasure: its hash, and how a person reads it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from prov_ledger.ledger.erasing.manifest import Copy, Derived, Gap, Kept, Manifest, Text
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import TextPosition

AT = datetime(2026, 3, 1, tzinfo=UTC)
EVIDENCE, REVISION, CLAIM, REMINDER = mint_id("ev"), mint_id("rev"), mint_id("cl"), mint_id("rem")
PLAN = Manifest(
    (EVIDENCE,),
    (EVIDENCE,),
    (Text(EVIDENCE, "quote"), Text(CLAIM, "statement")),
    (Derived(CLAIM, "kept", (CLAIM,)),),
    (Gap(REVISION, (TextPosition(14, 48),), (mint_id("ev"),)),),
    (REMINDER,),
    (f"{mint_id('ent')}#thread",),
    (Kept(f"{mint_id('ent')}#backup", AT, 3),),
    (),
    at=AT,
    copies=(Copy(mint_id("rev"), False, (mint_id("ev"),)),),
    shown_to=((mint_id("agt"), 2),),
)


def test_the_hash_is_the_same_for_the_same_plan_made_later() -> None:
    assert replace(PLAN, at=datetime(2026, 4, 1, tzinfo=UTC)).hash == PLAN.hash


def test_who_was_shown_it_and_where_it_stays_do_not_change_the_hash() -> None:
    assert replace(PLAN, shown_to=(), copies=()).hash == PLAN.hash


@pytest.mark.parametrize(
    "change",
    [
        {"targets": (CLAIM,)},
        {"goes": ()},
        {"texts": ()},
        {"derived": (Derived(CLAIM, "unknown", (CLAIM,)),)},
        {"gaps": ()},
        {"reminders": ()},
        {"threads": ()},
        {"backups": ()},
        {"exports": PLAN.backups},
        {"cause": "retention"},
    ],
)
def test_anything_else_that_differs_changes_the_hash(change: dict[str, object]) -> None:
    assert replace(PLAN, **change).hash != PLAN.hash  # type: ignore[arg-type]


def test_a_person_reads_it_in_eighty_columns() -> None:
    lines = list(PLAN.lines())

    assert max(map(len, lines)) <= 80
    assert "goes     1 evidence item, 2 sealed texts" in lines
    assert f"gap      {REVISION}: code points 14-48" in lines
    assert "derived  1 claim kept on what is left, their words go" in lines


def test_a_long_list_is_cut_for_a_person() -> None:
    many = tuple(mint_id("ev") for _ in range(40))

    lines = list(replace(PLAN, goes=many).lines())

    assert sum(line.strip() in many for line in lines) == 12
    assert "         and 28 more (--json lists all)" in lines
