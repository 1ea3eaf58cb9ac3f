"""Pages of the web, from a server on this machine: what was asked, what came, and what was refused."""

import gzip
import socket
import ssl
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from prov_ledger.connectors.http import HttpConnector, Limits
from prov_ledger.connectors.port import Held, SourceChange
from prov_ledger.connectors.web import robots
from prov_ledger.errors import ConnectorError, Refused
from tests.connectors.small_site import Page, Site, site

__all__ = ["site"]

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MODIFIED = "Sun, 01 Mar 2026 08:00:00 GMT"


@dataclass
class Ledgerlike:
    """What a ledger would answer that took in these changes."""

    held: dict[str, Held] = field(default_factory=dict)

    def natives(self) -> Iterable[str]:
        return [native for native, held in self.held.items() if not held.retired]

    def find(self, native: str) -> Held | None:
        return self.held.get(native)

    def take(self, change: SourceChange) -> None:
        if change.kind == "checked":
            return
        before = self.held.get(change.native)
        if change.load is None:
            assert before is not None
            self.held[change.native] = Held(change.at, True, before.size_bytes, before.same, before.label)
            return
        data, label = change.load().data, change.label
        self.held[change.native] = Held(change.at, False, len(data), data.__eq__, lambda: label)


@dataclass
class Run:
    told: list[tuple[str, str]]
    changes: list[SourceChange]
    skipped: list[str]


def _run(known: Ledgerlike, *urls: str, now: datetime = NOW, **given: object) -> Run:
    options: dict[str, object] = {"allow_private": True, "clock": lambda: now} | given
    with HttpConnector(urls, **options) as connector:  # type: ignore[arg-type]
        feed = connector.changes(None, known)
        changes = list(feed.changes)
    for change in changes:
        known.take(change)
    told = [(change.kind if change.outcome is None else change.outcome, change.native) for change in changes]
    return Run(told, changes, [one.reason for one in feed.skipped])


@pytest.fixture
def known() -> Ledgerlike:
    return Ledgerlike()


def test_a_page_is_a_source_with_its_exact_bytes(site: Site, known: Ledgerlike) -> None:
    site.put("/returns", "<p>60\r\ndays</p>")
    run = _run(known, site.url("/returns"))
    assert run.told == [("new", site.url("/returns"))]
    assert run.changes[0].load is not None
    assert run.changes[0].load().data == b"<p>60\r\ndays</p>"


