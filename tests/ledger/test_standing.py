"""What becomes of claims: reaffirming, restating, explaining, telling a thread what has fallen."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prov_ledger import Ledger, Refused
from prov_ledger.ledger.async_ledger import AsyncLedger

PAGE = "# Returns\n\nGoods come back within 30 days.\n\nKeep the recipt.\n"
NEXT_PAGE = PAGE.replace("recipt", "receipt")
QUOTE = {"transformation": {"kind": "quote"}, "question": {"text": "What is the rule?", "facts": {}}}


@dataclass
class Story:
    """A page with two claims on it and one on top, and a clock to move."""

    ledger: Ledger
    now: datetime
    source: str = ""
    kept: str = ""
    typo: str = ""
    above: str = ""

    def at(self, month: int) -> None:
        self.now = datetime(2026, month, 1, 8, tzinfo=UTC)

    def revise(self, page: str, label: str) -> str:
        return self.ledger.revision(self.source, data=page, label=label, media_type="text/markdown")

    def quote(self, revision: str, text: str) -> str:
        return self.ledger.evidence(revision, quote=text)

    def claim(self, says: str, support: list[str]) -> str:
        return self.ledger.claim(says=says, support=support, **QUOTE)  # type: ignore[arg-type]

    def verdicts(self, *ids: str) -> list[str]:
        return [slot.verdict for slot in self.ledger.resolve(ids)]


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    start = datetime(2026, 1, 1, 8, tzinfo=UTC)
    holder: list[Story] = []
    ledger = Ledger.init(tmp_path / "ledger", clock=lambda: holder[0].now if holder else start)
    story = Story(ledger, start)
    holder.append(story)
    story.source = ledger.source(native="returns.md", title="Returns", collection="handbook")
    revision = story.revise(PAGE, "a")
    story.kept = story.claim("30 days.", [story.quote(revision, "Goods come back within 30 days.")])
    story.typo = story.claim("Keep the receipt.", [story.quote(revision, "Keep the recipt.")])
    story.above = story.claim("A month, then.", [story.kept])
    yield story
    ledger.close()


def test_a_claim_is_carried_over_only_where_its_quote_is_still_the_same(story: Story) -> None:
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    assert story.verdicts(story.kept, story.typo, story.above) == ["ended", "ended", "ended"]
    done = story.ledger.reaffirm([story.kept, story.typo, story.above])
    assert set(done.carried) == {story.kept, story.above}
    assert done.changed == (story.typo,)
    assert story.verdicts(story.kept, story.typo, *done.carried.values()) == [
        "superseded",
        "ended",
        "citable",
        "citable",
    ]


def test_what_was_carried_over_is_still_citable_for_the_earlier_time(story: Story) -> None:
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    carried = story.ledger.reaffirm([story.kept]).carried[story.kept]
    slot = story.ledger.resolve([carried], facts={"question_date": "2026-02-01"})[0]
    assert slot.verdict == "citable"
    assert [q.label for q in slot.quotes] == ["a"]


def test_a_sentence_that_moved_below_another_heading_is_not_carried_over(story: Story) -> None:
    story.at(3)
    story.revise("# Returns\n\n## Business customers\n\nGoods come back within 30 days.\n", "b")
    slot = story.ledger.resolve([story.kept])[0]
    assert [candidate.became for candidate in slot.candidates] == ["moved"]
    assert story.ledger.reaffirm([story.kept]).carried == {}


def test_a_sentence_that_stands_twice_now_is_not_carried_over(story: Story) -> None:
    story.at(3)
    story.revise(PAGE + "\nGoods come back within 30 days.\n", "b")
    assert story.ledger.reaffirm([story.kept]).changed == (story.kept,)


def test_a_claim_above_follows_when_what_it_rests_on_was_carried_over_before(story: Story) -> None:
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    story.ledger.reaffirm([story.kept])
    assert story.verdicts(story.above) == ["undercut"]
    assert list(story.ledger.reaffirm([story.above]).carried) == [story.above]


def test_a_claim_above_a_corrected_one_is_not_carried_over(story: Story) -> None:
    story.at(3)
    revision = story.revise(NEXT_PAGE, "b")
    other = story.quote(revision, "Keep the receipt.")
    story.ledger.supersede(story.kept, says="Only with receipt.", support=[other], **QUOTE)  # type: ignore[arg-type]
    assert story.ledger.reaffirm([story.above]).carried == {}


def test_a_whole_collection_is_carried_over_at_once(story: Story) -> None:
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    assert set(story.ledger.reaffirm(collection="handbook").carried) == {story.kept, story.above}


def test_a_collection_with_the_policy_needs_no_asking(story: Story) -> None:
    story.ledger.collection("handbook", reaffirm=True)
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    assert story.verdicts(story.kept, story.typo) == ["superseded", "ended"]


def test_nothing_is_carried_over_on_a_source_that_is_retired(story: Story) -> None:
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    story.ledger.retire(story.source, from_="2026-03-01")
    done = story.ledger.reaffirm([story.kept, story.typo, story.above])
    assert (done.carried, done.changed, done.left) == ({}, (), ())
    assert set(done.retired) == {story.kept, story.typo, story.above}
    story.ledger.authority(story.source, "official")
    assert set(story.ledger.reaffirm([story.kept, story.above]).carried) == {story.kept, story.above}


def test_another_agents_claim_is_reaffirmed_by_a_curator_only(story: Story) -> None:
    story.ledger.grant("ben", story.source)
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    with pytest.raises(Refused) as refusal:
        story.ledger.reaffirm([story.kept], by="ben")
    assert refusal.value.code == "denied"
    assert story.verdicts(story.kept) == ["ended"]


def test_a_restated_claim_shows_its_words_to_whoever_may_read_what_they_rest_on(story: Story) -> None:
    secret = story.ledger.source(native="secret", title="Secret")
    revision = story.ledger.revision(secret, data="The board knows why.", label="1")
    seen = story.ledger.evidence(revision, quote="The board knows why.")
    evidence = story.quote(story.revise(NEXT_PAGE, "b"), "Keep the receipt.")
    claim = story.ledger.claim(says="Keep it.", support=[evidence], exposure=[seen], **QUOTE)  # type: ignore[arg-type]
    story.ledger.grant("ben", story.source)
    slot = story.ledger.resolve([claim], principal="ben")[0]
    assert (slot.verdict, slot.words, slot.statement) == ("citable", "withheld", None)
    story.ledger.restate(claim, says="Keep the receipt.", exposure=[evidence])
    slot = story.ledger.resolve([claim], principal="ben")[0]
    assert (slot.words, slot.statement) == ("shown", "Keep the receipt.")


def test_an_explanation_says_what_was_believed_and_what_is_different_now(story: Story) -> None:
    made = story.now
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    story.ledger.reaffirm([story.kept])
    account = story.ledger.explain(story.kept)
    assert (account.then.verdict, account.now.verdict, account.made) == ("citable", "superseded", made)
    assert [quote.quote for quote in account.then.quotes] == ["Goods come back within 30 days."]
    assert {event.kind for event in account.since} == {"revision recorded", "superseded"}
    assert all(check.passed for check in account.checks)
    assert any("now: superseded" in line for line in account.lines())


def test_what_may_not_be_read_is_not_explained(story: Story) -> None:
    with pytest.raises(Refused) as refusal:
        story.ledger.explain(story.kept, principal="nobody")
    assert refusal.value.code == "unknown_id"


def test_a_thread_is_told_which_of_its_claims_have_fallen(story: Story) -> None:
    story.ledger.remind([story.kept, story.typo], 300, thread="chat-7")
    before = datetime(2026, 2, 1, tzinfo=UTC)
    assert story.ledger.changes("chat-7", before) == ()
    story.at(3)
    story.revise(NEXT_PAGE, "b")
    story.ledger.retract(story.typo)
    fallen = {one.id: one.slot.verdict for one in story.ledger.changes("chat-7", before)}
    assert fallen == {story.kept: "ended", story.typo: "retracted"}


def test_a_claim_made_after_the_time_asked_about_is_told_of_when_it_falls(story: Story) -> None:
    story.ledger.remind([story.kept], 300, thread="chat-7")
    story.at(2)
    story.ledger.retract(story.kept)
    long_before = datetime(2025, 1, 1, tzinfo=UTC)
    assert [one.slot.verdict for one in story.ledger.changes("chat-7", long_before)] == ["retracted"]


def test_a_thread_is_for_its_owner_and_readers_alone(story: Story) -> None:
    story.ledger.remind([story.kept], 300, thread="chat-7", readers=["ben"])
    story.ledger.grant("ben", story.source)
    story.ledger.grant("eve", story.source)
    assert [s.id for s in story.ledger.thread("chat-7", principal="ben")] == [story.kept]
    thread = story.ledger.thread
    for verb in (lambda: thread("chat-7", principal="eve"), lambda: thread("chat-8")):
        with pytest.raises(Refused) as refusal:
            verb()
        assert refusal.value.code == "unknown_id"


def test_a_packet_carries_no_statement_from_a_sensitive_collection(story: Story) -> None:
    packet = story.ledger.remind([story.kept], 300)
    assert "30 days." in packet.text
    story.ledger.sensitive("handbook")
    assert "30 days." not in story.ledger.packet(packet.id).text
    assert story.kept in story.ledger.packet(packet.id).text


def test_the_verbs_can_be_awaited_and_a_failed_batch_leaves_nothing(story: Story) -> None:
    async def half_a_batch(ledger: AsyncLedger) -> None:
        async with ledger.batch():
            await ledger.source(native="x", title="X")
            await ledger.source(native="", title="nothing")

    async def go() -> list[str]:
        ledger = AsyncLedger(story.ledger)
        head = await ledger.tree_head()
        with pytest.raises(Refused):
            await half_a_batch(ledger)
        assert await ledger.tree_head() == head
        async with ledger.batch():
            await ledger.source(native="y", title="Y")
        assert (await ledger.tree_head()).size == head.size + 1
        return [slot.verdict for slot in await ledger.resolve([story.kept])]

    assert asyncio.run(go()) == ["citable"]


def test_a_question_put_to_the_past_does_not_revive_a_grant_that_ended(story: Story) -> None:
    story.ledger.grant("ben", story.source, until="2026-02-01")
    assert [s.verdict for s in story.ledger.resolve([story.kept], principal="ben")] == ["citable"]
    story.at(3)
    for when in ({"now": "2026-01-15T00:00:00Z"}, {"as_of": "2026-01-15T00:00:00Z"}):
        slots = story.ledger.resolve([story.kept], principal="ben", **when)  # type: ignore[arg-type]
        assert [s.verdict for s in slots] == ["withheld"]


def test_labels_withhold_just_what_the_decision_would_withhold(story: Story) -> None:
    other = story.ledger.source(native="other", title="Other")
    evidence = story.ledger.evidence(
        story.ledger.revision(other, data="Also 30 days here.", label="1"), quote="30 days"
    )
    kept = story.ledger.resolve([story.kept])[0].quotes[0].evidence
    either = story.ledger.claim(says="30.", support=[[kept], [evidence]], **QUOTE)  # type: ignore[arg-type]
    both = story.ledger.claim(says="30!", support=[kept, evidence], **QUOTE)  # type: ignore[arg-type]
    story.ledger.grant("ben", other)
    got = {
        reader: [s.verdict for s in story.ledger.resolve([either, both, evidence, kept], principal=reader)]
        for reader in ("ben", "curator", "nobody")
    }
    assert got == {
        "ben": ["citable", "withheld", "citable", "withheld"],
        "curator": ["citable"] * 4,
        "nobody": ["withheld"] * 4,
    }
    story.ledger.load()
    again = [s.verdict for s in story.ledger.resolve([either, both, evidence, kept], principal="ben")]
    assert again == got["ben"]
