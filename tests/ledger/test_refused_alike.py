"""A refusal at the gate takes the same steps whatever its cause, so that time does not tell the cause."""

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import FrameType

import pytest

from prov_ledger import Ledger
from prov_ledger.model.ids import mint_id
from tests.ledger.worlds import Clock, conclude

CAUSES = (
    "ungranted",
    "denied",
    "its source is erased",
    "its revision is erased",
    "its bytes expired",
    "its metadata expired",
    "its collection expired",
)

#: Where nothing was given, what was given of something else is looked at; that is one call.
SHORT = ("Roster._another", "len", "hash")


@pytest.fixture(params=["loaded", "as it comes"])
def refusing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Ledger, dict[str, str]]]:
    """A ledger with a claim that is refused for each cause."""
    clock = Clock()
    with Ledger.init(tmp_path / "ledger", clock=clock) as ledger:
        sources, pages, claims = {}, {}, {}
        for cause in CAUSES:
            sources[cause] = ledger.source(native=cause, title=cause, collection=f"all of {cause}")
            if cause != "ungranted":
                ledger.grant("bot", sources[cause])
        for cause in CAUSES:
            pages[cause] = ledger.revision(sources[cause], data=f"A rule: {cause}.", label="1")
            claims[cause] = conclude(ledger, cause, [ledger.evidence(pages[cause], quote="A rule")])
        ledger.deny(sources["denied"])
        ledger.erase([sources["its source is erased"]])
        ledger.erase([pages["its revision is erased"]])
        ledger.retention(sources["its bytes expired"], bytes_for="P30D")
        ledger.retention(sources["its metadata expired"], metadata_for="P30D")
        ledger.retention("collection:all of its collection expired", bytes_for="P30D")
        clock.now += timedelta(days=30)
        if request.param == "loaded":
            ledger.load()
        yield ledger, claims


def steps(ledger: Ledger, id: str) -> Counter[str]:
    """What is called in a resolve of one id, and how often."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            found[frame.f_code.co_qualname] += 1
        elif event == "c_call":
            found[getattr(argument, "__qualname__", "")] += 1

    sys.setprofile(note)
    try:
        (slot,) = ledger.resolve([id], principal="bot")
    finally:
        sys.setprofile(None)
    assert slot.verdict == "withheld"
    return Counter({name: n for name, n in found.items() if name not in SHORT and "<genexpr>" not in name})


def test_a_refusal_takes_the_steps_that_an_id_that_never_was_takes(
    refusing: tuple[Ledger, dict[str, str]],
) -> None:
    ledger, claims = refusing
    nobody = mint_id("cl")
    for _ in range(3):
        for id in (*claims.values(), nobody):
            ledger.resolve([id], principal="bot")
    absent = steps(ledger, nobody)
    told = {cause: steps(ledger, id) for cause, id in claims.items()}
    assert {
        cause: (found - absent) + (absent - found) for cause, found in told.items() if found != absent
    } == {}
