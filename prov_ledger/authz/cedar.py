"""Who may read what by Cedar policies, over the agents, groups and grants that the ledger knows.

The only file that calls cedarpy, which the extra ``cedar`` brings. A denial by the ledger stands
whatever a policy says.

Source: Cedar policy language reference, version 4.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from pathlib import Path

from prov_ledger.authz.port import Answer, ReadRequest
from prov_ledger.authz.roster import FindName, Roster
from prov_ledger.errors import Refused
from prov_ledger.model.ids import looks_like_id
from prov_ledger.model.records import Node

try:
    import cedarpy
except ModuleNotFoundError:
    cedarpy = None  # type: ignore[assignment]

SUFFIX = ".cedar"
SCHEMA = Path(__file__).with_name("ledger.cedarschema")
#: Entity types that a policy may call by the name they have in the ledger, and the kind of that name.
NAMED = {"Agent": "agent", "Group": "group", "Collection": "collection", "Purpose": "purpose"}

_Mention = tuple[str, str]


@dataclass(frozen=True, slots=True)
class CedarPolicies:
    """Checked policies; called with a roster they make an authoriser, so ``Ledger.open`` takes them.

    ``document`` is Cedar's JSON form of all of them, ``fingerprint`` the hash of the files.
    """

    document: str
    fingerprint: str

    def __call__(self, roster: Roster, find_name: FindName) -> "CedarAuthoriser":
        """An authoriser that decides by these policies over this roster."""
        return CedarAuthoriser(self, roster, find_name)


def load_cedar(folder: Path) -> CedarPolicies:
    """The policies of every ``*.cedar`` file of a folder, read once: what changes later needs a new call.

    Raises Refused ``bad_input`` for a file that does not parse, does not validate against
    ``ledger.cedarschema``, or holds no policy or a template, and for a folder without any such file;
    ``not_found`` when there is no such folder; ``not_supported`` when cedarpy is not installed.
    """
    if cedarpy is None:
        raise Refused("not_supported", "Cedar policies need the extra 'cedar': install prov-ledger[cedar]")
    if not folder.is_dir():
        raise Refused("not_found", f"there is no folder of policies {folder}: name the one that holds them")
    texts = {path.name: _read(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    if not texts:
        raise Refused("bad_input", f"no file in {folder} ends in {SUFFIX}: without a policy nothing is read")
    for name, text in texts.items():
        _check(name, text)
    digest = sha256()
    for part in (part for pair in texts.items() for part in pair):
        digest.update(len(part.encode()).to_bytes(8, "big") + part.encode())
    return CedarPolicies(cedarpy.policies_to_json_str("\n".join(texts.values())), digest.hexdigest()[:16])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(
            "bad_input", f"policy file {path.name} cannot be read: {type(error).__name__}"
        ) from None


def _check(name: str, text: str) -> None:
    """Raise Refused unless a file holds policies, all of which are valid."""
    try:
        result = cedarpy.validate_policies(text, SCHEMA.read_text(encoding="utf-8"))
        found = [str(error) for error in result.errors]
        document = json.loads(cedarpy.policies_to_json_str(text)) if result.validation_passed else {}
    except ValueError as error:
        result, found, document = None, [str(error)], {}
    if result is None or not result.validation_passed:
        raise Refused("bad_input", f"policy file {name}: {'; '.join(found) or 'it is not valid'}")
    if document["templates"]:
        raise Refused("bad_input", f"policy file {name}: a template links to nobody here: write a policy")
    if not document["staticPolicies"]:
        raise Refused("bad_input", f"policy file {name} holds no policy: write one, or remove the file")


class CedarAuthoriser:
    """Answers by Cedar's decision on each request: a yes is ``Allow`` without an error in any policy."""

    def __init__(self, policies: CedarPolicies, roster: Roster, find_name: FindName) -> None:
        self._policies, self._roster, self._find_name = policies, roster, find_name
        self._document: object = json.loads(policies.document)
        self._unknown = {(uid["type"], uid["id"]) for uid in _mentions(self._document)}
        self._ids: dict[_Mention, Node] = {}
        self._parsed = cedarpy.PolicySet.from_json_str(policies.document)

    @property
    def policy_version(self) -> str:
        """The hash of the policy files, and the sequence of the last entry about access."""
        return f"cedar-{self._policies.fingerprint}-{self._roster.sequence}"

    def authorise(self, requests: Sequence[ReadRequest]) -> list[Answer]:
        """Answer a batch by one call of Cedar; whom the ledger does not know may read nothing."""
        asked = [q for q in requests if q.principal is not None]
        granted = self._roster.authorise(asked)
        results = cedarpy.is_authorized_batch(
            [_request(q, answer.permit) for q, answer in zip(asked, granted, strict=True)],
            self._policies_by_id(),
            json.dumps(list(self._entities(asked))),
        )
        allowed = iter(results)
        return [Answer(q.source, q.principal is not None and _is_yes(next(allowed))) for q in requests]

    def _entities(self, requests: Iterable[ReadRequest]) -> Iterator[dict[str, object]]:
        """Each agent with its groups and roles, each source with its collection."""
        for principal, q in {q.principal: q for q in requests if q.principal is not None}.items():
            groups = [_uid("Group", group) for group in self._roster.groups_of(principal, q.groups)]
            recorded = self._roster.roles.get(principal, frozenset())
            roles = [_uid("Role", role.value) for role in recorded if q.roles is None or role in q.roles]
            yield _entity(_uid("Agent", principal), groups + roles)
        for source, collection in {q.source: q.collection for q in requests}.items():
            yield _entity(_uid("Source", source), [_uid("Collection", collection)] if collection else [])

    def _policies_by_id(self) -> "cedarpy.PolicySet":
        """The policies with ids for the names that the ledger knows by now; other names match nobody."""
        found = {(type_, name): self._find_name(NAMED[type_], name) for type_, name in self._unknown}
        new = {mention: id for mention, id in found.items() if id is not None}
        if new:
            ids, document = self._ids | new, copy.deepcopy(self._document)
            for uid in _mentions(document):
                uid["id"] = ids.get((uid["type"], uid["id"]), uid["id"])
            self._parsed = cedarpy.PolicySet.from_json_str(json.dumps(document))
            self._ids, self._unknown = ids, self._unknown - new.keys()
        return self._parsed


