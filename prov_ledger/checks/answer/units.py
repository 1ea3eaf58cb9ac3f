"""Units of numbers: percent, currencies and durations, in English and German words and signs."""

import re

Units = frozenset[str]
NO_UNIT: Units = frozenset()
_DAYS = "bank|business|working|calendar|werk|arbeits|bankarbeits|kalender"
_FOREIGN = "aud cad nzd sgd hkd cny sek nok dkk czk huf ron bgn brl try krw"
_MEASURES = "kg mg km cm mm kb mb gb tb"
_DOLLARS = "usd cad aud nzd sgd hkd"

#: Spelling (a pattern, case ignored) and what it may stand for; a sign that several currencies share is all.
_SPELLINGS: tuple[tuple[str, str], ...] = (
    (r"%|percent(?:age points?)?|per cent|prozent(?:punkte?n?)?|v\. ?h\.", "percent"),
    (r"‰|promille", "promille"),
    (r"€|eur|euros?", "eur"),
    (r"us\$|usd|us[- ]dollars?", "usd"),
    (r"\$|dollars?", _DOLLARS),
    (r"£|gbp|pounds?|pfund", "gbp"),
    (r"chf|sfr\.?|franken|francs?", "chf"),
    (r"¥|jpy|yen", "jpy"),
    (r"₹|inr|rupees?|rupien?", "inr"),
    (r"kr", "sek nok dkk"),
    (r"zł|pln", "pln"),
    (r"cents?", "cent"),
    (
        r"(?:bank|business|working|calendar|werk|arbeits|bankarbeits|kalender)?[- ]?(?:days?|tage?[ns]?)",
        "day",
    ),
    (r"tägig\w*|taegig\w*", "day"),
    (r"weeks?|wochen?|wöchig\w*", "week"),
    (r"months?|monat(?:en?|s)?|monatig\w*", "month"),
    (r"years?|yrs?|jahr(?:en?|e?s)?|jährig\w*", "year"),
    (r"hours?|hrs?|h|stunden?|std\.?|stündig\w*", "hour"),
    (r"minutes?|mins?|minuten?|minütig\w*", "minute"),
    (r"seconds?|secs?|sekunden?", "second"),
    *((code, code) for code in _FOREIGN.split()),
    *((code, code) for code in _MEASURES.split()),
)
_NAMED = f"eur gbp chf jpy inr pln cent {_FOREIGN} {_DOLLARS}"
_CURRENCIES = frozenset(_NAMED.split())
_PATTERN = "|".join(f"(?P<u{number}>{spelling})" for number, (spelling, _) in enumerate(_SPELLINGS))
_WORD = rf"(?<![^\W\d_])(?:{_PATTERN})(?![^\W\d_])"
_ANY = re.compile(_WORD, re.IGNORECASE)
_ADJECTIVE = r"(?:(?:full|more|further|additional|consecutive|whole|volle[nr]?|weitere[nr]?|ganze[nr]?)\s+)?"
_AFTER = re.compile(rf"[-\s]{{0,2}}{_ADJECTIVE}{_WORD}", re.IGNORECASE)
_BEFORE = re.compile(rf"{_WORD}\s?-?$", re.IGNORECASE)


def unit_after(text: str, end: int) -> Units:
    """What the unit that follows a number may be; empty where none does."""
    return _meaning(_AFTER.match(text, end))


def currency_before(text: str, start: int) -> Units:
    """What the currency that stands before a number may be; empty where none does."""
    return _meaning(_BEFORE.search(text[max(start - 16, 0) : start])) & _CURRENCIES


def units_in(text: str) -> Units:
    """All units that a text speaks of, beside numbers or not: a table's header may hold the unit."""
    return NO_UNIT.union(*(_meaning(found) for found in _ANY.finditer(text)))


def needs_naming(units: Units) -> bool:
    """Whether a bare number is only an amount of this where its own text speaks of the unit.

    So for percent and currencies; a duration or a measure may be left to the reader.
    """
    return bool(units & (_CURRENCIES | {"percent", "promille"}))


def _meaning(found: re.Match[str] | None) -> Units:
    if found is None or found.lastgroup is None:
        return NO_UNIT
    return frozenset(_SPELLINGS[int(found.lastgroup[1:])][1].split())
