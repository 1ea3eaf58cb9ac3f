"""Who is asking: API keys, tokens of an issuer, the loopback address; and how little of each is enough."""

import base64
import hmac
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from served import Served, Shop

from prov_ledger import Ledger, Refused
from prov_ledger.model.records import Role
from prov_ledger.service.api_keys import ApiKeys
from prov_ledger.service.settings import Oidc, Settings, is_loopback, load_settings
from prov_ledger.service.tokens import Keys, Tokens

ISSUER, AUDIENCE = "https://issuer.example", "prov-ledger"
RSA, EC = RSAKey.generate_key(2048, {"kid": "rsa"}), ECKey.generate_key("P-256", {"kid": "ec"})


def _claims(**other: object) -> dict[str, object]:
    now = int(time.time())
    claims: dict[str, object] = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "the-agent",
        "tenant": "default",
        "exp": now + 60,
    }
    return {name: value for name, value in (claims | other).items() if value is not None}


def _token(key: RSAKey | ECKey = RSA, alg: str = "RS256", **other: object) -> str:
    return jwt.encode({"alg": alg, "kid": key.kid}, _claims(**other), key, algorithms=[alg])


def _ask(served: Served, credentials: str | None, tenant: str = "default", **headers: str) -> tuple[int, str]:
    sent = headers if credentials is None else headers | {"Authorization": f"Bearer {credentials}"}
    answer = served.client.post(f"/v1/{tenant}/resolve", json={"ids": [served.shop.claim]}, headers=sent)
    body = answer.json()
    return answer.status_code, body[0]["verdict"] if answer.status_code == 200 else body["code"]


NO = (401, "unauthenticated")


@pytest.fixture
def issued(shop: Shop, tmp_path: Path) -> Iterator[Served]:
    keys = KeySet([RSA, EC]).as_dict(private=False)
    (tmp_path / "jwks.json").write_text(json.dumps(keys))
    oidc = {"issuer": ISSUER, "audience": AUDIENCE, "jwks_file": tmp_path / "jwks.json"}
    with shop.served(oidc=oidc | {"claims": {"groups": "groups"}, "leeway_s": 0}) as served:
        yield served


def test_a_token_of_the_issuer_lets_its_subject_in(issued: Served) -> None:
    assert _ask(issued, _token()) == (200, "citable")
    assert _ask(issued, _token(EC, "ES256", aud=["other", AUDIENCE])) == (200, "citable")


@pytest.mark.parametrize(
    "other",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"aud": []},
        {"exp": int(time.time()) - 10},
        {"exp": None},
        {"exp": "soon"},
        {"nbf": int(time.time()) + 86_400},
        {"sub": None},
        {"sub": " "},
        {"sub": ["the-agent"]},
        {"tenant": None},
        {"tenant": 7},
    ],
)
def test_a_token_that_lacks_anything_lets_nobody_in(issued: Served, other: dict[str, object]) -> None:
    assert _ask(issued, _token(**other)) == NO


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _unsigned() -> str:
    return f"{_part({'alg': 'none', 'kid': 'rsa'})}.{_part(_claims())}."


