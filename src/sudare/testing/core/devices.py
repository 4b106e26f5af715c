"""Exact: ``perturb_one`` is what a device runs, on the same bytes, answer by answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sudare.errors import PrivacyError
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.samplers import Keep, Program, Table, from_json
from sudare.samplers.packed import Packed
from sudare.testing.family import family_of
from sudare.testing.suite import demand

_RANDOM = 4  # random patterns an answer
_PATTERN = 1021  # bytes of one: a prime, so that no two words of it are the same for long
_BYTES = 1 << 20  # of all reports
_LEAST = 64  # bytes that a report counts for


def perturbs_one_by_its_program(m: Mechanism, rng: Entropy) -> None:
    """``perturb_one`` is ``draw_one`` of the program's JSON on the same bytes, to the last byte.

    Words at both ends and on both sides of the program's thresholds, and random ones: for every
    answer where they are a few hundred at most, else for some chosen afresh.
    """
    family = family_of(m)
    if not family.alone(m):
        return
    device = _device(m.program)
    for answer in _chosen(m, device, rng):
        value = family.given(m, answer)
        for pattern in _patterns(device, value, rng):
            theirs, ours = _Repeats(pattern), _Repeats(pattern)
            expected = device.encode_one(device.draw_one(value, theirs))
            got = m.program.encode_one(m.perturb_one(answer, entropy=ours))
            demand(
                got == expected and ours.taken == theirs.taken,
                "must perturb one value as its program does from the same bytes",
            )


def _device(program: Program) -> Program:
    try:
        return from_json(program.to_json())
    except PrivacyError:  # no device runs it
        return program


def _chosen(m: Mechanism, device: Program, rng: Entropy) -> list[Any]:
    """Return every answer, or the first, the second, the last and as many others as fit."""
    family = family_of(m)
    answers, tape = family.answers(m), _Repeats(rng.take(_PATTERN))
    first = family.given(m, answers[0])
    device.draw_one(first, tape)
    patterns = len(list(_patterns(device, first, rng)))
    most = _BYTES // (max(tape.taken, _LEAST) * patterns)
    if len(answers) <= most:
        return list(answers)
    others = rng.generator().choice(len(answers), most + 1, replace=False).tolist()
    return [answers[i] for i in (0, 1, len(answers) - 1, *others)]


def _patterns(device: Program, value: Any, rng: Entropy) -> Iterator[bytes]:
    """Yield bytes to repeat: the words at the edges of the law, and random ones."""
    if isinstance(device, Keep | Packed | Table):
        top = 1 << device.width
        words = {0, top - 1}
        words.update(t - side for t in _thresholds(device, value) for side in (0, 1))
        for word in sorted(words):
            if 0 <= word < top:
                yield word.to_bytes(device.width // 8, "little")
    for _ in range(_RANDOM):
        yield rng.take(_PATTERN)


def _thresholds(device: Keep | Packed | Table, value: Any) -> tuple[int, ...]:
    if isinstance(device, Keep):
        return (device.keep,)
    if isinstance(device, Packed):
        return device.own, device.other
    row = device.rows[value]
    return row[0], row[len(row) // 2], row[-1]


class _Repeats:
    """An entropy source that gives the same bytes again and again, and counts them."""

    def __init__(self, pattern: bytes) -> None:
        self.pattern, self.taken = pattern, 0

    def take(self, n: int) -> bytes:
        start = self.taken % len(self.pattern)
        self.taken += n
        return (self.pattern * ((start + n) // len(self.pattern) + 1))[start : start + n]
