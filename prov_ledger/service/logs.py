"""Logs as lines of JSON: when, how grave, where, what; and of a traceback the places alone."""

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType


class JsonLines(logging.Formatter):
    """One JSON object per record. ``extra={"fields": {...}}`` puts fields of its own into it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line |= fields
        if record.exc_info and record.exc_info[2] is not None:
            # The text of a foreign exception may hold text of a source: only its kind and places are said.
            line["error"] = getattr(record.exc_info[0], "__name__", "")
            line["places"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def _places(trace: TracebackType) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]


def logging_config(level: str) -> dict[str, object]:
    """For ``logging.config.dictConfig``, and uvicorn: every logger writes such lines to the error stream."""
    quiet = {"level": "WARNING", "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "prov_ledger.service.logs.JsonLines"}},
        "handlers": {
            "lines": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}
        },
        "root": {"level": level.upper(), "handlers": ["lines"]},
        "loggers": {"uvicorn": {"propagate": True}, "uvicorn.access": quiet, "asyncio": quiet},
    }
