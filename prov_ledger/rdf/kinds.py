"""The class under which a node was recorded, told from its name: an id's prefix, a statement's fragment."""

_BY_PREFIX = {
    "src": "Source",
    "rev": "Revision",
    "ev": "Evidence",
    "cl": "Claim",
    "rem": "Reminder",
    "agt": "Agent",
    "grp": "Group",
    "col": "Collection",
    "pur": "Purpose",
    "era": "Erasure",
    "ent": "Entry",
}
_BY_FRAGMENT = {
    "retrieval": "Retrieval",
    "capture": "Capture",
    "thread": "Thread",
    "grant": "Grant",
    "membership": "Membership",
    "scope": "ScopeStatement",
    "native": "NativeStatement",
    "title": "TitleStatement",
    "authority": "AuthorityStatement",
    "retirement": "Retirement",
    "roles": "RoleStatement",
    "collection": "CollectionStatement",
    "denial": "Denial",
    "restatement": "Restatement",
    "hold": "Hold",
    "retention": "RetentionRule",
    "redaction": "Redaction",
}


def class_of(name: str) -> str | None:
    """The local name of the class of a recorded node, or None where its name does not tell."""
    id, _, fragment = name.partition("#")
    if fragment:
        return _BY_FRAGMENT.get(fragment.partition(".")[0])
    if name == "tenant":
        return "Tenant"
    return "Fact" if name.startswith("fact/") else _BY_PREFIX.get(id.partition("_")[0])
