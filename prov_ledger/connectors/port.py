"""What a connector gives the ledger: changes of source objects, in an order that can be resumed.

A source object has a *native id* (a path, a key). Native ids are names in time: **the same native id
can belong to different sources at different times, and one source can have several native ids**.

- ``new``: from ``at`` on, ``native`` belongs to a source that the ledger has not seen. Its native id may
  have belonged to another source before, that has since been renamed away from it.
- ``content``: the source that has ``native`` has other bytes from ``at`` on.
- ``renamed``: the source that had ``renamed_from`` up to ``at`` has ``native`` from ``at`` on, with the
  same bytes: no new revision. If ``native`` belonged to a source that was deleted earlier, that one
  stays retired and keeps the native id for the dates before ``at``.
- ``gone``: the source that has ``native`` is no more from ``at`` on; it keeps the native id.
- ``back``: ``native`` was ``gone`` and is there again, with the bytes of ``load``: the same source.
- ``checked``: the source that has ``native`` was looked at, and ``outcome`` says what was found: no change.

``at`` is the source system's own time and may go backwards along the order of changes; the order of
changes is the order of history. Native ids, labels and cursors are texts of the source: seal them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Literal, Protocol, Self

from prov_ledger.model.records import CheckOutcome

ChangeKind = Literal["new", "content", "renamed", "gone", "back", "checked"]
#: ``outside``: a link out of the folder; ``changing``: it was written to while it was read. On the web:
#: ``private``: at an address that is not public; ``robots``: the site asks programs to stay away.
SkipReason = Literal[
    "submodule",
    "unreadable",
    "outside",
    "not_a_file",
    "changing",
    "not_found",
    "unreachable",
    "private",
    "robots",
    "too_large",
    "no_key",
]


@dataclass(frozen=True, slots=True)
class Content:
    """The exact bytes of one state of a source, and their media type (lower case; a character set if named).

    ``title`` is what the source calls itself, where its bytes do not say so. ``about`` is what it is
    about: names of declared facts and the one value of each.
    """

    data: bytes
    media_type: str
    title: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceChange:
    """One change of one source object; what each kind means is said in the module's text.

    ``at`` is aware and in UTC. ``label`` names the state in the source system (a commit, a time).
    ``cursor``, given as ``since``, resumes right after this change. ``done`` counts the items of the
    feed's ``total`` that lie behind once this change is taken.
    ``came_from`` is, for ``new`` alone, the native id (as it was just before) that this one was copied
    or renamed from with other bytes; it names another source. ``renamed_from`` is for ``renamed`` alone.
    ``load`` reads the bytes while the connector is open (ConnectorError when it cannot); None for ``gone``
    and ``checked``. ``outcome`` is for ``checked`` alone.
    """

    native: str
    kind: ChangeKind
    at: datetime
    label: str
    cursor: str
    done: int
    load: Callable[[], Content] | None = field(default=None, compare=False, repr=False)
    renamed_from: str | None = None
    came_from: str | None = None
    outcome: CheckOutcome | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source object that was left out, and why; the rest went on."""

    native: str
    reason: SkipReason


@dataclass(slots=True)
class Feed:
    """One run of a connector: how many items lie ahead, the changes, and what was skipped.

    ``total`` is for a progress bar: an upper bound of the number of changes. ``skipped`` is complete
    only when ``changes`` is exhausted. ``batch`` is after how many changes they are worth keeping:
    few where each takes long to get; None where that does not matter.
    """

    total: int
    changes: Iterator[SourceChange]
    skipped: list[Skipped] = field(default_factory=list)
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What the ledger has of one native id: the state of the source that has it now.

    ``latest`` is the later of the publication of its last revision and its retirement; ``size_bytes`` is
    the size of the last revision, ``same`` says whether that has exactly the given bytes, and ``label``
    gives its label.
    """

    latest: datetime
    retired: bool
    size_bytes: int
    same: Callable[[bytes], bool]
    label: Callable[[], str] = str


class Known(Protocol):
    """What the ledger already has from a connector.

    A connector whose system keeps no history compares with it. The ledger answers from its sealed
    payloads, so no digest of any content need be kept beside them.
    """

    def natives(self) -> Iterable[str]:
        """Give the native ids that a source has now and that is not retired."""

    def find(self, native: str) -> Held | None:
        """Give the state of the source that has this native id now; None when none has."""


class NothingKnown:
    """The ledger of a first run: it has nothing yet."""

    def natives(self) -> Iterable[str]:
        """Give no native id."""
        return ()

    def find(self, native: str) -> Held | None:
        """Give None: no source has any native id yet."""
        return None


class Connector(Protocol):
    """A source system as a feed of changes; a context manager that frees what it opened.

    ``name`` is the connector part of a source's identity (``"git"``). ``feed`` tells the cursors of
    differently cut runs apart (branch, glob): a cursor is good only for the same ``name`` and ``feed``.
    """

    @property
    def name(self) -> str:
        """The connector part of the identity of its sources."""

    @property
    def feed(self) -> str:
        """A text that is equal for runs whose cursors may be exchanged."""

    def changes(self, since: str | None = None, known: Known | None = None) -> Feed:
        """Give the changes after the cursor ``since``, all of them when it is None.

        ``known`` is needed by connectors without a history; None means that nothing is known. Raises
        ConnectorError when the system cannot be read or ``since`` is not a place in its history.
        """

    def close(self) -> None:
        """Free processes and temporary folders; loading is not possible afterwards."""

    def __enter__(self) -> Self:
        """Give the connector itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
