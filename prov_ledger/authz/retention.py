"""How long what was recorded may be kept: when a rule that was in force at the time made it expire.

Ends are half-open: what was recorded at T under a limit D is there before T + D, and expired at T + D.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from prov_ledger.errors import Refused
from prov_ledger.model import records as r
from prov_ledger.model.durations import add_duration, parse_duration

_ALWAYS = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Expiry:
    """From when on the bytes, and from when on the metadata, may no longer be kept; None: no limit."""

    bytes: datetime | None = None
    metadata: datetime | None = None

    @property
    def text(self) -> datetime | None:
        """From when on nothing of the text is given out: no bytes are kept without their metadata."""
        return _first((self.bytes, self.metadata))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with the node that states it, and since when it is in force."""

    node: r.Node
    since: datetime
    record: r.RetentionRecord


@dataclass
class Retention:
    """The rules about sources and collections, in recorded order.

    Rules of a source and of its collection hold side by side: the first end counts. What expired while
    a rule was in force stays expired when a longer one takes its place, swept or not.
    """

    _rules: dict[r.Node, tuple[Rule, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def state(self, rule: Rule) -> None:
        """Take in a rule; rules come in recorded order."""
        on = rule.record.on
        self._rules[on] = (*self._rules.get(on, ()), rule)

    def rule(self, on: r.Node) -> Rule | None:
        """The rule about just this source or collection that is in force, or None."""
        stated = self._rules.get(on)
        return stated[-1] if stated else None

    def rules(self) -> tuple[Rule, ...]:
        """The rules in force that set any limit."""
        latest = (stated[-1] for stated in tuple(self._rules.values()))
        return tuple(x for x in latest if x.record.bytes_for or x.record.metadata_for)

    def covers(self, source: r.Node, collection: r.Node | None) -> bool:
        """Whether any rule was ever about the source or its collection."""
        return source in self._rules or collection in self._rules

    def expiry(self, recorded: datetime, source: r.Node, collection: r.Node | None) -> Expiry:
        """When what was recorded of a source at a time expires, or did."""
        lists = [self._rules.get(on or "", ()) for on in (source, collection)]
        return Expiry(
            _first(_ends(rules, [x.record.bytes_for for x in rules], recorded) for rules in lists),
            _first(_ends(rules, [x.record.metadata_for for x in rules], recorded) for rules in lists),
        )


def _first(ends: Iterable[datetime | None]) -> datetime | None:
    return min((end for end in ends if end is not None), default=None)


def _ends(rules: Sequence[Rule], limits: Sequence[str | None], recorded: datetime) -> datetime | None:
    """The first instant at which a rule in force says that the limit is reached; None: no such instant."""
    found: list[datetime] = []
    for number, (rule, limit) in enumerate(zip(rules, limits, strict=True)):
        if limit is None:
            continue
        reached = max(rule.since, recorded, _end(recorded, limit))
        if number + 1 == len(rules) or reached <= rules[number + 1].since:
            found.append(reached)
    return min(found, default=None)


def _end(recorded: datetime, limit: str) -> datetime:
    """The recording plus a limit; one that cannot be read or leads past the calendar keeps nothing back."""
    try:
        return add_duration(recorded, parse_duration(limit))
    except Refused:
        return _ALWAYS
