"""Running the service: one process, or several over the same ledger."""

import logging.config
import os
import resource
import tempfile
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from prov_ledger.errors import Refused
from prov_ledger.service.app import create_app
from prov_ledger.service.logs import logging_config
from prov_ledger.service.protocol import BoundedProtocol
from prov_ledger.service.settings import Settings

#: How worker processes learn the settings; they hold no secret.
_EFFECTIVE = "PROV_LEDGER_SERVICE_SETTINGS"
#: Files that are open beside connections: those of ledgers, one for each thread that reads, and pipes.
_OTHER_FILES = 256
#: For how long a worker may say nothing before it is replaced; on a busy machine one takes long to start.
_WORKER_SILENCE_S = 60
#: Where worker processes add up their metrics.
_METRICS = "PROMETHEUS_MULTIPROC_DIR"


def app_of_environment() -> FastAPI:
    """The application of a worker process."""
    return create_app(Settings.model_validate_json(os.environ[_EFFECTIVE]), abandon=_end)


def _end() -> None:
    """End the process where it stands: what was not recorded whole is not recorded."""
    logging.shutdown()
    os._exit(1)


def run(settings: Settings) -> None:
    """Serve until told to stop by SIGTERM or SIGINT; what was begun is finished first.

    Raises Refused ``not_found`` where there is no ledger, ``bad_input`` where nobody could be let in.
    """
    check_can_serve(settings)
    logging.config.dictConfig(logging_config(settings.log_level))
    os.environ[_EFFECTIVE] = settings.model_dump_json()
    _allow_files(settings.limits.connections + _OTHER_FILES)
    with tempfile.TemporaryDirectory(prefix="prov-ledger-metrics-") as metrics:
        if settings.workers > 1:
            os.environ.setdefault(_METRICS, metrics)
        uvicorn.run("prov_ledger.service.serve:app_of_environment", **server_options(settings))  # type: ignore[arg-type]


def check_can_serve(settings: Settings) -> None:
    """Raise Refused where serving would be of no use to anybody."""
    if not (Path(settings.ledger) / "tenants").is_dir():
        raise Refused(
            "not_found", f"there is no ledger at {settings.ledger}: make it with 'prov-ledger init'"
        )
    if not (settings.api_keys or settings.oidc or settings.no_auth_on_loopback):
        raise Refused(
            "bad_input", "nobody could come in: allow api_keys, name an issuer ([oidc]), or say --no-auth"
        )


def _allow_files(number: int) -> None:
    """Raise how many files may be open, as far as the system lets this user."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_connections(stated: int) -> int:
    """As many connections as were stated, or as leave files for everything else."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return stated if soft == resource.RLIM_INFINITY else min(stated, max(soft - _OTHER_FILES, soft // 2))


def server_options(settings: Settings) -> dict[str, object]:
    """What uvicorn is told, beside the factory of the application; the same wherever a service runs."""
    connections = most_connections(settings.limits.connections)
    return {
        "factory": True,
        "host": settings.host,
        "port": settings.port,
        "workers": settings.workers,
        "loop": "uvloop" if settings.workers == 1 else "prov_ledger.service.sharing:SharingLoop",
        "http": partial(BoundedProtocol, limits=settings.limits, connections=connections),
        "ws": "none",
        "lifespan": "on",
        "log_config": logging_config(settings.log_level),
        "access_log": False,
        # Who is connected is who is connected: a header may not say otherwise.
        "proxy_headers": False,
        "server_header": False,
        "timeout_worker_healthcheck": _WORKER_SILENCE_S,
        "timeout_keep_alive": settings.limits.keep_alive_s,
        "timeout_graceful_shutdown": settings.limits.stop_timeout_s,
        "limit_concurrency": connections,
    }
