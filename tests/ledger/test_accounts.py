"""What an account tells, and to whom: nothing that its reader may not read, and none of it unrecorded."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import StorageError
from prov_ledger.rdf.terms import Literal
from prov_ledger.store.port import Rows
from prov_ledger.vault.disclosures import Disclosed
from tests.ledger.worlds import refused

START = datetime(2026, 1, 1, 8, tzinfo=UTC)
SAYS = "Goods come back within 30 days."


class Office:
    """A page that ben may read and one that he may not, with a claim that rests on either."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        facts = {"order": {"code": "personal"}, "region": "code"}
        self.ledger = Ledger.init(folder, facts=facts, clock=lambda: self.now)
        self.open_source, self.open_evidence = self.page("open", f"{SAYS} Keep the box.")
        self.secret_source, self.secret_evidence = self.page("secret", f"{SAYS} The board knows.")
        self.ledger.grant("ben", self.open_source)
        self.secret_claim = self.claim([self.secret_evidence])
        self.either = self.claim([[self.open_evidence], [self.secret_evidence], [self.secret_claim]])

    def page(self, name: str, text: str) -> tuple[str, str]:
        source = self.ledger.source(native=name, title=f"The {name} page", collection="handbook")
        return source, self.ledger.evidence(self.ledger.revision(source, data=text, label="1"), quote=SAYS)

    def claim(self, support: object, facts: dict[str, str] | None = None, **given: object) -> str:
        question = {"text": "How long?", "facts": facts or {}}
        parts = {"support": support, "transformation": {"kind": "quote"}, "question": question}
        return str(self.ledger.claim(says="30 days.", **parts, **given))  # type: ignore[arg-type]

    def later(self) -> datetime:
        self.now += timedelta(days=1)
        return self.now

    def recorded(self, call: Callable[[], object]) -> list[Disclosed]:
        """What is recorded as shown by a call."""
        before = len(self.ledger._tenant.disclosures.read())
        call()
        return [x.disclosed for x in self.ledger._tenant.disclosures.read()[before:]]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path / "ledger")
    yield made
    made.ledger.close()


def test_an_account_names_nothing_of_an_alternative_that_its_reader_may_not_read(office: Office) -> None:
    office.later()
    office.ledger.revision(office.secret_source, data=f"{SAYS} Again.", label="2")
    office.ledger.check(office.secret_source, "current")
    office.ledger.retract(office.secret_claim)
    told = office.ledger.explain(office.either, principal="ben")
    assert told.since == ()
    secret = (office.secret_source, office.secret_evidence, office.secret_claim)
    assert not any(id in repr(told) for id in secret)
    kinds = {event.kind for event in office.ledger.explain(office.either).since}
    assert kinds == {"revision recorded", "checked", "retracted"}


def test_an_account_keeps_what_was_recorded_about_what_its_reader_may_read(office: Office) -> None:
    at = office.later()
    office.ledger.check(office.open_source, "current")
    (event,) = office.ledger.explain(office.either, principal="ben").since
    assert (event.at, event.kind, event.about) == (at, "checked", office.open_source)


def test_an_account_does_not_date_a_correction_that_its_reader_may_not_read(office: Office) -> None:
    office.later()
    parts = {"transformation": {"kind": "quote"}, "question": {"text": "How long?"}}
    office.ledger.supersede(office.either, says="No.", support=[office.secret_evidence], **parts)  # type: ignore[arg-type]
    told = office.ledger.explain(office.either, principal="ben")
    assert (told.now.verdict, told.now.superseded_by, told.since) == ("superseded", None, ())
    assert [event.kind for event in office.ledger.explain(office.either).since] == ["superseded"]


def test_a_thread_is_told_of_what_fell_without_what_its_reader_may_not_read(office: Office) -> None:
    office.ledger.remind([office.either], 300, thread="chat-7", readers=["ben"])
    before = office.now
    office.later()
    office.ledger.check(office.secret_source, "current")
    office.ledger.retract(office.secret_claim)
    office.ledger.retract(office.either)
    (fallen,) = office.ledger.changes("chat-7", before, principal="ben")
    assert [(event.kind, event.about) for event in fallen.why] == [("retracted", office.either)]


def test_an_account_names_a_personal_fact_without_its_value(office: Office) -> None:
    claim = office.claim([office.open_evidence], {"order": "A-4711", "region": "DE"})
    for principal in ("ben", None):
        told = office.ledger.explain(claim, principal=principal)
        assert told.facts == {"order": "(personal)", "region": "DE"}
        assert told.now.verdict == "citable"
        assert "asked for: order = (personal), region = DE" in list(told.lines())
        assert "A-4711" not in repr(told)


