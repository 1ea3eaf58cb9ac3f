"""Plans that wait to be run, by their hash: which ids were asked for, and nothing else."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

from prov_ledger.errors import Refused, StorageError
from prov_ledger.ledger.erasing.manifest import Manifest
from prov_ledger.model.records import Node
from prov_ledger.model.times import format_instant, parse_instant

#: How long a plan may wait.
KEPT_FOR = timedelta(days=30)
_HASH = re.compile(r"[0-9a-f]{64}")


class Plans:
    """The plans of a tenant in a folder of its own; a run or its time removes them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, plan: Manifest, now: datetime) -> None:
        """Keep what was asked for under the plan's hash; those whose time is over go."""
        self.expire(now)
        text = json.dumps({"targets": list(plan.targets), "made": format_instant(now)})
        path = self._path(plan.hash)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            draft = path.with_suffix(".draft")
            draft.write_text(text, "utf-8")
            draft.replace(path)
        except OSError as error:
            raise StorageError(f"cannot write the plan {path}: {error.strerror}") from error

    def targets(self, hash: str) -> list[Node]:
        """What was asked for. Raises Refused ``not_found``, ``bad_input`` for what is no hash."""
        if not _HASH.fullmatch(hash):
            raise Refused("bad_input", "a plan is named by its hash, 64 hex digits, as 'erase plan' said it")
        try:
            found = json.loads(self._path(hash).read_text("utf-8"))
            return [str(id) for id in found["targets"]]
        except (OSError, ValueError, KeyError, TypeError):
            raise Refused("not_found", "no such plan waits here: it was run or is old; plan again") from None

    def drop(self, hash: str) -> None:
        """Forget a plan that was run."""
        self._path(hash).unlink(missing_ok=True)

    def expire(self, now: datetime) -> None:
        """Forget the plans whose time is over, and those that cannot be read."""
        for path in self._folder.glob("*.json") if self._folder.is_dir() else ():
            try:
                made = parse_instant(str(json.loads(path.read_text("utf-8"))["made"]))
            except (OSError, ValueError, KeyError, TypeError, Refused):
                made = now - KEPT_FOR
            if now >= made + KEPT_FOR:
                path.unlink(missing_ok=True)

    def _path(self, hash: str) -> Path:
        return self._folder / f"{hash}.json"
