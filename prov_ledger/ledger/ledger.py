"""The ledger: its verbs, in Python. Interfaces are thin twins of this class."""

from collections.abc import Mapping
from pathlib import Path

from prov_ledger.authz.port import DEADLINE_S, Authoriser
from prov_ledger.authz.roster import AuthoriserFactory
from prov_ledger.errors import Refused
from prov_ledger.ledger.access_verbs import AccessVerbs
from prov_ledger.ledger.answer_verbs import AnswerVerbs
from prov_ledger.ledger.arguments import checked_verbs
from prov_ledger.ledger.audit_verbs import AuditVerbs
from prov_ledger.ledger.backup_verbs import BackupVerbs
from prov_ledger.ledger.binding_verbs import BindingVerbs
from prov_ledger.ledger.capture_verbs import CaptureVerbs
from prov_ledger.ledger.claim_verbs import ClaimVerbs
from prov_ledger.ledger.erasing.finishing import finish_at_opening
from prov_ledger.ledger.erasure_verbs import ErasureVerbs
from prov_ledger.ledger.graph import GraphFactory
from prov_ledger.ledger.identity_verbs import IdentityVerbs
from prov_ledger.ledger.journal_verbs import JournalVerbs
from prov_ledger.ledger.listing_verbs import ListingVerbs
from prov_ledger.ledger.opening import creating_tenant, key_provider, parse_base
from prov_ledger.ledger.retention_verbs import RetentionVerbs
from prov_ledger.ledger.session import check_named
from prov_ledger.ledger.snapshot_verbs import SnapshotVerbs
from prov_ledger.ledger.sources import temporal_fact
from prov_ledger.ledger.tenant import Clock, Tenant, Work, system_clock
from prov_ledger.model import records as r
from prov_ledger.model.facts import QUESTION_DATE, FactTable, parse_fact_type
from prov_ledger.model.ids import mint_id
from prov_ledger.model.records import Role
from prov_ledger.model.times import parse_zone
from prov_ledger.vault.keys import KeyProvider

READERS = ("memory", "sparql")


@checked_verbs
class Ledger(
    CaptureVerbs,
    BindingVerbs,
    ClaimVerbs,
    AccessVerbs,
    AnswerVerbs,
    ListingVerbs,
    ErasureVerbs,
    RetentionVerbs,
    AuditVerbs,
    BackupVerbs,
    IdentityVerbs,
    JournalVerbs,
    SnapshotVerbs,
):
    """One tenant of a ledger folder, opened; a context manager.

    Every verb takes ``by``, the name of the agent who acts, and where it names ids also ``purpose``;
    without them the handle's own count. Ids are strings; what is refused raises ``Refused`` with a
    code, and leaves the ledger as it was.
    """

    def __init__(
        self,
        tenant: Tenant,
        agent: str | None,
        purpose: str | None,
        reader: str,
        authoriser: Authoriser | AuthoriserFactory | None,
        authoriser_deadline_s: float = DEADLINE_S,
    ) -> None:
        super().__init__(tenant, agent, purpose, authoriser, authoriser_deadline_s)
        self._reader = reader

    @classmethod
    def init(
        cls,
        path: Path | str,
        *,
        tenant: str = "default",
        base: str | None = None,
        zone: str = "UTC",
        governed_by: str = "question_date",
        facts: Mapping[str, object] | None = None,
        agent: str = "curator",
        clock: Clock = system_clock,
        reader: str = "memory",
        graph: GraphFactory | None = None,
        keys: KeyProvider | None = None,
    ) -> "Ledger":
        """Create a tenant (and the ledger's folder, if it is not there) and open it.

        ``agent`` gets every role and may read everything. ``zone`` is the IANA zone of civil dates.
        Raises Refused ``already_exists``, ``bad_input``, ``undeclared_fact``, ``bad_fact``.
        """
        folder = Path(path)
        _check_reader(reader)
        table = FactTable(parse_zone(zone))
        for name, raw in (facts or {}).items():
            table = table.declare(parse_fact_type(name, raw, zone))
        temporal_fact(table, governed_by)
        provider = keys if keys is not None else key_provider(folder)
        with creating_tenant(folder, tenant, parse_base(base, tenant), provider):
            opened = Tenant(folder, tenant, provider, clock, graph)
            try:
                with opened.writing(batched=True) as work:
                    _found(work, agent, zone, governed_by, table)
            except BaseException:
                opened.close()
                raise
        return cls(opened, agent, None, reader, None)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        tenant: str = "default",
        agent: str | None = None,
        purpose: str | None = None,
        clock: Clock = system_clock,
        reader: str = "memory",
        graph: GraphFactory | None = None,
        keys: KeyProvider | None = None,
        authoriser: Authoriser | AuthoriserFactory | None = None,
        authoriser_deadline_s: float = DEADLINE_S,
        disclosures: bool = True,
    ) -> "Ledger":
        """Open a tenant. ``agent`` None is the agent that created it.

        ``authoriser`` None is the ledger's own grants; one that is callable is called with the roster, as
        ``load_cedar(folder)`` is; an answer after ``authoriser_deadline_s`` permits nothing.
        ``disclosures`` False: what is shown is not recorded.
        Raises Refused ``not_found``, ``bad_input``; MissingKey, WrongKey; StorageError.
        """
        check_named("agent", agent)
        check_named("purpose", purpose)
        folder = Path(path)
        _check_reader(reader)
        provider = keys if keys is not None else key_provider(folder)
        opened = Tenant(folder, tenant, provider, clock, graph, disclosures)
        if not opened.journal.size():
            opened.close()
            raise Refused("not_found", f"tenant '{tenant}' was not completed when it was made: init it again")
        try:
            finish_at_opening(opened)
        except BaseException:
            opened.close()
            raise
        return cls(opened, agent, purpose, reader, authoriser, authoriser_deadline_s)


def _check_reader(reader: str) -> None:
    if reader not in READERS:
        raise Refused("bad_input", f"a reader is one of {', '.join(READERS)}")


def _found(work: Work, agent: str, zone: str, governed_by: str, table: FactTable) -> None:
    """The first entries of a tenant: who made it, what it is, its facts, the founder's grant."""
    if not agent.strip():
        raise Refused("bad_input", "the name of the founding agent is empty: give it a name")
    draft = work.draft("tenant")
    id = draft.entity(mint_id("agt"))
    draft.records.append(r.TenantRecord(zone, governed_by))
    draft.records.append(r.AgentRecord(id, draft.seal(id, "name", agent), frozenset(Role)))
    draft.name("agent", agent, id)
    draft.records += [r.FactRecord(type_) for type_ in table if type_.name != QUESTION_DATE]
    draft.records.append(r.GrantRecord(f"{draft.id}#grant", id, "*"))
    work.append(draft, id)