def _signed_with_the_public_key() -> str:
    signed = f"{_part({'alg': 'HS256', 'kid': 'rsa'})}.{_part(_claims())}"
    made = hmac.digest(RSA.as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"


def _with_another_signature() -> str:
    head, body, _ = _token().split(".")
    return f"{head}.{body}.{_token(sub='other').split('.')[2]}"


def _with_other_claims() -> str:
    head, _, signature = _token().split(".")
    return f"{head}.{_token(sub='the-curator').split('.')[1]}.{signature}"


@pytest.mark.parametrize(
    "forged",
    [
        _unsigned,
        _signed_with_the_public_key,
        _with_another_signature,
        _with_other_claims,
        lambda: _token(RSAKey.generate_key(2048, {"kid": "rsa"})),
        lambda: _token(alg="RS512"),
        lambda: "x",
        lambda: "a.b.c",
        lambda: "." * 200,
        lambda: "x" * 20_000,
    ],
)
def test_a_forged_token_lets_nobody_in(issued: Served, forged: object) -> None:
    assert callable(forged)
    assert _ask(issued, forged()) == NO


def test_a_token_of_another_tenant_finds_nothing_there_or_anywhere(issued: Served) -> None:
    Ledger.init(issued.shop.folder, tenant="other").close()
    answers = {_ask(issued, _token(), tenant=tenant) for tenant in ("other", "absent")}
    assert answers == {(404, "not_found")}


def test_roles_of_a_token_take_away_and_never_give(issued: Served) -> None:
    def source(**claims: object) -> int:
        sent = {"Authorization": f"Bearer {_token(**claims)}"}
        body = {"native": str(claims), "title": "T", "collection": "tools"}
        return issued.client.post("/v1/default/source", json=body, headers=sent).status_code

    assert source(sub="the-curator") == 403
    assert source(sub="the-curator", roles=["curator", "unheard-of"]) == 200
    assert source(sub="the-curator", roles="agent analyst") == 403
    assert source(sub="the-curator", roles=[]) == 403
    assert source(sub="the-agent", roles=["curator", "admin"]) == 403


def test_groups_of_a_token_take_away_and_never_give(issued: Served) -> None:
    with Ledger.open(issued.shop.folder) as ledger:
        ledger.revoke("the-agent", issued.shop.source)
        ledger.member("the-agent", "group:support")
        ledger.grant("group:support", issued.shop.source)
        ledger.grant("group:board", issued.shop.source)
    assert _ask(issued, _token()) == (200, "citable")
    assert _ask(issued, _token(groups=["support"])) == (200, "citable")
    assert _ask(issued, _token(groups=[])) == (200, "withheld")
    assert _ask(issued, _token(groups=["board"])) == (200, "withheld")


def test_whoever_is_not_recorded_reads_nothing(issued: Served) -> None:
    assert _ask(issued, _token(sub="a-stranger")) == (200, "withheld")


class _Issuer:
    """An issuer whose keys change; counts how often they are fetched."""

    def __init__(self, *keys: RSAKey | ECKey) -> None:
        self.keys, self.fetched, self.now, self.down = keys, 0, 0.0, False

    def fetch(self) -> bytes:
        self.fetched += 1
        if self.down:
            raise OSError("down")
        return json.dumps(KeySet(list(self.keys)).as_dict(private=False)).encode()

    def tokens(self) -> Tokens:
        oidc = Oidc(issuer=ISSUER, audience=AUDIENCE, jwks_url="https://issuer.example/keys")
        return Tokens(oidc, Keys(oidc, self.fetch, lambda: self.now))


def test_a_new_key_of_the_issuer_is_fetched_when_a_token_names_it() -> None:
    issuer = _Issuer(RSA)
    tokens = issuer.tokens()
    assert tokens.principal(_token()) is not None
    issuer.keys = (EC,)
    issuer.now = 60
    assert tokens.principal(_token(EC, "ES256")) is not None
    assert tokens.principal(_token()) is None


def test_tokens_with_made_up_keys_do_not_make_it_fetch_again_and_again() -> None:
    issuer = _Issuer(RSA)
    tokens = issuer.tokens()
    for number in range(50):
        made_up = RSAKey.import_key(RSA.as_dict(private=True) | {"kid": f"k{number}"})
        assert tokens.principal(_token(made_up)) is None
    assert issuer.fetched == 1


def test_keys_are_fetched_again_when_they_are_old() -> None:
    issuer = _Issuer(RSA)
    tokens = issuer.tokens()
    assert tokens.principal(_token()) is not None
    issuer.keys, issuer.now = (EC,), 3600
    assert tokens.principal(_token()) is None


def test_an_issuer_that_is_down_for_a_while_locks_nobody_out_and_one_that_is_gone_does() -> None:
    issuer = _Issuer(RSA)
    tokens = issuer.tokens()
    assert tokens.principal(_token()) is not None
    issuer.down, issuer.now = True, 3600
    assert tokens.principal(_token()) is not None
    issuer.now = 7200
    assert tokens.principal(_token()) is None


def _new_key(shop: Shop, **given: object) -> tuple[str, str]:
    with Ledger.open(shop.folder) as ledger:
        agent = ledger.find_agent("the-curator")
    keys = ApiKeys(shop.folder)
    key, text = keys.create("default", str(agent), **given)  # type: ignore[arg-type]
    keys.close()
    return key.id, text


def test_a_key_that_is_revoked_or_over_lets_nobody_in(served: Served) -> None:
    id, text = _new_key(served.shop)
    assert _ask(served, text)[0] == 200
    keys = ApiKeys(served.shop.folder)
    keys.revoke("default", id)
    keys.close()
    assert _ask(served, text) == NO
    assert _ask(served, _new_key(served.shop, until=datetime.now(UTC))[1]) == NO
    assert _ask(served, _new_key(served.shop, until=datetime.now(UTC) + timedelta(hours=1))[1])[0] == 200


def test_a_key_is_compared_whole(served: Served) -> None:
    _, text = _new_key(served.shop)
    mark, id, secret = text.split("_", 2)
    for wrong in (
        text[:-1],
        text + "x",
        f"{mark}_{id}_",
        f"{mark}_{id}",
        f"{mark}_x_{secret}",
        "plk_",
    ):
        assert _ask(served, wrong) == NO


def test_a_key_may_leave_fewer_roles_than_its_agent_has(served: Served) -> None:
    _, text = _new_key(served.shop, roles=(Role.AGENT,))
    sent = {"Authorization": f"Bearer {text}"}
    answer = served.client.post("/v1/default/source", json={"native": "n", "title": "T"}, headers=sent)
    assert answer.json()["code"] == "denied"


def test_neither_a_key_nor_a_name_is_in_the_file_of_keys(served: Served) -> None:
    _, text = _new_key(served.shop)
    folder = served.shop.folder / "service"
    kept = b"".join(file.read_bytes() for file in folder.iterdir())
    assert text.rpartition("_")[2].encode() not in kept
    assert b"the-curator" not in kept
    assert folder.stat().st_mode & 0o077 == 0


def test_nobody_comes_in_without_credentials_unless_that_was_asked_for(served: Served) -> None:
    assert _ask(served, None) == NO


@pytest.fixture
def open_at_home(shop: Shop) -> Iterator[Served]:
    with shop.served(no_auth_on_loopback=True, loopback_agent="the-agent") as served:
        yield served


def test_whoever_is_on_this_machine_acts_as_the_agent_that_was_named(open_at_home: Served) -> None:
    assert _ask(open_at_home, None) == (200, "citable")
    answer = open_at_home.post("source", {"native": "n", "title": "T"}, role=None)
    assert answer.json()["code"] == "denied"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "attacker.example"},
        {"Host": "127.0.0.1.attacker.example:8080"},
        {"Origin": "https://attacker.example"},
        {"Origin": "null"},
        {"X-Forwarded-For": "203.0.113.7"},
        {"Forwarded": "for=203.0.113.7"},
        {"X-Real-IP": "203.0.113.7"},
    ],
    ids=str,
)
def test_a_web_page_or_a_proxy_is_not_on_this_machine(open_at_home: Served, headers: dict[str, str]) -> None:
    assert _ask(open_at_home, None, **headers) == NO


