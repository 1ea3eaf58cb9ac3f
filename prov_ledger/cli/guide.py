"""The command ``help``: what the options of several commands share, in a few screens."""

from typing import Annotated

import typer

from prov_ledger.cli.command import Commands
from prov_ledger.cli.failure import exit_status_table
from prov_ledger.cli.session import Session
from prov_ledger.cli.values import parse_enumerated

_SCOPES = """\
A scope is a list of conditions; all of them must hold. On the command line:

  purchase_date: 2026-06-01..2027-01-01   a period, from inside, until outside
  purchase_date: 2026-06-01..open         no end; '..' alone leaves it unknown
  shipped_at: 2026-03-08T05:00:00Z..open  instants have a zone
  total: 100..200                         numbers, both ends inside
  total: >=100 <200                       or > and <
  region: DE, FR                          one of these codes

The same as JSON or YAML, inline or from a file:

  [{fact: purchase_date, from: 2026-06-01, until: open}]
  @scope.yaml

Evidence may narrow the scope of its revision, and a claim that of its support.
Where nobody states a scope, the governing fact counts from publication on."""

_FACTS = """\
A fact is declared once per tenant and given with each question:

  prov-ledger fact purchase_date date
  prov-ledger fact total '{number: EUR}'
  prov-ledger fact order '{code: personal}'     sealed, compared for equality
  prov-ledger resolve cl_... -f purchase_date=2026-07-02 -f total=120
  prov-ledger resolve cl_... -f '{purchase_date: 2026-07-02, total: 120}'
  prov-ledger resolve cl_... -f @facts.yaml

Types: date, instant, code, number, text. question_date is always declared:
a date or an instant, by default this instant."""

_TOPICS = {"exit-codes": exit_status_table(), "scopes": _SCOPES, "facts": _FACTS}


commands = Commands()


@commands.add("help", example="prov-ledger help exit-codes")
def explain(
    session: Session,
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help=f"One of {', '.join(_TOPICS)}.")
    ] = None,
) -> None:
    """Explain what several commands share."""
    if topic is None:
        session.emit({"topics": list(_TOPICS)}, [f"prov-ledger help {name}" for name in _TOPICS])
        return
    text = _TOPICS[parse_enumerated(topic, _TOPICS, "TOPIC")]
    session.emit({"topic": topic, "text": text}, page=text)
