"""A text as it reads: without markup and invisible characters, its numerals in ASCII digits."""

import re
import unicodedata
from itertools import groupby

#: Fractions of one character, which stay as they are: they are read together with the number before.
FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_LINK = re.compile(r"\]\([^()\s]*\)")
_SIGNS = dict.fromkeys("‐‑−", "-") | dict.fromkeys("–—", "–") | {"٫": ".", "٬": ",", "٪": "%"}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def plain(text: str) -> str:
    """The text with ASCII digits, spaces and signs, and no Markdown emphasis or targets of links.

    >>> plain("**⑥⓪** days, １２ ％, Ⅻ, 20 m²")
    '60 days, 12 %, 12, 20 m²'
    """
    text = _LINK.sub("]", text).replace("*", "").replace("`", "").replace("’", "'")
    return _NOT_ASCII.sub(_plain_run, unicodedata.normalize("NFC", text))


def _plain_run(found: re.Match[str]) -> str:
    before, parts = found.string[: found.start()][-1:], []
    for numeral, run in groupby(found[0], _is_numeral):
        written = "".join(run)
        parts.append(_spelled(written, before) if numeral else "".join(map(_plain_character, written)))
        before = written[-1]
    return "".join(parts)


def _is_numeral(character: str) -> bool:
    """Whether it is a numeral, and no decimal digit: circled, raised, Roman and others."""
    return character not in FRACTIONS and unicodedata.category(character) in ("No", "Nl")


def _spelled(numerals: str, before: str) -> str:
    """Numerals in digits; those that are raised or lowered beside a word are a note or a power."""
    if before.isalnum() and unicodedata.decomposition(numerals[0]).startswith(("<super>", "<sub>")):
        return numerals
    digits = [unicodedata.digit(numeral, None) for numeral in numerals]
    if None not in digits:
        spelled = "".join(map(str, digits))
    else:
        spelled = " ".join(f"{unicodedata.numeric(numeral):g}" for numeral in numerals)
    return f" {spelled}" if before.isalnum() else spelled


def _plain_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category == "Cf":
        return ""
    if category == "Zs":
        return " "
    if unicodedata.decomposition(character).startswith(("<wide>", "<narrow>")):
        return unicodedata.normalize("NFKC", character)
    return _SIGNS.get(character, character)
