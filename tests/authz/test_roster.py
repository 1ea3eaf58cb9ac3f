"""The ledger's own grants: as a slow and obvious reading of the same entries has it, whatever the order."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roster_story import START, Story, ask

from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration

AGENTS = ["agt_1", "agt_2"]
GROUPS = ["grp_1", "grp_2"]
SOURCES = ["src_1", "src_2"]
PURPOSES = [None, "pur_1", "pur_2"]
TIMES = [START + timedelta(hours=hour) for hour in range(4)]

grants = st.builds(
    lambda who, read, purpose, until, age: ("grant", who, read, purpose, until, age),
    st.sampled_from(AGENTS + GROUPS),
    st.sampled_from([*SOURCES, "col_1", "*"]),
    st.sampled_from(PURPOSES),
    st.sampled_from([None, *TIMES]),
    st.sampled_from([None, "PT1H", "PT2H"]),
)
memberships = st.tuples(st.just("member"), st.sampled_from(AGENTS), st.sampled_from(GROUPS), st.booleans())
denials = st.tuples(st.just("deny"), st.sampled_from(SOURCES), st.booleans())
revocations = st.tuples(st.just("revoke"), st.integers(0, 30))
stories = st.lists(st.one_of(grants, memberships, denials, revocations), max_size=14)


def told(steps: list[tuple]) -> tuple[Story, list[tuple[r.Record, datetime]]]:  # type: ignore[type-arg]
    """The roster, and what was told in plain order."""
    story, log = Story(), []
    for number, (kind, *parts) in enumerate(steps):
        story.at = TIMES[number % 2]
        record: r.Record
        if kind == "grant":
            record = r.GrantRecord(f"g{number}", *parts)
        elif kind == "member":
            record = r.MembershipRecord(*parts)
        elif kind == "deny":
            record = r.DenialRecord(*parts)
        else:
            record = r.RevocationRecord((f"g{parts[0]}",))
        story.tell(record)
        log.append((record, story.at))
    return story, log


def obviously(log: list[tuple[r.Record, datetime]], q: object) -> bool:
    """Read the whole story again for each request."""
    groups: set[str] = set()
    held: dict[str, tuple[r.GrantRecord, datetime]] = {}
    denied = False
    for record, at in log:
        if isinstance(record, r.MembershipRecord) and record.who == q.principal:
            groups = groups - {record.group} if record.left else groups | {record.group}
        elif isinstance(record, r.GrantRecord):
            held[record.id] = (record, at)
        elif isinstance(record, r.RevocationRecord):
            held.pop(record.grants[0], None)
        elif isinstance(record, r.DenialRecord) and record.source == q.source:
            denied = not record.allowed
    return not denied and any(
        grant.who in {q.principal, *groups}
        and grant.read in {q.source, q.collection, "*"}
        and grant.purpose in {None, q.purpose}
        and (grant.until is None or q.now < grant.until)
        and (grant.max_age is None or q.now < add_duration(at, parse_duration(grant.max_age)))
        for grant, at in held.values()
    )


@given(stories)
@settings(max_examples=300, deadline=None)
def test_the_roster_permits_what_the_story_says(steps: list[tuple]) -> None:  # type: ignore[type-arg]
    story, log = told(steps)
    requests = [
        ask(principal, source, collection, purpose, now)
        for principal in AGENTS
        for source, collection in (("src_1", "col_1"), ("src_2", None))
        for purpose in PURPOSES
        for now in TIMES
    ]
    answers = story.roster.authorise(requests)
    assert [answer.permit for answer in answers] == [obviously(log, q) for q in requests]


@pytest.mark.parametrize("age", ["soon", "P", "P9999Y"])
def test_a_grant_whose_age_cannot_be_read_holds_at_no_time(age: str) -> None:
    story = Story()
    story.grant("agt_amira", "src_1", max_age=age)
    times = [START - timedelta(days=400), START, START + timedelta(days=400)]
    assert not any(answer.permit for answer in story.roster.authorise([ask(now=now) for now in times]))


def test_the_version_is_that_of_the_last_entry_about_access() -> None:
    story = Story()
    story.grant("agt_amira", "src_1")
    story.tell(r.TitleRecord("src_1", "0" * 64))
    assert story.roster.policy_version == "grants-1"


def test_what_was_granted_is_listed_until_it_is_revoked() -> None:
    story = Story()
    first, second = story.grant("agt_amira", "src_1"), story.grant("agt_amira", "src_1", purpose="pur_1")
    assert [grant.id for grant in story.roster.granted("agt_amira", "src_1")] == [second, first]
    story.tell(r.RevocationRecord((first,)))
    assert [grant.id for grant in story.roster.granted("agt_amira", "src_1")] == [second]
    assert story.roster.granted("agt_ben", "src_1") == []
