"""What an agent may change of what others made, and that a refused write tells nothing of what is there."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from prov_ledger import Refused
from prov_ledger.model.ids import mint_id
from tests.ledger.worlds import OTHER, PAGE, QUOTE, World, make_world, refused


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "ledger")
    for name in ("ben", "eve"):
        made.ledger.agent(name)
        made.ledger.grant(name, made.source)
    made.ledger.agent("nobody", roles=["analyst"])
    made.ledger.agent("blind", roles=["agent"])
    made.ledger.agent("keeper", roles=["curator"])
    yield made
    made.ledger.close()


# threads


def test_a_stranger_does_not_write_into_a_thread(world: World) -> None:
    world.ledger.remind([world.claim], 200, thread="chat", readers=["ben"])
    other = world.conclude("Another.", support=[world.ledger.evidence(world.revision, quote=OTHER)])
    before = world.state()
    assert refused(lambda: world.ledger.remind([other], 200, thread="chat", by="eve")) == "unknown_id"
    assert world.state() == before


def test_a_reader_of_a_thread_writes_into_it_and_lets_nobody_in(world: World) -> None:
    first = world.ledger.remind([world.claim], 200, thread="chat", readers=["ben"])

    def join(reader: str) -> None:
        world.ledger.remind([world.claim], 200, thread="chat", readers=[reader], by="ben")

    again = world.ledger.remind([world.claim], 200, thread="chat", readers=["ben"], by="ben")
    assert again.thread == first.thread
    before = world.state()
    for reader in ("eve", "somebody new"):
        assert refused(partial(join, reader)) == "denied"
    assert world.state() == before


# reaffirming


def shelve(world: World) -> dict[str, str]:
    """A collection with two sources, a claim of ben's and of eve's on the one, of ben's on the other."""
    claims = {}
    world.ledger.grant("ben", "collection:shelf")
    for native, makers in (("open", ("ben", "eve")), ("closed", ("ben", "eve"))):
        source = world.ledger.source(native=native, title=native, collection="shelf")
        revision = world.ledger.revision(source, data=PAGE, label="1", media_type="text/markdown")
        world.ledger.grant("eve", source)
        quote = world.ledger.evidence(revision, quote=QUOTE)
        for maker in makers:
            claims[f"{native} {maker}"] = world.conclude(maker, support=[quote], by=maker)
        if native == "closed":
            world.ledger.revoke("eve", source)
    world.clock.step(86400 * 40)
    for native in ("open", "closed"):
        source = world.ledger.source(native=native, title=native, collection="shelf")
        world.ledger.revision(source, data=f"{PAGE}\nMore.\n", label="2", media_type="text/markdown")
    return claims


def test_a_collection_is_reaffirmed_for_an_agents_own_claims(world: World) -> None:
    claims = shelve(world)
    done = world.ledger.reaffirm(collection="shelf", by="ben")
    assert set(done.carried) == {claims["open ben"], claims["closed ben"]}
    assert (done.changed, done.left) == ((), ())


def test_claims_withheld_from_an_agent_are_not_spoken_of(world: World) -> None:
    claims = shelve(world)
    done = world.ledger.reaffirm(collection="shelf", by="eve")
    assert set(done.carried) == {claims["open eve"]}
    assert (done.changed, done.left) == ((), ())
    world.ledger.grant("keeper", world.ledger.source(native="open", title="open"))
    done = world.ledger.reaffirm(collection="shelf", by="keeper")
    assert {*done.carried, *done.changed, *done.left} == {
        claims["open ben"],
        claims["open eve"],
        done_before(world, claims["open eve"]),
    }


def done_before(world: World, old: str) -> str:
    return world.ledger.resolve([old])[0].superseded_by or ""


def test_a_collection_of_which_nothing_may_be_read_is_as_one_that_does_not_exist(world: World) -> None:
    shelve(world)
    world.ledger.collection("empty")
    told = set()
    for name in ("shelf", "empty", "no such"):
        with pytest.raises(Refused) as refusal:
            world.ledger.reaffirm(collection=name, by="blind")
        told.add((refusal.value.code, str(refusal.value)))
    assert [code for code, _ in told] == ["not_found"]


def test_a_policy_carries_over_what_any_agent_claimed(world: World) -> None:
    world.ledger.collection("shelf", reaffirm=True)
    claims = shelve(world)
    assert {slot.verdict for slot in world.ledger.resolve(list(claims.values()))} == {"superseded"}


def renew(world: World, label: str) -> None:
    world.clock.step(86400)
    text = f"{PAGE}\nState {label}.\n"
    world.ledger.revision(world.source, data=text, label=label, media_type="text/markdown")


