"""Numbers in words, English and German, from zero to 999,999."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_ENGLISH_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: number for number, word in enumerate(_ENGLISH_SMALL.split())}
_ENGLISH |= {word: 10 * number for number, word in enumerate(_ENGLISH_TENS.split(), 2)}
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1000}

_GERMAN_SMALL = (
    "null eins zwei drei vier fuenf sechs sieben acht neun zehn elf zwoelf dreizehn vierzehn fuenfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
_GERMAN_TENS = "zwanzig dreissig vierzig fuenfzig sechzig siebzig achtzig neunzig"
_SPELLING = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})

_ENGLISH_WORD = "|".join([*_ENGLISH, *_ENGLISH_SCALES])
_ENGLISH_RUN = re.compile(
    rf"\b(?:{_ENGLISH_WORD})(?:(?:[-\s]+|\s+and\s+)(?:{_ENGLISH_WORD}))*\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
#: Halves: by themselves before what they are of, and after a number.
_HALF = re.compile(
    r"\b(?:half[-\s]+an?|(?:ein|eine|einen|einem|einer|eines)\s+halb(?:e[nmrs]?)?)(?=[-\s])", re.IGNORECASE
)
_AND_A_HALF = re.compile(r"[-\s]+and[-\s]+a[-\s]+half\b", re.IGNORECASE)
_HALVES = Decimal("0.5")
#: Words that are mostly articles or pronouns: numbers only before a unit.
_ONES = frozenset({"one", "zero", "null", "a", "an", "ein", "eine", "einen", "einem", "einer", "eines"})


@dataclass(frozen=True, slots=True)
class NumberWord:
    """A number in words at ``start`` to ``end``; ``weak`` where the word is mostly no number.

    ``article``: an English article, which is a number even less (``once a day``).
    """

    start: int
    end: int
    number: int | Decimal
    weak: bool = False
    article: bool = False


def _german_words() -> dict[str, int]:
    below = {word: number for number, word in enumerate(_GERMAN_SMALL.split()) if number > 0}
    below |= {word: 10 * number for number, word in enumerate(_GERMAN_TENS.split(), 2)}
    units = {**{word: n for word, n in below.items() if 1 < n < 10}, "ein": 1}
    tens = {word: n for word, n in below.items() if n >= 20}
    below |= {f"{unit}und{ten}": n + t for unit, n in units.items() for ten, t in tens.items()}
    words = dict(below)
    for unit, hundreds in {**units, "": 1}.items():
        words[f"{unit}hundert"] = 100 * hundreds
        words |= {
            f"{unit}hundert{and_}{w}": 100 * hundreds + n for w, n in below.items() for and_ in ("", "und")
        }
    return words | {"null": 0}


_GERMAN = _german_words()


def find_number_words(text: str) -> Iterator[NumberWord]:
    """The numbers that a text says in words; ordinals are none, and of fractions only halves are.

    >>> [(found.number, found.weak) for found in find_number_words("One of twenty-one, oder zweihundertfünf")]
    [(1, True), (21, False), (205, False)]
    """
    taken = []
    for half in _HALF.finditer(text):
        taken.append(half.span())
        yield NumberWord(half.start(), half.end(), _HALVES)
    for run in _ENGLISH_RUN.finditer(text):
        *numbers, last = _english(run[0].lower())
        more = _AND_A_HALF.match(text, run.end())
        end = more.end() if more else run.end()
        taken.append((run.start(), end))
        weak = run[0].lower() in _ONES and not more
        for number in (*numbers, last + _HALVES if more else last):
            yield NumberWord(run.start(), end, number, weak)
    for word in _WORD.finditer(text):
        if any(start <= word.start() < end for start, end in taken):
            continue
        spelled = word[0].lower()
        german = _german_or_half(spelled.translate(_SPELLING))
        if spelled in _ONES or german is not None:
            number = 1 if german is None else german
            article = spelled in ("a", "an")
            yield NumberWord(word.start(), word.end(), number, spelled in _ONES, article)


def _german_or_half(word: str) -> int | Decimal | None:
    """As ``_german``; also ``anderthalb`` and ``zweieinhalb``."""
    if word.startswith("anderthalb"):
        return 1 + _HALVES
    number, half, _ = word.partition("einhalb")
    whole = _german(number) if half and number else _german(word)
    return whole + _HALVES if half and whole is not None else whole


def _english(run: str) -> list[int]:
    """The numbers of a run of number words: ``two three`` are two, ``two hundred and three`` is one."""
    found: list[int] = []
    total, current, last = 0, 0, 0
    for word in re.split(r"[-\s]+", run):
        if word == "and":
            continue
        if word in _ENGLISH_SCALES:
            scale = _ENGLISH_SCALES[word]
            current = max(current, 1) * scale
            total, current = (total + current, 0) if scale == 1000 else (total, current)
            last = scale
            continue
        number = _ENGLISH[word]
        if last and not (last >= 100 or (20 <= last < 100 and 0 < number < 10)):
            found.append(total + current)
            total, current = 0, 0
        current += number
        last = number or 1
    return [*found, total + current]


def _german(word: str) -> int | None:
    """The number that one German word says, umlauts spelled out; None where it is none."""
    if word in _GERMAN:
        return _GERMAN[word]
    left, thousand, right = word.partition("tausend")
    if not thousand or (left not in _GERMAN and left not in ("", "ein")):
        return None
    rest = _GERMAN.get(right.removeprefix("und"), None if right else 0)
    return None if rest is None else 1000 * _GERMAN.get(left, 1) + rest
