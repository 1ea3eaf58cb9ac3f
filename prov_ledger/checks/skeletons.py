"""What an entry says, parted into what stays when it is said of something else, and what then changes.

*Atoms* are what a form exchanges: ids, commitments, times, numbers, texts of facts. The *skeleton* is all
the rest, with which atoms are the same and which prefixes ids have. It is told from the records, in a
third of the time that their triples take, so that an entry can be known as like earlier ones before
anything is spelled.

Of the records that agents write by the thousand; whatever is unusual (other records, scopes, other
spellings) has no skeleton.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from prov_ledger.checks.forms import is_exchanged
from prov_ledger.checks.shape_reading import BODY
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactValue, SealedValue
from prov_ledger.model.times import format_instant
from prov_ledger.rdf.writer import DATE_TIME, INTEGER, encode_value

#: Compared as a whole: what stays, which ids and which literals are the same, the prefixes of the ids.
Skeleton = tuple[tuple[object, ...], tuple[int, ...], tuple[int, ...], tuple[str, ...]]
#: How many characters of an id follow its prefix.
BODY_LENGTH = 18

_IDS = re.compile(rf"(?:[a-z]+_{BODY} )+")
_COMMITMENTS = re.compile(r'(?:"[0-9a-f]{64}")*')
_COMMITMENT_LENGTH = 66


class _Unlike(Exception):
    """This entry has no skeleton."""


class Likeness(NamedTuple):
    """What an entry has in common with others, and what it has for itself.

    ``atoms`` are the bodies of its ids, then its literals as they are spelled, each once.
    """

    skeleton: Skeleton
    atoms: list[str]


def find_likeness(entry: r.Entry, minted: Sequence[r.Node]) -> Likeness | None:
    """The likeness of an entry, or None; ``minted`` are the ids that it brings into being."""
    try:
        said = _Said(entry, minted)
        for stated in entry.statements:
            record = stated.record
            if isinstance(record, r.ClaimRecord):
                said.claim(stated.node, record)
            elif isinstance(record, r.EvidenceRecord):
                said.evidence(stated.node, record)
            elif isinstance(record, r.ContextRecord):
                said.context(stated.node, record)
            elif isinstance(record, r.SupersessionRecord):
                said.supersession(stated.node, record)
            else:
                return None
        return said.likeness()
    except _Unlike:
        return None


class _Said:
    """What the records of an entry say, parted into what stays and what is exchanged."""

    def __init__(self, entry: r.Entry, minted: Sequence[r.Node]) -> None:
        self._kept: list[object] = []
        # Those that are minted come first: which of the others are minted shows in which are the same.
        self._ids = [*minted, entry.id, entry.agent]
        self._commitments: list[str] = []
        self._has_texts = self._keeps_texts = False
        self._literals = [_instant(entry.recorded)]
        self._number(entry.sequence)

    def context(self, node: r.Node, x: r.ContextRecord) -> None:
        self._kept += (r.ContextRecord, x.decision, x.policy_version, x.authority, x.applicability)
        self._kept.append(x.purpose is None)
        self._keeps_texts = True
        self._node(node)
        self._ids += (x.agent, x.principal)
        if x.purpose is not None:
            self._ids.append(x.purpose)
        self._literals.append(_instant(x.retrieved))

    def evidence(self, node: r.Node, x: r.EvidenceRecord) -> None:
        if x.scope is not None or node != x.id:
            raise _Unlike
        selector = x.selector
        self._kept += (r.EvidenceRecord, x.indifferent_to, type(selector))
        self._ids += (node, x.revision)
        self._node(x.context)
        self._commitments.append(x.quote)
        if isinstance(selector, r.TextPosition):
            self._kept.append(selector.start < selector.end)
            numbers: tuple[int, ...] = (selector.start, selector.end)
        else:
            numbers = (selector.row, selector.column, selector.table)
        for number in numbers:
            self._number(number)

    def claim(self, node: r.Node, x: r.ClaimRecord) -> None:
        if x.narrow is not None or node != x.id:
            raise _Unlike
        members = [member for members in x.justifications for member in members]
        # Of what was only seen, no more is said than what it is: any order of it will do.
        seen = sorted(x.exposure.difference(members))
        if len(x.exposure) != len(seen) + len(set(members)):
            raise _Unlike
        how, question = x.transformation, x.question
        self._kept += (r.ClaimRecord, tuple(map(len, x.justifications)), len(seen), x.bound_to)
        self._kept += (how.kind, how.by, tuple(question.facts))
        self._ids += (node, x.agent, *members, *seen)
        self._commitments += (x.statement, question.text)
        self._literals.append(_instant(x.made))
        self._optional(how.note)
        for value in question.facts.values():
            self._value(value)

    def supersession(self, node: r.Node, x: r.SupersessionRecord) -> None:
        self._kept += (r.SupersessionRecord, x.reaffirmed)
        self._node(node)
        self._ids += (x.old, x.new)
        self._optional(x.reason)

    def _node(self, name: r.Node) -> None:
        id, part, fragment = name.partition("#")
        self._ids.append(id)
        self._kept.append(part + fragment)

    def _optional(self, commitment: r.Commitment | None) -> None:
        self._kept.append(commitment is None)
        if commitment is not None:
            self._commitments.append(commitment)

    def _number(self, number: int) -> None:
        # Forms know of 0 and 1, and exchange no more than 18 digits.
        if 2 <= number < 10**18:
            self._kept.append(None)
            self._literals.append(f'"{number}"{INTEGER}')
        else:
            self._kept.append(str(number))

    def _value(self, value: FactValue | SealedValue) -> None:
        self._kept.append(type(value))
        if isinstance(value, SealedValue):
            self._commitments.append(value.commitment)
        elif isinstance(value, str):
            self._has_texts = True
            self._literals.append(encode_value(value))
        else:
            self._literals.append(_exchanged(encode_value(value)))

    def likeness(self) -> Likeness:
        """Raises _Unlike where an id or a commitment is spelled as none is, or texts are mixed."""
        # Whether a text that is exchanged is one that stays is not in a skeleton.
        if self._has_texts and self._keeps_texts:
            raise _Unlike
        ids: dict[str, int] = {}
        literals: dict[str, int] = {}
        same_ids = [ids.setdefault(id, len(ids)) for id in self._ids]
        names = " ".join(ids) + " "
        if not _IDS.fullmatch(names) or names.count(" ") != len(ids):
            raise _Unlike
        committed = [f'"{commitment}"' for commitment in self._commitments]
        spelled = "".join(committed)
        if not _COMMITMENTS.fullmatch(spelled) or len(spelled) != _COMMITMENT_LENGTH * len(committed):
            raise _Unlike
        same = [literals.setdefault(literal, len(literals)) for literal in (*committed, *self._literals)]
        skeleton = tuple(self._kept), tuple(same_ids), tuple(same), tuple([id[:-BODY_LENGTH] for id in ids])
        return Likeness(skeleton, [*[id[-BODY_LENGTH:] for id in ids], *literals])


def _exchanged(literal: str) -> str:
    if not is_exchanged(literal):
        raise _Unlike
    return literal


def _instant(instant: datetime) -> str:
    text = format_instant(instant)
    # Of all times that are spelled so, forms exchange those of years of four digits but leap days.
    if text[4:10] == "-02-29" or text[0] == "0":
        raise _Unlike
    return f'"{text}"{DATE_TIME}'
