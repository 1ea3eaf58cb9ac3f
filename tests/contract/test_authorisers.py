"""Whatever goes by the ledger's grants permits the same: the roster, Cedar, an authoriser elsewhere."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from roster_story import START, Story, ask

from prov_ledger.authz.cedar import load_cedar
from prov_ledger.authz.port import Answer, Authoriser, ReadRequest, readable, version_of
from prov_ledger.model import records as r

HOUR = timedelta(hours=1)
TICK = timedelta(milliseconds=1)


class Elsewhere:
    """A service of somebody else's that has been told the grants, and answers in a tuple."""

    def __init__(self, story: Story) -> None:
        self._story = story

    @property
    def policy_version(self) -> str:
        return f"elsewhere {self._story.roster.sequence}"

    def authorise(self, requests: Sequence[ReadRequest]) -> Sequence[Answer]:
        return tuple(self._story.roster.authorise(requests))


class Together(Elsewhere):
    """The roster as the ledger itself asks it: for all of a reader's sources in one step."""

    def authorise(self, requests: Sequence[ReadRequest]) -> Sequence[Answer]:
        pairs: dict[tuple[str | None, str | None, datetime, frozenset[str] | None], list[ReadRequest]] = {}
        for q in requests:
            pairs.setdefault((q.principal, q.purpose, q.now, q.groups), []).append(q)
        found = {
            (asking, source)
            for asking, asked in pairs.items()
            for source in self._roster_readable(asking, [(q.source, q.collection) for q in asked])
        }
        return [
            Answer(q.source, ((q.principal, q.purpose, q.now, q.groups), q.source) in found) for q in requests
        ]

    def _roster_readable(
        self,
        asking: tuple[str | None, str | None, datetime, frozenset[str] | None],
        pairs: list[tuple[str, str | None]],
    ) -> frozenset[str]:
        principal, purpose, now, groups = asking
        return self._story.roster.readable(principal, purpose, pairs, now, groups)


def together(story: Story, folder: Path) -> Authoriser:
    return Together(story)


def roster(story: Story, folder: Path) -> Authoriser:
    return story.roster


def cedar(story: Story, folder: Path) -> Authoriser:
    (folder / "granted.cedar").write_text("permit (principal, action, resource) when { context.granted };")
    return load_cedar(folder)(story.roster, story.find_name)


def elsewhere(story: Story, folder: Path) -> Authoriser:
    return Elsewhere(story)


@pytest.fixture
def story() -> Story:
    return Story()


@pytest.fixture(params=[roster, together, cedar, elsewhere], ids=lambda make: make.__name__)
def authoriser(request: pytest.FixtureRequest, story: Story, tmp_path: Path) -> Authoriser:
    make: Callable[[Story, Path], Authoriser] = request.param
    return make(story, tmp_path)


def permits(authoriser: Authoriser, request: ReadRequest) -> bool:
    return readable(authoriser, [request]) == {request.source}


def test_nobody_reads_anything_without_a_grant(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "src_1")
    assert permits(authoriser, ask())
    assert not permits(authoriser, ask(source="src_2"))
    assert not permits(authoriser, ask("agt_ben"))


def test_somebody_whom_the_ledger_does_not_know_reads_nothing(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "*")
    assert not permits(authoriser, ask(None))


def test_a_grant_of_a_collection_covers_its_sources_alone(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "col_1")
    assert permits(authoriser, ask(collection="col_1"))
    assert not permits(authoriser, ask(collection="col_2"))
    assert not permits(authoriser, ask(collection=None))


def test_a_grant_of_everything_covers_sources_in_no_collection_too(
    authoriser: Authoriser, story: Story
) -> None:
    story.grant("agt_amira", "*")
    assert permits(authoriser, ask(source="src_9"))
    assert permits(authoriser, ask(source="src_9", collection="col_9"))


def test_a_member_reads_what_its_group_may_until_it_leaves(authoriser: Authoriser, story: Story) -> None:
    story.grant("grp_staff", "src_1")
    assert not permits(authoriser, ask())
    story.tell(r.MembershipRecord("agt_amira", "grp_staff"))
    assert permits(authoriser, ask())
    story.tell(r.MembershipRecord("agt_amira", "grp_staff", left=True))
    assert not permits(authoriser, ask())


