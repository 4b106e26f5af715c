"""Mechanisms whose report is one of several parts', told beside it: drawn, or picked."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy, Randomness
from sudare.frozen import set_fields
from sudare.mechanisms.base import Mechanism, OneValue, adds_up_to
from sudare.mechanisms.bulk import in_blocks, in_parts
from sudare.mechanisms.frequency import FrequencyOracle
from sudare.mechanisms.values import as_array
from sudare.samplers import Pick, Program
from sudare.samplers.base import index_bytes
from sudare.samplers.pick import OnePart


class OneOfParts(Mechanism):
    """A mechanism of which a report is one of a part's, and the number of that part.

    Reports: (n, bytes) uint8, the wire form: the number of the part, then its report. Counts: of
    each part the number of its reports, then its support.
    """

    __slots__ = ("parts",)
    parts: Sequence[Any]
    """The mechanism of each part."""
    program: OnePart

    @property
    def shape(self) -> tuple[int, ...]:
        """``(Σ (1 + cells),)``: of each part its reports, then its support."""
        return (sum(1 + prod(part.shape) for part in self.parts),)

    def split(self, support: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Return of each part its reports and its support."""
        return np.split(support, np.cumsum([1 + prod(part.shape) for part in self.parts])[:-1])

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Tally reports in the form that :meth:`perturb` returns."""
        array = as_array(reports)
        if array is None or array.dtype != np.uint8:
            raise WrongTypeError("reports", "must be bytes (uint8)", "use perturb's output")
        if array.ndim != 2 or array.shape[1] != self.report_bytes:
            raise ReportError("reports", f"must have the shape (n, {self.report_bytes})")
        return self.tally(self.program.decode(array.tobytes()))

    def tally(self, decoded: tuple[npt.NDArray[Any], list[Any]]) -> Counts:
        """Tally reports as the program decodes them: indices, and the reports of each part."""
        index, reports = decoded
        rows = [np.stack(own, axis=1) if isinstance(own, list) else own for own in reports]
        each = [part.aggregate(own) for part, own in zip(self.parts, rows, strict=True)]
        support = np.concatenate([np.append(one.n, one.support) for one in each])
        return self._counts(support.astype(np.int64), int(index.size))

    def _adds_up(self, counts: Counts) -> bool:
        parts = self.split(counts.support)
        numbers = np.array([part[0] for part in parts])
        within = all(int(part[1:].max()) <= part[0] for part in parts)
        return adds_up_to(numbers, counts.n) and within


class Picked(OneOfParts, OneValue):
    """Draw one of the parts uniformly; report what is held there, with the whole ε.

    Must implement: ``_build`` by ``_pick``, ``_values`` (a category of each part), ``estimate``.
    """

    __slots__ = ()
    parts: tuple[FrequencyOracle, ...]
    """The oracle of each part of the answer."""
    program: Pick

    def _pick(self, parts: tuple[FrequencyOracle, ...]) -> None:
        set_fields(self, parts=parts, program=Pick(tuple(part.program for part in parts)))

    def perturb(self, values: npt.ArrayLike, *, rng: Randomness = None) -> npt.NDArray[Any]:
        """Randomise what n respondents hold.

        Args:
            values: respondents on axis 0.
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            (n, bytes) uint8: reports in their wire form.

        Raises:
            WrongTypeError, DomainError: a value is outside the domain; nothing is randomised or
                returned, and the message never shows the value.
        """
        return in_blocks(self._draw, rng, values, report_bytes=self.report_bytes)

    def _draw(self, values: npt.ArrayLike, rng: Entropy) -> npt.NDArray[Any]:
        return wire_of(self.program, *self.program.draw(self._values(values), rng))


def wire_of(program: OnePart, index: npt.NDArray[Any], reports: list[Any]) -> npt.NDArray[np.uint8]:
    """Return the wire forms of reports as a program draws them."""
    out = np.zeros((index.size, program.report_bytes), dtype=np.uint8)
    start = index_bytes(len(program.parts))
    out[:, :start] = _little_endian(index, start)
    for i, (part, own) in enumerate(zip(program.parts, reports, strict=True)):
        out[index == i, start : start + part.report_bytes] = _rows(part, own)
    return out


def _rows(part: Program, reports: Any) -> npt.NDArray[np.uint8]:
    """Return the wire forms of a part's reports: of several components one after the other."""
    if isinstance(reports, list):
        each = zip(part.parts, reports, strict=True)  # type: ignore[attr-defined] # a product
        return np.concatenate([_rows(one, own) for one, own in each], axis=1)
    if reports.ndim == 2:
        wire: npt.NDArray[np.uint8] = reports
        return wire
    return _little_endian(reports, part.report_bytes)


def _little_endian(values: npt.NDArray[Any], width: int) -> npt.NDArray[np.uint8]:
    wide = values.astype("<u8").view(np.uint8).reshape(-1, 8)
    return wide[:, :width]
