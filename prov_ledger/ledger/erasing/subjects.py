"""What a statement without an id of its own is about: whose texts its texts are."""

from prov_ledger.model import records as r
from prov_ledger.model.records import Node


def subjects_of(record: r.Record) -> tuple[Node, ...]:
    """The ids of what a statement with texts is about; none for what has an id of its own."""
    match record:
        case r.TitleRecord(source=id) | r.NativeRecord(source=id) | r.DenialRecord(source=id):
            return (id,)
        case r.ScopeRecord(of=id) | r.RestatementRecord(claim=id) | r.RetractionRecord(claim=id):
            return (id,)
        case r.HoldRecord(on=id) | r.ReleaseRecord(on=id):
            return (id,)
        case r.SupersessionRecord(old=old, new=new):
            return (old, new)
    return ()


def statement_of(owner: Node) -> Node:
    """The statement that a node below it is a part of: ``ent_x#scope`` of ``ent_x#scope.1.v1``."""
    id, mark, below = owner.partition("#")
    return f"{id}{mark}{below.partition('.')[0]}"
