"""What a service is told: a TOML file, then the environment, then the command line; later ones win."""

import ipaddress
import tomllib
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from prov_ledger.errors import Refused

PREFIX = "PROV_LEDGER_SERVE_"
#: Asymmetric signatures alone: with a shared secret, whoever verifies tokens could also make them.
Algorithm = Literal[
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519"
]


_PROXY_HEADERS = (
    *("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"),
    *("x-client-ip", "true-client-ip", "cf-connecting-ip"),
)


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


#: A list; in the environment its items are parted by commas.
Words = Annotated[tuple[str, ...], BeforeValidator(_split)]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Claims(_Group):
    """Which claim of a token says what; a dotted name leads into objects. None: tokens do not say it."""

    principal: str = "sub"
    tenant: str | None = "tenant"
    roles: str | None = "roles"
    groups: str | None = None


class Oidc(_Group):
    """Whose tokens count. ``tenant`` serves issuers whose tokens name none: all of theirs are of this one."""

    issuer: str
    audience: str
    jwks_url: str | None = None
    jwks_file: Path | None = None
    algorithms: Annotated[tuple[Algorithm, ...], BeforeValidator(_split)] = ("RS256", "ES256")
    leeway_s: int = Field(default=30, ge=0, le=300)
    #: Keys are fetched again when they are older than this, ...
    keys_max_age_s: int = Field(default=3600, ge=60)
    #: ... or when a token names one that is not known, but not more often than this.
    keys_min_interval_s: float = Field(default=30.0, ge=0)
    fetch_timeout_s: float = Field(default=5.0, gt=0)
    tenant: str | None = None
    #: Whether a token may name the agent that made the tenant, whom nothing is denied.
    founder: bool = False
    claims: Claims = Claims()

    @model_validator(mode="after")
    def _one_place_of_keys(self) -> Self:
        if (self.jwks_url is None) == (self.jwks_file is None):
            raise ValueError("give jwks_url or jwks_file, one of them")
        if self.jwks_url is not None and not self.jwks_url.startswith("https://"):
            host = self.jwks_url.removeprefix("http://").partition("/")[0].rpartition(":")[0]
            if not is_loopback(host):
                raise ValueError("jwks_url is an https address: keys that come in the clear prove nothing")
        if self.tenant is None and self.claims.tenant is None:
            raise ValueError("give tenant, or claims.tenant: a token has to lead to one")
        return self


class Limits(_Group):
    """What one request may ask for, and how much may be under way at once."""

    #: Of the request line with all headers, and of trailers.
    head_bytes: int = Field(default=65_536, ge=1024)
    body_bytes: int = Field(default=16 * 2**20, ge=1024)
    #: Of a body that carries no document.
    json_bytes: int = Field(default=2**20, ge=1024)
    bulk_line_bytes: int = Field(default=16 * 2**20, ge=1024)
    bulk_lines: int = Field(default=10_000, ge=1)
    json_depth: int = Field(default=32, ge=4)
    ids: int = Field(default=500, ge=1)
    page: int = Field(default=100, ge=1, le=1000)
    #: From the connection, or the first byte of a later request, to the last of the head.
    head_timeout_s: float = Field(default=10.0, gt=0)
    body_timeout_s: float = Field(default=30.0, gt=0)
    #: How long an answer may wait for its reader to take 1 MiB of it, or what is left.
    unread_timeout_s: float = Field(default=30.0, gt=0)
    keep_alive_s: int = Field(default=30, ge=1)
    request_timeout_s: float = Field(default=30.0, gt=0)
    stop_timeout_s: int = Field(default=20, ge=1)
    threads: int = Field(default=8, ge=1)
    queue: int = Field(default=256, ge=0)
    #: Requests of one caller under way at once, in each worker process.
    per_caller: int = Field(default=64, ge=1)
    #: Connections at once, in each worker process.
    connections: int = Field(default=2000, ge=1)
    idempotency_hours: int = Field(default=24, ge=1)


