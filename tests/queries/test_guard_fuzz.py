"""Whatever the guard lets pass, Oxigraph reaches no other server with it; and no text keeps it for long."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from prov_ledger.errors import QueryError
from prov_ledger.queries.guard import MAX_CHARACTERS, MAX_NESTING, check_query, with_prefixes

#: Stands for the address of the listener.
_AWAY = "<http://away.invalid/>"
_CALLS = [
    f"SERVICE {_AWAY} {{}}",
    f"service silent {_AWAY} {{ ?s ?p ?o }}",
    f"\\u0053ERVICE {_AWAY} {{}}",
    f"\\U00000053ERVICE {_AWAY} {{}}",
    f"SER\\u0056ICE {_AWAY} {{}}",
    f"BIND({_AWAY} AS ?there) SERVICE ?there {{}}",
    "SERVICE away:x {}",
    f"SERVICE#\n{_AWAY}{{}}",
    f"SERVICE{_AWAY}{{}}",
]
_PIECES = st.sampled_from(
    [
        *_CALLS,
        *("'", '"', "'''", '"""', "\\'", '\\"', "\\", "\\u0027", "\\u0022", "\\u000A", "\\u0023", "\\u003E"),
        *("#", "\n", "\r", " ", "\t", "\f", "\v", "\0", "\u00a0", "\u2028", "\ufeff", "\u0085", "\ud800"),
        *("<", ">", "<x>", "<x#>", "<x'y>", "<a b>", "<=", "<<", ">>", "<'>'"),
        *("{", "}", "(", ")", "[", "]", ".", ";", ",", "|", "^", "*", "/", "&&", "||", "!", "=", "-", "+"),
        *("?s", "$p", "?service", "a", "b:c", ":d", "_:e", "1", "1.5e3", "true", "true", "@en", "^^", "%53"),
        *("FILTER(", "?a<?b", "OPTIONAL {", "UNION", "GRAPH ?g {", "BIND(1 AS ?x)", "SELECT *", "WHERE"),
        *("MINUS {", "VALUES ?v { 1 }", "FROM <x>", "FROM NAMED <x>", "LATERAL {", "PREFIX s: <x#>"),
        *("?s ?p ?o .", "FILTER EXISTS {", "GROUP BY ?s", "BASE <http://x/>", "service", "SERVICE", "İ", "ſ"),
    ]
)
_HEADS = st.sampled_from(
    [
        "SELECT * { ",
        "ASK { ",
        f"PREFIX away: {_AWAY} SELECT * {{ ",
        "CONSTRUCT { ?s ?p ?o } { ",
        "# '\nSELECT * { ",
        "DESCRIBE ?s { ",
        "PREFIX x: <x#> SELECT * { FILTER(?a",
        "BASE <http://x/#'> SELECT * { ",
        "",
    ]
)


class Away:
    """A server on this machine that counts who comes, and a store that holds nothing."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"<http://127.0.0.1:{self._server.getsockname()[1]}/>"
        self.visits = 0
        self._store = ox.Store()
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        try:
            while True:
                connection, _ = self._server.accept()
                self.visits += 1
                connection.close()
        except OSError:
            return

    def is_reached_by(self, text: str) -> bool:
        """Whether somebody came while Oxigraph ran the query; its own call counts them in turn."""
        before = self.visits
        try:
            result = self._store.query(text.replace(_AWAY, self.address))
            if not isinstance(result, ox.QueryBoolean):
                list(result)  # type: ignore[call-overload]
        except (SyntaxError, ValueError, OSError, RuntimeError, UnicodeError):
            pass
        with socket.create_connection(self._server.getsockname()) as mine:
            mine.recv(1)
        return self.visits > before + 1

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()


@pytest.fixture(scope="module")
def away() -> Iterator[Away]:
    away = Away()
    yield away
    away.close()


@pytest.mark.parametrize("call", [c for c in _CALLS if "\\" not in c and f"{_AWAY}" in c and "BIND" not in c])
def test_these_calls_do_leave_where_nobody_guards(away: Away, call: str) -> None:
    text = f"SELECT * {{ {call} }}"
    assert away.is_reached_by(text)
    with pytest.raises(QueryError):
        check_query(text)


@settings(max_examples=1_500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    head=_HEADS, pieces=st.lists(_PIECES, max_size=14), tail=st.sampled_from(["}", "", " } # '''", "'''}"])
)
@example("SELECT * { FILTER(?a", ["<?x#>'''\n", ")", _CALLS[0], "#'''\n"], "}")
@example("SELECT * { ?s ?p ", ["'a\\u0027", " . ", _CALLS[0], "#'"], "\n}")
def test_what_passes_does_not_leave(away: Away, head: str, pieces: list[str], tail: str) -> None:
    text = head + "".join(pieces) + tail
    try:
        check_query(text)
        asked = [text, with_prefixes(text)]
    except QueryError:
        return
    assert not any(away.is_reached_by(each) for each in asked)


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_answered_or_refused(text: str) -> None:
    with suppress(QueryError):
        assert check_query(text) in ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")


_LONG = [
    "a.",
    "a-",
    "a",
    "<",
    "<a",
    '"',
    '"""a',
    "'a",
    '""a',
    ":%aa",
    ":",
    "?a ",
    "'a' ",
    "{}",
    "1.5 ",
    "a:",
    "é.",
]


@pytest.mark.parametrize("piece", _LONG)
@pytest.mark.parametrize("head", ["SELECT * {", 'SELECT * {"""', "SELECT * {'''", "PREFIX ", "#", "<"])
def test_no_text_takes_long(head: str, piece: str) -> None:
    text = head + piece * ((MAX_CHARACTERS - len(head)) // len(piece))
    began = time.process_time()
    try:
        check_query(text)
        with_prefixes(text)
    except QueryError:
        pass
    assert time.process_time() - began < 3


@pytest.mark.parametrize("depth", [MAX_NESTING - 2, 20_000])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{", "}"),
        ("FILTER(" + "(", ")"),
        ("{ OPTIONAL {", "}}"),
        ("!", ""),
        ("^", ""),
        ("- ", ""),
        ("[ ", " ]"),
    ],
)
def test_nesting_is_refused_or_parsed_and_overflows_nothing(depth: int, opening: str, closing: str) -> None:
    text = "SELECT * { " + opening * depth + closing * depth + " }"
    try:
        check_query(text)
    except QueryError:
        return
    assert depth <= MAX_NESTING
    with suppress(SyntaxError):
        list(ox.Store().query(text))  # type: ignore[call-overload]
