"""Small repositories made with git itself."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

START = 1_600_000_000


@dataclass
class Repo:
    """A repository with a work tree; each commit is one day after the one before unless dated."""

    folder: Path
    commits: int = 0

    def git(self, *arguments: str, dated: int | None = None) -> str:
        date = f"{START + self.commits * 86_400 if dated is None else dated} +0200"
        own = {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_COMMITTER_DATE": date,
            "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        }
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env={**os.environ, **own}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, path: str, data: bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def commit(self, dated: int | None = None) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x", dated=dated)
        self.commits += 1
        return self.git("rev-parse", "HEAD")
