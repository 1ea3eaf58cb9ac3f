"""How a command fails: one line on the error stream and an exit status that means something."""

import json
import os
import sys
from collections.abc import Callable

import typer
from typer.exceptions import Exit, TyperException

from prov_ledger.cli.render import visible
from prov_ledger.errors import STATUS, ProvLedgerError, ShapeViolation

#: What an exit status says, whichever code it stands for.
MEANINGS: dict[int, str] = {
    0: "done; everything asked for holds",
    1: "it does not hold (eval, validate), or may not be shown as it is (answer)",
    2: "the request is wrong: mend it and try again",
    3: "something is not supported yet",
    4: "what was named is not there, or not for this reader",
    5: "this agent may not do that",
    6: "somebody else was first: read again and decide anew",
    7: "busy, too slow or unreachable: try again later",
    8: "the place of storage or a key needs attention",
    9: "stored bytes do not match what was recorded (verify)",
    10: "a defect of prov-ledger itself: please report it",
    130: "interrupted",
}

_DEBUG = "PROV_LEDGER_DEBUG"


def run(application: Callable[[list[str]], object], arguments: list[str]) -> int:
    """Run the command line and give its exit status; every failure is one line on the error stream.

    With ``PROV_LEDGER_DEBUG`` set, a defect shows its traceback.
    """
    as_json = "--json" in arguments
    try:
        result = application(arguments)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except ProvLedgerError as error:
        return _fail(error.code, error.message, as_json, _findings(error))
    except TyperException as error:
        return _fail("bad_input", error.format_message(), as_json)
    except Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader went away (a pager, head): no error, and nothing to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get(_DEBUG):
            raise
        # The text of a foreign exception may hold text of a source, so only its kind is said.
        message = f"unexpected {type(error).__name__}; set {_DEBUG}=1 for the traceback"
        return _fail("internal", message, as_json)


def _findings(error: ProvLedgerError) -> tuple[tuple[str, str, str], ...]:
    return error.findings if isinstance(error, ShapeViolation) else ()


def _fail(code: str, message: str, as_json: bool, findings: tuple[tuple[str, str, str], ...] = ()) -> int:
    exit_status = STATUS[code].exit_code
    if as_json:
        body: dict[str, object] = {"error": code, "message": message, "exit_status": exit_status}
        if findings:
            body["findings"] = findings
        print(json.dumps(body, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"error [{code}]: {visible(' '.join(message.split()))}", file=sys.stderr)
    return exit_status


def exit_status_table() -> str:
    """Every exit status, its meaning and the codes that end with it."""
    lines = []
    for status, meaning in MEANINGS.items():
        codes = [code for code, row in STATUS.items() if row.exit_code == status]
        lines.append(f"{status:>4}  {meaning}")
        lines += [f"      {line}" for line in _wrapped(codes)]
    return "\n".join(lines)


def _wrapped(words: list[str], width: int = 72) -> list[str]:
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