def test_nothing_is_carried_over_onto_a_claim_that_was_retracted(world: World) -> None:
    above = world.conclude("Above.", support=[world.claim])
    renew(world, "2")
    head = world.ledger.reaffirm([world.claim]).carried[world.claim]
    world.ledger.retract(head, reason="wrong")
    done = world.ledger.reaffirm([above])
    assert (done.carried, done.changed) == ({}, (above,))


def test_what_took_the_place_of_a_support_is_carried_over_before_what_rests_on_it(world: World) -> None:
    above = world.conclude("Above.", support=[world.claim])
    renew(world, "2")
    head = world.ledger.reaffirm([world.claim]).carried[world.claim]
    renew(world, "3")
    assert world.ledger.reaffirm([above]).carried == {}
    done = world.ledger.reaffirm([above, head])
    assert list(done.carried) == [head, above]
    assert {slot.verdict for slot in world.ledger.resolve(list(done.carried.values()))} == {"citable"}


def test_a_retracted_claim_does_not_come_back_with_what_it_rests_on(world: World) -> None:
    above = world.conclude("Above.", support=[world.claim])
    world.ledger.retract(above, reason="wrong")
    renew(world, "2")
    done = world.ledger.reaffirm([world.claim, above])
    assert (list(done.carried), done.left) == ([world.claim], (above,))


# evidence


def since(day: str) -> list[dict[str, object]]:
    return [{"fact": "purchase_date", "from": day}]


def test_the_scope_of_evidence_is_changed_by_whoever_captured_it_or_a_curator(world: World) -> None:
    def capture(by: str | None, scope: list[dict[str, object]] | None) -> str:
        return world.ledger.evidence(world.revision, quote=OTHER, scope=scope, by=by)

    world.ledger.grant("keeper", world.source)
    made = capture("ben", since("2026-01-01"))
    before = world.state()
    assert capture("eve", None) == capture("eve", since("2026-01-01")) == made
    assert refused(lambda: capture("eve", since("2026-03-01"))) == "denied"
    assert world.state() == before
    for by, day in (("ben", "2026-02-01"), ("keeper", "2026-03-01")):
        assert capture(by, since(day)) == made
        assert world.state() != before
        before = world.state()


def test_evidence_of_another_agents_without_a_scope_is_not_given_one(world: World) -> None:
    call = partial(world.ledger.evidence, world.revision, quote=QUOTE, scope=since("2026-03-01"), by="eve")
    assert refused(call) == "denied"


def test_another_agents_scope_by_a_personal_value_is_the_same_when_stated_again(world: World) -> None:
    scope: list[dict[str, object]] = [{"fact": "order", "in": ["A-1"]}]
    made = world.ledger.evidence(world.revision, quote=OTHER, scope=scope, by="ben")
    before = world.state()
    assert world.ledger.evidence(world.revision, quote=OTHER, scope=scope, by="eve") == made
    assert world.state() == before


def test_a_batch_of_one_agents_evidence_is_that_agents(world: World) -> None:
    with world.ledger.batch():
        made = world.ledger.evidence(world.revision, quote=OTHER, by="ben")
    given = partial(world.ledger.evidence, world.revision, quote=OTHER, scope=since("2026-03-01"))
    assert refused(partial(given, by="eve")) == "denied"
    assert given(by="ben") == made


# denials


@pytest.mark.parametrize("verb", ["deny", "allow"])
def test_who_may_not_deny_does_not_learn_whether_a_source_exists(world: World, verb: str) -> None:
    call: Callable[..., None] = getattr(world.ledger, verb)
    if verb == "allow":
        world.ledger.deny(world.source)
    told = set()
    for source in (world.source, mint_id("src"), world.claim):
        with pytest.raises(Refused) as refusal:
            call(source, by="blind")
        told.add((refusal.value.code, str(refusal.value)))
    ((code, message),) = told
    assert (code, message.split()[0]) == ("denied", f"'{verb}'")
    assert refused(partial(call, mint_id("src"), by="keeper")) == "unknown_id"
    call(world.source, by="keeper")


# sources


def test_a_source_that_may_not_be_read_is_refused_without_its_id(world: World) -> None:
    call = partial(world.ledger.tool_result, tool="stock", arguments={"of": "A"}, result="3 left")
    hidden = [world.source, *(str(node) for node in (call().source, call().revision))]
    for attempt in (
        partial(world.ledger.source, native="returns", title="Mine", by="keeper"),
        partial(call, by="keeper"),
    ):
        with pytest.raises(Refused) as refusal:
            attempt()
        assert refusal.value.code == "unknown_id"
        assert not any(id in str(refusal.value) for id in hidden)


def test_who_may_record_no_source_does_not_learn_which_are_there(world: World) -> None:
    for native in ("returns", "no such"):
        assert refused(partial(world.ledger.source, native=native, title="Mine", by="blind")) == "denied"