def test_an_account_whose_words_are_withheld_leaves_out_what_was_asked_for(office: Office) -> None:
    exposure = [office.secret_evidence]
    claim = office.claim([office.open_evidence], {"order": "A-4711", "region": "DE"}, exposure=exposure)
    told = office.ledger.explain(claim, principal="ben")
    assert (told.now.words, told.facts) == ("withheld", {})
    assert not any(line.startswith("asked for") for line in told.lines())
    assert office.ledger.explain(claim).facts == {"order": "(personal)", "region": "DE"}


def test_the_bytes_of_a_revision_are_recorded_as_shown(office: Office) -> None:
    revision = office.ledger.show("open").revision
    by_ben = {"by": "ben"}
    assert office.recorded(lambda: office.ledger.show("open", **by_ben)) == [Disclosed(revision, (), True)]
    (last,) = office.ledger._tenant.disclosures.read()[-1:]
    assert last.occasion.reader == office.ledger._session.find_name("agent", "ben")
    assert office.recorded(lambda: refused(lambda: office.ledger.show("secret", by="ben"))) == []


def test_what_an_account_quotes_is_recorded_once_as_shown(office: Office) -> None:
    claim, explain = office.claim([office.open_evidence]), office.ledger.explain
    shown = [Disclosed(claim, (office.open_evidence,), True)]
    assert office.recorded(lambda: explain(claim, principal="ben")) == shown
    office.later()
    office.ledger.retract(claim)
    assert office.recorded(lambda: explain(claim, principal="ben")) == shown
    assert office.recorded(lambda: refused(lambda: explain(office.secret_claim, principal="ben"))) == []


def test_fallen_claims_show_no_words_and_none_are_recorded(office: Office) -> None:
    office.ledger.remind([office.either], 300, thread="chat-7", readers=["ben"])
    before = office.now
    office.later()
    office.ledger.retract(office.either)
    assert office.recorded(lambda: office.ledger.changes("chat-7", before, principal="ben")) == []


def test_the_texts_joined_to_a_query_are_recorded_as_shown(office: Office) -> None:
    office.ledger.agent("ben", ["analyst"])
    claim = office.claim([office.open_evidence])
    ask = "SELECT ?x { VALUES ?k { pl:Claim pl:Evidence } ?x a ?k }"

    def texts(query: str) -> list[Disclosed]:
        return office.recorded(lambda: office.ledger.sparql(query, text_columns=["x"], by="ben"))

    quote = Disclosed(office.open_evidence, (office.open_evidence,), False)
    assert texts(ask) == [Disclosed(claim, (), True), quote]
    assert texts(ask + " LIMIT 0") == []
    assert office.recorded(lambda: office.ledger.sparql(ask, by="ben")) == []


def test_nothing_leaves_when_it_cannot_be_recorded(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(office.ledger._tenant.disclosures, "append", fails)
    for call in (
        lambda: office.ledger.show("open"),
        lambda: office.ledger.explain(office.either),
        lambda: office.ledger.sparql("SELECT ?x { ?x a pl:Claim }", text_columns=["x"]),
    ):
        with pytest.raises(StorageError):
            call()


def test_names_are_for_whoever_reads_everything_or_looks_after_the_ledger(office: Office) -> None:
    office.ledger.member("ben", "group:support")
    office.ledger.grant("group:support", office.open_source, for_purpose="audit")
    query = "SELECT ?x { VALUES ?k { pl:Group pl:Collection pl:Purpose pl:Agent prov:Agent } ?x a ?k }"

    def told(by: str) -> set[str]:
        answer = office.ledger.sparql(query, text_columns=["x"], by=by)
        assert isinstance(answer, Rows)
        return {text.lexical for _, text in answer.rows if isinstance(text, Literal)} - {""}

    office.ledger.agent("ben", ["analyst"])
    assert told("curator") >= {"handbook", "ben", "curator"}
    assert told("ben") == set()
    assert office.recorded(lambda: told("ben")) == []
    office.ledger.grant("ben", "*")
    assert told("ben") == told("curator")
    office.ledger.revoke("ben", "*")
    assert told("ben") == set()
    office.ledger.agent("ben", ["analyst", "admin"])
    assert told("ben") == told("curator")
