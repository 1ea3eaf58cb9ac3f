"""The leaf of an entry that is like earlier ones: their lines, with what tells it from them put in.

Agents write entries of few makes by the thousand. To spell the triples of each, compute its form and sort
its lines was most of the work of a durable write, and came to the same each time. Entries of one skeleton
have one form, and their leaves differ in their atoms alone: so the lines of one whose form was found to
conform before serve for all that are like it.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import itemgetter

from prov_ledger.checks.forms import NODE, Forms, Spelled, is_exchanged
from prov_ledger.checks.skeletons import BODY_LENGTH, Likeness, Skeleton
from prov_ledger.vocab import OA

#: The only predicates whose values a skeleton has the order of.
IN_ORDER = frozenset({f"<{OA}start>", f"<{OA}end>"})
# Templates that are kept, about 20 kB each, and how many more are asked for until one takes another's place:
# where makes are many, to make templates that soon go again would cost more than they save.
_KEPT, _PATIENCE = 256, 8
#: Around the number of an atom in the making of a template; no canonical line has one.
_MARK = "\0"


class _Unmade(Exception):
    """A template of these lines might not hold for others."""


class Templates:
    """Fills in the leaves of the entries of a tenant by their skeletons, where forms exchange their atoms."""

    def __init__(self, base: str, forms: Forms) -> None:
        self._base = base
        self._out_of_order = forms.ordered - IN_ORDER
        self._texts = forms.texts | forms.commitments
        self._kept: dict[Skeleton, _Template] = {}
        self._asked = 0

    def fill(self, likeness: Likeness) -> bytes | None:
        """The leaf of an entry that conforms as others do; None where none like it was kept."""
        template = self._kept.get(likeness.skeleton)
        return template.fill(likeness.atoms) if template is not None else None

    def keep(self, likeness: Likeness, triples: Sequence[Spelled], leaf: bytes) -> None:
        """Take the leaf of an entry as the model of all that are like it.

        ``triples`` are what it says; their form must be known to conform. Where a template of them
        might not hold for others, none is kept.
        """
        self._asked += 1
        if len(self._kept) >= _KEPT and self._asked % _PATIENCE:
            return
        texts = {predicate for _, predicate, value in triples if value[-1] == '"' and value in likeness.atoms}
        if not texts <= self._texts or any(predicate in self._out_of_order for _, predicate, _ in triples):
            return
        try:
            template = _make(likeness, triples, self._base)
        except _Unmade:
            return
        if template.fill(likeness.atoms) == leaf:
            if len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[likeness.skeleton] = template


class _Template:
    """The text of a leaf in parts: by turns what stays, and the place of the atom that follows it.

    ``runs`` are the places, among those, of lines that differ in one atom, by which they are sorted.
    """

    def __init__(self, parts: list[str], runs: list[slice]) -> None:
        self._parts, self._runs = parts, runs
        self._pick: Callable[[list[str]], Iterable[str]] = itemgetter(*map(int, parts[1::2]))

    def fill(self, atoms: list[str]) -> bytes:
        put_in = [*self._pick(atoms)]
        for run in self._runs:
            put_in[run] = sorted(put_in[run])
        # A format would take six times as long.
        parts = self._parts.copy()
        parts[1::2] = put_in
        return "".join(parts).encode()


def _make(likeness: Likeness, triples: Iterable[Spelled], base: str) -> _Template:
    """Raises _Unmade."""
    mark, end = _Marks(likeness, base).mark, f" <{base}graph> .\n"
    lines = {f"{s} {p} {o}{end}": f"{mark(s)} {p} {mark(o)}{end}" for s, p, o in triples}
    if any(_MARK in line for line in lines):
        raise _Unmade
    marked = [lines[line] for line in sorted(lines)]
    parts = "".join(marked).split(_MARK)
    # One place alone would be picked as it is, not as one of several; an entry names itself in many lines.
    if len(parts) < 5:
        raise _Unmade
    return _Template(parts, _runs([line.split(_MARK) for line in marked]))


def _runs(lines: Sequence[list[str]]) -> list[slice]:
    """Where lines have another order for other atoms; raises _Unmade unless each such run is as one line.

    Of a line in parts, those with an even number stay, and those between are places of atoms.
    """
    runs: list[slice] = []
    begin, before, turned = 0, 0, False
    for one, other in pairwise(lines):
        number = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        turns, width = number % 2 == 1, len(one) // 2
        if turns:
            decided = one[number + 1 :] == other[number + 1 :]
        else:
            decided = not one[number].startswith(other[number]) and not other[number].startswith(one[number])
        # What is next to a run comes before it, or after it, for the same reason as for each of its lines.
        if not decided or (turned and number > before) or (turns and number < before):
            raise _Unmade
        if turns and turned:
            runs[-1] = slice(runs[-1].start, begin + 2 * width, width)
        elif turns:
            runs.append(slice(begin + number // 2, begin + 2 * width, width))
        begin, before, turned = begin + width, number, turns
    return runs


class _Marks:
    """Puts the places of atoms into terms: wherever a form exchanges something, and nowhere else."""

    def __init__(self, likeness: Likeness, base: str) -> None:
        *_, prefixes = likeness.skeleton
        names = list(map(str.__add__, prefixes, likeness.atoms))
        self._start = f"<{base}"
        self._ids = {name: place for place, name in enumerate(names)}
        self._literals = {atom: place for place, atom in enumerate(likeness.atoms) if place >= len(names)}

    def mark(self, term: str) -> str:
        """Raises _Unmade where what is exchanged is none of the atoms, or an atom is not exchanged."""
        if term[0] == '"':
            place = self._literals.get(term)
            if place is None and is_exchanged(term):
                raise _Unmade
            return term if place is None else f"{_MARK}{place}{_MARK}"
        found = NODE.fullmatch(term)
        if found is None:
            if any(name in term for name in self._ids):
                raise _Unmade
            return term
        start, id, rest = found.groups()
        if start != self._start or id not in self._ids:
            raise _Unmade
        return f"{start}{id[:-BODY_LENGTH]}{_MARK}{self._ids[id]}{_MARK}{rest}"
