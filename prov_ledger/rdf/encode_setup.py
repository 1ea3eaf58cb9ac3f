"""The tenant, its facts, and who may read what, as RDF."""

from prov_ledger.model import records as r
from prov_ledger.rdf.writer import ABOUT, TRUE, A, Writer, encode_instant, pl, prov


def put_tenant(w: Writer, node: r.Node, x: r.TenantRecord) -> None:
    """Write a ``TenantRecord``."""
    w.state(
        w.node("*"),
        (A, pl("Tenant")),
        (pl("zone"), w.text(x.zone)),
        (pl("governedBy"), w.fact(x.governed_by)),
    )


def put_fact(w: Writer, node: r.Node, x: r.FactRecord) -> None:
    """Write a ``FactRecord``."""
    t = x.type
    pairs = [(A, pl("Fact")), (pl("factName"), w.text(t.name)), (pl("factType"), pl(t.kind.value))]
    if t.unit is not None:
        pairs.append((pl("unit"), w.text(t.unit)))
    if t.zone is not None:
        pairs.append((pl("zone"), w.text(t.zone)))
    if t.personal:
        pairs.append((pl("personal"), TRUE))
    w.state(w.fact(t.name), *pairs)


def put_agent(w: Writer, node: r.Node, x: r.AgentRecord) -> None:
    """Write a ``AgentRecord``."""
    agent = w.node(x.id)
    w.put(agent, (A, prov("Agent")), (A, pl("Agent")), (pl("nameCommitment"), w.text(x.name)))
    w.state(w.node(node), (A, pl("RoleStatement")), (ABOUT, agent))
    w.many(w.node(node), pl("role"), (pl(_camel(role.value)) for role in x.roles))


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


_NAMED = {
    "grp": (pl("Group"), prov("Agent")),
    "col": (pl("Collection"), prov("Collection")),
    "pur": (pl("Purpose"), prov("Entity")),
}


def put_name(w: Writer, node: r.Node, x: r.NameRecord) -> None:
    """Write a ``NameRecord``."""
    types = [(A, name) for name in _NAMED[x.id[:3]]]
    w.state(w.node(x.id), *types, (pl("nameCommitment"), w.text(x.name)))


def put_collection(w: Writer, node: r.Node, x: r.CollectionRecord) -> None:
    """Write a ``CollectionRecord``."""
    pairs = [(A, pl("CollectionStatement")), (ABOUT, w.node(x.id))]
    if x.governed_by is not None:
        pairs.append((pl("governedBy"), w.fact(x.governed_by)))
    if x.sensitive:
        pairs.append((pl("sensitive"), TRUE))
    if x.reaffirm:
        pairs.append((pl("reaffirms"), TRUE))
    w.state(w.node(node), *pairs)
    w.many(w.node(node), pl("indifferentTo"), map(w.fact, x.indifferent_to))


def put_grant(w: Writer, node: r.Node, x: r.GrantRecord) -> None:
    """Write a ``GrantRecord``."""
    pairs = [(A, pl("Grant")), (pl("who"), w.node(x.who)), (pl("read"), w.node(x.read))]
    if x.purpose is not None:
        pairs.append((pl("purpose"), w.node(x.purpose)))
    if x.until is not None:
        pairs.append((pl("until"), encode_instant(x.until)))
    if x.max_age is not None:
        pairs.append((pl("maxAge"), w.text(x.max_age)))
    w.state(w.node(node), *pairs)


def put_revocation(w: Writer, node: r.Node, x: r.RevocationRecord) -> None:
    """Write a ``RevocationRecord``."""
    w.state(w.node(node), (A, pl("Revocation")))
    w.many(w.node(node), pl("ends"), map(w.node, x.grants))


def put_membership(w: Writer, node: r.Node, x: r.MembershipRecord) -> None:
    """Write a ``MembershipRecord``."""
    w.state(
        w.node(node),
        (A, pl("Leaving" if x.left else "Membership")),
        (pl("member"), w.node(x.who)),
        (pl("group"), w.node(x.group)),
    )


def put_denial(w: Writer, node: r.Node, x: r.DenialRecord) -> None:
    """Write a ``DenialRecord``."""
    pairs = [(A, pl("Allowance" if x.allowed else "Denial")), (ABOUT, w.node(x.source))]
    if x.reason is not None:
        pairs.append((pl("reasonCommitment"), w.text(x.reason)))
    w.state(w.node(node), *pairs)
