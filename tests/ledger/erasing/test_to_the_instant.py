"""What expired is given out by no verb from its instant on, swept or not: all that give text are walked."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Refused
from prov_ledger.mcp import resources
from prov_ledger.mcp.caller import Asker
from tests.ledger.departures import deny_for_good
from tests.ledger.erasing.office import MARKER, Office, make_office
from tests.ledger.worlds import START

FACTS = {"order": MARKER}
#: Texts of the source itself, which outlast its bytes until its metadata expires too.
OF_THE_SOURCE = (
    f"Old file of {MARKER}",
    f"File of {MARKER}",
    f"crm:{MARKER}",
    *(f"{MARKER} {said}" for said in ("asked", "agreed")),
)
CITING = ("report", "rain", "cell", "owed", "general", "wrong")


def resolved(office: Office, reader: str, as_of: datetime | None = None) -> object:
    office.ledger._reader = reader
    try:
        return office.ledger.resolve([office[name] for name in CITING], facts=FACTS, as_of=as_of)
    finally:
        office.ledger._reader = "memory"


def explained(office: Office, name: str) -> object:
    told = office.ledger.explain(office[name])
    return told, list(told.lines())


def queried(office: Office) -> object:
    kinds = "pl:Source pl:Revision pl:Evidence pl:Claim"
    return office.ledger.sparql(f"SELECT ?x {{ VALUES ?kind {{ {kinds} }} ?x a ?kind }}", text_columns=["x"])


def accounted(office: Office, name: str) -> object:
    account = office.ledger.access([office[name]])
    return account, list(account.lines())


#: Each gives text of the case, or words that rest on it, for as long as that may be given.
READS: dict[str, Callable[[Office], object]] = {
    "resolve": lambda o: resolved(o, "memory"),
    "resolve over the graph": lambda o: resolved(o, "sparql"),
    "resolve as of the past": lambda o: resolved(o, "memory", START),
    "find": lambda o: o.ledger.find("crushed parcel in the rain", facts=FACTS),
    "show a revision": lambda o: o.ledger.show(o["page"]),
    "show a source": lambda o: o.ledger.show(o["case"]),
    "explain what rests on it": lambda o: explained(o, "owed"),
    "explain what had it before it": lambda o: explained(o, "general"),
    "packet": lambda o: o.ledger.packet(o["reminder"]),
    "thread": lambda o: o.ledger.thread("t1", facts=FACTS),
    "check_answer": lambda o: (
        o.ledger.check_answer(f"A parcel for {MARKER} [c1].", thread="t1", facts=FACTS).text
    ),
    "sparql": queried,
    **{
        f"access {name}": lambda o, name=name: accounted(o, name)
        for name in (*CITING, "page", "case", "rule")
    },
    "claim://": lambda o: resources.read(Asker(o.ledger, None), f"claim://{o['general']}"),
    "evidence://": lambda o: resources.read(Asker(o.ledger, None), f"evidence://{o['rain']}?order={MARKER}"),
    "packet://": lambda o: resources.read(Asker(o.ledger, None), f"packet://{o['reminder']}"),
    "list_sources": lambda o: o.ledger.list_sources(),
}
OF_BYTES = [name for name in READS if name != "list_sources"]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path / "ledger")
    yield made
    made.ledger.close()


def said(office: Office, read: str) -> str:
    """All that a verb gives out, or says when it refuses."""
    try:
        return repr(READS[read](office))
    except Refused as refusal:
        return f"{refusal.code} {refusal.message}"


def without(text: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        text = text.replace(part, "")
    return text


@pytest.mark.parametrize("read", OF_BYTES)
def test_expired_bytes_are_given_out_by_no_verb(office: Office, read: str) -> None:
    office.ledger.retention(office["case"], bytes_for="P1M")
    office.clock.now = datetime(2026, 7, 1, 12, tzinfo=START.tzinfo) - timedelta(microseconds=1)
    assert MARKER in without(said(office, read), OF_THE_SOURCE)
    office.clock.now += timedelta(microseconds=1)
    assert MARKER not in without(said(office, read), OF_THE_SOURCE)


@pytest.mark.parametrize("read", READS)
def test_nothing_of_a_source_is_given_out_once_its_metadata_expired(office: Office, read: str) -> None:
    office.ledger.retention(office["case"], metadata_for="P1M")
    office.clock.now = datetime(2026, 7, 1, 12, tzinfo=START.tzinfo) - timedelta(microseconds=1)
    assert MARKER in said(office, read)
    office.clock.now += timedelta(microseconds=1)
    assert MARKER not in said(office, read)


@pytest.mark.parametrize("name", ["owed", "general", "rule"])
def test_an_account_gives_words_on_what_expired_out_while_it_is_held(office: Office, name: str) -> None:
    office.ledger.retention(office["case"], bytes_for="P1M")
    office.ledger.hold(office["case"], "case 12")
    office.clock.now += timedelta(days=31)
    assert MARKER in said(office, f"access {name}")
    office.ledger.release(office["case"])
    assert MARKER not in without(said(office, f"access {name}"), OF_THE_SOURCE)


@pytest.mark.parametrize("name", ["general", "rule"])
def test_an_account_gives_no_words_on_what_is_being_erased(office: Office, name: str) -> None:
    deny_for_good(office.ledger, office["page"], office["report"], office["rain"], office["cell"])
    assert MARKER not in said(office, f"access {name}")


def test_an_account_gives_words_out_that_were_written_anew_from_what_stays(office: Office) -> None:
    office.ledger.restate(office["general"], says="Parcels are replaced.", exposure=[office["rule"]])
    office.ledger.retention(office["case"], bytes_for="P1M")
    office.clock.now += timedelta(days=31)
    assert "Parcels are replaced." in said(office, "access general")
