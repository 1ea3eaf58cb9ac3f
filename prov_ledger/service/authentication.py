"""From the headers of a request to a principal; the one place where credentials are looked at."""

from collections.abc import Mapping
from datetime import UTC, datetime

from prov_ledger.errors import ProvLedgerError, Refused
from prov_ledger.ledger.ledger import Ledger
from prov_ledger.service.api_keys import MARK, ApiKey, ApiKeys
from prov_ledger.service.principal import Principal
from prov_ledger.service.settings import Settings, is_loopback, passed_on
from prov_ledger.service.tenants import Tenants
from prov_ledger.service.tokens import Tokens


def _unauthenticated() -> ProvLedgerError:
    message = "no valid credentials: send 'Authorization: Bearer' with an API key or a token of the issuer"
    return ProvLedgerError(message, code="unauthenticated")


def _nothing_here() -> Refused:
    return Refused("not_found", "there is nothing here")


class Authentication:
    """Whoever asks, by API key, by token, or by being on this machine where that was asked for by name."""

    def __init__(self, settings: Settings, tenants: Tenants) -> None:
        self._settings, self._tenants = settings, tenants
        self._keys = ApiKeys(settings.ledger) if settings.api_keys else None
        self._tokens = Tokens(settings.oidc) if settings.oidc is not None else None
        #: Names of agents that have keys, as a ledger had them at one of its versions.
        self._names: dict[tuple[str, str], tuple[Ledger, tuple[int, int], str]] = {}

    def principal(self, headers: Mapping[str, str], client: str | None, tenant: str) -> Principal:
        """Who asks for something of a tenant; ``headers`` have lower-case names, ``client`` is an address.

        May read files and fetch keys: call it in a thread. Raises ProvLedgerError ``unauthenticated``;
        Refused ``not_found`` alike for a tenant that is not there and for one that is not the caller's.
        """
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if not scheme:
            return self._at_home(headers, client, tenant)
        if scheme.lower() != "bearer" or not credentials:
            raise _unauthenticated()
        if credentials.startswith(f"{MARK}_"):
            found = self._by_key(credentials)
        else:
            found = self._by_token(credentials)
        if found.tenant != tenant:
            raise _nothing_here()
        return found

    def seen(
        self, headers: Mapping[str, str], client: str | None, tenant: str
    ) -> tuple[Principal, Ledger] | None:
        """As ``principal``, with the ledger, without waiting: for whoever showed the same key before.

        None where ``principal`` is to be asked. What is remembered of a key or a name counts until anything
        is committed to its file, by whichever process.
        """
        credentials = headers.get("authorization", "")
        ledger = self._tenants.ledger_seen(tenant)
        if not credentials:
            found = self._at_home(headers, client, tenant)
            return (found, ledger) if ledger is not None else None
        if ledger is None or self._keys is None or not credentials.startswith(f"Bearer {MARK}_"):
            return None
        key = self._keys.find_seen(credentials.removeprefix("Bearer "), datetime.now(UTC))
        if key is None or key.tenant != tenant:
            return None
        known = self._names.get((tenant, key.agent))
        if known is None or known[0] is not ledger or known[1] != ledger.names_version():
            return None
        return _principal_of(key, known[2]), ledger

    def close(self) -> None:
        """Close what is open."""
        if self._keys is not None:
            self._keys.close()

    def _at_home(self, headers: Mapping[str, str], client: str | None, tenant: str) -> Principal:
        """Somebody without credentials: on this machine, not passed on by a proxy, nor by a web page."""
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        origin = headers.get("origin")
        if (
            not self._settings.no_auth_on_loopback
            or client is None
            or not (is_loopback(client) and is_loopback(host))
            or passed_on(headers)
            or (origin is not None and origin not in self._settings.cors_origins)
        ):
            raise _unauthenticated()
        return Principal(tenant, self._settings.loopback_agent, "loopback", "loopback")

    def _by_key(self, credentials: str) -> Principal:
        key = self._keys.find(credentials, datetime.now(UTC)) if self._keys is not None else None
        if key is None:
            raise _unauthenticated()
        try:
            ledger = self._tenants.ledger(key.tenant)
            version = ledger.names_version()
            name = ledger.agent_name(key.agent)
        except Refused:
            raise _unauthenticated() from None
        if name is None:
            raise _unauthenticated()
        self._names[key.tenant, key.agent] = ledger, version, name
        return _principal_of(key, name)

    def _by_token(self, credentials: str) -> Principal:
        found = self._tokens.principal(credentials) if self._tokens is not None else None
        if found is None:
            raise _unauthenticated()
        oidc = self._settings.oidc
        if oidc is not None and not oidc.founder and found.via == "token" and found.name is not None:
            try:
                founded = self._tenants.ledger(found.tenant).is_founder(found.name)
            except Refused:
                raise _nothing_here() from None
            if founded:
                raise _unauthenticated()
        return found


def _principal_of(key: ApiKey, name: str) -> Principal:
    roles = None if key.roles is None else frozenset(key.roles)
    return Principal(key.tenant, name, "key", f"key {key.id}", roles)
