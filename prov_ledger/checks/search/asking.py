"""Which texts hold the words that are asked for, and in which order; over given partitions alone.

How rare a word is, how long a text is beside others, and which words there are to be meant by a typing
error: all of it is counted over the partitions that are handed in, so a source that is not handed in
changes no score, no order and no match.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), 3.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA

from prov_ledger.checks.search.partition import Partition
from prov_ledger.checks.search.words import LANGUAGES, keys_of, words_of

_K1, _B = 1.2, 0.75
#: A word this short is taken as it is written; from the second length on it may have two errors.
_SHORTEST_FORGIVEN, _FORGIVEN_TWICE = 5, 8

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A text that holds some of the words. ``share``: how much of the question's weight, 0 to 1."""

    part: str
    number: int
    score: float
    share: float
    holds_all: bool


def search(text: str, partitions: Mapping[str, Partition]) -> list[Hit]:
    """Every text that holds a word of ``text``, best first; in the order handed in where scores are equal.

    Scores are rounded to 6 places. A word that no text holds counts as its nearest one, if that is near.
    """
    wanted = keys_wanted(text, partitions)
    holders = {name: [part.holders(keys) for keys in wanted] for name, part in partitions.items()}
    total = sum(len(part.lengths) for part in partitions.values())
    if not total or not wanted:
        return []
    average = sum(sum(part.lengths) for part in partitions.values()) / total or 1.0
    frequencies = [sum(len(found[i]) for found in holders.values()) for i in range(len(wanted))]
    weights = [math.log(1 + (total - n + 0.5) / (n + 0.5)) if n else 0.0 for n in frequencies]
    hits = [
        hit for name, part in partitions.items() for hit in _hits(name, part, holders[name], weights, average)
    ]
    return sorted(hits, key=lambda hit: -hit.score)


def _hits(
    name: str, part: Partition, holders: Sequence[dict[int, int]], weights: Sequence[float], average: float
) -> Iterator[Hit]:
    everything = sum(weights) or 1.0
    for number in sorted(set().union(*holders)):
        norm = _K1 * (1 - _B + _B * part.lengths[number] / average)
        score = weight = 0.0
        for found, rarity in zip(holders, weights, strict=True):
            count = found.get(number, 0)
            if count:
                weight += rarity
                score += rarity * count * (_K1 + 1) / (count + norm)
        every = all(number in found for found in holders)
        yield Hit(name, number, round(score, 6), weight / everything, every)


def keys_wanted(text: str, partitions: Mapping[str, Partition]) -> list[Keys]:
    """The keys of each word of a text; those of its nearest word where no partition holds it."""
    return [_keys(word, partitions) for word in dict.fromkeys(words_of(text))]


def _keys(word: str, partitions: Mapping[str, Partition]) -> Keys:
    keys = keys_of(word)
    if any(key in part.postings for part in partitions.values() for key in keys):
        return keys
    return nearest(word, set().union(*(part.forms for part in partitions.values()))) or keys


def nearest(word: str, forms: set[str]) -> Keys:
    """The keys of the form that is nearest to a word in letters changed, missing, added or swapped.

    Nothing for a word with a digit or of fewer than 5 letters, nor where more than 1 letter differs
    (2 of 8 or more). Stems are compared too. Of forms equally near the one that begins alike counts.

    >>> nearest("polcies", {"police", "policies", "price"}) == keys_of("policies")
    True
    """
    if not _forgiven(word):
        return ()
    among = sorted(form for form in forms if not any(c.isdigit() for c in form))
    found = _near(word, {form: form for form in among}) or _near_by_stem(word, among)
    if not found:
        return ()
    return keys_of(min(found, key=lambda x: (x[0], -_alike(word, x[1]), x[1]))[1])


def _near_by_stem(word: str, among: Sequence[str]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for language in LANGUAGES:
        (stem,) = keys_of(word, (language,))
        by_stem = {keys_of(form, (language,))[0]: form for form in reversed(among)}
        found += _near(stem, by_stem)
    return found


def _forgiven(word: str) -> int:
    if len(word) < _SHORTEST_FORGIVEN or any(character.isdigit() for character in word):
        return 0
    return 2 if len(word) >= _FORGIVEN_TWICE else 1


def _near(word: str, among: Mapping[str, str]) -> list[tuple[int, str]]:
    """The forms whose spelling is near a word, each with how many letters part the two."""
    bare = word.partition(":")[2] or word
    near = process.extract(
        word, list(among), scorer=OSA.distance, score_cutoff=_forgiven(bare), limit=None, processor=None
    )
    return [(int(distance), among[spelling]) for spelling, distance, _ in near]


def _alike(word: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(word))
