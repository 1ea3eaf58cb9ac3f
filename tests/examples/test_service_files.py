"""The files by which the service is run say nothing that it does not know."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from prov_ledger.cli.main import build
from prov_ledger.service.app import create_app
from prov_ledger.service.settings import load_settings

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "service"
ALL = {file.name: file.read_text() for file in FOLDER.iterdir()}
UNIT, IMAGE = ALL["prov-ledger.service"], ALL["Containerfile"]


def test_the_settings_are_read_and_are_those_of_the_file() -> None:
    file = FOLDER / "service.toml"
    settings, raw = load_settings(file, {}), tomllib.loads(file.read_text())
    assert settings.oidc is not None
    assert (settings.workers, settings.oidc.audience) == (raw["workers"], raw["oidc"]["audience"])
    assert settings.oidc.claims.roles == "resource_access.prov-ledger.roles"


def test_the_limits_that_are_shown_are_the_defaults() -> None:
    shown = tomllib.loads((FOLDER / "service.toml").read_text())["limits"]
    defaults = load_settings(None, {}).limits
    assert shown == {name: getattr(defaults, name) for name in shown}


def test_the_unit_starts_a_command_that_there_is() -> None:
    unit = (FOLDER / "prov-ledger.service").read_text()
    started = re.findall(r"^ExecStart=\S+/prov-ledger (\S+) (--\S+)", unit, re.MULTILINE)
    assert started == [("serve", "--config")]
    assert "--config" in CliRunner().invoke(build(), ["serve", "--help"]).output


def test_the_environment_of_the_image_is_settings_of_the_service() -> None:
    text = (FOLDER / "Containerfile").read_text()
    environment = dict(re.findall(r"(PROV_LEDGER_SERVE_\w+)=(\S+)", text))
    settings = load_settings(None, environment)
    assert (str(settings.ledger), settings.host, settings.workers) == ("/ledger", "0.0.0.0", 2)


def test_the_limits_of_the_documentation_are_the_defaults() -> None:
    text = (FOLDER.parents[1] / "prov_ledger" / "service" / "README.md").read_text()
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| ([\d, ]+) \|", text, re.MULTILINE)
    stated = {
        name.strip("` "): float(value)
        for names, values in rows
        for name, value in zip(names.split(","), values.split(","), strict=True)
    }
    defaults = load_settings(None, {}).limits.model_dump()
    assert stated == {name: defaults[name] for name in defaults if name != "idempotency_hours"}


def test_every_limit_of_time_and_size_can_be_seen_in_the_settings() -> None:
    shown = tomllib.loads(ALL["service.toml"])["limits"]
    defaults = load_settings(None, {}).limits.model_dump()
    assert {name for name in defaults if name.endswith("_timeout_s")} <= set(shown)


def test_the_unit_leaves_the_service_time_to_stop() -> None:
    waits = int(re.findall(r"^TimeoutStopSec=(\d+)", UNIT, re.MULTILINE)[0])
    assert waits >= load_settings(None, {}).limits.stop_timeout_s + 5


def test_every_option_and_variable_that_is_named_is_known() -> None:
    known = CliRunner().invoke(build(), ["serve", "--help"]).output
    for name, text in ALL.items():
        for line in re.findall(r"prov-ledger serve\b([^\n`]*)", text):
            for option in re.findall(r"(?<!\w)--[a-z-]+", line):
                assert option in known, (name, option)
        for group, field in re.findall(r"PROV_LEDGER_SERVE_(?:([A-Z]+)__)?([A-Z]\w*)", text):
            settings = load_settings(None, {})
            assert hasattr(getattr(settings, group.lower()) if group else settings, field.lower()), name
    named = set(re.findall(r"PROV_LEDGER_(?!SERVE_)\w+", "".join(ALL.values())))
    source = "".join(file.read_text() for file in (FOLDER.parents[1] / "prov_ledger").rglob("*.py"))
    assert named == {"PROV_LEDGER_KEYS"}
    assert '"PROV_LEDGER_KEYS"' in source


def test_what_the_image_runs_and_asks_is_there() -> None:
    assert re.findall(r'^CMD \["prov-ledger", "(\w+)"\]', IMAGE, re.MULTILINE) == ["serve"]
    asked = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", IMAGE)
    assert asked == [(str(load_settings(None, {}).port), "/readyz")]
    app = create_app(load_settings(None, {}))
    assert "/readyz" in app.openapi()["paths"]


def test_ledger_and_keys_of_the_image_may_be_written_by_its_user() -> None:
    made = re.search(r"install --directory --mode=0700 --owner=(\S+) --group=\S+ (/\S+) (/\S+)", IMAGE)
    assert made is not None
    assert set(made.groups()[1:]) == set(json.loads(IMAGE.partition("VOLUME ")[2].partition("\n")[0]))
    assert ":ro" not in IMAGE


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_has_nothing_to_say_against_the_unit(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("prov-ledger")
    unit = re.sub(r"^ExecStart=\S+", f"ExecStart={program}", UNIT, flags=re.MULTILINE)
    (tmp_path / "prov-ledger.service").write_text(unit)
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "prov-ledger.service")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
