"""Stored bytes without a span: a marked gap of the same length stands there instead.

Done in place for text as it is stored, Markdown, JSON, XML, CSV and the visible text of HTML. A PDF file or
a workbook keeps what it says in several forms, and a page that is written oddly cannot be mended in place:
there the revision is erased as a whole.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from prov_ledger.checks.documents import MediaType, decode_text, is_html, parse_media_type, text_of
from prov_ledger.checks.encodings import text_encoding
from prov_ledger.checks.redaction.html_places import html_places, text_runs
from prov_ledger.checks.redaction.places import Places, places_of
from prov_ledger.checks.redaction.readings import readings_of, says
from prov_ledger.checks.selectors import text_at
from prov_ledger.errors import Refused
from prov_ledger.model.records import TextPosition

#: FULL BLOCK; where a character set lacks it, ``X``.
GAP = "\u2588"
_PLAIN_GAP = "X"
#: Breaks of lines and pages stay, so that rows, headings and pages are counted as before.
_KEPT = frozenset("\n\r\f\v\x1c\x1d\x1e\x1f\x85\u2028\u2029")
_SPACES = re.compile(r"\s+")
#: What may stand between two words of a text in markup.
_BETWEEN = r"(?:[^\w<]|_|%20|&\w+;|<[^<>]*>)+"
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_TAGS = re.compile(r"(<[^<>]*>)")


def redact(data: bytes, media_type: str, spans: Sequence[TextPosition]) -> bytes:
    """The bytes whose text is the same but for the spans, where each code point is a mark of the gap.

    Breaks of lines stay as they are. Raises Refused ``cannot_redact`` where it cannot be done in place,
    or a copy would be left in what a page does not show.
    """
    text = text_of(data, media_type)
    media = parse_media_type(media_type)
    expected = text
    for span in spans:
        text_at(text, span)
        expected = _with_gap(expected, span, _mark(media))
    done = _redacted(data, media, text, expected, spans)
    if done is None or text_of(done, media_type) != expected:
        raise cannot_redact(media.essence)
    return done


def cannot_redact(essence: str) -> Refused:
    """The refusal where a span cannot be taken out of bytes of a kind."""
    return Refused(
        "cannot_redact",
        f"A span cannot be taken out of this revision ({essence}) in place: erase the revision instead.",
    )


def _mark(media: MediaType) -> str:
    try:
        GAP.encode(text_encoding(media.charset))
    except UnicodeEncodeError:
        return _PLAIN_GAP
    return GAP


def _with_gap(text: str, span: TextPosition, mark: str) -> str:
    taken = text[span.start : span.end]
    gap = "".join(character if character in _KEPT else mark for character in taken)
    return text[: span.start] + gap + text[span.end :]


def _redacted(
    data: bytes, media: MediaType, text: str, expected: str, spans: Sequence[TextPosition]
) -> bytes | None:
    """The new bytes before they are compared; None where there is no way."""
    try:
        source = decode_text(data, media)
    except Refused:
        return None
    places = places_of(source, media)
    if places is None:
        changed = expected if source == text else None
    elif len(places) != len(text):
        changed = None
    else:
        changed = _replaced(source, places, expected, spans)
    if changed is not None and is_html(media.essence):
        changed = _without_copies(changed, [text[x.start : x.end] for x in spans], _mark(media))
    return changed.encode(text_encoding(media.charset)) if changed is not None else None


def _replaced(source: str, places: Places, expected: str, spans: Sequence[TextPosition]) -> str:
    """The characters with those of the spans replaced; what was joined to one space goes with it."""
    ranges = {
        (start, end): expected[at] if number == 0 and expected[at] not in _KEPT else ""
        for span in spans
        for at in range(span.start, span.end)
        for number, (start, end) in enumerate(places[at])
        if number or expected[at] not in _KEPT
    }
    parts, done = [], 0
    for (start, end), character in sorted(ranges.items()):
        parts += [source[done:start], character]
        done = end
    return "".join([*parts, source[done:]])


def _without_copies(page: str, texts: Sequence[str], mark: str) -> str | None:
    """The page without copies of the texts in what nobody sees: titles, attributes, comments, hidden parts.

    None where a copy is there in another spelling.
    """
    wanted = [text for text in (_SPACES.sub(" ", text).strip() for text in texts) if text]
    patterns = [_in_markup(text) for text in wanted]
    parts, hidden, done = [], [], 0
    for start, end in [*_seen_runs(page), (len(page), len(page))]:
        unseen = page[done:start]
        for pattern in patterns:
            unseen = pattern.sub(lambda found: _blank_between_tags(found.group(), mark), unseen)
        hidden.append(unseen)
        parts += [unseen, page[start:end]]
        done = end
    readings = readings_of("\n".join(hidden))
    return None if any(says(readings, text) for text in wanted) else "".join(parts)


def _seen_runs(page: str) -> Iterator[tuple[int, int]]:
    """The runs of text of which something is seen."""
    firsts = sorted({place[0][0] for place in html_places(page) if place})
    for start, end in text_runs(page):
        at = bisect_left(firsts, start)
        if at < len(firsts) and firsts[at] < end:
            yield start, end


def _in_markup(text: str) -> re.Pattern[str]:
    """What finds a text with tags and marks between its words, however its characters are written."""
    words = [word for word in (_EDGES.sub("", word) for word in text.split(" ")) if word] or [text]
    written = _BETWEEN.join(map(re.escape, words))
    spelled = _BETWEEN.join(re.escape(html.escape(word, quote=False)) for word in words)
    return re.compile(f"{written}|{spelled}", re.IGNORECASE)


def _blank_between_tags(taken: str, mark: str) -> str:
    parts = _TAGS.split(taken)
    return "".join(part if part.startswith("<") else _blank(part, mark) for part in parts)


def _blank(taken: str, mark: str) -> str:
    return "".join(character if character in _KEPT else mark for character in taken)
