"""What a caller's own query may be: a question about this tenant's graph, and nothing that acts.

The store already confines a query to one graph. What is left to refuse is an update, a call to
another server (SERVICE), and nesting that would overflow the parser's stack.

A tokenizer can be made to disagree with a parser, so every doubt refuses: ``<`` opens an IRI or
compares, and text that one of the two readings hides may not hold the word SERVICE.

No text takes long to read: a prefix has 256 characters at most, and reading stops at ``MAX_PARTS``.

Source: SPARQL 1.1 Query Language section 19 (grammar; 19.2 codepoint escapes; 19.4 comments).
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from prov_ledger.errors import QueryError
from prov_ledger.vocab import PREFIXES

Kind = Literal["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]

MAX_CHARACTERS = 100_000
#: Far below the depth, and the length of a chain, at which a recursive parser runs out of stack.
MAX_NESTING = 64
MAX_PARTS = 2_000

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<comment>\#[^\r\n]*)
  | (?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
  | (?P<string>\"\"\"(?:\"{0,2}(?:[^"\\]|\\.))*\"\"\" | \'\'\'(?:\'{0,2}(?:[^'\\]|\\.))*\'\'\'
      | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*')
  | (?P<variable>[?$]\w+)
  | (?P<prefixed>(?:\w[\w.\-]{0,255})?:(?:[\w.:\-]|%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?\#@%])*)
  | (?P<word>\w+)
  | (?P<bracket>[(){}\[\]])
  | (?P<other>[^"'\\])
    """,
    re.VERBOSE | re.DOTALL,
)
_CODEPOINT = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
#: Where a parser met an error, on the line that the preset prefixes are on.
_FIRST_LINE = re.compile(r"\berror at 1:(\d+)")
_SERVICE = re.compile(r"service", re.IGNORECASE)
_KINDS: dict[str, Kind] = {k: k for k in ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")}

Token = tuple[str, str]


def check_query(text: str) -> Kind:
    """Say what kind of query it is: SELECT, ASK, CONSTRUCT or DESCRIBE.

    Raises QueryError for an update, SERVICE in any spelling, more than ``MAX_NESTING`` brackets in
    each other, ``MAX_PARTS`` brackets and operators or ``MAX_CHARACTERS`` in all, and whatever
    cannot be read for certain.
    """
    if len(text) > MAX_CHARACTERS:
        raise QueryError(f"the query has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")
    # A server may decode escapes before it parses, Oxigraph does not: both readings must pass.
    kind = _check_reading(text)
    decoded = _decode(text)
    if decoded != text:
        _check_reading(decoded)
    return kind


def check_dataset(text: str, graph: str) -> None:
    """Refuse FROM and FROM NAMED but for ``graph``, which is asked anyhow: an answer about it would be
    no answer to what was asked. Raises QueryError, as for text that cannot be read for certain.

    Source: SPARQL 1.1 Query Language section 13.2.
    """
    _, body = _split_prologue(_tokens(text))
    for number, (kind, part) in enumerate(body):
        if kind != "word" or part.upper() != "FROM":
            continue
        named = [token for token in body[number + 1 : number + 3] if token[1].upper() != "NAMED"]
        if not named or named[0] != ("iri", f"<{graph}>"):
            raise QueryError(f"FROM names another graph than <{graph}>, the only one here: leave it out")


def with_prefixes(text: str) -> str:
    """Put the preset prefixes that ``text`` does not declare in front of it, on its first line.

    Raises QueryError for text that cannot be read for certain.
    """
    declared, _ = _split_prologue(_tokens(text))
    missing = (f"PREFIX {name}: <{iri}> " for name, iri in PREFIXES.items() if f"{name}:" not in declared)
    return "".join(missing) + text


@contextmanager
def placing_errors(text: str) -> Iterator[None]:
    """Within, a QueryError about ``with_prefixes(text)`` tells the place in ``text`` itself."""
    try:
        yield
    except QueryError as error:
        added = len(with_prefixes(text)) - len(text)

        def moved(match: re.Match[str]) -> str:
            return f"error at 1:{max(int(match[1]) - added, 1)}"

        raise QueryError(_FIRST_LINE.sub(moved, error.message, count=1), code=error.code) from None


def _decode(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16)
        if code > sys.maxunicode:
            raise QueryError("the query has an escape beyond Unicode")
        return chr(code)

    return _CODEPOINT.sub(character, text)


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    position = parts = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise QueryError(f"the query cannot be read from character {position + 1} on")
        kind, position = str(match.lastgroup), match.end()
        if kind != "space":
            tokens.append((kind, match[0]))
        parts += kind in ("bracket", "other") or match[0].upper() == "UNION"
        if parts > MAX_PARTS:
            raise QueryError(f"the query has more than {MAX_PARTS} brackets and operators: write it shorter")
    return tokens


def _split_prologue(tokens: list[Token]) -> tuple[set[str], list[Token]]:
    """Part the prefixes that are declared (``pl:``) from the tokens after the prologue."""
    declared: set[str] = set()
    rest = [token for token in tokens if token[0] != "comment"]
    while rest and rest[0][0] == "word":
        word, kinds = rest[0][1].upper(), [kind for kind, _ in rest[1:3]]
        if word == "PREFIX" and kinds == ["prefixed", "iri"]:
            declared.add(rest[1][1])
            rest = rest[3:]
        elif word == "BASE" and kinds[:1] == ["iri"]:
            rest = rest[2:]
        else:
            break
    return declared, rest


def _check_reading(text: str) -> Kind:
    tokens = _tokens(text)
    _, body = _split_prologue(tokens)
    doubtful = any(kind == "iri" and ("#" in iri or "'" in iri) for kind, iri in body)
    _check_service(tokens, body, doubtful)
    brackets = list(text) if doubtful else [part for kind, part in tokens if kind == "bracket"]
    if _depth(brackets) > MAX_NESTING:
        raise QueryError(f"the query nests brackets deeper than {MAX_NESTING}; write it flatter")
    kind = _KINDS.get(body[0][1].upper()) if body else None
    if kind is None:
        raise QueryError("only SELECT, ASK, CONSTRUCT and DESCRIBE are allowed; the ledger's verbs write")
    return kind


def _check_service(tokens: list[Token], body: list[Token], doubtful: bool) -> None:
    """Refuse the word where it is code, and where it is hidden by a reading that is in doubt.

    It may stick to what is before it (``trueSERVICE``) or behind it (``SERVICE:x``).
    """
    code = any(kind in ("word", "prefixed") and _SERVICE.search(part) for kind, part in tokens)
    hidden = any(kind in ("string", "comment") and _SERVICE.search(part) for kind, part in tokens)
    hidden = hidden or any(kind == "iri" and _SERVICE.search(part) for kind, part in body)
    if code or (doubtful and hidden):
        raise QueryError("SERVICE is not allowed: a query is about this ledger alone")


def _depth(characters: list[str]) -> int:
    depth = deepest = 0
    for character in characters:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest
