"""The one tree of errors, and what each means to an interface.

Every refusal has a code; ``STATUS`` says for each code which exit status a command ends with and
which HTTP status a service answers with. Codes are part of the public contract.
"""

from typing import NamedTuple


class Status(NamedTuple):
    """What an interface does with a code: a process exit status and an HTTP status."""

    exit_code: int
    http: int


STATUS: dict[str, Status] = {
    # Refusals of the write path and of resolving: the caller can mend the request.
    "malformed_id": Status(2, 400),
    "unknown_id": Status(4, 404),
    "denied": Status(5, 403),
    "incomplete": Status(2, 422),
    "not_evidence": Status(2, 422),
    "unsupported": Status(2, 422),
    "cycle": Status(2, 409),
    "stale_head": Status(6, 409),
    "lower_authority": Status(2, 409),
    "undeclared_fact": Status(2, 422),
    "bad_fact": Status(2, 422),
    "bad_scope": Status(2, 422),
    "widened_scope": Status(2, 422),
    "empty_quote": Status(2, 422),
    "quote_not_found": Status(2, 422),
    "ambiguous_quote": Status(2, 422),
    "bad_cell": Status(2, 422),
    "erased_bytes": Status(2, 409),
    "cannot_redact": Status(2, 422),
    "plan_changed": Status(6, 409),
    "legal_hold": Status(5, 409),
    "ambiguous_title": Status(2, 409),
    # Everything else that can go wrong.
    "bad_input": Status(2, 422),
    "bad_query": Status(2, 400),
    "query_timeout": Status(7, 504),
    "query_memory": Status(2, 422),
    "not_found": Status(4, 404),
    "already_exists": Status(2, 409),
    "shape_violation": Status(2, 422),
    "unauthorised": Status(5, 403),
    "graph_busy": Status(7, 503),
    "busy": Status(7, 503),
    "missing_key": Status(8, 500),
    "wrong_key": Status(8, 500),
    "exposed_key": Status(8, 500),
    "key_kept": Status(8, 500),
    "clock_went_back": Status(8, 500),
    "storage_full": Status(8, 507),
    "storage": Status(8, 500),
    "corrupt": Status(9, 500),
    "bad_proof": Status(9, 422),
    "connector": Status(7, 502),
    # What only a service says.
    "unauthenticated": Status(5, 401),
    "method_not_allowed": Status(2, 405),
    "not_acceptable": Status(2, 406),
    "request_timeout": Status(7, 408),
    "too_large": Status(2, 413),
    "unsupported_media_type": Status(2, 415),
    "too_many": Status(7, 429),
    "timeout": Status(7, 504),
    "not_supported": Status(3, 501),
    "not_a_scenario": Status(2, 422),
    "internal": Status(10, 500),
}


class ProvLedgerError(Exception):
    """Any error of this package: ``code`` from ``STATUS``, a message that says what, where, what to do.

    Raises KeyError on construction when the code is not in the table, so no error is without a status.
    """

    code: str = "storage"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code if code is not None else type(self).code
        self.status = STATUS[self.code]

    @property
    def message(self) -> str:
        """The text for a person; never holds erasable or personal text."""
        return str(self.args[0])


class Refused(ProvLedgerError):
    """The request is refused and the ledger is unchanged; always constructed with a code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, code=code)


class ShapeViolation(ProvLedgerError):
    """An entry does not conform to the shapes; ``findings`` are (focus node, path, message)."""

    code = "shape_violation"

    def __init__(self, message: str, findings: tuple[tuple[str, str, str], ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


class QueryError(ProvLedgerError):
    """A SPARQL query cannot be parsed, is not allowed, or failed."""

    code = "bad_query"


class GraphBusy(ProvLedgerError):
    """Another process owns the graph directory; the message names it."""

    code = "graph_busy"


class MissingKey(ProvLedgerError):
    """A tenant key cannot be found where it is expected."""

    code = "missing_key"


class WrongKey(ProvLedgerError):
    """A tenant key is there but opens nothing of this ledger."""

    code = "wrong_key"


class ExposedKey(ProvLedgerError):
    """A tenant key lies where others than its owner can read or replace it."""

    code = "exposed_key"


class KeyNotDestroyable(ProvLedgerError):
    """What keeps a tenant's keys cannot destroy the key of one epoch."""

    code = "key_kept"


class ClockWentBack(ProvLedgerError):
    """The clock is earlier than the last recorded entry by more than the tolerance."""

    code = "clock_went_back"


class StorageError(ProvLedgerError):
    """SQLite, the file system or the graph store failed; nothing unacknowledged was kept."""

    code = "storage"


class Corrupt(ProvLedgerError):
    """Stored bytes do not match what was recorded of them."""

    code = "corrupt"


class ProofError(ProvLedgerError):
    """A Merkle proof does not lead to the root it was given for."""

    code = "bad_proof"


class ConnectorError(ProvLedgerError):
    """A source system could not be read."""

    code = "connector"
