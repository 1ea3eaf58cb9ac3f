"""Stretches of a text of which none overlaps another, however many there are."""

from bisect import bisect_left


class Stretches:
    """What is taken of a text so far."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def take(self, start: int, end: int) -> bool:
        """Take a stretch of one character or more, unless some of it is taken already; whether it was.

        >>> taken = Stretches()
        >>> taken.take(2, 4), taken.take(3, 5), taken.take(4, 5), taken.take(0, 2)
        (True, False, True, True)
        """
        place = bisect_left(self._starts, start)
        if place and self._ends[place - 1] > start:
            return False
        if place < len(self._starts) and self._starts[place] < end:
            return False
        self._starts.insert(place, start)
        self._ends.insert(place, end)
        return True
