"""An older journal beside newer denials is not opened: it would give out what was taken away."""

import shutil
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.errors import Corrupt


def test_an_older_journal_put_back_does_not_open(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    with Ledger.init(folder) as ledger:
        source = ledger.source(native="s", title="S")
        ledger.grant("ben", source)
    file, copy = folder / "tenants/default/ledger.sqlite", tmp_path / "older.sqlite"
    shutil.copy(file, copy)
    with Ledger.open(folder) as ledger:
        ledger.revoke("ben", source)
    for remains in file.parent.glob("ledger.sqlite*"):
        remains.unlink()
    shutil.copy(copy, file)
    with pytest.raises(Corrupt, match=r"older ledger\.sqlite"):
        Ledger.open(folder)
