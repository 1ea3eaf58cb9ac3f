"""What stored bytes say in the usual spellings: as written, decoded, without tags, hidden parts too."""

import html
import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

from prov_ledger.checks.documents import decode_text, parse_media_type, text_of
from prov_ledger.errors import Refused
from prov_ledger.model.folding import letters_of, words_of

#: Shorter texts are looked for as whole words: their letters stand in the middle of others.
_FEW_LETTERS = 12
#: An escape may stand in an escape: JSON in an attribute, an address in a script.
_ROUNDS = 3
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([bfnrtv])|([^\w\s]))")
_TAG = re.compile(r"""</?[a-z!?](?:[^<>"']|"[^"<]*"|'[^'<]*')*>|</?[a-z?][^<>]*>""", re.IGNORECASE)
_COMMENT_MARKS = re.compile(r"<!--|--!?>")
#: As much of bytes that are no text as could be some: runs of characters that are seen.
_LATIN_1 = re.compile(rb"[\t\n\r\x20-\x7e\xa0-\xff]{24,}")
_UTF_8 = re.compile(
    rb"(?:[\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){24,}"
)
_COMPRESSED = frozenset(
    ("application/pdf", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
)


def readings_of(source: str) -> tuple[str, ...]:
    """The characters with references of HTML read, then all decoded, then without tags; each told once.

    Decoded: references of HTML, escapes of addresses, JSON and scripts, in whatever order they were made.

    >>> readings_of("A&amp;<b>B</b>%20C")
    ('A&<b>B</b>%20C', 'A&<b>B</b> C', 'A&B C')
    """
    decoded = source
    for _ in range(_ROUNDS):
        before, decoded = decoded, html.unescape(unquote(_unescaped(decoded)))
        if decoded == before:
            break
    bare = _TAG.sub("", _COMMENT_MARKS.sub(" ", decoded))
    return tuple(dict.fromkeys((html.unescape(source), decoded, bare)))


def readings_of_bytes(data: bytes, media_type: str) -> Iterator[str]:
    """The text of stored bytes, and what else they say to whoever reads them in another way."""
    media = parse_media_type(media_type)
    try:
        text = text_of(data, media_type)
    except Refused:
        text = ""
    else:
        yield text
        if media.essence in _COMPRESSED:
            return
    try:
        source = decode_text(data, media)
    except Refused:
        source = ""
    yield from (x for x in readings_of(source) if x and x != text)
    if not text:
        # The letters of UTF-16 have a NUL beside each.
        seen = data.replace(b"\0", b"")
        for runs, charset in ((_UTF_8, "utf-8"), (_LATIN_1, "latin-1")):
            told = "\n".join(run.group().decode(charset, "ignore") for run in runs.finditer(seen))
            yield from readings_of(told)


def says(readings: Collection[str], text: str) -> bool:
    """Whether one of the readings holds a text, in whatever case, with whatever marks between."""
    wanted = letters_of(text)
    if not wanted:
        return False
    if len(wanted) >= _FEW_LETTERS:
        return any(wanted in letters_of(reading) for reading in readings)
    spaced = f" {words_of(text)} "
    return any(spaced in f" {words_of(reading)} " for reading in readings)


def _unescaped(text: str) -> str:
    """The text with the escapes of JSON and scripts decoded."""
    if "\\" not in text:
        return text
    decoded = _ESCAPE.sub(_character, text)
    # Two escapes that are one character together.
    return decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(found: re.Match[str]) -> str:
    number = found.group(1) or found.group(2)
    if number:
        return chr(int(number, 16))
    return " " if found.group(3) else found.group(4)
