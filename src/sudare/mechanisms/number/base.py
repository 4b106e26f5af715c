"""What all mechanisms of a number in a range share: the range, one index a report, its tally."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.channels import Numeric
from sudare.errors import OutOfReachError
from sudare.estimation import Counts, histogram
from sudare.exact import log_bounds
from sudare.frozen import set_fields
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.number.validation import HIGH, LOW
from sudare.mechanisms.parameters import EPSILON, Parameter
from sudare.mechanisms.reports import as_indices
from sudare.samplers import Program, Table


class Number(OneValue):
    """A mechanism of a number in [low, high]. A report is an index; any two numbers are neighbours.

    Must implement: ``_build``, ``table``, ``_values``, ``_value`` and ``estimate``.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON, LOW, HIGH)
    conformance: ClassVar[str] = "sudare.testing.number"
    __slots__ = ("__dict__", "high", "low")
    low: float
    high: float

    def _settle(self, program: Program) -> None:
        """Keep the program; refuse one that spends too much, or 1e-6 too little."""
        set_fields(self, program=program)
        short = self.requested_epsilon - log_bounds(program.ratio)[1]
        if not 0 <= short <= TOLERANCE:
            raise OutOfReachError(
                "epsilon", "cannot be kept by 64-bit weights", got=float(self.requested_epsilon)
            )

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

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reports of each kind; reports: (n,) whole numbers."""
        array = as_indices(reports, self.program.outputs)
        return self._counts(histogram(array, self.program.outputs), array.size)

    def _reports_of(
        self, nodes: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw the tally of respondents of whom so many are at each node."""
        drawn = np.zeros(self.program.outputs, dtype=np.int64)
        for node in np.flatnonzero(nodes).tolist():
            law = self.channel.matrix[:, node]
            drawn += generator.multinomial(nodes[node], law / law.sum())
        return drawn
