"""Bearer tokens of an issuer: verified by its keys, read by configured claims. Nothing else calls joserfc."""

import base64
import hashlib
import json
import logging
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from http.client import HTTPException
from urllib.error import URLError

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from prov_ledger.errors import ProvLedgerError
from prov_ledger.model.records import Role
from prov_ledger.service.principal import Principal
from prov_ledger.service.settings import Oidc

_log = logging.getLogger(__name__)
_LONGEST_TOKEN = 16_384
_LONGEST_KEYS = 1_048_576
_ROLES = {role.value: role for role in Role}

Fetch = Callable[[], bytes]


class Keys:
    """The issuer's keys: fetched at first use, when they are old, and when a token names an unknown one."""

    def __init__(self, oidc: Oidc, fetch: Fetch | None = None, clock: Callable[[], float] = time.monotonic):
        self._oidc, self._clock = oidc, clock
        self._fetch = fetch if fetch is not None else _fetcher(oidc)
        self._lock = threading.Lock()
        self._known: KeySet | None = None
        self._fetched = self._tried = float("-inf")

    def get(self, kid: str | None) -> KeySet | None:
        """Keys among which the named one is, if the issuer has it; None where none were ever had.

        Raises ProvLedgerError ``busy`` while the first are fetched.
        """
        if not self._lock.acquire(blocking=False):
            # One waits for the issuer, and no second: threads are there for whoever has a key of ours too.
            if self._known is None:
                raise ProvLedgerError("the issuer's keys are being fetched: try again", code="busy")
            return self._known
        try:
            now = self._clock()
            old = now - self._fetched >= self._oidc.keys_max_age_s
            if (old or not self._has(kid)) and now - self._tried >= self._oidc.keys_min_interval_s:
                self._tried = now
                self._refresh(now)
            return self._known
        finally:
            self._lock.release()

    def _has(self, kid: str | None) -> bool:
        return self._known is not None and (kid is None or any(key.kid == kid for key in self._known))

    def _refresh(self, now: float) -> None:
        try:
            self._known = KeySet.import_key_set(json.loads(self._fetch()))
            self._fetched = now
        except (OSError, ValueError, KeyError, TypeError, RecursionError, JoseError) as error:
            # What was had goes on for a while: an issuer that is down for a minute locks nobody out.
            if now - self._fetched >= 2 * self._oidc.keys_max_age_s:
                self._known = None
            _log.warning("the issuer's keys could not be fetched: %s", type(error).__name__)


class Tokens:
    """Tokens of one issuer, for one audience, by its asymmetric keys alone."""

    def __init__(self, oidc: Oidc, keys: Keys | None = None) -> None:
        self._oidc = oidc
        self._keys = keys if keys is not None else Keys(oidc)
        # Issuers put headers of their own into tokens; ``crit`` is honoured all the same.
        self._registry = JWSRegistry(algorithms=list(oidc.algorithms), strict_check_header=False)
        self._claims = jwt.JWTClaimsRegistry(
            leeway=oidc.leeway_s,
            iss={"essential": True, "value": oidc.issuer},
            aud={"essential": True, "value": oidc.audience},
            exp={"essential": True},
        )

    def principal(self, token: str) -> Principal | None:
        """Who the token says is asking; None where it proves nothing, whatever the reason."""
        claims = self._verified(token)
        return None if claims is None else _principal(claims, self._oidc)

    def _verified(self, token: str) -> Mapping[str, object] | None:
        if len(token) > _LONGEST_TOKEN:
            return None
        try:
            header = json.loads(_unpadded(token.partition(".")[0]))
            kid = header.get("kid") if isinstance(header, dict) else None
            keys = self._keys.get(kid if isinstance(kid, str) else None)
            if keys is None:
                return None
            decoded = jwt.decode(token, keys, registry=self._registry)
            self._claims.validate(decoded.claims)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        return decoded.claims


def _unpadded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _principal(claims: Mapping[str, object], oidc: Oidc) -> Principal | None:
    """The principal of verified claims; None where one that has to be there is not, or is of another kind."""
    name = _claim(claims, oidc.claims.principal)
    tenant = oidc.tenant if oidc.claims.tenant is None else _claim(claims, oidc.claims.tenant, oidc.tenant)
    if not isinstance(name, str) or not name.strip() or not isinstance(tenant, str):
        return None
    roles = _words(claims, oidc.claims.roles)
    if roles is None and oidc.claims.roles is not None:
        # Where tokens say roles, one that says none gives none.
        roles = []
    groups = _words(claims, oidc.claims.groups)
    return Principal(
        tenant,
        name,
        "token",
        f"token {hashlib.sha256(f'{tenant} {name}'.encode()).hexdigest()[:16]}",
        None if roles is None else frozenset(_ROLES[role] for role in roles if role in _ROLES),
        None if groups is None else frozenset(groups),
    )


def _claim(claims: Mapping[str, object], path: str, default: object = None) -> object:
    """A claim by its name as it is, else by the dots in it; ``default`` where it is not there."""
    if path in claims:
        return claims[path]
    value: object = claims
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return default
        value = value[name]
    return value


def _words(claims: Mapping[str, object], path: str | None) -> list[str] | None:
    """A claim that lists words: as a list, or parted by blanks. None where tokens do not say it."""
    value = None if path is None else _claim(claims, path)
    if value is None:
        return None
    words = value.split() if isinstance(value, str) else value
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


def _fetcher(oidc: Oidc) -> Fetch:
    file, address, timeout = oidc.jwks_file, oidc.jwks_url or "", oidc.fetch_timeout_s
    if file is not None:
        return lambda: _in_time(file.read_bytes, timeout)

    def fetch() -> bytes:
        try:
            with urllib.request.build_opener(_NoRedirect).open(address, timeout=timeout) as answer:
                data: bytes = answer.read(_LONGEST_KEYS + 1)
        except URLError as error:
            raise OSError(str(error.reason)) from None
        except HTTPException as error:
            raise OSError(type(error).__name__) from None
        if len(data) > _LONGEST_KEYS:
            raise ValueError("too long for a set of keys")
        return data

    return lambda: _in_time(fetch, timeout)


def _in_time(fetch: Fetch, timeout_s: float) -> bytes:
    """What is fetched, if all of it is there in time: an issuer may send a byte each second."""
    fetched: Future[bytes] = Future()

    def work() -> None:
        try:
            fetched.set_result(fetch())
        except Exception as error:
            fetched.set_exception(error)

    threading.Thread(target=work, name="prov-ledger-issuer", daemon=True).start()
    try:
        return fetched.result(timeout_s)
    except TimeoutError:
        raise OSError("the issuer takes too long") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Keys come from the address that was configured, and from no other."""

    def redirect_request(self, *_: object) -> None:
        """No."""
        return
