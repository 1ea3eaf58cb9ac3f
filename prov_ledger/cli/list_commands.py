"""Commands that list what there is, under ``list``."""

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.model.times import format_instant

commands = Commands("list", "List what there is for the one who asks.")


@commands.add("sources", example="prov-ledger list sources --as support-bot")
def sources(session: Session) -> None:
    """List the sources that may be read."""
    with session.open() as ledger:
        found = ledger.list_sources()
    lines = []
    for source in found:
        lines.append(f"{source.id}  {source.title}")
        parts = [source.connector, source.native, source.authority or "retired"]
        parts += [f"collection:{source.collection}"] if source.collection else []
        parts += [f"latest: {source.label}"] if source.label else []
        lines.append("    " + ", ".join(parts))
    session.emit(found, lines)


@commands.add("collections", example="prov-ledger list collections")
def collections(session: Session) -> None:
    """List the collections with a source that may be read."""
    with session.open() as ledger:
        found = ledger.list_collections()
    lines = []
    for collection in found:
        parts = [f"governed by {collection.governed_by}"] if collection.governed_by else []
        parts += [f"indifferent to {fact}" for fact in collection.indifferent_to]
        parts += ["sensitive"] if collection.sensitive else []
        parts += ["reaffirmed by itself"] if collection.reaffirm else []
        lines.append(f"{collection.name or collection.id}  {', '.join(parts)}".rstrip())
    session.emit(found, lines)


@commands.add("grants", example="prov-ledger list grants")
def grants(session: Session) -> None:
    """List the grants that hold now.

    All of them to an admin, a curator and whoever may read everything; to others their own.
    """
    with session.open() as ledger:
        found = ledger.list_grants()
    lines = []
    for grant in found:
        parts = [f"{grant.who} reads {grant.read}"]
        parts += [f"for {grant.purpose}"] if grant.purpose else []
        parts += [f"until {format_instant(grant.until)}"] if grant.until else []
        lines.append(", ".join(parts))
    session.emit(found, lines)


@commands.add("threads", example="prov-ledger list threads --as support-bot")
def threads(session: Session) -> None:
    """List the conversations that the agent owns or reads."""
    with session.open() as ledger:
        found = ledger.list_threads()
    lines = []
    for thread in found:
        lines.append(f"{thread.name}  owned by {thread.owner}")
        lines.append(f"    {thread.id}")
        lines += [f"    read by {', '.join(thread.readers)}"] if thread.readers else []
    session.emit(found, lines)
