"""The files by which the service is run say nothing that it does not know."""

import re
import tomllib
from pathlib import Path

from typer.testing import CliRunner

from prov_ledger.cli.main import build
from prov_ledger.service.settings import load_settings

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "service"


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


def test_the_unit_waits_longer_than_the_service_takes_to_stop() -> None:
    unit = (FOLDER / "prov-ledger.service").read_text()
    waits = int(re.findall(r"^TimeoutStopSec=(\d+)", unit, re.MULTILINE)[0])
    assert waits > load_settings(FOLDER / "service.toml", {}).limits.stop_timeout_s


def test_the_environment_of_the_image_is_settings_of_the_service() -> None:
    text = (FOLDER / "Containerfile").read_text()
    environment = dict(re.findall(r"(PROV_LEDGER_SERVE_\w+)=(\S+)", text))
    settings = load_settings(None, environment)
    assert (str(settings.ledger), settings.host, settings.workers) == ("/ledger", "0.0.0.0", 2)
