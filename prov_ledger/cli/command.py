"""How a function becomes a command: the options that all of them share, and an example in its help."""

import inspect
import os
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Concatenate, ParamSpec, get_args

import typer

from prov_ledger.cli.session import DEFAULT_PATH, DEFAULT_TENANT, Session
from prov_ledger.errors import Refused

P = ParamSpec("P")

_PANEL = "Options of every command"


def _not_blank(option: str, value: str | None) -> None:
    """Refuse an option that is given and blank: it must not pass for one that is not given."""
    if value is not None and not value.strip():
        raise Refused("bad_input", f"{option} is empty: give it a value, or leave it out")


def _folder(option: str) -> Callable[[str | Path], Path]:
    """The parser of a folder; a blank text would be the working directory."""

    def parse(value: str | Path) -> Path:
        _not_blank(option, str(value))
        return Path(value)

    return parse


LedgerOption = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="PATH",
        parser=_folder("--ledger"),
        envvar="PROV_LEDGER_PATH",
        help=f"Folder of the ledger (default: ./{DEFAULT_PATH}).",
        rich_help_panel=_PANEL,
    ),
]
TenantOption = Annotated[
    str | None,
    typer.Option(
        "--tenant",
        metavar="NAME",
        envvar="PROV_LEDGER_TENANT",
        help=f"Tenant (default: {DEFAULT_TENANT}).",
        rich_help_panel=_PANEL,
    ),
]
AgentOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="AGENT",
        envvar="PROV_LEDGER_AGENT",
        help="Who acts and reads (default: the agent that made the ledger).",
        rich_help_panel=_PANEL,
    ),
]
PurposeOption = Annotated[
    str | None,
    typer.Option("--purpose", metavar="NAME", help="What the reading is for.", rich_help_panel=_PANEL),
]
PoliciesOption = Annotated[
    Path | None,
    typer.Option(
        "--policies",
        metavar="FOLDER",
        parser=_folder("--policies"),
        envvar="PROV_LEDGER_POLICIES",
        help="Cedar policies that say who may read what (default: the grants of the ledger alone).",
        rich_help_panel=_PANEL,
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        envvar="PROV_LEDGER_SERVER",
        help="A service that has the ledger; its token in PROV_LEDGER_TOKEN.",
        rich_help_panel=_PANEL,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_PANEL)]

#: Parameter name in a command's signature, and its type for typer.
_COMMON: dict[str, object] = {
    "ledger": LedgerOption,
    "tenant": TenantOption,
    "as_": AgentOption,
    "purpose": PurposeOption,
    "policies": PoliciesOption,
    "server": ServerOption,
    "json": JsonOption,
}
#: What the help of one command says of them; ``prov-ledger --help`` has the rest.
_BRIEF = {
    "ledger": "Folder of the ledger.",
    "tenant": "Tenant.",
    "as_": "Who acts and reads.",
    "purpose": "What the reading is for.",
    "policies": "Cedar policies that say who may read what.",
    "server": "A service that has the ledger.",
    "json": "Print JSON.",
}


def common_options(
    base: Session,
    ledger: Path | None,
    tenant: str | None,
    as_: str | None,
    purpose: str | None,
    json: bool,
    policies: Path | None = None,
    server: str | None = None,
) -> Session:
    """``base`` with whatever was given here. Raises Refused ``bad_input`` for a blank name."""
    named = (("--tenant", tenant), ("--as", as_), ("--purpose", purpose), ("--server", server))
    for option, value in named:
        _not_blank(option, value)
    return replace(
        base,
        path=ledger or base.path,
        tenant=tenant or base.tenant,
        agent=as_ or base.agent,
        purpose=purpose or base.purpose,
        json=json or base.json,
        policies=policies or base.policies,
        server=server or base.server,
    )


def help_without_command(context: typer.Context) -> None:
    """Print the help of a group that was called without a command."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


class Commands:
    """A group of commands; all of them under one word where ``under`` names it."""

    def __init__(self, under: str | None = None, summary: str | None = None) -> None:
        self._under = under
        self._app = typer.Typer(help=summary)
        if under is not None:
            self._app.callback(invoke_without_command=True, help=summary)(help_without_command)

    def register(self, app: typer.Typer) -> None:
        """Add the commands of this group to the application."""
        app.add_typer(self._app, name=self._under)

    def add(
        self, name: str, *, example: str, notes: str = "", here: bool = False
    ) -> Callable[[Callable[Concatenate[Session, P], None]], Callable[Concatenate[Session, P], None]]:
        """Make a function a command: its docstring is the help, ``example`` stands below it, then ``notes``.

        ``here``: it works on the ledger's folder, and never through a service. Its first parameter
        receives the ``Session`` made of the options that all commands share.
        """

        def register(
            function: Callable[Concatenate[Session, P], None],
        ) -> Callable[Concatenate[Session, P], None]:
            self._app.command(name)(_command(function, example, notes, here))
            return function

        return register


def _command(
    function: Callable[Concatenate[Session, P], None], example: str, notes: str, here: bool
) -> Callable[..., None]:
    def run(context: typer.Context, *args: P.args, **given: P.kwargs) -> None:
        shared = {key: given.pop(key) for key in _COMMON}
        base = context.obj if isinstance(context.obj, Session) else Session()
        _check_environment({**context.find_root().params, **_given(shared)})
        session = common_options(base, **shared)  # type: ignore[arg-type]
        if here and session.server is not None:
            raise Refused("bad_input", "this works on the ledger's folder itself: leave --server out")
        function(session, *args, **given)

    _give_signature(run, function)
    run.__doc__ = f"{inspect.getdoc(function)}\n\n\b\nExample:\n{_indented(example)}"
    if notes:
        run.__doc__ += f"\n\n\b\n{notes}"
    return run


def _given(shared: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in shared.items() if value is not None}


def _check_environment(given: dict[str, object]) -> None:
    """Refuse a variable that is set but empty, unless its option is given: typer takes it for one not set."""
    for key in _COMMON:
        variable = get_args(_COMMON[key])[1].envvar
        if variable is not None and given.get(key) is None:
            _not_blank(variable, os.environ.get(variable))


def _give_signature(run: Callable[..., None], function: Callable[..., None]) -> None:
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    kind = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    shared = [
        inspect.Parameter(key, kind, default=False if key == "json" else None, annotation=_in_brief(key))
        for key in _COMMON
    ]
    parameters = [context, *(parameter.replace(kind=kind) for parameter in own), *shared]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def _in_brief(key: str) -> object:
    inner, option = get_args(_COMMON[key])
    brief = copy(option)
    brief.help, brief.show_envvar = _BRIEF[key], False
    return Annotated[inner, brief]


def _indented(example: str) -> str:
    return "\n".join(f"  {line}" for line in example.splitlines())
