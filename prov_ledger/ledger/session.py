"""Who acts, for what purpose, and what that agent may do and read; every verb begins here."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from prov_ledger.authz.port import DEADLINE_S, Authoriser, ReadRequest, readable, version_of
from prov_ledger.authz.roster import EVERYTHING, AuthoriserFactory, Roster
from prov_ledger.checks.verdict import Asked, Judge
from prov_ledger.errors import Refused
from prov_ledger.ledger.narrowing import narrowing
from prov_ledger.ledger.tenant import Tenant, Work
from prov_ledger.model import records as r
from prov_ledger.model.facts import QUESTION_DATE
from prov_ledger.model.ids import looks_like_id, mint_id, parse_id
from prov_ledger.model.records import Node, Role
from prov_ledger.model.world import World

#: Which roles a verb needs: any one of them.
VERB_ROLES: dict[str, frozenset[Role]] = {
    "fact": frozenset({Role.ADMIN, Role.CURATOR}),
    "agent": frozenset({Role.ADMIN}),
    "collection": frozenset({Role.CURATOR}),
    "source": frozenset({Role.CURATOR}),
    "revision": frozenset({Role.CURATOR}),
    "scope": frozenset({Role.CURATOR}),
    "evidence": frozenset({Role.AGENT, Role.CURATOR}),
    "claim": frozenset({Role.AGENT, Role.CURATOR}),
    "supersede": frozenset({Role.AGENT, Role.CURATOR}),
    "retract": frozenset({Role.AGENT, Role.CURATOR}),
    "remind": frozenset({Role.AGENT, Role.CURATOR}),
    "contradict": frozenset({Role.AGENT, Role.CURATOR}),
    "check": frozenset({Role.CURATOR}),
    "retire": frozenset({Role.CURATOR}),
    "authority": frozenset({Role.CURATOR}),
    "grant": frozenset({Role.ADMIN, Role.CURATOR}),
    "revoke": frozenset({Role.ADMIN, Role.CURATOR}),
    "member": frozenset({Role.ADMIN, Role.CURATOR}),
    "deny": frozenset({Role.PRIVACY_OFFICER, Role.CURATOR}),
    "erase": frozenset({Role.PRIVACY_OFFICER, Role.ADMIN}),
    "access": frozenset({Role.PRIVACY_OFFICER}),
    "sweep": frozenset({Role.PRIVACY_OFFICER, Role.ADMIN}),
    "hold": frozenset({Role.PRIVACY_OFFICER, Role.ADMIN}),
    "retention": frozenset({Role.PRIVACY_OFFICER, Role.ADMIN}),
    "sync": frozenset({Role.CURATOR}),
    "sparql": frozenset({Role.ANALYST, Role.AUDITOR}),
    "audit": frozenset({Role.AUDITOR, Role.ADMIN, Role.CURATOR}),
    "backup": frozenset({Role.ADMIN}),
    "rotate": frozenset({Role.ADMIN}),
    "confirm": frozenset({Role.ADMIN}),
    "disclosures": frozenset({Role.AUDITOR, Role.PRIVACY_OFFICER}),
    "forget": frozenset({Role.PRIVACY_OFFICER}),
    "tenant": frozenset({Role.ADMIN}),
}

_UNKNOWN = "no id like this is known to you here: never recorded, of another tenant, or not yours to read"


def unknown(id: str) -> Refused:
    """The one refusal for an id that is absent, another tenant's, erased or not readable."""
    return Refused("unknown_id", f"{id}: {_UNKNOWN}")


def check_named(kind: str, name: str | None) -> None:
    """Raise Refused ``bad_input`` where a name is given and blank; None is a name that was not given."""
    if name is not None and not name.strip():
        article = "an" if kind == "agent" else "a"
        raise Refused("bad_input", f"the name of {article} {kind} is empty: give it a name")


class Acting(NamedTuple):
    """An agent with the purpose that it states; ``agent`` None is a name that was never recorded."""

    agent: Node | None
    purpose: Node | None


