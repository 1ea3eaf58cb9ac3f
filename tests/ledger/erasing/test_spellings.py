"""Finding a text in whatever spelling a file holds it."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prov_ledger.ledger.erasing.spellings import find_in_bytes, find_in_files, spellings_of

TEXT = "Öda Quist, 88-1417"


@given(before=st.binary(max_size=8), after=st.binary(max_size=8))
def test_base64_is_found_wherever_the_text_begins_in_it(before: bytes, after: bytes) -> None:
    whole = before + TEXT.encode() + after

    for written in (base64.b64encode(whole), base64.urlsafe_b64encode(whole)):
        assert list(find_in_bytes(written, spellings_of(TEXT)))


@pytest.mark.parametrize(
    "written",
    [
        TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-be"),
        TEXT.encode().hex().encode(),
        TEXT.encode("utf-16-le").hex().upper().encode(),
        json.dumps({"name": TEXT}).encode(),
        base64.b64encode(b"." + TEXT.encode("utf-16-le")),
    ],
)
def test_a_spelling_is_found_in_a_file_across_reads(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "file").write_bytes(b"\0" * ((1 << 22) - 5) + written + b"\0")

    assert [found.split(" ")[0] for found in find_in_files(tmp_path, spellings_of(TEXT))][:1] == ["some/file"]


def test_a_text_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"Oda Quist")

    assert list(find_in_files(tmp_path, spellings_of(TEXT))) == []
