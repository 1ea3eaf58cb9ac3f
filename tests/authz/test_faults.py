"""Whatever an authoriser does but answer plainly, once and in time: nothing is shown, and nothing breaks."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

import pytest
from roster_story import ask
from small_shop import QUOTE, STATEMENT, Shop

from prov_ledger.authz.deadline import MOST_CALLS, NoAnswer, call_within
from prov_ledger.authz.port import Answer, ReadRequest, readable, version_of
from prov_ledger.errors import Refused

BATCH = [ask(source="src_1"), ask(source="src_2")]
Behaviour = Callable[[Sequence[ReadRequest]], object]


class Faulty:
    """Answers as it is told to, whatever the port asks for."""

    def __init__(self, behaviour: Behaviour, version: object = "v1") -> None:
        self._behaviour, self._version = behaviour, version

    @property
    def policy_version(self) -> str:
        if isinstance(self._version, BaseException):
            raise self._version
        return self._version  # type: ignore[return-value]

    def authorise(self, requests: Sequence[ReadRequest]) -> Sequence[Answer]:
        return self._behaviour(requests)  # type: ignore[return-value]


def yes(requests: Sequence[ReadRequest]) -> list[Answer]:
    return [Answer(request.source, True) for request in requests]


def raising(error: BaseException) -> Behaviour:
    def behaviour(requests: Sequence[ReadRequest]) -> object:
        raise error

    return behaviour


class Agreeable:
    """Equal to whatever it is compared with, and true."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Lookalike(Answer):
    """An answer of a type that may change its mind."""


class Brittle(list[Answer]):
    """A list that cannot be counted."""

    def __len__(self) -> int:
        raise RuntimeError("amira may not read src_1")


FAULTS: dict[str, Behaviour] = {
    "down": raising(ConnectionError("amira may not read src_1")),
    "a bug": raising(KeyError("src_1")),
    "out of memory": raising(MemoryError()),
    "exits": raising(SystemExit(1)),
    "interrupts": raising(KeyboardInterrupt()),
    "short": lambda q: yes(q)[:-1],
    "none at all": lambda q: [],
    "long": lambda q: [*yes(q), Answer("src_3", True)],
    "one twice": lambda q: [yes(q)[0], *yes(q)],
    "one twice and another not": lambda q: [Answer("src_1", True)] * 2,
    "to another source": lambda q: [Answer("src_9", True) for _ in q],
    "about nothing": lambda q: [Answer(None, True) for _ in q],  # type: ignore[arg-type]
    "None": lambda q: None,
    "True": lambda q: True,
    "a number": lambda q: len(q),
    "text": lambda q: "y" * len(q),
    "bools": lambda q: [True for _ in q],
    "Nones": lambda q: [None for _ in q],
    "pairs": lambda q: [(request.source, True) for request in q],
    "a dict": lambda q: dict.fromkeys((request.source for request in q), True),
    "a set": lambda q: set(yes(q)),
    "an iterator": lambda q: iter(yes(q)),
    "a list that fails": lambda q: Brittle(yes(q)),
    "a subclass": lambda q: [Lookalike(request.source, True) for request in q],
} | {
    f"if {condition!r}": lambda q, condition=condition: [  # type: ignore[misc]
        Answer(request.source, condition) for request in q
    ]
    for condition in (1, 1.0, "yes", "True", None, [True], {"if": "office hours"}, object)
}
faults = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)


@pytest.fixture
def never() -> Iterator[Behaviour]:
    """An authoriser that does not come back before the test is over."""
    over = threading.Event()

    def behaviour(requests: Sequence[ReadRequest]) -> object:
        over.wait()
        return yes(requests)

    yield behaviour
    over.set()


def test_plain_answers_in_time_permit() -> None:
    assert readable(Faulty(yes), BATCH) == {"src_1", "src_2"}


@faults
def test_a_faulty_batch_permits_nothing(fault: Behaviour) -> None:
    assert readable(Faulty(fault), BATCH) == frozenset()


@pytest.mark.parametrize("fault", ["down", "short", "None", "if 1"])
def test_nor_does_one_that_is_called_without_a_deadline(fault: str) -> None:
    assert readable(Faulty(FAULTS[fault]), BATCH, None) == frozenset()


