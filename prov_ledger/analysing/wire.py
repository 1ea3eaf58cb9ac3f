"""What a worker and whoever asks it say to each other: JSON and bytes, each with its length before it."""

import json
import os
import struct
from dataclasses import dataclass

_LENGTHS = struct.Struct(">II")


@dataclass(frozen=True, slots=True)
class Message:
    """An object of JSON, and bytes that go with it."""

    said: dict[str, object]
    body: bytes = b""


def send(descriptor: int, message: Message) -> None:
    """Write a message whole. Raises OSError when nobody reads it."""
    head = json.dumps(message.said).encode()
    left = memoryview(_LENGTHS.pack(len(head), len(message.body)) + head + message.body)
    while left:
        left = left[os.write(descriptor, left) :]


class Incoming:
    """Messages that arrive in pieces."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pieces = bytearray()

    def read(self) -> Message | None:
        """Read what is there, once; the message if it is complete now. Raises EOFError at the end."""
        piece = os.read(self._descriptor, 1 << 20)
        if not piece:
            raise EOFError
        self._pieces += piece
        if len(self._pieces) < _LENGTHS.size:
            return None
        head, body = _LENGTHS.unpack_from(self._pieces)
        start, end = _LENGTHS.size + head, _LENGTHS.size + head + body
        if len(self._pieces) < end:
            return None
        said = json.loads(self._pieces[_LENGTHS.size : start])
        message = Message(said, bytes(self._pieces[start:end]))
        del self._pieces[:end]
        return message
