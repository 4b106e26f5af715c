"""What every sampler program can do, and the registry of kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt

from sudare import samplers
from sudare.errors import CollectionError, PrivacyError, ReportError, as_one_of, counted
from sudare.exact import floor_float, log_bounds
from sudare.exact.entropy import Entropy, EntropySource
from sudare.samplers.fields import Field

ENUMERATION_LIMIT = 1 << 22
"""Most cells of a law that :meth:`Program.matrix` writes out."""

_KINDS: dict[str, type[Program]] = {}


class Program(ABC):
    """A randomiser in integers: from a value to a report.

    Must implement: ``draw`` (bulk), ``draw_one`` (one report, fixed layout of entropy), ``ratio``,
    ``laws``, the codec, and name its ``fields``.
    """

    kind: ClassVar[str]
    fields: ClassVar[Mapping[str, Field]]
    """How each field stands in JSON, in their order."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in cls.__dict__:
            _KINDS[cls.kind] = cls

    # -- the law -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def inputs(self) -> int:
        """Number of values that can be given."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of reports that can come out."""

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """Largest ratio of the probabilities of one report under two values: ``e**ε``, exactly."""

    @property
    def epsilon(self) -> float:
        """Guarantee of one report: ``ln(ratio)``, rounded down from rational bounds."""
        return floor_float(log_bounds(self.ratio)[0])

    def every(self) -> Iterable[Any]:
        """Return all values as :meth:`draw_one` takes them, in the order of the law's columns."""
        return range(self.inputs)

    @abstractmethod
    def laws(self, values: Sequence[Any]) -> list[list[Fraction]]:
        """Return the exact law of the reports of each of a few values, [value][report]."""

    def matrix(self) -> list[list[Fraction]]:
        """Return the exact law ``P[report][value]`` for small alphabets (tests and audits)."""
        self._refuse_enumeration()
        return [list(row) for row in zip(*self.laws(list(self.every())), strict=True)]

    @property
    def guess_probability(self) -> float:
        """How probably the best guess of the value from one report is right, all values alike.

        ::

            Σ_r max_v P(r | v) / inputs

        In whole numbers, rounded once. Source: Gursoy et al. 2022 (IEEE TIFS 17), the Bayesian
        adversary.

        Raises:
            ReportError: the law is too large to write out, and the kind has no formula.

        Examples:
            >>> from sudare.samplers import Keep
            >>> Keep(k=3, width=8, keep=64, step=64).guess_probability
            0.5
        """
        return float(sum(map(max, self.matrix()), Fraction(0)) / self.inputs)

    def wires(self) -> Iterator[bytes]:
        """Yield the wire form of every report, in the order of the law's rows."""
        return (row.to_bytes(self.report_bytes, "little") for row in range(self.outputs))

    # -- drawing -----------------------------------------------------------------------------

    @abstractmethod
    def draw(self, values: npt.NDArray[np.unsignedinteger[Any]], rng: Entropy) -> Any:
        """Randomise checked values in bulk; entropy laid out as is fastest."""

    @abstractmethod
    def draw_one(self, value: Any, entropy: EntropySource) -> Any:
        """Randomise one checked value with the layout of entropy that the browser uses too."""

    # -- the wire ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def report_bytes(self) -> int:
        """Length of one encoded report in bytes."""

    @abstractmethod
    def encode_one(self, report: Any) -> bytes:
        """Return the wire form of one report."""

    @abstractmethod
    def decode(self, wire: bytes) -> Any:
        """Return the reports of ``n`` concatenated wire forms; ReportError where one is foreign."""

    def check_wire(self, wire: bytes) -> None:
        """Raise :class:`~sudare.errors.ReportError` unless ``wire`` is exactly one report."""
        self._check_length(wire)
        self.decode(wire)

    def _check_length(self, wire: bytes) -> None:
        if len(wire) != self.report_bytes:
            raise _of_another_length(self.report_bytes)

    # -- as data -----------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the program as JSON data: thresholds as hexadecimal text."""
        fields = {name: one.to_json(getattr(self, name)) for name, one in self.fields.items()}
        return {"kind": self.kind, **fields}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a program from :meth:`to_json`; CollectionError where it is not one."""
        read: dict[str, Any] = {}
        for name, field in cls.fields.items():
            read[name] = field.from_json(data[name], name, read)
        return cls(**read)

    def _refuse_enumeration(self) -> None:
        if self.inputs * self.outputs > ENUMERATION_LIMIT:
            raise ReportError(
                "alphabet",
                f"is too large to write out (limit {ENUMERATION_LIMIT} cells)",
                "use a smaller k, or .ratio and .epsilon, which need no enumeration",
            )


class Unsent(Program):
    """A program that no device runs: it has no JSON form. Says why: ``refusal``."""

    refusal: ClassVar[tuple[str, str]]
    """What the program must, and what to do instead."""

    def to_json(self) -> NoReturn:
        """Refuse: no device reads it."""
        raise PrivacyError("program", *self.refusal)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NoReturn:
        """Refuse: there is no such data."""
        raise PrivacyError("program", *cls.refusal)


class Indexed(Program):
    """A program whose report is one index below :attr:`outputs`, little-endian on the wire."""

    @property
    def report_bytes(self) -> int:
        """Bytes of an index."""
        return index_bytes(self.outputs)

    def encode_one(self, report: int) -> bytes:
        """Return the index, little-endian."""
        if not 0 <= report < self.outputs:
            raise ReportError("report", f"must lie in [0, {self.outputs})")
        return int(report).to_bytes(self.report_bytes, "little")

    def decode(self, wire: bytes) -> npt.NDArray[Any]:
        """Return the indices, each checked to be below the number of outputs."""
        return decode_indices(wire, self.outputs)

    def check_wire(self, wire: bytes) -> None:
        """Check one index."""
        decode_index(wire, self.outputs)


def from_json(data: Mapping[str, Any]) -> Program:
    """Rebuild any program from its JSON data.

    Raises:
        CollectionError: unknown kind, or parameters that do not form a law.

    Examples:
        >>> from_json({"kind": "keep", "k": 2, "width": 8, "keep": "80", "step": "40"}).epsilon
        1.0986122886681096
    """
    for name in samplers.__all__:
        getattr(samplers, name)  # a kind is known once it is loaded
    kind = data.get("kind") if isinstance(data, Mapping) else None
    family = _KINDS[as_one_of(kind, "program.kind", sorted(_KINDS), CollectionError)]
    try:
        return family.from_json(data)
    except (KeyError, TypeError) as error:
        raise CollectionError("program", f"misses or misstates a field ({error})") from None
    except RecursionError:
        raise CollectionError("program", "must not be nested so deeply") from None


# -- small helpers that several kinds share ----------------------------------------------------


def program(depth: int = 0) -> Field:
    """Return the field of a program, or of several."""
    return Field(lambda data, *_: from_json(data), lambda part: part.to_json(), depth)


def check_width(width: int) -> None:
    """Refuse a word that is not a whole number of bytes."""
    if width % 8 or not 8 <= width <= 4096:
        raise CollectionError("program.width", "must be a multiple of 8 from 8 to 4096", got=width)


def word(entropy: EntropySource, width: int) -> int:
    """Read one little-endian word."""
    return int.from_bytes(entropy.take(width // 8), "little")


def index_bytes(outputs: int) -> int:
    """Bytes of an encoded index below ``outputs``."""
    return max(1, ((outputs - 1).bit_length() + 7) // 8)


def index_dtype(outputs: int) -> np.dtype[Any]:
    """Smallest unsigned integer type that holds every index below ``outputs``."""
    return np.min_scalar_type(outputs - 1)


def decode_indices(wire: bytes, outputs: int) -> npt.NDArray[Any]:
    """Decode concatenated indices and check that each is below ``outputs``."""
    size, dtype = index_bytes(outputs), index_dtype(outputs)
    raw = wire_rows(wire, size)
    if dtype.itemsize != size:
        raw = np.pad(raw, ((0, 0), (0, dtype.itemsize - size)))
    out = raw.view(dtype.newbyteorder("<"))[:, 0]
    if out.size and int(out.max()) >= outputs:
        raise _of_another_alphabet(outputs)
    return out


def decode_index(wire: bytes, outputs: int) -> int:
    """Decode one index and check that it is below ``outputs``: ten times as fast as of an array."""
    if len(wire) != index_bytes(outputs):
        raise _of_another_length(index_bytes(outputs))
    index = int.from_bytes(wire, "little")
    if index >= outputs:
        raise _of_another_alphabet(outputs)
    return index


def wire_rows(wire: bytes, size: int) -> npt.NDArray[np.uint8]:
    """Return concatenated wire forms as rows of so many bytes."""
    if len(wire) % size:
        raise _of_another_length(size)
    return np.frombuffer(wire, dtype=np.uint8).reshape(-1, size)


def _of_another_alphabet(outputs: int) -> ReportError:
    return ReportError("report", f"must lie in [0, {outputs})", "encode it for this collection")


def _of_another_length(size: int) -> ReportError:
    return ReportError(
        "report", f"must be {counted(size, 'byte')} long", "encode it for this collection"
    )