def test_wrong_credentials_are_not_taken_for_none(open_at_home: Served) -> None:
    assert _ask(open_at_home, "plk_nonsense") == NO
    answer = open_at_home.client.post("/v1/default/facts", json={}, headers={"Authorization": "Basic eDp5"})
    assert answer.status_code == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_without_authentication_nothing_but_the_loopback_address_is_served(host: str) -> None:
    with pytest.raises(Refused, match="needs a loopback host"):
        load_settings(None, {}, {"no_auth_on_loopback": True, "host": host})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"])
def test_loopback_addresses_are_known(host: str) -> None:
    assert is_loopback(host)


def test_settings_come_from_a_file_then_the_environment_then_what_is_given(tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text('port = 1\nhost = "127.0.0.2"\nworkers = 3\n[limits]\nthreads = 2\nqueue = 5\n')
    environment = {"PROV_LEDGER_SERVE_PORT": "2", "PROV_LEDGER_SERVE_LIMITS__THREADS": "4", "OTHER": "x"}
    settings = load_settings(file, environment, {"port": 3, "workers": None})
    told = (settings.port, settings.host, settings.workers, settings.limits.threads, settings.limits.queue)
    assert told == (3, "127.0.0.2", 3, 4, 5)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"PROV_LEDGER_SERVE_PORT": "s3cret"}, "port"),
        ({"PROV_LEDGER_SERVE_PROT": "s3cret"}, "prot"),
        ({"PROV_LEDGER_SERVE_LIMITS__THREADS": "s3cret"}, "limits.threads"),
        ({"PROV_LEDGER_SERVE_OIDC__ISSUER": "s3cret"}, "oidc.audience"),
    ],
)
def test_wrong_settings_are_named_without_their_values(environment: dict[str, str], named: str) -> None:
    with pytest.raises(Refused, match=named) as refused:
        load_settings(None, environment)
    assert "s3cret" not in refused.value.message


@pytest.mark.parametrize(
    "other",
    [
        {"jwks_url": None},
        {"jwks_file": Path("keys.json")},
        {"jwks_url": "http://issuer.example/keys"},
        {"algorithms": ["HS256"]},
        {"algorithms": ["none"]},
        {"claims": {"tenant": None}},
    ],
    ids=str,
)
def test_an_issuer_that_would_prove_nothing_is_refused(other: dict[str, object]) -> None:
    oidc = {"issuer": ISSUER, "audience": AUDIENCE, "jwks_url": "https://issuer.example/keys"} | other
    with pytest.raises(Refused):
        load_settings(None, {}, {"oidc": oidc})


def test_settings_reach_workers_as_they_are() -> None:
    oidc = Oidc(issuer=ISSUER, audience=AUDIENCE, jwks_file=Path("keys.json"))
    settings = Settings(oidc=oidc, cors_origins=("https://a.example",), tenants=("a", "b"))
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


@pytest.mark.parametrize("roles", [None, ["curator"]])
def test_no_token_names_the_agent_that_made_the_tenant(issued: Served, roles: list[str] | None) -> None:
    assert _ask(issued, _token(sub="curator", roles=roles)) == NO


def test_a_token_whose_header_nests_without_end_lets_nobody_in(issued: Served) -> None:
    head = base64.urlsafe_b64encode(b'{"kid":' + b"[" * 5000 + b"]" * 5000 + b"}").decode().rstrip("=")
    assert _ask(issued, f"{head}.e30.AA") == NO
