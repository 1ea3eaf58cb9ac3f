"""The words of one source's texts: nothing of another source is in it, and no text either."""

from collections import Counter
from dataclasses import dataclass, field

from prov_ledger.checks.search.words import keys_of, languages_of, words_of


@dataclass(slots=True)
class Partition:
    """Texts by number, from 0: how long each is in words, and for each key how often which holds it."""

    lengths: list[int] = field(default_factory=list)
    postings: dict[str, dict[int, int]] = field(default_factory=dict)
    forms: set[str] = field(default_factory=set)

    def add(self, text: str) -> int:
        """File a text; its number."""
        number = len(self.lengths)
        words = words_of(text)
        languages = languages_of(words)
        for word, count in Counter(words).items():
            self.forms.add(word)
            for key in keys_of(word, languages):
                holders = self.postings.setdefault(key, {})
                holders[number] = holders.get(number, 0) + count
        self.lengths.append(len(words))
        return number

    def holders(self, keys: tuple[str, ...]) -> dict[int, int]:
        """The texts that hold one of the keys, with how often the most frequent of them stands there."""
        first, *others = (self.postings.get(key, {}) for key in keys)
        found = dict(first)
        for other in others:
            for number, count in other.items():
                found[number] = max(count, found.get(number, 0))
        return found
