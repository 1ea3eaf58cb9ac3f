"""A ledger with one page, one claim on it, and a reader who was given nothing yet."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prov_ledger.authz.port import DEADLINE_S, Authoriser
from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.ledger.ledger import Ledger

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
QUOTE = "goods may be returned within 60 days"
STATEMENT = "Returns are possible for 60 days."


@dataclass
class Shop:
    path: Path
    ledger: Ledger
    source: str
    evidence: str
    claim: str
    now: datetime = START

    def open(
        self,
        authoriser: Authoriser | AuthoriserFactory | None = None,
        disclosures: bool = True,
        deadline_s: float = DEADLINE_S,
    ) -> Ledger:
        """The same ledger in the hands of another authoriser; closed with the first one."""
        self.ledger.close()
        self.ledger = Ledger.open(
            self.path,
            clock=lambda: self.now,
            authoriser=authoriser,
            disclosures=disclosures,
            authoriser_deadline_s=deadline_s,
        )
        return self.ledger


@pytest.fixture(scope="session")
def new_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A ledger that nobody asks: each test gets a copy of its folder."""
    path = tmp_path_factory.mktemp("shop") / "ledger"
    with Ledger.init(path, clock=lambda: START) as ledger:
        ledger.collection("handbook")
        source = ledger.source(native="returns", title="Returns", collection="handbook")
        revision = ledger.revision(source, data=f"All {QUOTE}.", label="1")
        evidence = ledger.evidence(revision, quote=QUOTE)
        claim = ledger.claim(
            says=STATEMENT,
            support=[evidence],
            transformation={"kind": "quote"},
            question={"text": "How long?", "facts": {}},
        )
        ledger.agent("amira")
    return Shop(path, ledger, source, evidence, claim)


@pytest.fixture
def shop(new_shop: Shop, tmp_path: Path) -> Iterator[Shop]:
    """A ledger with one page, one claim on it, and a reader who was given nothing yet."""
    made = replace(new_shop, path=tmp_path / "ledger")
    shutil.copytree(new_shop.path, made.path)
    made.open()
    yield made
    made.ledger.close()
