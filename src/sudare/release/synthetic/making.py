"""``Making``: from what was drawn to made-up rows and their report; the data is not looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.exact import exact_text
from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.synthetic.cells import Cells
from sudare.release.synthetic.grouping import members, ungrouped
from sudare.release.synthetic.plan import Plan
from sudare.release.synthetic.synthesis import Synthesis, TableReport
from sudare.release.synthetic.tree import Measured, Tree

MOST_UNASKED = 1_000_000
"""Rows, where no number of them is asked for."""

NOTES = (
    "rows are made up: none is a person's",
    "its bound is of each measured count; the rows' own tables lie farther off: see their report",
)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTables:
    """What was measured, as it stands in a ledger.

    Attributes:
        singles: counts of each column, with noise.
        groups: of each column the group of each cell in pairs, -1 for none.
        chosen: pairs of columns.
        pairs: counts of each of them, with noise.
        seed: of the rows that are made of it.
    """

    singles: list[list[int]]
    groups: list[list[int]]
    chosen: list[list[int]]
    pairs: list[list[int]]
    seed: str

    @property
    def told(self) -> dict[str, Any]:
        """It as JSON data."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Making:
    """How rows are made.

    Attributes:
        plan: what the price bought.
        cells: of each column.
        n: number of rows of the data; None where it is private.
        rows: how many to make; None for as many.
        sampling_stderr: of a count.
    """

    plan: Plan
    cells: tuple[Cells, ...]
    n: int | None
    rows: int | None
    sampling_stderr: float | None

    def released(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return what an answer says of what was drawn."""
        drawn = MeasuredTables(**answer)
        each = self.plan.of_pair(len(drawn.chosen))
        of_single, of_pair = self.plan.noise(self.plan.single), self.plan.noise(each)
        laws = [of_single.law("count")]
        if drawn.chosen:
            laws.append(of_pair.law("count"))
        if self.plan.rate is not None:
            rate = exact_text(self.plan.rate)
            laws.append({"of": "choice", "law": "exponential", "rate": rate})
        widest = max(of_single, of_pair, key=lambda one: one.scale)
        return {
            "value": self.made(drawn),
            "noise": tuple(laws),
            "notes": NOTES,
            "bound_in": "rows",
            "sampling_stderr": self.sampling_stderr,
            "_reach": lambda miss: float(widest.reach(miss)),
        }

    def made(self, drawn: MeasuredTables) -> Synthesis:
        """Return the rows that what was drawn says, always the same, and their report."""
        n = sum(map(sum, drawn.singles)) / len(self.cells) if self.n is None else self.n
        measured, costs = self._measured(drawn)
        sizes = [one.counts.size for one in measured[: len(self.cells)]]
        rng = Entropy.seeded(bytes.fromhex(drawn.seed)).generator()
        many = self.rows or min(max(round(n), 1), MOST_UNASKED)
        grouped = Tree.fitted(sizes, measured, max(n, 1.0)).rows(many, rng)
        pairs = zip(measured, costs, strict=True)
        tables = tuple(self._report(one, cost, grouped, max(n, 1.0)) for one, cost in pairs)
        columns = {}
        each = zip(self.cells, drawn.groups, drawn.singles, grouped, strict=True)
        for cells, groups, counts, at in each:
            columns[cells.column] = cells.values(ungrouped(groups, counts, at, rng), rng)
        return Synthesis(columns, tables, many)

    def _measured(self, drawn: MeasuredTables) -> tuple[list[Measured], list[Cost]]:
        """Return the tables that were drawn, in groups, and the price of each."""
        out, costs = [], []
        each = self.plan.of_pair(len(drawn.chosen))
        variance = _variance(self.plan.noise(self.plan.single))
        for column, (counts, groups) in enumerate(zip(drawn.singles, drawn.groups, strict=True)):
            of = members(groups)
            table = np.array(counts, dtype=np.float64) @ of
            out.append(Measured((column,), table, variance * of.sum(0)))
            costs.append(self.plan.single)
        variance = _variance(self.plan.noise(each))
        for (a, b), counts in zip(drawn.chosen, drawn.pairs, strict=True):
            shape = out[a].counts.size, out[b].counts.size
            table = np.array(counts, dtype=np.float64).reshape(shape)
            out.append(Measured((a, b), table, variance))
            costs.append(each)
        return out, costs

    def _report(
        self, one: Measured, cost: Cost, places: Sequence[Integers], n: float
    ) -> TableReport:
        """Return how far the made-up rows' table lies from a measured one."""
        at = places[one.columns[0]]
        for column in one.columns[1:]:
            at = at * one.counts.shape[1] + places[column]
        shares = np.bincount(at, minlength=one.counts.size) / at.size
        stderr = self.plan.noise(cost).stderr
        mean = stderr * math.sqrt(0.5 if cost.unit == "epsilon" else 2 / math.pi)  # of its size
        return TableReport(
            tuple(self.cells[column].column for column in one.columns),
            one.counts.size,
            cost,
            stderr,
            float(np.abs(shares - one.counts.ravel() / n).sum() / 2),
            one.counts.size * mean / (2 * n),
        )


def _variance(noise: Noise) -> float:
    """Return the variance of a count; at a price that hides nothing it rounds to 0."""
    return max(noise.stderr**2, 1e-6)