def test_leaving_one_group_leaves_what_the_other_gives(authoriser: Authoriser, story: Story) -> None:
    for group in ("grp_staff", "grp_board"):
        story.grant(group, "src_1")
        story.tell(r.MembershipRecord("agt_amira", group))
    story.tell(r.MembershipRecord("agt_amira", "grp_staff", left=True))
    assert permits(authoriser, ask())


def test_a_grant_for_a_purpose_holds_for_that_purpose_alone(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "src_1", purpose="pur_support")
    assert permits(authoriser, ask(purpose="pur_support"))
    assert not permits(authoriser, ask(purpose="pur_marketing"))


def test_an_absent_purpose_meets_only_grants_without_one(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "src_1", purpose="pur_support")
    assert not permits(authoriser, ask(purpose=None))
    story.grant("agt_amira", "src_1")
    assert permits(authoriser, ask(purpose=None))
    assert permits(authoriser, ask(purpose="pur_marketing"))


def test_a_grant_no_longer_holds_at_its_end(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "src_1", until=START + HOUR)
    assert permits(authoriser, ask(now=START + HOUR - TICK))
    assert not permits(authoriser, ask(now=START + HOUR))


def test_a_grant_no_longer_holds_at_its_greatest_age(authoriser: Authoriser, story: Story) -> None:
    story.at = START + HOUR
    story.grant("agt_amira", "src_1", max_age="PT30M")
    end = START + HOUR + HOUR / 2
    assert permits(authoriser, ask(now=end - TICK))
    assert not permits(authoriser, ask(now=end))


def test_granting_again_counts_the_age_anew(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "src_1", max_age="PT1H")
    story.at = START + HOUR
    story.grant("agt_amira", "src_1", max_age="PT1H")
    assert permits(authoriser, ask(now=START + HOUR))
    assert not permits(authoriser, ask(now=START + 2 * HOUR))


@pytest.mark.parametrize(("until", "max_age"), [(1, "PT2H"), (2, "PT1H")])
def test_of_two_ends_the_first_counts(authoriser: Authoriser, story: Story, until: int, max_age: str) -> None:
    story.grant("agt_amira", "src_1", until=START + until * HOUR, max_age=max_age)
    assert permits(authoriser, ask(now=START + HOUR - TICK))
    assert not permits(authoriser, ask(now=START + HOUR))


def test_a_revoked_grant_is_gone_and_the_others_stay(authoriser: Authoriser, story: Story) -> None:
    revoked = story.grant("agt_amira", "src_1")
    kept = story.grant("agt_amira", "src_1", purpose="pur_support")
    story.tell(r.RevocationRecord((revoked,)))
    assert not permits(authoriser, ask())
    assert permits(authoriser, ask(purpose="pur_support"))
    story.tell(r.RevocationRecord((kept,)))
    assert not permits(authoriser, ask(purpose="pur_support"))


def test_a_denied_source_is_readable_for_nobody_until_allowed(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "*")
    story.tell(r.DenialRecord("src_1"))
    assert readable(authoriser, [ask(), ask(source="src_2")]) == {"src_2"}
    story.tell(r.DenialRecord("src_1", allowed=True))
    assert permits(authoriser, ask())


def test_each_request_gets_its_own_answer_in_order(authoriser: Authoriser, story: Story) -> None:
    for number in range(0, 50, 2):
        story.grant("agt_amira", f"src_{number}")
    story.grant("agt_ben", "src_1")
    requests = [ask(source=f"src_{number}") for number in range(50)] + [ask("agt_ben", "src_1")]
    answers = authoriser.authorise(requests)
    assert [answer.source for answer in answers] == [request.source for request in requests]
    assert [answer.permit for answer in answers] == [number % 2 == 0 for number in range(50)] + [True]


def test_nothing_asked_is_nothing_permitted(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "*")
    assert readable(authoriser, []) == frozenset()


def test_the_policy_version_changes_with_what_is_granted(authoriser: Authoriser, story: Story) -> None:
    story.grant("agt_amira", "src_1")
    before = version_of(authoriser)
    assert version_of(authoriser) == before
    story.grant("agt_amira", "src_2")
    assert version_of(authoriser) not in (before, "unknown")
