"""Resources: ``claim://ID``, ``evidence://ID``, ``packet://ID``, each behind the gate of resolving."""

from urllib.parse import parse_qsl, urlsplit

from mcp_types import ResourceTemplate

from prov_ledger.errors import Refused
from prov_ledger.mcp import outputs as o
from prov_ledger.mcp import rendering
from prov_ledger.mcp.caller import Asker

MEDIA_TYPE = "text/markdown"
_LONGEST = 2_000
_MOST_FACTS = 50
#: The prefix of the ids of each scheme.
_PREFIXES = {"claim": "cl_", "evidence": "ev_", "packet": "rem_"}
_ABOUT = {
    "claim": ("claim://{id}{?facts*}", "A claim as it stands now, for these facts: verdict, words, quotes."),
    "evidence": ("evidence://{id}{?facts*}", "Evidence as it stands now, for these facts."),
    "packet": ("packet://{id}", "A reminder packet, rendered anew for this reader. Never evidence."),
}


def templates() -> list[ResourceTemplate]:
    """The templates as they are listed; which ids there are is not."""
    return [
        ResourceTemplate(name=name, uri_template=uri, description=about, mime_type=MEDIA_TYPE)
        for name, (uri, about) in _ABOUT.items()
    ]


def nothing() -> Refused:
    """The one answer for an id that is absent, foreign, denied, erased, malformed or of another kind."""
    return Refused("unknown_id", "there is nothing at this address, or nothing for you: look with 'find'")


def read(asker: Asker, uri: str) -> str:
    """The text at an address.

    Raises Refused ``unknown_id``; ``undeclared_fact``, ``bad_fact`` for facts of the query that are none.
    """
    scheme, id, facts = _parse(uri)
    if scheme == "packet":
        try:
            packet = asker.ledger.packet(id, principal=asker.name, purpose=asker.purpose)
        except Refused as refusal:
            raise (nothing() if refusal.code in ("unknown_id", "malformed_id") else refusal) from None
        return rendering.render(o.reminded(packet))
    (slot,) = asker.ledger.resolve([id], principal=asker.name, purpose=asker.purpose, facts=facts)
    if slot.verdict in ("withheld", "malformed"):
        raise nothing()
    return "\n".join(rendering.slot_lines(o.decided(slot)))


def _parse(uri: str) -> tuple[str, str, dict[str, object]]:
    """Scheme, id and facts. Raises Refused ``unknown_id``, ``bad_input``."""
    try:
        parts = urlsplit(uri if len(uri) <= _LONGEST else "")
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=_MOST_FACTS)
    except ValueError:
        raise nothing() from None
    prefix = _PREFIXES.get(parts.scheme)
    id = parts.netloc + parts.path.rstrip("/")
    if prefix is None or not id.lower().startswith(prefix):
        raise nothing()
    return parts.scheme, id, dict(pairs)
