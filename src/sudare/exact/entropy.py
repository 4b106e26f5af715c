"""Secure randomness as fast as a toy generator: AES-128 in counter mode, one path for all.

In production the key comes from the operating system; in a simulation it is a hash of a seed.
Everything else is the same code, so what is tested is what runs.

Threads: an :class:`Entropy` belongs to one thread; :func:`default_entropy` keeps one a thread, and
:meth:`Entropy.substreams` gives the threads of one piece of work streams that never meet.
Forks: a stream notices that it runs in another process and takes a fresh key, so that two
children never share noise. A seeded stream derives the child's key from the seed and the
process id for the same reason.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from sudare.errors import DomainError, WrongTypeError

BLOCK_BYTES = 1 << 20
"""Bytes made at a time: small enough to stay in the processor's cache."""

_SLACK = 16  # older versions of the cipher want room for one more AES block
_LINE = 64  # a buffer that starts at a cache line is up to a third faster to compute with
_LEAST_BYTES = 4096  # made at a time for single reports
_ZEROS = memoryview(bytes(BLOCK_BYTES))


class EntropySource(Protocol):
    """What a sampler program needs of randomness for a single report: bytes, in order."""

    def take(self, n: int) -> bytes:
        """Return the next ``n`` bytes."""
        ...


class Entropy:
    """A stream of random bytes: AES-128-CTR under a secret key.

    Use :meth:`system` (or nothing: it is the default everywhere) to protect people, and
    :meth:`seeded` only to repeat a simulation.

    Examples:
        >>> Entropy.seeded(b"demo").take(4) == Entropy.seeded(b"demo").take(4)
        True
        >>> Entropy.system()
        Entropy.system()
    """

    __slots__ = ("_buffer", "_encryptor", "_made", "_pid", "_position", "_seed", "_thread")

    def __init__(self, seed: bytes | None = None) -> None:
        if seed is not None and not isinstance(seed, bytes):
            raise WrongTypeError("seed", "must be bytes", 'write b"..."')
        self._seed = seed
        room = np.empty(_LINE + BLOCK_BYTES + _SLACK, dtype=np.uint8)
        start = -room.ctypes.data % _LINE
        self._buffer = room[start : start + BLOCK_BYTES + _SLACK]
        self._start(child=False)

    def _start(self, *, child: bool) -> None:
        if self._seed is None:
            key = os.urandom(16)
        else:
            import hashlib  # only for seeds: a device starts without it

            suffix = b"\0fork\0%d" % os.getpid() if child else b""
            key = hashlib.sha256(b"sudare-entropy-1\0" + self._seed + suffix).digest()[:16]
        self._count_from(key, 0)

    def _count_from(self, key: bytes, number: int) -> None:
        """Begin with the first block of substream ``number``: 2^64 of them, 2^64 blocks each."""
        first = number.to_bytes(8, "big") + bytes(8)
        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(first)).encryptor()
        self._pid = os.getpid()
        self._made = self._position = self._thread = 0

    @classmethod
    def system(cls) -> Entropy:
        """Return a stream keyed by the operating system: what protects people."""
        return cls()

    @classmethod
    def seeded(cls, seed: bytes | int) -> Entropy:
        """Return a repeatable stream. For simulations and tests: it protects nobody.

        A whole number >= 0, as a ``random_state`` is elsewhere, stands for the decimal text of it:
        ``seeded(7)`` is ``seeded(b"7")``.

        Raises:
            WrongTypeError, DomainError: neither bytes nor such a number.

        Examples:
            >>> Entropy.seeded(7).take(8) == Entropy.seeded(b"7").take(8)
            True
        """
        if isinstance(seed, bytes):
            return cls(seed)
        if isinstance(seed, bool | np.bool_) or not isinstance(seed, int | np.integer):
            raise WrongTypeError("seed", "must be bytes or a whole number", 'write b"..." or 7')
        if not 0 <= seed < 1 << 128:
            raise DomainError("seed", "must lie in [0, 2**128)", 'write b"..."', got=seed)
        return cls(b"%d" % int(seed))

    def __repr__(self) -> str:
        return "Entropy.system()" if self._seed is None else "Entropy.seeded(...)"

    def __reduce__(self) -> NoReturn:
        raise WrongTypeError("rng", "must not be copied: two copies would share their noise")

    def _claim(self) -> None:
        """Take a fresh key in a child process; refuse a second thread."""
        if self._pid != os.getpid():
            self._start(child=True)
        thread = threading.get_ident()
        if self._thread != thread:
            if self._thread:
                remedy = "give each thread its own stream"
                raise DomainError("rng", "must be used by one thread alone", remedy)
            self._thread = thread

    def _refill(self, size: int) -> None:
        """Overwrite the buffer with at least ``size`` new bytes (few more: none are wasted)."""
        self._made = max(size, _LEAST_BYTES)
        self._encryptor.update_into(_ZEROS[: self._made], self._buffer.data)
        self._position = 0

    def take(self, n: int) -> bytes:
        """Return the next ``n`` bytes."""
        if n < 0:
            raise DomainError("n", "must be >= 0", got=n)
        self._claim()
        start, left = self._position, self._made - self._position
        if n <= left:
            self._position = start + n
            return self._buffer[start : start + n].tobytes()
        if n - left <= _LEAST_BYTES:  # as fill does it: later words stand at the same places
            tail = min(n - left, _SLACK)
            head = self._buffer[start : self._made].tobytes()
            head += self._encryptor.update(_ZEROS[: n - left - tail])
            self._refill(tail)
            self._position = tail
            return head + self._buffer[:tail].tobytes()
        out = np.empty(n, dtype=np.uint8)
        self.fill(out)
        return out.tobytes()

    def block(self, n: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return ``n`` fresh words as a view that the next call overwrites (little-endian).

        At most :data:`BLOCK_BYTES` bytes; the caller may change the view in place.
        """
        kind = np.dtype(dtype).newbyteorder("<")
        size = n * kind.itemsize
        if not 0 <= size <= BLOCK_BYTES:
            raise DomainError("n", f"must be at most {BLOCK_BYTES} bytes of words", got=n)
        self._claim()
        start = -(-self._position // kind.itemsize) * kind.itemsize
        if start + size > self._made:
            self._refill(size)
            start = 0
        self._position = start + size
        return self._buffer[start : start + size].view(kind)

    def fill(self, out: npt.NDArray[Any]) -> None:
        """Overwrite a contiguous array with random bytes, most of them without a copy."""
        flat = out.reshape(-1).view(np.uint8)
        self._claim()
        left = min(flat.size, self._made - self._position)
        flat[:left] = self._buffer[self._position : self._position + left]
        self._position += left
        tail = max(left, flat.size - _SLACK)
        for start in range(left, tail, BLOCK_BYTES):
            self._encryptor.update_into(_ZEROS[: tail - start], flat[start:].data)
        flat[tail:] = self.block(flat.size - tail, np.uint8)

    def substreams(self) -> Substreams:
        """Return independent streams for the parts of one piece of work.

        Under a key that this stream draws: what a part gets depends on its number alone, not on the
        thread that works on it.

        Examples:
            >>> first, again = (Entropy.seeded(b"demo").substreams() for _ in range(2))
            >>> with first.stream(7) as rng, again.stream(7) as other:
            ...     rng.take(4) == other.take(4)
            True
        """
        return Substreams(self.take(16))

    def generator(self) -> np.random.Generator:
        """Return a NumPy generator keyed from this stream.

        For drawing aggregates of simulated respondents (binomials, multinomials). No real
        respondent is ever protected by it.
        """
        return np.random.Generator(np.random.Philox(key=int.from_bytes(self.take(16), "little")))


_local = threading.local()


class Substreams:
    """Numbered streams under one key; substream i counts its AES blocks from ``i 2^64``."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    @contextmanager
    def stream(self, number: int) -> Iterator[Entropy]:
        """Yield a substream from its start, ``0 <= number < 2**64``: once for each, or it repeats.

        What it is made of is this thread's, and is used again.
        """
        spare: list[Entropy] = _local.__dict__.setdefault("spare", [])
        stream = spare.pop() if spare else Entropy.system()
        stream._count_from(self._key, number)
        try:
            yield stream
        finally:
            spare.append(stream)


Randomness: TypeAlias = (
    Entropy | int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
)
"""What a simulation takes as ``rng``: a stream, a seed, a NumPy generator that seeds one by its
next 32 bytes, or None for the operating system's; see :func:`as_entropy`."""


def default_entropy() -> Entropy:
    """Return this thread's stream from the operating system."""
    stream: Entropy | None = getattr(_local, "stream", None)
    if stream is None:
        stream = _local.stream = Entropy.system()
    return stream


def as_entropy_source(entropy: EntropySource | None) -> EntropySource:
    """Return ``entropy``, or this thread's secure stream when it is None."""
    if entropy is None:
        return default_entropy()
    if not callable(getattr(entropy, "take", None)):
        remedy = "leave it out to protect people"
        raise WrongTypeError("entropy", "must have a take(n) method, or be None", remedy)
    return entropy


def as_entropy(rng: Randomness) -> Entropy:
    """Return ``rng``, this thread's secure stream when it is None, or the stream of a seed.

    A seed repeats a simulation, as a ``random_state`` does elsewhere: a whole number n stands for
    ``Entropy.seeded(n)``; a NumPy generator seeds a stream by the next 32 bytes that it draws.

    Raises:
        WrongTypeError, DomainError: none of these.
    """
    if isinstance(rng, Entropy):
        return rng
    if rng is None:
        return default_entropy()
    if isinstance(rng, np.random.Generator | np.random.RandomState):
        return Entropy.seeded(rng.bytes(32))
    if isinstance(rng, bool | np.bool_) or not isinstance(rng, int | np.integer):
        rule = "must be an Entropy, a whole number, a NumPy generator or None"
        raise WrongTypeError("rng", rule, "write rng=7 to repeat a simulation")
    return Entropy.seeded(int(rng))


def as_entropy_of_people(rng: object) -> Entropy | None:
    """Return ``rng``, where noise hides real people: an Entropy that is named as such, or None.

    A number is refused: it comes with habits from elsewhere, and noise that can be repeated can be
    taken away.
    """
    if rng is not None and not isinstance(rng, Entropy):
        remedy = "leave it out to protect people; write rng=sudare.Entropy.seeded(7) to simulate"
        raise WrongTypeError("rng", "must be an Entropy or None", remedy)
    return rng
