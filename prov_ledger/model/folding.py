"""Texts as they are compared where a way of writing must not hide a copy.

Letters, digits and signs count, in whatever case and form; white space, punctuation, emphasis marks and
characters that are not seen do not. Look-alikes of other scripts stay what they are.

Source: Unicode Standard Annex 15 (NFKC); Unicode Standard 5.21 (default ignorable characters).
"""

import unicodedata

#: Default ignorable characters that are letters or marks by category: joiners, fillers, variation selectors.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(map(chr, range(0xFE00, 0xFE10)))
_PASSED_OVER = frozenset(("Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"))


def letters_of(text: str) -> str:
    """The text without white space, punctuation and what is not seen; one case, one form.

    >>> letters_of("Ann *B\u00adErg*er,\u00a0\uff12")
    'annberger2'
    """
    return _told(text).replace(" ", "")


def words_of(text: str) -> str:
    """As ``letters_of``, with a space where something was passed over that is seen.

    >>> words_of("Ann *B\u00adErg*er")
    'ann berg er'
    """
    return " ".join(_told(text).split())


def _told(text: str) -> str:
    """What counts of a text, with spaces for what is seen and does not count."""
    unseen = {ord(x): None for x in set(text) if x in _UNSEEN or unicodedata.category(x) == "Cf"}
    seen = unicodedata.normalize("NFKC", text.translate(unseen) if unseen else text)
    folded = unicodedata.normalize("NFKC", seen.casefold())
    passed = {ord(x): " " for x in set(folded) if not _counts(x)}
    return folded.translate(passed)


def _counts(character: str) -> bool:
    if character.isascii():
        return character.isalnum()
    return unicodedata.category(character) not in _PASSED_OVER and character not in _UNSEEN
