"""Pages of the web in a ledger: sources by exact address, revisions, checks, and runs that go on."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from prov_ledger import Ledger
from prov_ledger.connectors.http import HttpConnector
from prov_ledger.ledger.taking import SyncReport
from tests.connectors.small_site import Page, Site, site

__all__ = ["site"]

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
PAGE = (
    "<html><head><title>Our\n returns</title></head><body><p>Returns take <b>60 days</b>.</p></body></html>"
)
QUOTE = "Returns take 60 days."


class Shop:
    """A ledger on a clock, and the site that it is synced with."""

    def __init__(self, path: Path, site: Site) -> None:
        self.now, self.site = START, site
        self.ledger = Ledger.init(path, clock=lambda: self.now)

    def sync(self, *paths: str) -> SyncReport:
        urls = [self.site.url(path) for path in paths]
        return self.ledger.sync(HttpConnector(urls, allow_private=True, clock=lambda: self.now))

    def evidence(self, path: str = "/returns", quote: str = QUOTE) -> str:
        return self.ledger.evidence(self.ledger.show(self.site.url(path)).revision, quote=quote)

    def verdict(self, evidence: str, **asked: str) -> str:
        return self.ledger.resolve([evidence], **asked)[0].verdict  # type: ignore[arg-type]


@pytest.fixture
def shop(tmp_path: Path, site: Site) -> Iterator[Shop]:
    made = Shop(tmp_path / "ledger", site)
    site.put("/returns", PAGE)
    made.sync("/returns")
    yield made
    made.ledger.close()


def test_a_page_keeps_its_bytes_and_is_quoted_as_it_is_read(shop: Shop) -> None:
    shown = shop.ledger.show(shop.site.url("/returns"))
    assert (shown.data, shown.title) == (PAGE.encode(), "Our returns")
    assert shop.verdict(shop.evidence()) == "citable"


def test_a_page_in_another_character_set_is_quoted(shop: Shop) -> None:
    body = "<p>R\u00fcckgabe: 60 Tage</p>".encode("latin-1")
    shop.site.pages["/de"] = Page(body, fields={"Content-Type": "text/html; charset=ISO-8859-1"})
    shop.sync("/de")
    assert shop.verdict(shop.evidence("/de", "R\u00fcckgabe: 60 Tage")) == "citable"


def test_addresses_that_differ_in_query_or_fragment_are_sources_of_their_own(shop: Shop) -> None:
    shop.site.put("/returns?lang=de", PAGE)
    report = shop.sync("/returns?lang=de", "/returns#eu")
    assert report.sources == 2
    shown = {
        shop.ledger.show(shop.site.url(p)).source for p in ("/returns", "/returns?lang=de", "/returns#eu")
    }
    assert len(shown) == 3


def test_a_changed_page_ends_what_the_old_one_said(shop: Shop) -> None:
    evidence = shop.evidence()
    shop.now += timedelta(days=1)
    shop.site.put("/returns", PAGE.replace("60", "14"))
    assert shop.sync("/returns").revisions == 1
    assert shop.verdict(evidence) == "ended"


def test_a_page_that_is_as_it_was_is_checked(shop: Shop) -> None:
    evidence = shop.evidence()
    shop.now += timedelta(days=10)
    assert shop.verdict(evidence, max_age="P7D") == "unchecked"
    report = shop.sync("/returns")
    assert (report.checked, report.changes, report.summary()) == (1, 0, "nothing new, 1 checked")
    assert shop.verdict(evidence, max_age="P7D") == "citable"


def test_a_page_that_is_not_found_leaves_its_source_unchecked_until_it_is_back(shop: Shop) -> None:
    evidence = shop.evidence()
    page = shop.site.pages.pop("/returns")
    shop.sync("/returns")
    assert shop.verdict(evidence) == "unchecked"
    shop.site.pages["/returns"] = page
    shop.sync("/returns")
    assert shop.verdict(evidence) == "citable"


def test_a_page_that_is_gone_for_good_is_no_authority_any_more(shop: Shop) -> None:
    evidence = shop.evidence()
    shop.site.pages["/returns"] = Page(b"", 410)
    report = shop.sync("/returns")
    assert (report.retired, report.checked) == (1, 1)
    assert shop.verdict(evidence) == "not_authoritative"


def test_a_page_that_is_out_of_reach_is_told_so(shop: Shop) -> None:
    evidence = shop.evidence()
    shop.site.pages["/returns"] = Page(b"Sorry", 503)
    report = shop.sync("/returns")
    assert report.skipped == {"unreachable": 1}
    assert shop.verdict(evidence) == "unchecked"


def test_a_run_without_addresses_looks_at_all_pages_again(shop: Shop) -> None:
    shop.site.put("/b", "<p>new</p>")
    shop.sync("/b")
    shop.site.put("/b", "<p>newer</p>")
    report = shop.sync()
    assert (report.checked, report.revisions) == (1, 1)


def test_a_run_that_is_interrupted_keeps_what_it_had_and_the_next_one_goes_on(shop: Shop) -> None:
    paths = [f"/{number}" for number in range(15)]
    for path in paths:
        shop.site.put(path, f"<p>{path}</p>")
    asked = iter(range(12))

    def stopping() -> datetime:
        if next(asked, None) is None:
            raise KeyboardInterrupt
        return shop.now

    urls = [shop.site.url(path) for path in paths]
    with pytest.raises(KeyboardInterrupt):
        shop.ledger.sync(HttpConnector(urls, allow_private=True, clock=stopping))
    report = shop.sync(*paths)
    assert (report.sources, report.checked) == (5, 10)


def test_progress_is_told_while_the_run_goes_on(shop: Shop) -> None:
    paths = [f"/{number}" for number in range(15)]
    told: list[tuple[int, int]] = []
    urls = [shop.site.url(path) for path in paths]
    for path in paths:
        shop.site.put(path, f"<p>{path}</p>")
    connector = HttpConnector(urls, allow_private=True)
    shop.ledger.sync(connector, progress=lambda done, total: told.append((done, total)))
    assert told == [(10, 15), (15, 15)]