def _mentions(node: object) -> Iterator[dict[str, str]]:
    """The uids in Cedar's JSON form of policies that call something by a name."""
    if isinstance(node, list):
        for item in node:
            yield from _mentions(item)
    elif isinstance(node, dict):
        type_, id = node.get("type"), node.get("id")
        if len(node) == 2 and isinstance(id, str) and type_ in NAMED and not looks_like_id(id):
            yield node
        for key, value in node.items():
            if key != "annotations":
                yield from _mentions(value)


def _uid(type_: str, id: Node) -> dict[str, str]:
    return {"type": type_, "id": id}


def _entity(uid: dict[str, str], parents: list[dict[str, str]]) -> dict[str, object]:
    return {"uid": uid, "attrs": {}, "parents": parents}


def _request(q: ReadRequest, granted: bool) -> dict[str, object]:
    now = q.now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    context: dict[str, object] = {"granted": granted, "now": {"__extn": {"fn": "datetime", "arg": now}}}
    if q.purpose is not None:
        context["purpose"] = {"__entity": _uid("Purpose", q.purpose)}
    return {
        "principal": _uid("Agent", q.principal or ""),
        "action": _uid("Action", "read"),
        "resource": _uid("Source", q.source),
        "context": context,
    }


def _is_yes(result: "cedarpy.AuthzResult") -> bool:
    """Whether Cedar allows it; a policy that failed to evaluate might have forbidden it."""
    return result.allowed and not result.diagnostics.errors
