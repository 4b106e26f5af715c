"""What becomes of a number's bin, and what its report lets others believe: exact fractions.

A report names parts of the range: one or several of a level, or the bins from which it is likely.
The browser works out the same from the same integers (``web/js/questions/number/bins.js``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from sudare.collection.questions.chances import Chances, even
from sudare.errors import CollectionError
from sudare.samplers import Bits, Choose, Keep, Pick, Program, Table

Region = tuple[int, int]
"""From one tenth of the range to another."""

HALVES: tuple[Region, ...] = ((0, 5), (5, 10))
TENTHS: tuple[Region, ...] = tuple((i, i + 1) for i in range(10))


def of_bins(program: Program, bins: int, branching: int = 1) -> Chances:
    """Return the chances of a number, any of the range equally likely before.

    ``half`` and ``tenth`` are the most that a report makes of the belief that the number lies in
    one half, or one of ten equal parts, of the range. ``own`` is the least chance that a report
    names the part in which the number lies; ``other``, where reports name parts one by one, the
    largest with which it names another one.

    Args:
        program: takes one bin; or picks a level, and takes the part of it in which the bin lies.
        bins: of the range.
        branching: parts of a level that are one of the level before; the last level has the bins.
    """
    parts = program.parts if isinstance(program, Pick) else (program,)
    levels = [
        _level(part, _widths(bins, branching ** (len(parts) - 1 - i)))
        for i, part in enumerate(parts)
    ]
    others = [level.other for level in levels if level.other is not None]
    return {
        "even": even(program.ratio),
        "half": max(level.sharpest(region) for level in levels for region in HALVES),
        "tenth": max(level.sharpest(region) for level in levels for region in TENTHS),
        "own": min(level.own for level in levels),
        **({"other": max(others)} if len(others) == len(levels) else {}),
    }


def _widths(bins: int, reach: int) -> list[int]:
    """Return how many bins each part of a level has: ``reach``, the last one maybe fewer."""
    return [min(reach, bins - start) for start in range(0, bins, reach)]


def _level(program: Program, widths: list[int]) -> _Named | _Tabled:
    if isinstance(program, Table):
        return _Tabled(program, widths)
    if not isinstance(program, Keep | Bits | Choose):
        raise CollectionError("program", "must take a part of the range")
    k, total, sizes = program.k, 1 << program.width, range(program.k + 1)
    if isinstance(program, Keep):
        own, other, sizes = program.keep + program.step, Fraction(program.step), range(1, 2)
        odds = own, program.step
    elif isinstance(program, Choose):
        own, size = program.own, program.size
        other, sizes = Fraction(size * total - own, k - 1), range(size, size + 1)
        odds = own * (k - size), (total - own) * size
    else:
        own, other = program.own, Fraction(program.other)
        odds = own * (total - program.other), (total - own) * program.other
    return _Named(widths, odds, sizes, Fraction(own, total), other / total)


def _held(widths: Sequence[int], region: Region) -> list[int]:
    """Return how much of a region lies in each part, in tenths of a bin."""
    ends, bins = [0, *accumulate(widths)], sum(widths)
    start, stop = region[0] * bins, region[1] * bins
    each = pairwise(ends)
    return [max(0, min(10 * high, stop) - max(10 * low, start)) for low, high in each]


@dataclass(frozen=True)
class _Named:
    """A level whose reports name so many parts, each set of one size as likely as another.

    Attributes:
        widths: of the parts, alike but for the last one, which is the least.
        odds: of a part that is named, and of another one.
        sizes: how many parts a report may name.
        own: chance that the part is named in which the number lies.
        other: that another one is.
    """

    widths: list[int]
    odds: tuple[int, int]
    sizes: range
    own: Fraction
    other: Fraction | None

    def sharpest(self, region: Region) -> Fraction:
        """Return the largest posterior of a region.

        It is that of a report which names the parts that hold most of it; the last one, which may
        be smaller, or not.
        """
        *held, last = _held(self.widths, region)
        sums = [0, *accumulate(sorted(held, reverse=True))]
        named = [(sums[size], size * self.widths[0]) for size in self.sizes if size < len(sums)]
        named += [
            (sums[size - 1] + last, (size - 1) * self.widths[0] + self.widths[-1])
            for size in self.sizes
            if size
        ]
        (above, below), bins = self.odds, sum(self.widths)
        whole, more = sums[-1] + last, above - below
        return max(
            Fraction(below * whole + more * own, 10 * (below * bins + more * width))
            for own, width in named
        )


class _Tabled:
    """A level whose reports are numbers: each names the bins that make it likely.

    Those whose weight is nearer to the largest than to the least.
    """

    other: Fraction | None = None

    def __init__(self, table: Table, widths: list[int]) -> None:
        self.rows, self.widths = table.weights(), widths
        self.columns = [list(column) for column in zip(*self.rows, strict=True) if any(column)]
        self.total = 1 << table.width

    @property
    def own(self) -> Fraction:
        middles = [max(column) + min(column) for column in zip(*self.rows, strict=True)]
        return min(
            Fraction(sum(w for w, middle in zip(row, middles, strict=True) if 2 * w >= middle),
                     self.total)
            for row in self.rows
        )  # fmt: skip

    def sharpest(self, region: Region) -> Fraction:
        held = _held(self.widths, region)
        return max(
            Fraction(_product(held, column), 10 * _product(self.widths, column))
            for column in self.columns
        )


def _product(some: Sequence[int], others: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(some, others, strict=True))
