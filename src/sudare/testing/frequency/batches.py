"""Batches and simulations, looked at by what reports support: at any k."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Integers
from sudare.exact.entropy import Entropy, Randomness
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.batches import compared
from sudare.testing.core.look import Groups, Look, mixed
from sudare.testing.core.simulations import Tallies, steps
from sudare.testing.frequency.supports import MOST_PAIRED, SupportedReports
from sudare.testing.suite import Comparison, Total, demand
from sudare.testing.sums import Middle, law_of_sum

MOST_CATEGORIES = 1 << 16

Sums = tuple[tuple[tuple[float, float, float], int], ...]

_CELLS = 1 << 24
_SIMULATED = 1 << 20  # cells of the calls of a check, of which there are
_CALLS = (1 << 7, 1 << 10)
_FEW_REPORTS = 1 << 12
_WORDS = 1 << 19  # entropy of all single reports of one check, in words of one category each


def perturbs_mixed_batches(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """A shuffled batch of different values: each respondent by itself follows the law."""
    look = Supports(m)
    drawn = look.draw(mixed(m.k, look.size, rng), rng)
    yield from compared(drawn, rng)
    if m.k <= MOST_PAIRED:
        yield from drawn.between_categories()
    else:
        far = int(rng.generator().integers(1, m.k))
        yield from drawn.within_reports((1, 8, far))


class Supports(Look):
    """Batches are larger where few reports are different, and smaller where k is large."""

    m: FrequencyOracle

    def __init__(self, m: FrequencyOracle) -> None:
        self.m, self.k = m, m.k
        most = 1 << 15 if m.program.outputs <= _FEW_REPORTS else 1 << 12
        self.size = max(1 << 8, min(most, _CELLS // m.k))
        self.singles = max(32, min(1 << 9, _WORDS // m.k))

    def perturb(self, values: Integers, rng: Randomness) -> npt.NDArray[Any]:
        """Randomise a batch: one respondent's is given as a list."""
        return self.m.perturb(values if values.size > 1 else values.tolist(), rng=rng)

    def seen(self, values: Integers, reports: npt.NDArray[Any]) -> SupportedReports:
        """Return what the reports support."""
        return SupportedReports(self.m, values, supports_of(self.m, reports))

    def one_by_one(self, values: Integers, entropy: Entropy | None) -> SupportedReports:
        """Return what the reports of ``perturb_one`` support."""
        reports = [self.m.perturb_one(value, entropy=entropy) for value in values.tolist()]
        wire = b"".join(self.m.program.encode_one(report) for report in reports)
        return self.seen(values, np.asarray(self.m.program.decode(wire)))

    def in_groups(
        self, reports: npt.NDArray[Any], few: Integers, groups: Groups
    ) -> tuple[Any, Any]:
        """Return the tallies of each group in a few categories."""
        tallies = [[self.m.aggregate(reports[own]).support[few] for own in one] for one in groups]
        p, q = (float(x) for x in self.m.support_probabilities)
        return np.array(tallies), np.where(few[:, None] == few, p, q)


def supports_of(m: FrequencyOracle, reports: npt.NDArray[Any]) -> Booleans:
    """Return what each report supports, (n, k), by ``aggregate`` of it alone.

    Where reports repeat, each is tallied once; the tally of all must be the sum. No report may
    say more than its number below ``program.outputs``: padding on the wire is 0.
    """
    first = inverse = np.arange(len(reports))
    if m.program.outputs <= MOST_CATEGORIES:
        _, first, inverse = np.unique(reports, axis=0, return_index=True, return_inverse=True)
    rows, wires, most = np.empty((first.size, m.k), dtype=np.bool_), [], m.program.outputs
    for row, i in zip(rows, first.tolist(), strict=True):
        wires.append(bytes(m.program.encode_one(reports[i])))
        demand(
            len(wires[-1]) == m.report_bytes and int.from_bytes(wires[-1], "little") < most,
            "must send nothing beyond its report, such as padding that is not 0",
        )
        counts = m.aggregate(reports[i : i + 1])
        demand(counts.n == 1, "must tally one report as one")
        row[:] = counts.support
    again = m.program.decode(b"".join(wires))
    demand(np.array_equal(again, reports[first]), "must decode what it encodes")
    supports: Booleans = rows[inverse.reshape(-1)]
    total = m.aggregate(reports)
    demand(
        total.n == len(reports) and np.array_equal(total.support, supports.sum(axis=0)),
        "must tally a batch as the sum of its reports",
    )
    return supports


class SupportTallies(Tallies):
    """Laws of supports, and of sums and differences of two, given the true counts."""

    def __init__(self, m: FrequencyOracle) -> None:
        self.m, self.k = m, m.k
        self.spread = m.k
        self.calls = int(np.clip(_SIMULATED // m.k, *_CALLS))
        self.p, self.q = (float(x) for x in m.support_probabilities)
        self._sums = cache(self._law_of_groups)

    def single(self, truth: Integers, cell: int) -> Middle:
        """Return the law of one support: of those with the category, and of the others."""
        own, others = int(truth[cell]), int(truth.sum() - truth[cell])
        return self._sums((((self.p, 0.0, 0.0), own), ((self.q, 0.0, 0.0), others)), 1)

    def pair(self, truth: Integers, first: int, second: int, sign: int) -> Middle:
        """Return the law of the sum or the difference of two supports."""
        values = np.flatnonzero(truth)
        groups: dict[tuple[float, float, float], int] = {}
        together = self.m.law.pair_probability(first, second, values).tolist()
        for value, both in zip(values.tolist(), together, strict=True):
            own, other = (self.p if value == one else self.q for one in (first, second))
            groups[own, other, both] = groups.get((own, other, both), 0) + int(truth[value])
        return self._sums(tuple(sorted(groups.items())), sign)

    def _law_of_groups(self, groups: Sums, sign: int) -> Middle:
        return law_of_sum([(people, steps(*each, sign)) for each, people in groups])