class Session:
    """Looks up names and ids for one tenant, on behalf of whoever acts."""

    def __init__(
        self,
        tenant: Tenant,
        authoriser: Authoriser | AuthoriserFactory | None = None,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        self.tenant = tenant
        # The ledger's own grants answer at once, in this thread.
        self._deadline_s = deadline_s if authoriser is not None else None
        self._given = authoriser
        self._made: tuple[Roster, Authoriser] | None = None

    @property
    def authoriser(self) -> Authoriser:
        """What answers reads: the one given, or made for the roster of this thread, or that roster itself.

        Raises Refused ``unauthorised`` when it cannot be made.
        """
        if self._given is None:
            return self.tenant.state.roster
        return self._made_by(self._given) if callable(self._given) else self._given

    def _made_by(self, factory: AuthoriserFactory) -> Authoriser:
        roster, made = self.tenant.state.roster, self._made
        if made is None or made[0] is not roster:
            try:
                made = self._made = (roster, factory(roster, self.find_name))
            except Exception as error:
                why = f"the authoriser could not be made ({type(error).__name__}): nothing is permitted"
                raise Refused("unauthorised", why) from None
        return made[1]

    @property
    def policy_version(self) -> str:
        """The version of the policy that answers now, as recorded with what it let out."""
        return version_of(self.authoriser, self._deadline_s)

    # names

    def find_name(self, kind: str, name: str) -> Node | None:
        """The id that a name stands for, or None; kinds are agent, group, thread and so on."""
        names = self.tenant.names
        if (kind, name) not in names:
            found = self.tenant.journal.find(kind, self.tenant.sealer.token(kind, name))
            if not found:
                return None
            names[kind, name] = found[-1].id
        return names[kind, name]

    def thread_keys(self, name: str) -> tuple[Node, ...]:
        """What disclosures in a thread are recorded under: its id once it is recorded, and a keyed hash
        of its name before that.
        """
        token = f"thread:{self.tenant.sealer.lasting_token('thread', name).hex()}"
        known = self.find_name("thread", name)
        return (known, token) if known is not None else (token,)

    def name(self, work: Work, kind: str, name: str, agent: Node) -> Node:
        """The id of a group, collection or purpose, which is recorded when it is named first."""
        check_named(kind, name)
        found = self.find_name(kind, name)
        if found is not None:
            return found
        draft = work.draft("name")
        id = draft.entity(mint_id({"group": "grp", "collection": "col", "purpose": "pur"}[kind]))
        draft.records.append(r.NameRecord(id, draft.seal(id, "name", name)))
        draft.name(kind, name, id)
        work.append(draft, agent)
        return id

    def agent(self, work: Work, name: str, roles: Iterable[Role] = (Role.AGENT,)) -> Node:
        """The id of an agent, recorded with these roles when it is named first."""
        check_named("agent", name)
        found = self.find_name("agent", name)
        if found is not None:
            return found
        draft = work.draft("agent")
        id = draft.entity(mint_id("agt"))
        draft.records.append(r.AgentRecord(id, draft.seal(id, "name", name), frozenset(roles)))
        draft.name("agent", name, id)
        work.append(draft, id)
        return id

    def acting(self, name: str, purpose: str | None = None) -> Acting:
        """A reader by name, for a read: nothing is recorded, an unknown name reads nothing."""
        agent = self.find_name("agent", name)
        return Acting(agent, self.find_name("purpose", purpose) if purpose is not None else None)

    def acting_in(self, work: Work, name: str, purpose: str | None = None) -> Acting:
        """Who acts in a write, recorded if new."""
        agent = self.agent(work, name)
        known = self.find_name("purpose", purpose) if purpose is not None else None
        return Acting(agent, known)

    def roles(self, agent: Node | None) -> frozenset[Role]:
        """The roles of an agent that count here: those recorded, and no more than its credentials leave."""
        recorded, left = self.tenant.state.roster.roles.get(agent or "", frozenset()), narrowing().roles
        return recorded if left is None else recorded & left

    def check_role(self, agent: Node | None, verb: str, called: str | None = None) -> None:
        """Raise Refused ``denied`` unless one of the agent's roles does this.

        ``called`` is what the refusal names, where that needs the same roles as ``verb``.
        """
        lacking = self.lacking_role(agent, verb, called)
        if lacking is not None:
            raise lacking

    def lacking_role(self, agent: Node | None, verb: str, called: str | None = None) -> Refused | None:
        """The refusal ``denied`` when none of the agent's roles does this; None when one does."""
        needed = VERB_ROLES[verb]
        if self.roles(agent) & needed:
            return None
        wanted = ", ".join(sorted(role.value for role in needed))
        which = f"the role {wanted}" if len(needed) == 1 else f"one of the roles {wanted}"
        return Refused("denied", f"'{called or verb}' needs {which}: ask an admin for it")

    def is_curator(self, agent: Node | None) -> bool:
        """Whether the agent may act on what others made."""
        return Role.CURATOR in self.roles(agent)

    # permission

    def may_read_names(self, acting: Acting) -> bool:
        """Whether the names of groups, collections, purposes and agents may be given out to the reader:
        to an admin or a curator, and to whom the ledger's own grants let read everything.
        """
        if self.roles(acting.agent) & {Role.ADMIN, Role.CURATOR}:
            return True
        return self._given is None and EVERYTHING in self.readable(
            acting, [(EVERYTHING, None)], self.tenant.now()
        )

    def readable(
        self, acting: Acting, sources: Sequence[tuple[Node, Node | None]], now: datetime
    ) -> frozenset[Node]:
        """Of (source, collection) pairs, the sources readable now; one batch."""
        state, groups = self.tenant.state, self._groups()
        if self._given is None:
            allowed = state.roster.readable(acting.agent, acting.purpose, sources, now, groups)
        else:
            allowed = self._authorised(acting, sources, now, groups)
        return allowed - state.gone_sources(sources, now)

    def _authorised(
        self,
        acting: Acting,
        sources: Sequence[tuple[Node, Node | None]],
        now: datetime,
        groups: frozenset[Node] | None,
    ) -> frozenset[Node]:
        """Of (source, collection) pairs, the sources that an authoriser of somebody else's permits."""
        roles = narrowing().roles
        requests = [
            ReadRequest(acting.agent, acting.purpose, s, c, now, groups, roles)
            for s, c in dict.fromkeys(sources)
        ]
        allowed, roster = readable(self.authoriser, requests, self._deadline_s), self.tenant.state.roster
        return frozenset() if roster.suspended else allowed - roster.denied

    def _groups(self) -> frozenset[Node] | None:
        """The groups that credentials leave; None: all that the agent is in."""
        names = narrowing().groups
        if names is None:
            return None
        return frozenset(id for name in names if (id := self.find_name("group", name)) is not None)

    def readable_in(self, acting: Acting, world: World, now: datetime) -> frozenset[Node]:
        """The sources of a world that the agent may read now."""
        pairs = [(h.id, h.source.record.collection) for h in world.sources.values()]
        return self.readable(acting, pairs, now)

    # ids

    def require_source(self, acting: Acting, id: str) -> Node:
        """A source's id that the agent may read. Raises Refused ``malformed_id`` or ``unknown_id``."""
        parsed = parse_id(id)
        history = self.tenant.state.reader.history(parsed) if parsed.startswith("src_") else None
        if history is None:
            raise unknown(parsed)
        pair = (parsed, history.source.record.collection)
        if parsed not in self.readable(acting, [pair], self.tenant.now()):
            raise unknown(parsed)
        return parsed

    def require_recorded(self, id: str) -> Node:
        """A source's id whoever may read it, denied or expired as it may be, unless it is erased.

        For verbs about any source: check the role first. Raises as ``require_source``.
        """
        parsed, state = parse_id(id), self.tenant.state
        history = state.reader.history(parsed) if parsed.startswith("src_") else None
        if history is None or state.removals.is_erased(parsed):
            raise unknown(parsed)
        return parsed

    def require_revision(self, acting: Acting, id: str) -> Node:
        """A revision's id whose source the agent may read; raises as ``require_source``."""
        parsed = parse_id(id)
        source = self.tenant.state.reader.source_of(parsed) if parsed.startswith("rev_") else None
        if source is None:
            raise unknown(parsed)
        try:
            self.require_source(acting, source)
        except Refused:
            raise unknown(parsed) from None
        if self.is_revision_gone(parsed):
            raise unknown(parsed)
        return parsed

    def is_revision_gone(self, id: Node) -> bool:
        """Whether a revision that was recorded is erased or expired by now."""
        reader = self.tenant.state.reader
        history = reader.history(reader.source_of(id) or "")
        return history is None or id in self.tenant.state.removals.gone_of(history, self.tenant.now())

    def require(self, acting: Acting, ids: Sequence[str]) -> tuple[list[Node], World]:
        """Ids of anything that the agent may read, with the world of the claims and evidence among them.

        Raises Refused ``malformed_id`` for the first that is none, then ``unknown_id``.
        """
        parsed, judge = self.require_judged(acting, ids)
        return parsed, judge.world

    def require_judged(self, acting: Acting, ids: Sequence[str]) -> tuple[list[Node], Judge]:
        """As ``require``, with the judge that said so of their world."""
        parsed = [parse_id(id) for id in ids]
        reader = self.tenant.state.reader
        world = reader.read([id for id in parsed if id.startswith(("cl_", "ev_"))])
        judge = self.judge(acting, world)
        for id in parsed:
            self._require_one(acting, judge, id)
        return parsed, judge

    def _require_one(self, acting: Acting, judge: Judge, id: Node) -> None:
        if id.startswith(("cl_", "ev_")):
            if judge.decide(id).verdict == "withheld":
                raise unknown(id)
        elif id.startswith("src_"):
            self.require_source(acting, id)
        elif id.startswith("rev_"):
            self.require_revision(acting, id)
        elif self.tenant.state.removals.is_erased(id) or self.tenant.journal.kind_of(id) is None:
            raise unknown(id)

    def judge(self, acting: Acting, world: World) -> Judge:
        """Judge a world for nobody's question: only who may read what matters."""
        now = self.tenant.now()
        allowed, gone = self.readable_in(acting, world, now), self.gone_in(world)
        asked = Asked({QUESTION_DATE: now}, now, allowed, gone=gone)
        return Judge(world, asked, self.tenant.state.revisions)

    def gone_in(self, world: World) -> frozenset[Node]:
        """What of a world is erased or expired by the ledger's own clock, whatever time is asked about."""
        return self.tenant.state.removals.gone(world, self.tenant.now())


def parse_any_id(text: str) -> Node | None:
    """The id that a text is, or None when it does not look like one; raises Refused ``malformed_id``."""
    return parse_id(text) if looks_like_id(text) else None
