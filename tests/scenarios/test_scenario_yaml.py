"""YAML whose two versions differ is read as one thing."""

from datetime import date
from decimal import Decimal

import pytest

from prov_ledger.scenarios.document import parse_document
from prov_ledger.scenarios.scenario import NotAScenario

_DIFFERING = "on off yes No y 22:00 190:20:30 0o17 017 0x1F 1_000 +.inf .5 1e3 ="


@pytest.mark.parametrize("plain", _DIFFERING.split())
def test_a_plain_scalar_that_the_versions_read_differently_stays_text(plain: str) -> None:
    assert parse_document(f"key: {plain}\n".encode(), "f") == {"key": plain}


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        ("12", 12),
        ("-5", -5),
        ("99.99", Decimal("99.99")),
        ("2026-06-01", date(2026, 6, 1)),
        ("true", True),
        ("null", None),
        ("", None),
        ("2026-02-30", "2026-02-30"),
        ("2026-06-10T09:00:00Z", "2026-06-10T09:00:00Z"),
        ("'12'", "12"),
        ('"2026-06-01"', "2026-06-01"),
    ],
)
def test_a_scalar_is_what_both_versions_say(plain: str, value: object) -> None:
    read = parse_document(f"key: {plain}\n".encode(), "f")
    assert read == {"key": value}
    assert isinstance(read, dict)
    assert type(read["key"]) is type(value)


def test_keys_are_text_even_where_they_look_like_something_else() -> None:
    assert parse_document(b"{on: 1, 12: 2, <<: 3}", "f") == {"on": 1, "12": 2, "<<": 3}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"a: 1\nb: 2\na: 3\n", "line 3, column 1: the key 'a' stands twice"),
        (b"a: [1\n", "is not YAML in line 2"),
        (b"\xff", "is not UTF-8 at byte 0"),
        (b"a: *b\n", "undefined alias"),
        (b"a: 1\n---\nb: 2\n", "found another document"),
        (b"[a, b]: 1\n", "a key must be text"),
        (b"a: \x07\n", "a character that YAML does not allow"),
        (b"a: !!python/name:os.system x\n", "could not determine a constructor"),
        (b"[" * 20_000, "nest"),
    ],
)
def test_what_is_no_document_is_refused_with_its_place(data: bytes, problem: str) -> None:
    with pytest.raises(NotAScenario, match=r"^file\.yaml ") as caught:
        parse_document(data, "file.yaml")
    assert problem in caught.value.message
