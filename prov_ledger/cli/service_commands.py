"""Commands about the ledger over HTTP: ``serve``, and ``key`` for those who come by API key."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated
from prov_ledger.errors import Refused
from prov_ledger.model.records import Role
from prov_ledger.model.times import parse_instant

if TYPE_CHECKING:
    from prov_ledger.service.api_keys import ApiKeys
    from prov_ledger.service.settings import Settings

commands = Commands()
key_commands = Commands(under="key", summary="Make, list and revoke API keys of the service.")

_LEFT_OUT = "the service needs an extra: pip install 'prov-ledger[service]'"


@commands.add(
    "serve",
    here=True,
    example="prov-ledger serve shop --no-auth-on-loopback",
    notes=(
        "Settings: a TOML file (--config), then variables that begin with\n"
        "PROV_LEDGER_SERVE_, then these options; later ones win. --show-config\n"
        "prints all, limits among them: how long heads, bodies and calls may\n"
        "take, and how long an answer may stay unread (limits.unread_timeout_s)."
    ),
)
def serve(
    session: Session,
    folder: Annotated[
        Path | None, typer.Argument(metavar="LEDGER", help="Folder of the ledger; else as --ledger.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings, as TOML.")
    ] = None,
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(metavar="PORT", help="Default: 8080.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Processes; default: 1.")] = None,
    no_auth: Annotated[
        bool,
        typer.Option(
            "--no-auth-on-loopback", help="Whoever is on this machine acts as --as; no credentials."
        ),
    ] = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print what holds, and serve nothing.")
    ] = False,
) -> None:
    """Serve the ledger over HTTP, SPARQL and MCP."""
    try:
        from prov_ledger.service.serve import run
        from prov_ledger.service.settings import load_settings
    except ImportError:
        raise Refused("not_supported", _LEFT_OUT) from None
    given: dict[str, object] = {
        "ledger": folder if folder is not None else _ledger_given(session),
        "host": host,
        "port": port,
        "workers": workers,
        "policies": session.policies,
        "no_auth_on_loopback": no_auth or None,
        "loopback_agent": session.agent,
    }
    settings = load_settings(config, os.environ, given)
    if show_config:
        _show(session, settings)
        return
    run(settings)


def _ledger_given(session: Session) -> Path | None:
    """The folder that was named; None leaves it to the settings."""
    return session.path if session.path != Session().path else None


def _show(session: Session, settings: "Settings") -> None:
    from prov_ledger.service.settings import masked

    shown = masked(settings)
    session.emit(shown, [f"{name} = {value}" for name, value in _flat(shown, "")])


def _flat(values: dict[str, object], under: str) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += _flat(value, f"{under}{name}.")
        else:
            found.append((f"{under}{name}", "(not set)" if value is None else value))
    return found


def _keys(session: Session) -> "ApiKeys":
    try:
        from prov_ledger.service.api_keys import ApiKeys
    except ImportError:
        raise Refused("not_supported", _LEFT_OUT) from None
    return ApiKeys(session.path)


@key_commands.add(
    "create", here=True, example="prov-ledger key create support-bot --until 2027-01-01T00:00:00Z"
)
def create(
    session: Session,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="As whom it acts; recorded already.")],
    roles: Annotated[
        list[str] | None,
        typer.Option("--role", metavar="ROLE", help="At most this of the agent's roles; repeatable."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="WHEN", help="An instant from which on it is over.")
    ] = None,
) -> None:
    """Make an API key, and print it this once.

    Kept are a hash of it and the id of its agent. It gives no role that the agent does not have.
    """
    end: datetime | None = None if until is None else parse_instant(until)
    if end is not None and end <= datetime.now(UTC):
        raise Refused("bad_input", f"--until {until} is over: the key could do nothing; give a later instant")
    left = None if roles is None else tuple(Role(parse_enumerated(one, [*Role], "--role")) for one in roles)
    with session.open() as ledger:
        ledger.check_may("agent", called="key")
        found = ledger.find_agent(agent)
        if found is None:
            raise Refused(
                "not_found", "no agent of that name is recorded: record it with 'prov-ledger agent'"
            )
        _check_roles(agent, left or (), ledger.roles_of(found))
    keys = _keys(session)
    try:
        key, text = keys.create(session.tenant, found, left, end)
    finally:
        keys.close()
    session.emit({"id": key.id, "agent": key.agent, "key": text}, [text])


@key_commands.add("list", here=True, example="prov-ledger key list")
def list_(session: Session) -> None:
    """List the keys of the tenant, revoked ones too; what they are is not kept."""
    with session.open() as ledger:
        ledger.check_may("agent", called="key")
    keys = _keys(session)
    try:
        found = keys.all(session.tenant)
    finally:
        keys.close()
    session.emit(found, [_line(key.id, key.agent, key.roles, key.until, key.revoked) for key in found])


def _check_roles(agent: str, wanted: Iterable[Role], has: frozenset[Role]) -> None:
    """Raise Refused ``bad_input`` for a role that would give the key nothing."""
    for role in wanted:
        if role not in has:
            told = ", ".join(sorted(has)) or "none"
            message = f"--role {role}: {agent} does not have it, so the key would not; its roles: {told}"
            raise Refused("bad_input", message)


def _line(
    id_: str, agent: str, roles: tuple[Role, ...] | None, until: datetime | None, revoked: datetime | None
) -> str:
    left = "all its roles" if roles is None else ", ".join(roles)
    end = "" if until is None else f", until {until:%Y-%m-%d %H:%M}Z"
    return f"{id_}  {agent}  {left}{end}{', revoked' if revoked is not None else ''}"


@key_commands.add("revoke", here=True, example="prov-ledger key revoke 3f9c0a41d2be")
def revoke(
    session: Session,
    id_: Annotated[str, typer.Argument(metavar="KEY", help="Its id, as 'key list' shows it.")],
) -> None:
    """End a key, from its next request on."""
    with session.open() as ledger:
        ledger.check_may("agent", called="key")
    keys = _keys(session)
    try:
        keys.revoke(session.tenant, id_)
    finally:
        keys.close()
    session.done(f"revoked {id_}")
