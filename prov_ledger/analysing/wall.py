"""What a worker shuts before it opens anything: the network, other programs, files, and much memory.

The guard reads a query and may be wrong about it; this does not read it. A filter of the kernel refuses
to make a socket, for every thread of the process and for good, and the worker tries it out.

Source: Linux, seccomp(2), Documentation/userspace-api/seccomp_filter.rst.
"""

import ctypes
import errno
import os
import platform
import resource
import socket
import struct
import sys

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LOAD_WORD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_REFUSE, _ALLOW = 0x00050000 | errno.EPERM, 0x7FFF0000
_AT_NUMBER, _AT_ARCHITECTURE = 0, 4
#: Numbers of the second 64-bit calling convention of x86 begin here.
_OTHER_NUMBERS = 0x40000000
#: By machine: its name to the kernel, and the numbers of socket, connect, socketpair, execve, execveat,
#: ptrace and io_uring_setup (which can make sockets too).
_MACHINES = {
    "x86_64": (0xC000003E, (41, 42, 53, 59, 322, 101, 425)),
    "aarch64": (0xC00000B7, (198, 203, 199, 221, 281, 117, 425)),
}
_NICE = 19


class NoWall(Exception):
    """This system has no way to shut a process off from the network."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def confine(memory_bytes: int) -> None:
    """Shut this process off for good: no socket, no other program, no file grows, little memory, last turn.

    Call it before any other thread is there. Raises NoWall where the system offers no such filter.
    """
    _go_last()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    _shut_network()
    if not is_shut():
        raise NoWall("the filter was set and a socket could be made all the same")


def _go_last() -> None:
    """Run only while nothing else wants the processor; whatever else wakes up takes it at once.

    Source: Linux, sched(7), on SCHED_IDLE and the nice value.
    """
    os.nice(_NICE)
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def is_shut() -> bool:
    """Whether this process cannot make a socket."""
    try:
        socket.socket().close()
    except OSError as error:
        return error.errno == errno.EPERM
    return False


def is_offered() -> bool:
    """Whether this system has such a filter."""
    return sys.platform == "linux" and platform.machine() in _MACHINES


def _shut_network() -> None:
    if not is_offered():
        raise NoWall(f"no filter is known for {sys.platform} on {platform.machine()}")
    code = _filter(*_MACHINES[platform.machine()])
    held = ctypes.create_string_buffer(code)
    program = _Program(len(code) // 8, ctypes.addressof(held))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    filtered = (_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)
    if prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(*filtered):
        raise NoWall(f"the kernel does not take the filter: {os.strerror(ctypes.get_errno())}")


def _filter(architecture: int, refused: tuple[int, ...]) -> bytes:
    """Refuse these calls, and every call by another convention; allow the rest."""
    last = len(refused)
    steps = [
        (_LOAD_WORD, 0, 0, _AT_ARCHITECTURE),
        (_JUMP_EQUAL, 0, last + 3, architecture),
        (_LOAD_WORD, 0, 0, _AT_NUMBER),
        (_JUMP_AT_LEAST, last + 1, 0, _OTHER_NUMBERS),
        *((_JUMP_EQUAL, last - place, 0, number) for place, number in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
