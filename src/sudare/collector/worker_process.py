"""A process of its own for bodies that take long: intake keeps this one.

Work goes to it over a pipe, one piece at a time: what makes the body, and the public figures. It
ends when the pipe does.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from sudare.collector.faults import log_fault

LENGTH_BYTES = 8
KEPT = 16
"""Collections and the like that the process keeps, as making them anew takes long."""

NICE = 10


class FigureWorker:
    """The process, started when there is something to do, and anew where it has died."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "sudare-aside")
        self._one = asyncio.Lock()
        self._one_odd = asyncio.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = True

    def open(self) -> None:
        """Let the process be started."""
        self._closed = False

    async def run(self, make: Callable[[Any], bytes], about: Any, *, odd: bool) -> bytes | None:
        """Return ``make(about)``; None where the process could not make it.

        Args:
            make: what makes the body; both can be pickled.
            about: the figures.
            odd: where others are waited for: at most one such is before them.
        """
        async with contextlib.AsyncExitStack() as turns:
            if odd:
                await turns.enter_async_context(self._one_odd)
            await turns.enter_async_context(self._one)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._ask, make, about)

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._closed = True
        self._end()

    def _ask(self, make: Callable[[Any], bytes], about: Any) -> bytes | None:
        if self._closed:
            return None
        try:
            child = self._running()
            if child is None or child.stdin is None or child.stdout is None:
                return None
            write(child.stdin, pickle.dumps(make))
            write(child.stdin, pickle.dumps(about))
            return read(child.stdout) or None
        except (OSError, EOFError, ValueError) as error:
            if not self._closed:
                log_fault("the process that works out figures", error)
                self._end()
            return None

    def _running(self) -> subprocess.Popen[bytes] | None:
        if self._child is not None and self._child.poll() is not None:
            self._end()
        if self._child is None and sys.executable:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "sudare.collector.worker_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def write(pipe: BinaryIO | Any, data: bytes) -> None:
    """Write a piece."""
    pipe.write(len(data).to_bytes(LENGTH_BYTES, "little") + data)
    pipe.flush()


def read(pipe: BinaryIO | Any) -> bytes:
    """Read a piece.

    Raises:
        EOFError: the other side has ended.
    """
    length = int.from_bytes(_exactly(pipe, LENGTH_BYTES), "little")
    return _exactly(pipe, length)


def _exactly(pipe: BinaryIO | Any, size: int) -> bytes:
    data: bytes = pipe.read(size)
    if len(data) != size:
        raise EOFError
    return data


def work(given: BinaryIO, told: BinaryIO) -> None:
    """Make what is asked for until the pipe ends; nothing is told of what cannot be made."""
    kept: OrderedDict[bytes, Callable[[Any], bytes]] = OrderedDict()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            key, about = read(given), read(given)
            try:
                if key not in kept:
                    kept[key] = pickle.loads(key)  # noqa: S301 - from the process that started this
                kept.move_to_end(key)
                body = kept[key](pickle.loads(about))  # noqa: S301 - likewise
            except Exception:  # noqa: BLE001 - made again where it is told
                body = b""
            if len(kept) > KEPT:
                kept.popitem(last=False)
            write(told, body)


def main() -> None:
    """Work, gently; an interrupt is for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    told = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no body
    work(sys.stdin.buffer, told)


if __name__ == "__main__":
    main()
