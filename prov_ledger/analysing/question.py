"""What is asked, and how much the answer may take."""

from dataclasses import dataclass

from prov_ledger.errors import Refused

#: A worker that nobody asked for so long ends: it holds memory, and an old snapshot's space.
IDLE_S = 120.0


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the media type of its answer, and whether it sees the tenant's graph as its default graph
    and as a named one.
    """

    text: str
    form: str
    as_default: bool = True
    as_named: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of one query, rows (or triples) and bytes of its answer, memory of its process."""

    deadline_s: float = 30.0
    rows: int = 100_000
    answer_bytes: int = 32 << 20
    memory_bytes: int = 768 << 20

    def __post_init__(self) -> None:
        smallest = {"deadline_s": 0.0, "rows": 1, "answer_bytes": 1024, "memory_bytes": 128 << 20}
        for name, least in smallest.items():
            if not getattr(self, name) >= least:
                raise Refused("bad_input", f"{name} is {getattr(self, name)}; it has to be {least} at least")