class Queries(_Group):
    """What analysts' queries may take; each runs in a process of its own, and an old snapshot will do."""

    #: Processes in each worker process of the service, and callers that wait for one of them.
    workers: int = Field(default=2, ge=1, le=64)
    waiting: int = Field(default=16, ge=0)
    wait_s: float = Field(default=10.0, gt=0)
    per_caller: int = Field(default=8, ge=1)
    deadline_s: float = Field(default=30.0, gt=0)
    rows: int = Field(default=100_000, ge=1)
    answer_bytes: int = Field(default=32 * 2**20, ge=1024)
    memory_mb: int = Field(default=768, ge=128)
    #: How long ago something may have been recorded that an answer does not know of yet.
    snapshot_max_age_s: float = Field(default=10.0, ge=0)


class Settings(_Group):
    """Everything a service is told. ``tenants`` None: all of the ledger.

    ``no_auth_on_loopback``: whoever reaches the loopback address acts as ``loopback_agent``, None being
    the agent that made the ledger. ``mcp`` and ``sparql`` say whether those are offered too,
    ``mcp_erasure`` whether models may erase; ``metrics`` to whom: ``loopback`` is this machine alone.
    """

    ledger: Path = Path("ledger")
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    workers: int = Field(default=1, ge=1, le=64)
    tenants: Annotated[tuple[str, ...] | None, BeforeValidator(_split)] = None
    no_auth_on_loopback: bool = False
    loopback_agent: str | None = None
    api_keys: bool = True
    policies: Path | None = None
    cors_origins: Words = ()
    mcp: bool = True
    mcp_erasure: bool = False
    sparql: bool = True
    metrics: Literal["loopback", "open", "off"] = "loopback"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    oidc: Oidc | None = None
    limits: Limits = Limits()
    queries: Queries = Queries()

    @model_validator(mode="after")
    def _no_auth_stays_at_home(self) -> Self:
        if self.no_auth_on_loopback and not is_loopback(self.host):
            raise ValueError("no_auth_on_loopback needs a loopback host, such as 127.0.0.1")
        if self.loopback_agent is not None and not self.no_auth_on_loopback:
            raise ValueError("loopback_agent goes with no_auth_on_loopback")
        return self


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def passed_on(headers: Container[str]) -> bool:
    """Whether a request says that a proxy passed it on; its names are in lower case."""
    return any(name in headers for name in _PROXY_HEADERS)


def load_settings(
    file: Path | None, environment: Mapping[str, str], given: Mapping[str, object] | None = None
) -> Settings:
    """The settings of a file, the environment (``PROV_LEDGER_SERVE_LIMITS__THREADS=4``) and ``given``.

    Raises Refused ``bad_input`` with the names of what is wrong, and never with their values.
    """
    raw: dict[str, object] = _read(file) if file is not None else {}
    for name, value in sorted(environment.items()):
        if name.startswith(PREFIX):
            _put(raw, name.removeprefix(PREFIX).lower().split("__"), value)
    raw |= {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise Refused("bad_input", f"settings: {described(error)}") from None


def masked(settings: Settings) -> dict[str, object]:
    """The settings as plain values, to be shown: what an address may hold of credentials is hidden."""
    plain: dict[str, object] = settings.model_dump(mode="json")
    return {name: _masked(value) for name, value in plain.items()}


def _masked(value: object) -> object:
    if isinstance(value, dict):
        return {name: _masked(one) for name, one in value.items()}
    if isinstance(value, str) and "://" in value:
        parts = urlsplit(value)
        hidden = "***@" if "@" in parts.netloc else ""
        query = "***" if parts.query else ""
        return urlunsplit(parts._replace(netloc=hidden + parts.netloc.rpartition("@")[2], query=query))
    return value


def described(error: ValidationError) -> str:
    """What is wrong with which fields, without a value of any."""
    found = []
    for one in error.errors(include_input=False, include_url=False, include_context=False):
        place = ".".join(str(part) for part in one["loc"]) or "all together"
        found.append(f"{place}: {one['msg'].removeprefix('Value error, ')}")
    return "; ".join(found[:5])


def _read(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise Refused("bad_input", f"{file}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise Refused("bad_input", f"{file}: is not TOML ({type(error).__name__})") from None


def _put(raw: dict[str, object], path: list[str], value: str) -> None:
    *groups, last = path
    for name in groups:
        inner = raw.get(name)
        inner = dict(inner) if isinstance(inner, Mapping) else {}
        raw[name] = inner
        raw = inner
    raw[last] = value
