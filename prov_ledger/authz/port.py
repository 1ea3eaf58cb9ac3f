"""Who may read which source now: what the ledger asks, and the one place where an answer counts."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from prov_ledger.authz.deadline import NoAnswer, call_within
from prov_ledger.model.records import Node, Role

T = TypeVar("T")
#: How long a foreign authoriser may take over one batch, in seconds.
DEADLINE_S = 2.0
#: Stands for the version of a policy whose authoriser does not say it.
UNKNOWN_VERSION = "unknown"
_LONGEST_VERSION = 200

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """May this reader, for this purpose, read this source (in this collection) at this time?

    ``principal`` None is somebody whom the ledger does not know; ``purpose`` None: none was given.
    ``groups``, ``roles``: no others of the principal count; None: all do.
    """

    principal: Node | None
    purpose: Node | None
    source: Node
    collection: Node | None
    now: datetime
    groups: frozenset[Node] | None = None
    roles: frozenset[Role] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request; anything but ``permit`` True for the same source is a no."""

    source: Node
    permit: bool


class Authoriser(Protocol):
    """Answers one batch per resolve, in the order of the requests."""

    @property
    def policy_version(self) -> str:
        """Which state of the policy answers: recorded with evidence."""
        ...

    def authorise(self, requests: Sequence[ReadRequest]) -> Sequence[Answer]:
        """One ``Answer`` per request in a list or tuple; anything else withholds the whole batch."""
        ...


def readable(
    authoriser: Authoriser, requests: Sequence[ReadRequest], deadline_s: float | None = DEADLINE_S
) -> frozenset[Node]:
    """The sources that may be read; none at all unless every request got its one plain answer in time.

    Never raises for what the authoriser does: a failure is logged in one line that names neither a
    person nor a source. ``deadline_s`` None calls it in this thread, and trusts it to return.
    """
    if not requests:
        return frozenset()
    asked = tuple(requests)
    permitted = _ask(authoriser, deadline_s, lambda: _permitted(authoriser.authorise(asked), asked))
    return permitted if permitted is not None else frozenset()


def version_of(authoriser: Authoriser, deadline_s: float | None = DEADLINE_S) -> str:
    """The version of its policy, ``unknown`` where it does not say; never raises for what it does."""
    version = _ask(authoriser, deadline_s, lambda: _stated_version(authoriser.policy_version))
    return version if version is not None else UNKNOWN_VERSION


def _ask(authoriser: Authoriser, deadline_s: float | None, call: Callable[[], T]) -> T | None:
    """What the call returns; None, and one line in the log, where it fails or is late."""
    try:
        return call() if deadline_s is None else call_within(deadline_s, call)
    except NoAnswer as error:
        why = str(error)
    except Exception as error:
        why = f"raised {type(error).__name__}"
    _log.warning("authoriser %s gave no usable answer, so nothing is permitted: %s", _name(authoriser), why)
    return None


def _name(authoriser: object) -> str:
    return type(authoriser).__qualname__


def _permitted(answers: object, requests: tuple[ReadRequest, ...]) -> frozenset[Node]:
    """The sources that plain answers, one per request and in their order, all permit; else NoAnswer."""
    if not isinstance(answers, list | tuple):
        raise NoAnswer(f"expected a list of answers, got {type(answers).__name__}")
    if len(answers) != len(requests):
        raise NoAnswer(f"expected {len(requests)} answers, got {len(answers)}")
    permitted: set[Node] = set()
    refused: set[Node] = set()
    for answer, request in zip(answers, requests, strict=True):
        if type(answer) is not Answer or type(answer.permit) is not bool:
            raise NoAnswer("an answer is not a plain yes or no")
        if answer.source != request.source:
            raise NoAnswer("an answer is to another request")
        (permitted if answer.permit else refused).add(request.source)
    return frozenset(permitted - refused)


def _stated_version(version: object) -> str:
    """A version that can be recorded; else NoAnswer."""
    if type(version) is not str or not version.isprintable() or not 0 < len(version) <= _LONGEST_VERSION:
        raise NoAnswer(f"a policy version is 1 to {_LONGEST_VERSION} printable characters")
    return version
