"""The tenant, its facts, and who may read what, from nodes."""


from prov_ledger.model import records as r
from prov_ledger.model.facts import FactKind, FactType
from prov_ledger.rdf.decoder import Decoder, Properties, flag, instant_of, local, text, text_or_none
from prov_ledger.rdf.writer import A, pl


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def read_tenant(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a tenant record."""
    return r.TenantRecord(text(p, "zone"), d.fact(d.one(p, pl("governedBy"))))


def read_fact(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a fact record."""
    kind = FactKind(local(d.one(p, pl("factType"))))
    return r.FactRecord(
        FactType(
            text(p, "factName"),
            kind,
            unit=text_or_none(p, "unit"),
            zone=text_or_none(p, "zone"),
            personal=flag(p, "personal"),
        )
    )


def read_roles(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a roles record."""
    agent = d.node(p, pl("about"))
    roles = frozenset(r.Role(_snake(local(value))) for value in p.get(pl("role"), ()))
    return r.AgentRecord(agent, text(d.nodes[agent], "nameCommitment"), roles)


def read_named(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a named record."""
    return r.NameRecord(node, text(p, "nameCommitment"))


def read_collection(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a collection record."""
    governed = p.get(pl("governedBy"))
    return r.CollectionRecord(
        d.node(p, pl("about")),
        d.fact(governed[0]) if governed else None,
        d.facts(p, pl("indifferentTo")),
        flag(p, "sensitive"),
        flag(p, "reaffirms"),
    )


def read_grant(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a grant record."""
    until = p.get(pl("until"))
    return r.GrantRecord(
        node,
        d.node(p, pl("who")),
        d.node(p, pl("read")),
        d.node_or_none(p, pl("purpose")),
        instant_of(until[0]) if until else None,
        text_or_none(p, "maxAge"),
    )


def read_revocation(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a revocation record."""
    return r.RevocationRecord(tuple(sorted(d.name(value) for value in p.get(pl("ends"), ()))))


def read_membership(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a membership record."""
    left = pl("Leaving") in p[A]
    return r.MembershipRecord(d.node(p, pl("member")), d.node(p, pl("group")), left)


def read_denial(d: Decoder, node: r.Node, p: Properties) -> r.Record:
    """Read a denial record."""
    allowed = pl("Allowance") in p[A]
    return r.DenialRecord(d.node(p, pl("about")), allowed, text_or_none(p, "reasonCommitment"))
