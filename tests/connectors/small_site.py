"""A web site in a thread of the test: pages that can be changed, and a record of what was asked for."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass
class Page:
    """What one path answers with; ``body`` may be a function that writes to the connection itself."""

    body: bytes | Callable[[BaseHTTPRequestHandler], None] = b""
    status: int = 200
    fields: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})


@dataclass
class Site:
    """Pages by path with query; what is not there is 404. ``asked`` is every request but robots.txt."""

    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    robots: Page = field(default_factory=lambda: Page(status=404))
    port: int = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def put(self, path: str, text: str, **fields: str) -> None:
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        self.pages[path] = Page(text.encode(), fields={"Content-Type": "text/html; charset=utf-8"} | named)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/robots.txt":
            self._send(handler, self.robots)
            return
        told = {name.lower(): value for name, value in handler.headers.items()}
        self.asked.append((handler.path, told))
        page = self.pages.get(handler.path, Page(b"not here", 404))
        tag, modified = page.fields.get("ETag"), page.fields.get("Last-Modified")
        same_tag = tag is not None and told.get("if-none-match") == tag
        same_time = tag is None and modified is not None and told.get("if-modified-since") == modified
        if page.status == 200 and (same_tag or same_time):
            self._send(handler, Page(b"", 304, {}))
        elif callable(page.body):
            page.body(handler)
        else:
            self._send(handler, page)

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, page: Page) -> None:
        assert isinstance(page.body, bytes)
        handler.send_response(page.status)
        for name, value in page.fields.items():
            handler.send_header(name, value)
        if page.status != 304:
            handler.send_header("Content-Length", str(len(page.body)))
        handler.end_headers()
        handler.wfile.write(page.body)


@pytest.fixture
def site() -> Iterator[Site]:
    """A site on a free port of this machine."""
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()
