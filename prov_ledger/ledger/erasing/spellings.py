"""A text in every spelling in which a file may hold it: UTF-8, UTF-16, JSON, hex, base64."""

import base64
import json
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from prov_ledger.errors import StorageError

_READ_BYTES = 1 << 22
_GROUP = 3
_FOR_URLS = bytes.maketrans(b"+/", b"-_")


def spellings_of(text: str) -> dict[str, bytes]:
    """The bytes that a text may be written as, by the name of the spelling.

    In base64 a text begins at one of three places of a group; what its neighbours decide is left out.

    >>> spellings_of("ab")["hex of UTF-8"]
    b'6162'
    """
    found = {"JSON": json.dumps(text)[1:-1].encode()}
    for charset in ("UTF-8", "UTF-16-LE", "UTF-16-BE"):
        data = text.encode(charset)
        found[charset] = data
        found[f"hex of {charset}"] = data.hex().encode()
        found[f"upper-case hex of {charset}"] = data.hex().upper().encode()
        for place in range(_GROUP):
            inside = _inside_base64(data, place)
            found[f"base64 of {charset}, place {place}"] = inside
            found[f"base64 for URLs of {charset}, place {place}"] = inside.translate(_FOR_URLS)
    return {name: spelled for name, spelled in found.items() if spelled}


def _inside_base64(data: bytes, place: int) -> bytes:
    """What stands in base64 for bytes that begin at a place of a group of three, whatever is around them."""
    whole = base64.b64encode(bytes(place) + data + bytes(-(place + len(data)) % _GROUP))
    return whole[-(-place * 8 // 6) : (place + len(data)) * 8 // 6]


def find_in_bytes(data: bytes, spellings: dict[str, bytes]) -> Iterator[str]:
    """The names of the spellings that stand in some bytes."""
    yield from (name for name, spelled in spellings.items() if spelled in data)


def find_in_files(
    folder: Path, spellings: dict[str, bytes], leaving_out: Collection[Path] = ()
) -> Iterator[str]:
    """Where below a folder a text stands, as ``FILE (SPELLING)``. Raises StorageError."""
    longest = max(map(len, spellings.values()))
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or any(path.is_relative_to(other) for other in leaving_out):
            continue
        found: set[str] = set()
        try:
            with path.open("rb") as file:
                before = b""
                while read := file.read(_READ_BYTES):
                    found.update(find_in_bytes(before + read, spellings))
                    # A text that lies across two reads is found too.
                    before = read[-longest:]
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from error
        yield from (f"{path.relative_to(folder)} ({name})" for name in sorted(found))


def find_in_open_files(folder: Path, text: str) -> list[str]:
    """As ``find_in_files``, for a folder whose files this process may have open in SQLite.

    It is done by a process of its own: to close such a file drops the locks that SQLite holds on it.
    Source: SQLite, "How To Corrupt An SQLite Database File", section 2.2. Raises StorageError.
    """
    command = [sys.executable, "-m", __name__, str(folder)]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        raise StorageError(f"the files below {folder} could not be looked through")
    return [str(place) for place in json.loads(done.stdout)]


if __name__ == "__main__":
    print(json.dumps(list(find_in_files(Path(sys.argv[1]), spellings_of(sys.stdin.buffer.read().decode())))))
