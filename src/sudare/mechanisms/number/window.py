"""Laws in integers from a number's node to a report: a window of likely reports, and a coin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

Rows = list[list[int]]
Scores = tuple[Fraction, ...]

WIDTH = 64
TOTAL = 1 << WIDTH


@dataclass(frozen=True, slots=True)
class Window:
    """Of ``steps + size`` reports the ``size`` from the node's own on are likely, the others not.

    ::

        weight of report j of node i    near   where i <= j < i + size
                                        far    elsewhere;   and ``left`` more for j = 0

    for nodes ``0..steps``. What integer division leaves over goes to report 0 whatever the node: it
    raises no ratio, and as 0 it leaves the mean of the reports alone, which is therefore exactly
    linear in i. One step and a window of one report is binary randomised response.

    Examples:
        >>> law = Window.of(Fraction(3), steps=2, size=2, total=100)
        >>> law.rows()
        [[37, 37, 13, 13], [13, 37, 37, 13], [13, 13, 37, 37]]
    """

    steps: int
    size: int
    near: int
    far: int
    left: int

    @classmethod
    def of(cls, gamma: Fraction, steps: int, size: int, total: int = TOTAL) -> Window:
        """Return the law with ``near / far <= gamma`` whose weights sum to ``total``."""
        far = ceil(total / (size * gamma + steps))
        near, left = divmod(total - steps * far, size)
        return cls(steps, size, near, far, left)

    @property
    def total(self) -> int:
        """Sum of each row."""
        return self.size * self.near + self.steps * self.far + self.left

    def rows(self) -> Rows:
        """Return the weights ``[node][report]``."""
        out = []
        for node in range(self.steps + 1):
            row = [self.far] * node + [self.near] * self.size + [self.far] * (self.steps - node)
            row[0] += self.left
            out.append(row)
        return out

    def scores(self) -> Scores:
        """Return the number that each report stands for, whose expectation is the node, exactly.

        ::

            total E[j | i] = far Σ_j j + (near - far) (size i + size (size - 1) / 2)
        """
        reports = self.steps + self.size
        slope = (self.near - self.far) * self.size
        start = self.far * (reports * (reports - 1) // 2)
        start += (self.near - self.far) * (self.size * (self.size - 1) // 2)
        return tuple(Fraction(j * self.total - start, slope) for j in range(reports))


@dataclass(frozen=True, slots=True)
class LinearCoin:
    """One bit whose chance rises by equal steps from node to node.

    ::

        weight of 1 at node i   least + i rise,      of 0   total - least - i rise
    """

    steps: int
    least: int
    rise: int
    total: int

    @classmethod
    def of(cls, gamma: Fraction, steps: int, total: int) -> LinearCoin:
        """Return the law with all ratios at most ``gamma``."""
        least = ceil(total / (gamma + 1))
        return cls(steps, least, (total - 2 * least) // steps, total)

    def rows(self) -> Rows:
        """Return the weights ``[node][bit]``."""
        ones = [self.least + node * self.rise for node in range(self.steps + 1)]
        return [[self.total - one, one] for one in ones]

    def scores(self) -> Scores:
        """Return the number that each bit stands for, whose expectation is the node, exactly."""
        return Fraction(-self.least, self.rise), Fraction(self.total - self.least, self.rise)
