"""From the bytes of a file to a ``Scenario``, or the one reason why it is none."""

from collections.abc import Mapping
from pathlib import Path

from prov_ledger.errors import ProvLedgerError
from prov_ledger.ledger.layout import parse_tenant
from prov_ledger.ledger.sources import temporal_fact
from prov_ledger.model.facts import FactTable, parse_fact_type
from prov_ledger.model.times import parse_zone
from prov_ledger.scenarios.document import parse_document
from prov_ledger.scenarios.forms import Form, Malformed, kind_of
from prov_ledger.scenarios.scenario import NotAScenario, Scenario, Step
from prov_ledger.scenarios.schema import ANY_STEP, CHANGES, EXPECTATIONS, HEAD, Keys

_TEXTS = ("text", "markdown", "html", "csv")


def load_scenario(path: Path) -> Scenario:
    """The scenario in a file. Raises NotAScenario naming the file, the step's number and the key."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotAScenario(str(path), f"cannot be read: {error.strerror}") from error
    return parse_scenario(data, str(path))


def find_scenario_files(paths: list[Path]) -> list[Path]:
    """The files named, and every ``.yaml`` or ``.yml`` file below the folders named, in order of name.

    Raises NotAScenario where a path does not exist or a folder holds none.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(file for file in path.rglob("*") if file.suffix in {".yaml", ".yml"})
        if not inside:
            raise NotAScenario(str(path), "holds no scenario: expected files that end in .yaml")
        found += inside
    return found


def parse_scenario(data: bytes, file: str) -> Scenario:
    """The scenario in ``data``; ``file`` is named in messages. Raises NotAScenario."""
    document = parse_document(data, file)
    if not isinstance(document, dict):
        raise NotAScenario(file, f"has no head: expected a mapping, got {kind_of(document)}")
    raw_steps = document.get("steps")
    if not isinstance(raw_steps, list) or not raw_steps:
        raise NotAScenario(file, "head: key 'steps': expected a list of at least one step")
    head = _read_keys({key: raw for key, raw in document.items() if key != "steps"}, HEAD, file, "head")
    _check_head(head, file)
    return Scenario(
        file=file,
        name=str(head.get("scenario", Path(file).stem)),
        about=str(head.get("about", "")),
        tenant=str(head.get("tenant", "acme")),
        zone=str(head.get("zone", "UTC")),
        governed_by=str(head.get("governed_by", "question_date")),
        facts=_mapping(head.get("facts")),
        min_authority=str(head.get("min_authority", "informal")),
        max_age=_optional_text(head.get("max_age")),
        steps=tuple(_parse_step(raw, number, file) for number, raw in enumerate(raw_steps, 1)),
    )


def _check_head(head: Mapping[str, object], file: str) -> None:
    try:
        zone = parse_zone(str(head.get("zone", "UTC")))
        table = FactTable(zone)
        for name, raw in _mapping(head.get("facts")).items():
            table = table.declare(parse_fact_type(name, raw, zone))
        temporal_fact(table, str(head.get("governed_by", "question_date")))
        parse_tenant(str(head.get("tenant", "acme")))
    except ProvLedgerError as error:
        raise NotAScenario(file, f"head: {error.message}") from error


def _parse_step(raw: object, number: int, file: str, *, inside: bool = False) -> Step:
    where = f"step {number}"
    if not isinstance(raw, dict):
        raise NotAScenario(file, f"{where}: expected a mapping, got {kind_of(raw)}")
    do = raw.get("do")
    if not isinstance(do, str):
        raise NotAScenario(file, f"{where}: key 'do' is missing or no text")
    if do == "refused" and inside:
        raise NotAScenario(file, f"{where}: a refused step cannot hold another one")
    keys = CHANGES.get(do) or EXPECTATIONS.get(do)
    if keys is None and do not in CHANGES:
        known = ", ".join(sorted({*CHANGES, *EXPECTATIONS}))
        raise NotAScenario(file, f"{where}: unknown step {do!r}; expected one of {known}")
    apart = {"do", "step"} if do == "refused" else {"do"}
    given = {key: value for key, value in raw.items() if key not in apart}
    values = _read_keys(given, {**ANY_STEP, **(keys or {})}, file, f"{where} ({do})")
    if do == "refused":
        values["step"] = _parse_step(raw.get("step"), number, file, inside=True)
    step = Step(number, do, values)
    _check_step(step, keys or {}, file)
    return step


def _check_step(step: Step, keys: Keys, file: str) -> None:
    where = f"step {step.number} ({step.do})"
    if "purpose" in step and not ({"who", "by"} & ({*step.values} | {*keys})):
        raise NotAScenario(file, f"{where}: key 'purpose': only beside 'who' or 'by'")
    if step.do == "revision" and sum(key in step for key in _TEXTS) > 1:
        raise NotAScenario(file, f"{where}: expected only one of {', '.join(_TEXTS)}")
    try:
        parse_tenant(step.find_text("tenant") or "acme")
    except ProvLedgerError as error:
        raise NotAScenario(file, f"{where}: key 'tenant': {error.message}") from error
    if step.do == "refused" and "error" not in step:
        raise NotAScenario(file, f"{where}: key 'error' is missing")
    if step.do == "resolve":
        for handle in step.mapping("expect"):
            if handle not in step.texts("ids"):
                raise NotAScenario(file, f"{where}: key 'expect.{handle}': not among its ids")


def _read_keys(
    raw: Mapping[str, object], keys: Mapping[str, Form], file: str, where: str
) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in raw.items():
        if key not in keys:
            known = ", ".join(sorted(keys))
            raise NotAScenario(file, f"{where}: unknown key {key!r}; expected one of {known}")
        try:
            values[key] = keys[key](value)
        except Malformed as problem:
            found = problem.under(key)
            raise NotAScenario(file, f"{where}: key '{found.path}': {found.problem}") from None
    return values


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _optional_text(value: object) -> str | None:
    return value if isinstance(value, str) else None
