"""What all mechanisms of a number in a range share: the range, one index a report, its tally."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sudare.channels import Numeric
from sudare.errors import CollectionError, EstimationError, OutOfReachError, WrongTypeError
from sudare.estimation import Counts, histogram
from sudare.exact import as_epsilon, exact_text, log_bounds, read_exact
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.number.borders import as_range, read_bound
from sudare.mechanisms.reports import as_indices
from sudare.samplers import Program, Table


class Number(Mechanism):
    """A mechanism of a number in [low, high]. A report is an index; any two numbers are neighbours.

    Must implement: ``table``, ``program``, ``_values``, ``_value`` and ``estimate``.
    """

    __slots__ = ("__dict__", "high", "low")
    low: float
    high: float

    def _set(self, epsilon: float | Fraction, low: float, high: float) -> Fraction:
        """Check and keep the parameters that all share; return the exact ε."""
        asked = as_epsilon(epsilon)
        for name, end in zip(("low", "high"), as_range(low, high), strict=True):
            object.__setattr__(self, name, end)
        object.__setattr__(self, "requested_epsilon", asked)
        return asked

    def _settle(self, program: Program) -> None:
        """Keep the program; refuse one that spends too much, or 1e-6 too little."""
        object.__setattr__(self, "program", program)
        short = self.requested_epsilon - log_bounds(program.ratio)[1]
        if not 0 <= short <= TOLERANCE:
            raise OutOfReachError(
                "epsilon", "cannot be kept by 64-bit weights", got=float(self.requested_epsilon)
            )

    @property
    def _parameters(self) -> dict[str, Any]:
        """Parameters of the constructor beside ε and the range."""
        return {}

    def __repr__(self) -> str:
        extra = "".join(f", {name}={value!r}" for name, value in self._parameters.items())
        epsilon = float(self.requested_epsilon)
        return f"{self.name}(epsilon={epsilon}, low={self.low}, high={self.high}{extra})"

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.requested_epsilon, self.low, self.high, *self._parameters.values())
        return type(self), given

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.name, self.requested_epsilon, self.low, self.high))

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: name, and its parameters, numbers as exact text."""
        return {
            "name": self.name,
            "epsilon": exact_text(self.requested_epsilon),
            "low": repr(self.low),
            "high": repr(self.high),
            **self._parameters,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            WrongTypeError, DomainError, PrivacyError: a parameter is out of range.
        """
        epsilon = read_exact(data.get("epsilon")) if isinstance(data, Mapping) else None
        if epsilon is None:
            raise CollectionError("mechanism", "must have epsilon, low and high as exact text")
        given = {name: value for name, value in data.items() if name not in ("name", "epsilon")}
        for name in ("low", "high"):
            given[name] = read_bound(data.get(name))
        make: Callable[..., Self] = cls
        try:
            return make(epsilon=epsilon, **given)
        except TypeError as error:
            if isinstance(error, WrongTypeError):
                raise
            raise CollectionError("mechanism", f"must have the parameters of {cls.name}") from None

    # -- the law -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def table(self) -> Table:
        """The law from a node or bin to a report, in 64-bit integers."""

    @cached_property
    def channel(self) -> Numeric:
        """The same law as a matrix of floats, (reports, nodes)."""
        return Numeric(np.array(self.table.weights(), dtype=np.float64).T / 2.0**self.table.width)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(reports,)``."""
        return (self.program.outputs,)

    # -- the analyst's side ------------------------------------------------------------------

    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reports of each kind; reports: (n,) whole numbers.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports.
        """
        array = as_indices(reports, self.program.outputs)
        return self._counts(histogram(array, self.program.outputs), array.size)

    def check_counts(self, counts: Counts) -> None:
        """As every mechanism, and the counts must add up to the number of reports."""
        super().check_counts(counts)
        if sum(counts.support.tolist()) != counts.n:  # int64 could wrap around
            raise EstimationError("counts.support", "must sum to n", "tally reports by aggregate()")

    def _reports_of(
        self, nodes: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw the tally of respondents of whom so many are at each node."""
        drawn = np.zeros(self.program.outputs, dtype=np.int64)
        for node in np.flatnonzero(nodes).tolist():
            law = self.channel.matrix[:, node]
            drawn += generator.multinomial(nodes[node], law / law.sum())
        return drawn
