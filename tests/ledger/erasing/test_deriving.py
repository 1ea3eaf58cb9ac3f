"""What becomes of claims when something goes that they rest on or had before them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.ledger.erasing.deriving import derive
from prov_ledger.ledger.erasing.manifest import Derived
from prov_ledger.model import records as r

AT = datetime(2026, 3, 1, tzinfo=UTC)


def claim(id: str, *justifications: tuple[str, ...], exposed: tuple[str, ...] = ()) -> r.ClaimRecord:
    exposure = frozenset(exposed).union(*justifications)
    made = r.Transformation("quote"), r.Question("0" * 64, {}), "agt", AT
    return r.ClaimRecord(id, "0" * 64, justifications, exposure, *made)


def restated(id: str, of: str, *exposure: str) -> r.RestatementRecord:
    return r.RestatementRecord(id, of, "0" * 64, frozenset(exposure), "agt", AT)


def become(*claims: r.ClaimRecord, gone: set[str], withdrawn: frozenset[str] = frozenset()) -> dict[str, str]:
    return {x.claim: x.outcome for x in derive(claims, {}, gone, withdrawn)}


def test_a_claim_on_nothing_else_is_erased_and_so_is_what_rests_on_it() -> None:
    one, two = claim("c1", ("e1", "e2")), claim("c2", ("c1", "e2"), exposed=("e1",))

    assert become(one, two, gone={"e1"}) == {"c1": "erased", "c2": "erased"}


def test_a_claim_with_another_justification_is_kept_without_its_words() -> None:
    found = derive([claim("c1", ("e1",), ("e2",))], {}, {"e1"}, ())

    assert found == [Derived("c1", "kept", ("c1",))]


def test_a_claim_that_only_had_it_before_it_keeps_its_verdict() -> None:
    found = derive([claim("c1", ("e2",), exposed=("e1",))], {}, {"e1"}, ())

    assert found == [Derived("c1", "kept", ("c1",))]


def test_words_that_were_restated_without_it_stay() -> None:
    restatements = {"c1": [restated("s1", "c1", "e2"), restated("s2", "c1", "e1")]}

    (found,) = derive([claim("c1", ("e1",), ("e2",))], restatements, {"e1"}, ())

    assert found.words == ("c1", "s2")


def test_a_claim_whose_last_support_was_withdrawn_is_unknown() -> None:
    one, two = claim("c1", ("e1",), ("c0",)), claim("c2", ("c1",), exposed=("e1",))

    assert become(one, two, gone={"e1"}, withdrawn=frozenset({"c0"})) == {"c1": "unknown", "c2": "unknown"}


def test_what_nothing_of_it_reaches_is_left_out() -> None:
    assert become(claim("c1", ("e2",)), gone={"e1"}) == {}


def test_a_claim_that_goes_itself_is_erased_whatever_it_rests_on() -> None:
    found = derive([claim("c1", ("e2",))], {}, {"c1"}, ())

    assert found == [Derived("c1", "erased", ("c1",))]


@st.composite
def worlds(draw: st.DrawFn) -> list[r.ClaimRecord]:
    known = [f"e{n}" for n in range(4)]
    claims = []
    for number in range(draw(st.integers(1, 6))):
        member = st.sampled_from(known)
        groups = draw(st.lists(st.lists(member, min_size=1, max_size=3), min_size=1, max_size=3))
        named = {x for group in groups for x in group} | set(draw(st.lists(member, max_size=2)))
        exposed = set(named)
        for other in claims:
            exposed |= other.exposure if other.id in named else frozenset()
        claims.append(claim(f"c{number}", *(tuple(dict.fromkeys(g)) for g in groups), exposed=tuple(exposed)))
        known.append(f"c{number}")
    return claims


@pytest.mark.parametrize("gone", [{"e0"}, {"e0", "e1"}])
@given(claims=worlds())
def test_a_claim_is_erased_exactly_when_no_way_down_avoids_what_goes(
    gone: set[str], claims: list[r.ClaimRecord]
) -> None:
    by_id = {x.id: x for x in claims}

    def stands(id: str) -> bool:
        if id not in by_id:
            return id not in gone
        return any(all(stands(member) for member in members) for members in by_id[id].justifications)

    found = become(*claims, gone=gone)

    assert {id for id, outcome in found.items() if outcome == "erased"} == {
        x.id for x in claims if not stands(x.id)
    }
    assert {x.id for x in claims if x.exposure & gone} <= found.keys()