def test_query_and_fragment_distinguish_and_the_fragment_is_not_sent(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one")
    site.put("/a?x=1", "two")
    urls = [site.url(path) for path in ("/a", "/a?x=1", "/a#eu")]
    assert _run(known, *urls).told == [("new", url) for url in urls]
    assert site.paths() == ["/a", "/a?x=1", "/a"]


def test_the_same_bytes_again_are_a_check(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one")
    _run(known, site.url("/a"))
    assert _run(known, site.url("/a")).told == [("current", site.url("/a"))]


def test_other_bytes_are_a_change(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one")
    _run(known, site.url("/a"))
    site.put("/a", "two")
    assert _run(known, site.url("/a")).told == [("content", site.url("/a"))]


def test_a_tag_asks_whether_the_page_changed(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one", ETag='W/"v1"')
    _run(known, site.url("/a"))
    assert _run(known, site.url("/a")).told == [("current", site.url("/a"))]
    assert site.asked[-1][1]["if-none-match"] == 'W/"v1"'


def test_a_time_asks_whether_the_page_changed(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one", Last_Modified=MODIFIED)
    _run(known, site.url("/a"))
    assert _run(known, site.url("/a")).told == [("current", site.url("/a"))]
    assert site.asked[-1][1]["if-modified-since"] == MODIFIED


def test_a_page_is_published_when_it_was_modified(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one", Last_Modified=MODIFIED, ETag='"v1"')
    change = _run(known, site.url("/a")).changes[0]
    assert change.at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert change.label == '2026-03-01T08:00:00Z "v1"'


@pytest.mark.parametrize("modified", ["Mon, 01 Jun 2099 08:00:00 GMT", "yesterday", ""])
def test_a_time_in_the_future_or_none_is_the_time_of_the_run(
    site: Site, known: Ledgerlike, modified: str
) -> None:
    site.put("/a", "one", Last_Modified=modified)
    assert _run(known, site.url("/a")).changes[0].at == NOW


def test_a_page_put_back_with_its_old_time_is_later_than_the_one_before(
    site: Site, known: Ledgerlike
) -> None:
    site.put("/a", "one", Last_Modified=MODIFIED)
    _run(known, site.url("/a"))
    site.put("/a", "two", Last_Modified="Sat, 28 Feb 2026 08:00:00 GMT")
    assert _run(known, site.url("/a"), now=NOW + timedelta(days=1)).changes[0].at > NOW


def test_not_found_is_a_check_and_no_end(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one")
    _run(known, site.url("/a"))
    del site.pages["/a"]
    assert _run(known, site.url("/a")).told == [("gone", site.url("/a"))]
    assert list(known.natives()) == [site.url("/a")]


def test_gone_for_good_ends_the_source_and_it_can_come_back(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one")
    _run(known, site.url("/a"))
    site.pages["/a"] = Page(b"", 410)
    run = _run(known, site.url("/a"))
    assert [(change.kind, change.outcome) for change in run.changes] == [("checked", "gone"), ("gone", None)]
    assert _run(known, site.url("/a")).told == []
    site.put("/a", "one")
    assert _run(known, site.url("/a")).told == [("back", site.url("/a"))]


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_never_was_there_is_skipped(site: Site, known: Ledgerlike, status: int) -> None:
    site.pages["/a"] = Page(b"", status)
    run = _run(known, site.url("/a"))
    assert (run.told, run.skipped) == ([], ["not_found"])


@pytest.mark.parametrize("status", [304, 401, 403, 418, 429, 500, 503])
def test_any_other_answer_is_no_state_of_the_page(site: Site, known: Ledgerlike, status: int) -> None:
    site.put("/a", "one")
    _run(known, site.url("/a"))
    site.pages["/a"] = Page(b"Sorry", status)
    run = _run(known, site.url("/a"))
    # Without a tag and a time, even "not modified" answers nothing that was asked.
    expected = [] if status == 304 else ["unreachable"]
    assert [outcome for outcome, _ in run.told][: len(expected)] == expected
    assert ("content", site.url("/a")) not in run.told


def test_a_server_that_is_not_there_is_unreachable_and_the_rest_goes_on(
    site: Site, known: Ledgerlike
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/"
    site.put("/a", "one")
    run = _run(known, dead, site.url("/a"), obey_robots=False)
    assert (run.told, run.skipped) == ([("new", site.url("/a"))], ["unreachable"])


def test_redirects_are_followed_and_the_identity_stays(site: Site, known: Ledgerlike) -> None:
    site.pages["/old"] = Page(status=301, fields={"Location": "new#part"})
    site.put("/new", "one")
    change = _run(known, site.url("/old")).changes[0]
    assert change.native == site.url("/old")
    assert change.label.endswith(f" from {site.url('/new')}")


def test_redirects_without_end_are_unreachable(site: Site, known: Ledgerlike) -> None:
    site.pages["/a"] = Page(status=302, fields={"Location": "/a"})
    assert _run(known, site.url("/a")).skipped == ["unreachable"]
    assert len(site.asked) == Limits().redirects + 1


@pytest.mark.parametrize("location", ["ftp://shop.example/", "http://u:p@shop.example/", "//"])
def test_a_redirect_to_no_page_is_unreachable(site: Site, known: Ledgerlike, location: str) -> None:
    site.pages["/a"] = Page(status=302, fields={"Location": location})
    assert _run(known, site.url("/a")).skipped == ["unreachable"]


def test_a_private_address_is_refused_unless_allowed(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "one")
    assert _run(known, site.url("/a"), allow_private=False).skipped == ["private"]
    assert site.asked == []


def test_a_name_that_leads_to_a_private_address_is_refused(site: Site, known: Ledgerlike) -> None:
    url = f"http://shop.example:{site.port}/a"
    run = _run(known, url, allow_private=False, resolve=lambda host, port: ["127.0.0.1"])
    assert run.skipped == ["private"]


def test_a_name_is_looked_up_once_for_check_and_connection(site: Site, known: Ledgerlike) -> None:
    # A name server that answers differently the second time: the first answer was checked and is used.
    site.put("/a", "one")
    answers = iter([["127.0.0.1"]])
    url = f"http://shop.example:{site.port}/a"
    run = _run(known, url, obey_robots=False, resolve=lambda host, port: next(answers))
    assert run.told == [("new", url)]
    assert site.asked[0][1]["host"] == f"shop.example:{site.port}"


def test_a_redirect_to_another_private_machine_is_refused(site: Site, known: Ledgerlike) -> None:
    site.pages["/a"] = Page(status=302, fields={"Location": site.url("/b")})
    site.put("/b", "secret")
    url = f"http://shop.example:{site.port}/a"
    run = _run(
        known,
        url,
        allow_private=["shop.example"],
        obey_robots=False,
        resolve=lambda host, port: ["127.0.0.1"],
    )
    assert (run.told, run.skipped) == ([], ["private"])
    assert site.paths() == ["/a"]


def test_what_robots_txt_keeps_programs_from_is_left_out(site: Site, known: Ledgerlike) -> None:
    site.robots = Page(b"User-agent: *\nDisallow: /private\nAllow: /private/open$\n", fields={})
    for path in ("/private/a", "/private/open", "/b"):
        site.put(path, "one")
    run = _run(known, *(site.url(path) for path in ("/private/a", "/private/open", "/b")))
    assert run.skipped == ["robots"]
    assert site.paths() == ["/private/open", "/b"]


def test_rules_for_this_program_count_before_those_for_all(site: Site, known: Ledgerlike) -> None:
    site.robots = Page(b"User-agent: *\nDisallow:\n\nUser-agent: prov-ledger\nDisallow: /\n", fields={})
    assert _run(known, site.url("/a")).skipped == ["robots"]


def test_a_redirect_does_not_lead_around_robots_txt(site: Site, known: Ledgerlike) -> None:
    site.robots = Page(b"User-agent: *\nDisallow: /private\n", fields={})
    site.pages["/a"] = Page(status=302, fields={"Location": "/private"})
    assert _run(known, site.url("/a")).skipped == ["robots"]


def test_a_robots_txt_that_fails_allows_nothing(site: Site, known: Ledgerlike) -> None:
    site.robots = Page(b"", 503)
    assert _run(known, site.url("/a")).skipped == ["robots"]


def test_robots_txt_of_an_own_site_may_be_ignored(site: Site, known: Ledgerlike) -> None:
    site.robots = Page(b"User-agent: *\nDisallow: /\n", fields={})
    site.put("/a", "one")
    assert _run(known, site.url("/a"), obey_robots=False).told == [("new", site.url("/a"))]


def test_a_page_that_is_too_large_is_left_out(site: Site, known: Ledgerlike) -> None:
    site.put("/a", "x" * 1001)
    site.put("/b", "x" * 1000)
    run = _run(known, site.url("/a"), site.url("/b"), limits=Limits(size_bytes=1000))
    assert (run.told, run.skipped) == ([("new", site.url("/b"))], ["too_large"])


def test_a_page_that_unpacks_to_too_much_is_left_out(site: Site, known: Ledgerlike) -> None:
    site.pages["/a"] = Page(gzip.compress(b"\0" * 1_000_000), fields={"Content-Encoding": "gzip"})
    assert _run(known, site.url("/a"), limits=Limits(size_bytes=10_000)).skipped == ["too_large"]


def test_a_page_that_comes_packed_is_unpacked(site: Site, known: Ledgerlike) -> None:
    site.pages["/a"] = Page(gzip.compress(b"60 days"), fields={"Content-Encoding": "gzip"})
    load = _run(known, site.url("/a")).changes[0].load
    assert load is not None
    assert load().data == b"60 days"


def test_a_coding_that_nobody_asked_for_is_unreadable(site: Site, known: Ledgerlike) -> None:
    site.pages["/a"] = Page(b"??", fields={"Content-Encoding": "br"})
    assert _run(known, site.url("/a")).skipped == ["unreadable"]


def test_a_page_that_breaks_off_is_unreachable(site: Site, known: Ledgerlike) -> None:
    def broken(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"60 days")

    site.pages["/a"] = Page(broken)
    assert _run(known, site.url("/a")).skipped == ["unreachable"]


def test_a_server_that_sends_a_byte_now_and_then_is_cut_off(site: Site, known: Ledgerlike) -> None:
    over = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not over.wait(0.05):
            handler.wfile.write(b"x")

    site.pages["/a"] = Page(slow)
    try:
        assert _run(known, site.url("/a"), limits=Limits(seconds=0.3)).skipped == ["unreachable"]
    finally:
        over.set()


def test_no_address_given_means_all_that_are_known(site: Site, known: Ledgerlike) -> None:
    for path in ("/a", "/b"):
        site.put(path, "one")
    _run(known, site.url("/a"), site.url("/b"))
    site.put("/b", "two")
    assert _run(known).told == [("current", site.url("/a")), ("content", site.url("/b"))]


def test_an_address_that_names_no_page_is_an_error() -> None:
    with pytest.raises(ConnectorError):
        HttpConnector(["file:///etc/passwd"])


def test_the_plain_installation_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "protego", None)
    with pytest.raises(Refused, match=r"prov-ledger\[http\]") as refused:
        HttpConnector(["https://shop.example/"])
    assert refused.value.code == "not_supported"


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for shop.example, signed by itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop.example")])
    start = datetime.now(UTC) - timedelta(days=1)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=3))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "shop.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + built.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize(("host", "told"), [("shop.example", "new"), ("other.example", None)])
def test_a_certificate_must_be_for_the_name_that_was_asked_for(
    site: Site, known: Ledgerlike, certificate: Path, host: str, told: str | None
) -> None:
    site.put("/a", "one")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def serve() -> None:
            inner, _ = listening.accept()
            with inner:
                try:
                    with server.wrap_socket(inner, server_side=True) as line:
                        line.recv(4096)
                        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        trusting = ssl.create_default_context(cafile=certificate)
        url = f"https://{host}:{port}/a"
        run = _run(known, url, obey_robots=False, tls=trusting, resolve=lambda host, port: ["127.0.0.1"])
        thread.join()
    assert [kind for kind, _ in run.told] == ([told] if told else [])
    assert run.skipped == ([] if told else ["unreachable"])
