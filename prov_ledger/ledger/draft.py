"""One entry in the making: its records, the texts to seal, and what the journal indexes of it."""

from collections.abc import Mapping
from datetime import datetime

from prov_ledger.errors import Refused
from prov_ledger.model import records as r
from prov_ledger.model.facts import FactTable, FactValue, SealedValue, canonical
from prov_ledger.model.ids import mint_id
from prov_ledger.model.scopes import Among, Condition, Scope
from prov_ledger.vault.port import Lookup, NewEntry, SealedPayload
from prov_ledger.vault.sealing import Sealer


def encoded(text: str) -> bytes:
    """The UTF-8 of a text. Raises Refused ``bad_input`` for lone surrogates, which no text has."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Refused("bad_input", "a text holds half a character (a lone surrogate): mend it") from None


class Draft:
    """Collects what one entry will hold; nothing is written before it is appended."""

    def __init__(self, kind: str, sealer: Sealer) -> None:
        self.kind = kind
        self.id = mint_id("ent")
        self.records: list[r.Record] = []
        self.entities: list[tuple[r.Node, str]] = []
        self.about: list[str] = []
        self.lookups: list[Lookup] = []
        self.spans: list[tuple[r.Node, str, r.Node]] = []
        self.payloads: list[SealedPayload] = []
        self._sealer = sealer

    def seal(self, owner: r.Node, field: str, text: str | bytes) -> r.Commitment:
        """Seal a text for one field of a node; what the record holds is its commitment."""
        data = encoded(text) if isinstance(text, str) else text
        payload = self._sealer.seal(owner, field, data)
        self.payloads.append(payload)
        return payload.commitment_hex

    def seal_or_none(self, owner: r.Node, field: str, text: str | None) -> r.Commitment | None:
        """As ``seal``, for a text that may be absent or empty."""
        return self.seal(owner, field, text) if text else None

    def seal_reason(self, owner: r.Node, reason: str | None) -> r.Commitment | None:
        """As ``seal``, for a reason that need not be given. Raises Refused ``bad_input`` for a blank one."""
        if reason is not None and not reason.strip():
            raise Refused("bad_input", "the reason is empty: give one, or leave it out")
        return self.seal_or_none(owner, "reason", reason)

    def entity(self, id: r.Node) -> r.Node:
        """Say that the entry brings an entity into being."""
        self.entities.append((id, id.partition("_")[0]))
        return id

    def name(self, kind: str, text: str, id: r.Node, since: datetime | None = None) -> None:
        """Let an id be found again by a text, through its keyed hash."""
        self.lookups.append(Lookup(kind, self._sealer.token(kind, text), id, since))

    def seal_scope(self, scope: Scope, node: r.Node, table: FactTable) -> Scope:
        """The scope with the values of personal facts sealed under nodes below ``node``."""
        return Scope(
            tuple(
                self._seal_condition(condition, f"{node}.{number}", table)
                for number, condition in enumerate(scope.conditions, 1)
            )
        )

    def _seal_condition(self, condition: Condition, node: r.Node, table: FactTable) -> Condition:
        if not isinstance(condition, Among) or not table.get(condition.fact).personal:
            return condition
        values = sorted(str(value) for value in condition.values)
        sealed = [self._sealed(f"{node}.v{number}", value) for number, value in enumerate(values, 1)]
        return Among(condition.fact, frozenset(sealed))

    def _sealed(self, node: r.Node, value: FactValue) -> SealedValue:
        return SealedValue(node, self.seal(node, "value", canonical(value)))

    def seal_facts(
        self, facts: Mapping[str, FactValue], owner: r.Node, table: FactTable
    ) -> dict[str, FactValue | SealedValue]:
        """The facts of a question, those that identify people sealed."""
        return {
            name: self._sealed(f"{owner}#given.{name}", value) if table.get(name).personal else value
            for name, value in facts.items()
        }

    def to_entry(self, leaf: bytes, recorded: datetime) -> NewEntry:
        """What the journal takes."""
        return NewEntry(
            self.id,
            self.kind,
            recorded,
            leaf,
            self.entities,
            tuple(dict.fromkeys(self.about)),
            self.payloads,
            self.lookups,
            self.spans,
        )
