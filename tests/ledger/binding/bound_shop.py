"""A ledger with three pages as they are sent to a model, and what the tests of binding ask of it."""

import importlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from prov_ledger import Ledger
from prov_ledger.checks.citations.sent import SentDocument
from prov_ledger.ledger.binding import Bound, Unbound

RETURNS = "# Rückgabe 📦\n\nGoods may be returned within 60 days. Shipping is free above 50 €.\n"
SHIPPING = "# Shipping\n\nShipping takes 3 days.\n\nShipping is free above 50 €.\n"
ADDRESS = "https://shop.example/returns?lang=en#eu"
QUOTE = "Goods may be returned within 60 days."


def sdk(module: str) -> ModuleType:
    """A module of an SDK, whose own warnings on import are not ours; the test is skipped without it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError:
            pytest.skip(f"{module} is not installed: it comes with the extra 'sdks'")


@dataclass
class Sent:
    """Two pages in a ledger; ``documents`` are sent in this order."""

    ledger: Ledger
    returns: str
    shipping: str

    @property
    def documents(self) -> list[str]:
        return [self.returns, self.shipping]

    def bind_one(
        self, citation: object, documents: list[str | SentDocument] | None = None, answer: str | None = None
    ) -> Bound | Unbound:
        found = self.ledger.bind(citation, documents or list(self.documents), answer=answer)
        assert len(found) == 1
        return found[0]

    def quoted(self, citation: object, documents: list[str | SentDocument] | None = None) -> str:
        """The words of the evidence that a citation became."""
        found = self.bind_one(citation, documents)
        assert isinstance(found, Bound), found
        assert found.evidence is not None
        (slot,) = self.ledger.resolve([found.evidence])
        assert slot.verdict == "citable"
        return slot.quotes[0].quote

    def reason(self, citation: object, documents: list[str | SentDocument] | None = None) -> str:
        found = self.bind_one(citation, documents)
        assert isinstance(found, Unbound), found
        return found.reason


@pytest.fixture
def sent(tmp_path: Path) -> Iterator[Sent]:
    now = datetime(2026, 6, 1, 12, tzinfo=UTC)
    with Ledger.init(tmp_path / "ledger", clock=lambda: now) as ledger:
        pages = []
        for native, text in ((ADDRESS, RETURNS), ("policies/shipping.md", SHIPPING)):
            source = ledger.source(native=native, title=native)
            pages.append(ledger.revision(source, data=text, media_type="text/markdown", label="1"))
        yield Sent(ledger, *pages)
