"""What Prometheus is told: times and counts, by route, status and verdict; nothing that a caller chose."""

import logging
import os
from collections import Counter as Tally
from collections.abc import Sequence
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from prov_ledger.model.slots import RANK, Slot

_TIMES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

REQUESTS = Histogram(
    "prov_ledger_request_seconds",
    "Requests by route, method and status.",
    ("route", "method", "status"),
    buckets=_TIMES,
)
RESOLVES = Histogram(
    "prov_ledger_resolve_seconds",
    "Resolves, by the worst verdict in the answer.",
    ("verdict",),
    buckets=_TIMES,
)
SLOTS = Counter("prov_ledger_slots_total", "Slots answered, by verdict.", ("verdict",))
JOURNAL_LAG = Gauge(
    "prov_ledger_journal_lag_entries",
    "Entries that a worker had not read yet when readiness was last asked for, at most.",
    multiprocess_mode="max",
)
UNDER_WAY = Gauge(
    "prov_ledger_calls_under_way", "Calls of verbs that run or wait.", multiprocess_mode="livesum"
)
AUTHORISER_FAILURES = Counter(
    "prov_ledger_authoriser_failures_total", "Batches of permission questions without a usable answer."
)
SNAPSHOT_AGE = Gauge(
    "prov_ledger_snapshot_age_seconds",
    "Age of the oldest snapshot that queries run on.",
    multiprocess_mode="max",
)


class CountFailures(logging.Handler):
    """Counts what the authorisers' port logs: one line for each batch that got no usable answer."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count one."""
        AUTHORISER_FAILURES.inc()


def count_authoriser_failures() -> None:
    """Have them counted from now on; a second call does nothing."""
    logger = logging.getLogger("prov_ledger.authz.port")
    if not any(isinstance(handler, CountFailures) for handler in logger.handlers):
        logger.addHandler(CountFailures(logging.WARNING))


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Take in one request."""
    known = method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
    _series(route, known, status).observe(seconds)


@cache
def _series(route: str, method: str, status: int) -> Histogram:
    """One line of the histogram of requests: there are as many as routes, methods and statuses."""
    return REQUESTS.labels(route, method, str(status))


def observe_resolve(slots: Sequence[Slot], seconds: float) -> None:
    """Take in one resolve."""
    for verdict, count in Tally(slot.verdict for slot in slots).items():
        SLOTS.labels(verdict).inc(count)
    if slots:
        RESOLVES.labels(min((slot.verdict for slot in slots), key=RANK.__getitem__)).observe(seconds)


def exposition() -> tuple[bytes, str]:
    """All of it in Prometheus' text format, with its media type; of all worker processes together."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry), CONTENT_TYPE_LATEST