@pytest.mark.parametrize("fault", ["reordered", "one conditional", "one raising", "agreeing with all"])
def test_one_fault_among_good_answers_withholds_them_all(fault: str) -> None:
    def behaviour(requests: Sequence[ReadRequest]) -> object:
        answers: list[object] = list(yes(requests))
        if fault == "reordered":
            return answers[::-1]
        answers[1] = {
            "one conditional": Answer("src_2", "on mondays"),  # type: ignore[arg-type]
            "one raising": object(),
            "agreeing with all": Answer("src_2", Agreeable()),  # type: ignore[arg-type]
        }[fault]
        return answers

    assert readable(Faulty(behaviour), BATCH) == frozenset()


def test_what_is_permitted_is_named_by_the_request() -> None:
    permitted = readable(Faulty(lambda q: [Answer(Agreeable(), True) for _ in q]), BATCH)  # type: ignore[arg-type]
    assert sorted(permitted) == ["src_1", "src_2"]


def test_two_answers_about_one_source_permit_it_only_together() -> None:
    requests = [ask(collection="col_1"), ask(collection="col_2")]
    one_no = Faulty(lambda q: [Answer("src_1", True), Answer("src_1", False)])
    assert readable(one_no, requests) == frozenset()


def test_a_late_answer_is_none(never: Behaviour) -> None:
    assert readable(Faulty(never), BATCH, 0.01) == frozenset()


def test_calls_that_never_return_do_not_pile_up(never: Behaviour) -> None:
    before = threading.active_count()
    for _ in range(MOST_CALLS + 3):
        assert readable(Faulty(never), BATCH, 0.01) == frozenset()
    assert threading.active_count() - before <= MOST_CALLS
    with pytest.raises(NoAnswer, match="earlier calls"):
        call_within(0.01, lambda: 1)


def test_a_timeout_of_the_authoriser_itself_is_its_failure() -> None:
    assert readable(Faulty(raising(TimeoutError())), BATCH) == frozenset()


@faults
def test_the_log_says_in_one_line_what_failed_and_names_nobody(
    fault: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        readable(Faulty(fault), BATCH)
    [line] = caplog.messages
    assert line.startswith("authoriser Faulty gave no usable answer")
    assert not any(secret in line for secret in ("amira", "src_", "agt_", "\n"))


@pytest.mark.parametrize("version", [ValueError("amira"), None, "", 7, "x" * 201, "two\nlines"])
def test_a_version_that_cannot_be_recorded_is_unknown(version: object) -> None:
    assert version_of(Faulty(yes, version)) == "unknown"


@faults
def test_resolve_shows_nothing_and_records_no_disclosure(fault: Behaviour, shop: Shop) -> None:
    ledger = shop.open(Faulty(fault))
    slots = ledger.resolve([shop.claim, shop.evidence], principal="amira")
    assert [slot.verdict for slot in slots] == ["withheld", "withheld"]
    assert STATEMENT not in repr(slots)
    assert QUOTE not in repr(slots)
    assert not (shop.path / "tenants" / "default" / "disclosures.sqlite").exists()


def test_resolve_does_not_wait_for_a_late_answer(never: Behaviour, shop: Shop) -> None:
    [slot] = shop.open(Faulty(never), deadline_s=0.01).resolve([shop.claim], principal="amira")
    assert slot.verdict == "withheld"


def test_a_denial_stands_whatever_a_foreign_authoriser_permits(shop: Shop) -> None:
    ledger = shop.open(Faulty(yes))
    assert ledger.resolve([shop.claim], principal="amira")[0].statement == STATEMENT
    ledger.deny(shop.source, "complaint")
    assert ledger.resolve([shop.claim], principal="amira")[0].verdict == "withheld"


def test_past_states_are_shown_by_present_permissions(shop: Shop) -> None:
    ledger = shop.ledger
    ledger.grant("amira", shop.source)
    before = shop.now
    shop.now += timedelta(days=1)
    assert ledger.resolve([shop.claim], principal="amira", as_of=before)[0].statement == STATEMENT
    ledger.revoke("amira", shop.source)
    assert ledger.resolve([shop.claim], principal="amira", as_of=before)[0].verdict == "withheld"


def test_a_factory_that_fails_refuses_and_names_no_cause(shop: Shop) -> None:
    def factory(roster: object, find_name: object) -> Faulty:
        raise ValueError("amira")

    with pytest.raises(Refused, match=r"could not be made \(ValueError\)") as refused:
        shop.open(factory).resolve([shop.claim], principal="amira")
    assert refused.value.code == "unauthorised"
