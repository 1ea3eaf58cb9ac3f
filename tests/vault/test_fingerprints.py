"""What was erased is recognised when it comes back, and nothing else is."""

import os
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prov_ledger.errors import Corrupt
from prov_ledger.vault.denials import Denials
from prov_ledger.vault.fingerprints import SHORTEST_SPAN, Fingerprint, FingerprintMaker

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=3650)
KEY = bytes(range(32))
MAKER = FingerprintMaker(KEY)
SPAN = "Jane Doe of Elm Street returned two lamps in May."


def of_span(text: str, source: str = "src_1", maker: FingerprintMaker = MAKER) -> Fingerprint:
    made = maker.of_span(source, text, LATER)
    assert made is not None
    return made


def test_whole_bytes_are_recognised_and_other_bytes_are_not() -> None:
    known = [MAKER.of_bytes(b"the whole page", LATER)]
    assert MAKER.matches_bytes(b"the whole page", known, NOW)
    assert not MAKER.matches_bytes(b"the whole pagE", known, NOW)
    assert not MAKER.matches_bytes(b"the whole page ", known, NOW)
    assert not MAKER.matches_bytes(b"the whole page", [], NOW)


def test_a_span_is_recognised_anywhere_in_a_page_of_its_source() -> None:
    known = [of_span(SPAN)]
    for page in (SPAN, f"x {SPAN}", f"{SPAN} y", "# Title\n\nBefore. " + SPAN + " After."):
        assert MAKER.matches_span("src_1", [page], known, NOW)


@pytest.mark.parametrize(
    "page",
    [
        SPAN[:-2],
        SPAN[1:],
        SPAN.replace("two", "too"),
        "",
        SPAN.replace("Elm Street", "Elm  Str."),
    ],
)
def test_what_differs_is_not_recognised(page: str) -> None:
    assert not MAKER.matches_span("src_1", [page], [of_span(SPAN)], NOW)


def test_new_line_breaks_hide_nothing() -> None:
    assert MAKER.matches_span("src_1", [SPAN.replace(" ", "\n  ")], [of_span(SPAN)], NOW)
    assert MAKER.matches_span("src_1", [f"x\t{SPAN}"], [of_span(SPAN.replace(" ", "\t"))], NOW)


@pytest.mark.parametrize(
    "page",
    [
        SPAN.upper(),
        SPAN.replace("Elm", "*Elm*").replace("May", "__May__"),
        SPAN.replace("Street", "Str\u00adeet").replace("lamps", "la\u200bmps"),
        SPAN.replace("two", "\uff54\uff57\uff4f").replace("Doe", "Do\ufe0fe"),
        SPAN.replace(" ", "\u00a0"),
        SPAN.replace(" returned", ", returned"),
    ],
)
def test_no_way_of_writing_hides_a_span(page: str) -> None:
    assert MAKER.matches_span("src_1", ["nothing", f"x. {page} y"], [of_span(SPAN)], NOW)


def test_a_span_counts_within_its_source_alone() -> None:
    known = [of_span(SPAN)]
    assert not MAKER.matches_span("src_2", [SPAN], known, NOW)
    assert known[0].digest != of_span(SPAN, "src_2").digest


def test_a_short_span_has_no_fingerprint() -> None:
    assert MAKER.of_span("src_1", "x" * (SHORTEST_SPAN - 1), LATER) is None
    assert MAKER.of_span("src_1", "x" * SHORTEST_SPAN, LATER) is not None
    assert MAKER.of_span("src_1", " " * SHORTEST_SPAN, LATER) is None
    assert MAKER.of_span("src_1", "a" + "-" * SHORTEST_SPAN, LATER) is None


def test_a_fingerprint_expires_at_the_instant() -> None:
    known = [of_span(SPAN), MAKER.of_bytes(b"page", LATER)]
    just_before = LATER - timedelta(microseconds=1)
    assert MAKER.matches_span("src_1", [SPAN], known, just_before)
    assert MAKER.matches_bytes(b"page", known, just_before)
    assert not MAKER.matches_span("src_1", [SPAN], known, LATER)
    assert not MAKER.matches_bytes(b"page", known, LATER)


