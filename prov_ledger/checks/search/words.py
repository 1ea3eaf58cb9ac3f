"""Words of English and German texts, and the stems under which they are found.

A word has a key per language: its stem, by the Snowball stemmers. A text is filed under the keys of the
language that its function words show, or of both where they show none; a word that is looked for has
both. A number has itself for a key: 60 days are never 30, and never 60.5.

Source: Snowball, English (Porter2) and German stemmers.
"""

import re
import unicodedata
from functools import lru_cache
from importlib.metadata import version

import snowballstemmer

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|[^\W_]+(?:['’][^\W_]+)*")
_STEMMERS = {"en": snowballstemmer.stemmer("english"), "de": snowballstemmer.stemmer("german")}
LANGUAGES = tuple(_STEMMERS)
#: Other stems make another index.
STEMS_VERSION = version("snowballstemmer")
_ENGLISH = """
the of and to for is are be been by with within without this that these those may must shall should you your
our we they their its it not or any if from at which who when where how has have can
"""
_GERMAN = """
der das dem den des und ist sind für mit von ein eine einen einem einer nicht oder sie ihr ihre ihren wird
werden wurde innerhalb ohne bei zu zum zur auf im kann können muss müssen darf wenn aus nach auch sich durch
bis dieser diese dieses wir wie wer wann wo
"""
#: Words that only one of the two languages has.
_MARKS = {"en": frozenset(_ENGLISH.split()), "de": frozenset(_GERMAN.split())}


def words_of(text: str) -> list[str]:
    """The words of a text in order, case folded; a number keeps its separators.

    >>> words_of("Non-refundable: 1,250.50 EUR, the customer’s Straße.")
    ['non', 'refundable', '1,250.50', 'eur', 'the', "customer's", 'strasse']
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return [found[0] for found in _WORD.finditer(folded)]


def languages_of(words: list[str]) -> tuple[str, ...]:
    """The language that the function words show; both where they show neither or both alike."""
    counts = {language: sum(word in marks for word in words) for language, marks in _MARKS.items()}
    if counts["en"] == counts["de"]:
        return LANGUAGES
    return (max(counts, key=lambda language: counts[language]),)


@lru_cache(maxsize=65_536)
def keys_of(word: str, languages: tuple[str, ...] = LANGUAGES) -> tuple[str, ...]:
    """The keys of a word in some languages.

    >>> keys_of("policies", ("en",)) == keys_of("policy", ("en",))
    True
    >>> keys_of("rückgaben", ("de",)) == keys_of("Rueckgabe".casefold(), ("de",))
    True
    """
    if any(character.isdigit() for character in word):
        return (f"={word}",)
    return tuple(f"{language}:{_STEMMERS[language].stemWord(word)}" for language in languages)
