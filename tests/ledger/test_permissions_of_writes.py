"""What an agent may change of what others made, and that a refused write tells nothing of what is there."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.ledger.worlds import OTHER, World, make_world, refused


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
