"""Every route does what it does for those roles that the table names, and for no others."""

import pytest
from bodies import body_of
from served import NOBODY, Served, Shop, conclude

from prov_ledger import Ledger
from prov_ledger.ledger.session import VERB_ROLES
from prov_ledger.model.records import Role
from prov_ledger.service.verbs import NOT_OFFERED, VERBS, Verb

_WRITERS = (Role.AGENT, Role.CURATOR)


def _may(verb: Verb, role: str) -> bool:
    return verb.role is None or role in VERB_ROLES[verb.role]


def _prepare(verb: Verb, ledger: Ledger, shop: Shop, role: str) -> dict[str, object]:
    """Make what a verb needs to be there; a request for it."""
    if verb.method == "allow":
        if _may(verb, role):
            ledger.deny(shop.source)
        return body_of(verb.method, shop, shop.claim)
    if verb.method == "release" and not ledger.holds():
        ledger.hold(shop.source)
    own_claim = conclude(ledger, shop.evidence, by=f"the-{role}" if role in _WRITERS else None)
    body = body_of(verb.method, shop, own_claim)
    if verb.method in ("plan_erasure", "run_erasure", "erase", "certificate"):
        goes = ledger.source(native=f"for {role}", title="Goes")
        made = {"run_erasure": {"plan": ledger.plan_erasure([goes]).hash}, "certificate": {"erasure": ""}}
        if verb.method == "certificate":
            made = {"certificate": {"erasure": ledger.erase([goes]).id}}
        body |= made.get(verb.method, {"ids": [goes]})
    return body


def _undo(verb: Verb, ledger: Ledger, shop: Shop) -> None:
    if verb.method == "deny":
        ledger.allow(shop.source)
    if verb.method == "revoke":
        ledger.grant("the-agent", shop.source)
    if verb.method == "hold":
        ledger.release(shop.source)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.path)
def test_a_route_is_for_its_roles_and_for_no_others(verb: Verb, shop: Shop) -> None:
    with Ledger.open(shop.folder) as ledger, shop.served() as served:
        # Whoever may not do it comes first: nothing has changed by then.
        for role in sorted((*Role, NOBODY), key=lambda role: _may(verb, role)):
            answer = served.post(verb.path, _prepare(verb, ledger, shop, role), role)
            told = (role, answer.status_code, answer.json()["code"] if answer.status_code > 299 else None)
            assert told == (role, answer.status_code, None if _may(verb, role) else "denied"), answer.text
            if _may(verb, role):
                _undo(verb, ledger, shop)


def test_no_route_is_for_whoever_shows_no_credentials(served: Served) -> None:
    for verb in VERBS:
        answer = served.post(verb.path, body_of(verb.method, served.shop, served.shop.claim), role=None)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), verb.path
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", ["by", "principal"])
def test_no_route_takes_who_is_asking_from_the_request(name: str, served: Served) -> None:
    for verb in VERBS:
        body = body_of(verb.method, served.shop, served.shop.claim) | {name: "the-curator"}
        answer = served.post(verb.path, body, role="agent")
        got = (answer.status_code, answer.json()["code"])
        # Where the role is lacking, that may come first.
        assert got == (422, "bad_input") or (not _may(verb, "agent") and got == (403, "denied")), verb.path


def test_every_public_method_of_a_ledger_is_a_route_or_named_as_none() -> None:
    public = {name for name in dir(Ledger) if not name.startswith("_")}
    offered = {verb.method for verb in VERBS}
    assert offered | set(NOT_OFFERED) == public
    assert not offered & set(NOT_OFFERED)


def test_each_verb_names_a_row_of_the_roles() -> None:
    assert {verb.role for verb in VERBS} - {None} <= set(VERB_ROLES)