def test_another_key_recognises_nothing_and_makes_other_fingerprints() -> None:
    other = FingerprintMaker(bytes(32))
    assert not other.matches_span("src_1", [SPAN], [of_span(SPAN)], NOW)
    assert not other.matches_bytes(b"page", [MAKER.of_bytes(b"page", LATER)], NOW)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60), st.text(min_size=32, max_size=60), st.text(max_size=60))
def test_whatever_was_erased_is_recognised_whatever_stands_around_it(
    before: str, span: str, after: str
) -> None:
    made = MAKER.of_span("src_1", span, LATER)
    if made is not None:
        assert MAKER.matches_span("src_1", [f"{before} {span} {after}"], [made], NOW)


def test_a_large_page_is_checked_within_a_second() -> None:
    page = "".join(chr(97 + byte % 26) for byte in os.urandom(100_000))
    known = [of_span(SPAN + " Again." * number) for number in range(5)]
    begun = time.process_time()
    assert not MAKER.matches_span("src_1", [page], known, NOW)
    assert time.process_time() - begun < 1


def test_the_list_of_denials_keeps_fingerprints_until_they_expire(tmp_path: Path) -> None:
    denials = Denials.create(tmp_path)
    bytes_, span = MAKER.of_bytes(b"page", LATER), of_span(SPAN)
    denials.add_fingerprints([bytes_, span], 1, KEY)
    denials.add_fingerprints([MAKER.of_bytes(b"page", NOW)], 2, KEY)
    assert denials.fingerprints("bytes") == (bytes_,)
    assert denials.fingerprints("span", "src_1") == (span,)
    assert denials.fingerprints("span", "src_2") == ()
    assert denials.expire_fingerprints(LATER - timedelta(seconds=1), KEY) == 0
    assert denials.expire_fingerprints(LATER, KEY) == 2
    assert denials.fingerprints("bytes") == ()
    denials.close()


def changed(denials: Denials, sql: str) -> None:
    """Change the file behind the list's back."""
    with closing(sqlite3.connect(denials.path)) as connection, connection:
        assert connection.execute(sql).rowcount


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM fingerprint WHERE kind = 'span'",
        "DELETE FROM fingerprint",
        "UPDATE fingerprint SET digest = zeroblob(32) WHERE kind = 'span'",
        "UPDATE fingerprint SET expires_us = 0 WHERE kind = 'span'",
        "UPDATE fingerprint SET source = 'src_2' WHERE kind = 'span'",
        "UPDATE meta SET value = 9 WHERE key = 'erasures'",
        "DELETE FROM meta WHERE key = 'fingerprints_seal'",
    ],
)
def test_a_fingerprint_that_was_changed_or_removed_is_told_and_never_sealed(tmp_path: Path, sql: str) -> None:
    with closing(Denials.create(tmp_path)) as denials:
        assert denials.is_sealed(KEY)
        denials.add_fingerprints([MAKER.of_bytes(b"page", NOW), of_span(SPAN)], 1, KEY)
        assert denials.is_sealed(KEY)
        changed(denials, sql)
        assert not denials.is_sealed(KEY)
        with pytest.raises(Corrupt, match="were changed"):
            denials.add_fingerprints([], 2, KEY)
        with pytest.raises(Corrupt, match="were changed"):
            denials.expire_fingerprints(LATER, KEY)


def test_fingerprints_that_expired_leave_the_rest_sealed(tmp_path: Path) -> None:
    with closing(Denials.create(tmp_path)) as denials:
        denials.add_fingerprints([MAKER.of_bytes(b"page", NOW), of_span(SPAN)], 1, KEY)
        assert denials.expire_fingerprints(NOW, KEY) == 1
        assert denials.is_sealed(KEY)
        assert not denials.is_sealed(bytes(32))
