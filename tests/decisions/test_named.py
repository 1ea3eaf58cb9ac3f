"""Small stories, each of which says one sentence of the design."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

import pytest
from obvious import Model
from retelling import decide_all
from stories import sorts
from told import Ask, Check, Claim, Evidence, Relation, Revision, Source, Step, Story, Told, Value


def day(number: int) -> date:
    return date(2026, 3, number)


def at(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


def story(*steps: tuple[int, Step], governed_by: str = "question_date") -> Story:
    """A story in March 2026: each step with the day on which it happened."""
    told = tuple(Told(place, at(number), step) for place, (number, step) in enumerate(steps))
    return Story("UTC", governed_by, sorts("UTC", "UTC"), told)


def period(fact: str, from_: object, until: object) -> Mapping[str, object]:
    return {"fact": fact, "from": from_, "until": until}


def verdicts(told: Story, *ids: str, **facts: Value) -> list[str]:
    """What the ledger decides on 20 March; the model has to agree with what the test then asserts."""
    found = decide_all(told, question(**facts), ids)
    return [found[id].decision.verdict for id in ids]


def by_the_model(told: Story, *ids: str, **facts: Value) -> list[str]:
    return [Model(told, question(**facts)).slot(id).verdict for id in ids]


def question(drifted: frozenset[str] = frozenset(), **facts: Value) -> Ask:
    return Ask(at(20), facts, readable=frozenset({"src_0"}), drifted=drifted)


REPLACED = story(
    (1, Source("src_0")),
    (1, Revision("rev_0", "src_0", at(1))),
    (1, Evidence("ev_0", "rev_0", scope=(period("question_date", day(1), "open"),))),
    (10, Revision("rev_1", "src_0", at(10), relation=Relation("replaces", "rev_0", day(12)))),
    (10, Evidence("ev_1", "rev_1")),
)


def test_a_replaced_revision_ends_for_evidence_with_a_period_of_its_own() -> None:
    """``replaces`` (from a date on): closes the predecessor there, if its end was open or unknown."""
    assert by_the_model(REPLACED, "ev_0", "ev_1") == ["ended", "citable"]
    assert verdicts(REPLACED, "ev_0", "ev_1") == ["ended", "citable"]


SUCCEEDED = story(
    (1, Source("src_0")),
    (1, Revision("rev_0", "src_0", at(1))),
    (1, Evidence("ev_0", "rev_0", scope=(period("question_date", day(1), "open"),))),
    (10, Revision("rev_1", "src_0", at(10))),
    (10, Evidence("ev_1", "rev_1")),
)


def test_a_provision_and_a_later_revision_that_govern_alike_are_in_conflict() -> None:
    """Any other two revisions that both govern the facts without a stated relation are a conflict.

    A revision governs, "or one provision of it, at evidence level".
    """
    assert by_the_model(SUCCEEDED, "ev_0") == ["conflict"]
    assert verdicts(SUCCEEDED, "ev_0") == ["conflict"]


@pytest.mark.parametrize(
    ("published", "relation"), [(at(5), Relation("parallel", "rev_0")), (at(1).replace(month=2), None)]
)
def test_a_current_check_confirms_a_revision_that_still_stands(
    published: datetime, relation: Relation | None
) -> None:
    """With an unknown end a revision is known to cover up to its retrieval or its latest ``current`` check.

    Another revision that stands beside it, or an older one that was captured late, changes nothing in that.
    """
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1), (period("bought", day(1), "unknown"),))),
        (1, Evidence("ev_0", "rev_0")),
        (5, Revision("rev_1", "src_0", published, (period("bought", day(20), "open"),), relation)),
        (10, Check("src_0", "current")),
    )
    assert verdicts(told, "ev_0", bought=day(9)) == ["citable"]


def test_a_drifted_claim_says_nothing_of_what_is_unconsidered() -> None:
    """First match wins: ``unconsidered`` belongs to ``unknown``."""
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1))),
        (1, Evidence("ev_0", "rev_0")),
        (1, Claim("cl_0", (("ev_0",),))),
    )
    asked = question(frozenset({"cl_0"}), bought=day(9))
    decision = decide_all(told, asked, ["cl_0"])["cl_0"].decision
    assert (decision.verdict, decision.unconsidered) == ("drifted", ())


def test_an_emptied_revision_is_outdated_where_it_had_applied() -> None:
    """A revision that was left no period at all is judged by the period that it had before."""
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1))),
        (1, Evidence("ev_0", "rev_0")),
        (1, Revision("rev_1", "src_0", at(1))),
        (1, Evidence("ev_1", "rev_1")),
        governed_by="bought",
    )
    assert verdicts(told, "ev_0", "ev_1", bought=day(3)) == ["outdated", "citable"]


def test_what_corrects_a_revision_replaces_what_that_had_replaced() -> None:
    """What replaces or corrects a revision does so for all that it had replaced or corrected."""
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1))),
        (5, Revision("rev_1", "src_0", at(5), relation=Relation("replaces", "rev_0", day(8)))),
        (6, Revision("rev_2", "src_0", at(6), relation=Relation("corrects", "rev_1"))),
        (6, Evidence("ev_0", "rev_0")),
        (6, Evidence("ev_1", "rev_1")),
        (6, Evidence("ev_2", "rev_2")),
    )
    assert verdicts(told, "ev_0", "ev_1", "ev_2") == ["ended", "outdated", "citable"]
    assert verdicts(told, "ev_0", "ev_2", question_date=at(7)) == ["citable", "not_yet"]


CORRECTED = story(
    (1, Source("src_0")),
    (1, Revision("rev_0", "src_0", at(1), (period("bought", day(1), "open"),))),
    (1, Evidence("ev_0", "rev_0")),
    (
        5,
        Revision(
            "rev_1",
            "src_0",
            at(5),
            ({"fact": "region", "in": ("DE",)}, period("bought", day(1), "unknown")),
            Relation("corrects", "rev_0"),
        ),
    ),
    (5, Evidence("ev_1", "rev_1")),
)


def test_what_may_be_corrected_for_these_facts_is_unknown() -> None:
    """``unknown``: nobody can tell whether a later revision corrects the cited one for these facts."""
    assert by_the_model(CORRECTED, "ev_0", bought=day(3)) == ["unknown"]
    assert verdicts(CORRECTED, "ev_0", bought=day(3)) == ["unknown"]
    missing = decide_all(CORRECTED, question(bought=day(3)), ["ev_0"])["ev_0"].decision
    assert (missing.missing, missing.decided_by) == (("region",), None)
    beyond = decide_all(CORRECTED, question(bought=day(9), region="DE"), ["ev_0"])["ev_0"].decision
    assert (beyond.verdict, beyond.missing, beyond.decided_by) == ("unknown", (), "bought")


def test_a_correction_that_surely_governs_or_surely_does_not_leaves_no_doubt() -> None:
    assert verdicts(CORRECTED, "ev_0", "ev_1", bought=day(3), region="DE") == ["outdated", "citable"]
    assert verdicts(CORRECTED, "ev_0", bought=day(9), region="FR") == ["citable"]


BESIDE = story(
    (1, Source("src_0")),
    (1, Revision("rev_0", "src_0", at(1), (period("bought", day(1), "open"),))),
    (1, Evidence("ev_0", "rev_0")),
    (5, Revision("rev_1", "src_0", at(5), ({"fact": "region", "in": ("DE",)},))),
    (5, Evidence("ev_1", "rev_1")),
)


def test_what_may_be_in_conflict_for_these_facts_is_unknown() -> None:
    """Two revisions that both govern the facts are a conflict: where one may, that is to be asked first."""
    assert by_the_model(BESIDE, "ev_0", bought=day(3)) == ["unknown"]
    assert verdicts(BESIDE, "ev_0", bought=day(3)) == ["unknown"]
    assert decide_all(BESIDE, question(bought=day(3)), ["ev_0"])["ev_0"].decision.missing == ("region",)
    assert verdicts(BESIDE, "ev_0", bought=day(3), region="FR") == ["citable"]
    assert verdicts(BESIDE, "ev_0", bought=day(3), region="DE") == ["conflict"]


def test_what_is_surely_in_conflict_asks_for_nothing() -> None:
    """An answer to the question would change nothing."""
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1), (period("bought", day(1), "open"),))),
        (1, Evidence("ev_0", "rev_0")),
        (5, Revision("rev_1", "src_0", at(5), ({"fact": "region", "in": ("DE",)},))),
        (6, Revision("rev_2", "src_0", at(6), (period("bought", day(2), "open"),))),
    )
    assert by_the_model(told, "ev_0", bought=day(3)) == ["conflict"]
    assert verdicts(told, "ev_0", bought=day(3)) == ["conflict"]


def test_of_revisions_that_are_parallel_one_that_may_govern_leaves_the_other_alone() -> None:
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1), (period("bought", day(1), "open"),))),
        (1, Evidence("ev_0", "rev_0")),
        (
            5,
            Revision(
                "rev_1", "src_0", at(5), ({"fact": "region", "in": ("DE",)},), Relation("parallel", "rev_0")
            ),
        ),
    )
    assert verdicts(told, "ev_0", bought=day(3)) == ["citable"]


def test_a_revision_that_is_corrected_puts_no_other_in_doubt() -> None:
    """A revision that is corrected puts no other in conflict, whether it governs or not."""
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1), ({"fact": "region", "in": ("DE",)},))),
        (
            2,
            Revision(
                "rev_1", "src_0", at(2), (period("bought", day(1), "open"),), Relation("corrects", "rev_0")
            ),
        ),
        (
            3,
            Revision(
                "rev_2", "src_0", at(3), (period("bought", day(1), "open"),), Relation("parallel", "rev_1")
            ),
        ),
        (3, Evidence("ev_2", "rev_2")),
    )
    assert by_the_model(told, "ev_2", bought=day(3)) == ["citable"]
    assert verdicts(told, "ev_2", bought=day(3)) == ["citable"]


def test_capturing_an_older_state_is_no_check_of_what_the_source_is_now() -> None:
    """Capturing a revision counts as a ``current`` check; that of an older state confirms nothing newer."""
    told = story(
        (1, Source("src_0")),
        (5, Revision("rev_0", "src_0", at(5))),
        (5, Evidence("ev_0", "rev_0")),
        (10, Check("src_0", "gone")),
        (15, Revision("rev_1", "src_0", at(2))),
    )
    assert by_the_model(told, "ev_0") == ["unchecked"]
    assert verdicts(told, "ev_0") == ["unchecked"]


@pytest.mark.parametrize("relation", [None, Relation("parallel", "rev_0")])
def test_capturing_the_latest_state_or_one_beside_it_is_a_current_check(relation: Relation | None) -> None:
    told = story(
        (1, Source("src_0")),
        (5, Revision("rev_0", "src_0", at(5))),
        (10, Check("src_0", "gone")),
        (15, Revision("rev_1", "src_0", at(15) if relation is None else at(4), relation=relation)),
        (15, Evidence("ev_1", "rev_1")),
    )
    assert by_the_model(told, "ev_1") == ["citable"]
    assert verdicts(told, "ev_1") == ["citable"]


def test_an_older_state_does_not_move_the_date_of_the_last_confirmation() -> None:
    told = story(
        (1, Source("src_0")),
        (5, Revision("rev_0", "src_0", at(5))),
        (5, Evidence("ev_0", "rev_0")),
        (15, Revision("rev_1", "src_0", at(2))),
    )
    decision = decide_all(told, question(), ["ev_0"])["ev_0"].decision
    assert (decision.assumed_open, decision.last_confirmed) == (True, at(5))


@pytest.mark.parametrize(
    ("by", "bound_to", "verdict"),
    [
        (frozenset(), frozenset(), "other_question"),
        (frozenset({"region"}), frozenset(), "citable"),
        (frozenset(), frozenset({"region"}), "citable"),
    ],
)
def test_what_was_computed_nobody_said_by_what_is_bound_to_all_facts_of_its_question(
    by: frozenset[str], bound_to: frozenset[str], verdict: str
) -> None:
    """``compute`` binds a claim to the facts it was computed by."""
    told = story(
        (1, Source("src_0", indifferent=frozenset({"bought"}))),
        (1, Revision("rev_0", "src_0", at(1))),
        (1, Evidence("ev_0", "rev_0")),
        (1, Claim("cl_0", (("ev_0",),), "compute", by, {"bought": day(2), "region": "DE"}, bound_to)),
    )
    assert by_the_model(told, "cl_0", bought=day(2), region="DE") == ["citable"]
    assert verdicts(told, "cl_0", bought=day(2), region="DE") == ["citable"]
    assert by_the_model(told, "cl_0", bought=day(3), region="DE") == [verdict]
    assert verdicts(told, "cl_0", bought=day(3), region="DE") == [verdict]


def test_what_was_computed_for_a_question_without_facts_is_bound_to_none() -> None:
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1))),
        (1, Evidence("ev_0", "rev_0")),
        (1, Claim("cl_0", (("ev_0",),), "compute")),
    )
    assert verdicts(told, "cl_0", region="DE") == ["citable"]


def test_a_correction_of_a_default_scope_that_was_replaced_ends_with_the_next_unrelated_state() -> None:
    """It takes the corrected one's scope, as default as that one's is: of all ends the earliest counts."""
    told = story(
        (1, Source("src_0")),
        (1, Revision("rev_0", "src_0", at(1))),
        (2, Revision("rev_1", "src_0", at(2), relation=Relation("corrects", "rev_0"))),
        (2, Evidence("ev_1", "rev_1")),
        (5, Revision("rev_2", "src_0", at(5), relation=Relation("replaces", "rev_0", day(15)))),
    )
    assert by_the_model(told, "ev_1", question_date=day(10)) == ["ended"]
    assert verdicts(told, "ev_1", question_date=day(10)) == ["ended"]
    assert verdicts(told, "ev_1", question_date=day(4)) == ["citable"]
