"""Credentials take roles and groups away from whoever acts, and never give any."""

from pathlib import Path

import pytest

from prov_ledger import Ledger, Refused
from prov_ledger.model.records import Role


def test_a_role_that_the_credentials_leave_out_does_not_count(tmp_path: Path) -> None:
    with Ledger.init(tmp_path / "ledger") as ledger:
        with ledger.narrowed(roles=[Role.ANALYST]), pytest.raises(Refused) as refused:
            ledger.source(native="a", title="A")
        assert refused.value.code == "denied"
        assert ledger.source(native="a", title="A").startswith("src_")


def test_a_role_that_is_not_recorded_is_not_given(tmp_path: Path) -> None:
    with Ledger.init(tmp_path / "ledger") as ledger:
        ledger.agent("amira")
        with ledger.narrowed(roles=[Role.CURATOR]), pytest.raises(Refused) as refused:
            ledger.source(native="a", title="A", by="amira")
        assert refused.value.code == "denied"


def test_a_group_that_the_credentials_leave_out_reads_nothing_for_its_members(tmp_path: Path) -> None:
    with Ledger.init(tmp_path / "ledger") as ledger:
        source = ledger.source(native="a", title="A")
        revision = ledger.revision(source, data="Open daily.", label="1")
        evidence = ledger.evidence(revision, quote="Open daily.")
        ledger.member("amira", "group:support")
        ledger.grant("group:support", source)

        def verdict(groups: list[str] | None) -> str:
            with ledger.narrowed(groups=groups):
                return ledger.resolve([evidence], principal="amira")[0].verdict

        assert [verdict(groups) for groups in (None, ["support"], [], ["others"])] == [
            "citable",
            "citable",
            "withheld",
            "withheld",
        ]
