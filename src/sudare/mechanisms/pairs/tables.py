"""What the reports about sampled tables tell: these, smaller ones, and one of all attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sudare.errors import DomainError
from sudare.estimation import Estimate
from sudare.estimation.conclude import EstimateRequest
from sudare.estimation.consistent import Axes, ConsistentTables
from sudare.estimation.counts import check_axes
from sudare.estimation.covariance import Covariance
from sudare.estimation.dependence import Dependence
from sudare.estimation.maximum_entropy import JointTable, maximum_entropy
from sudare.estimation.pair_covariance import pair_covariance, pair_dependence


@dataclass(frozen=True, eq=False)
class DrawnTables:
    """Tables that agree in their margins, each made when it is asked for.

    Attributes:
        source: all of them; of groups that nobody reported none.
        asked: what an estimate says beside its numbers.
        groups: every set of attributes that can be drawn.
    """

    source: ConsistentTables
    asked: EstimateRequest
    groups: tuple[Axes, ...]

    def table(self, axes: Axes) -> Estimate:
        """Return the estimate of attributes that are drawn together, or of some of them.

        Raises:
            EstimationError: nobody reported what it takes.
        """
        return self.asked.conclude(self.source.table(axes).result, Estimate)

    def dependence(self, axes: Sequence[int] = (0, 1)) -> Dependence:
        """Estimate how strongly two attributes depend on each other: Cramér's V, with an interval.

        From their consistent table and its covariances.

        Raises:
            WrongTypeError, DomainError: not two distinct attributes.
            EstimationError: nobody reported them.

        Source: :func:`~sudare.estimation.pair_covariance.pair_dependence`.
        """
        kept = check_axes(axes, len(self.source.sizes))
        if len(kept) != 2:
            raise DomainError("axes", "must be two attributes", got=len(kept))
        return pair_dependence(self.source, tuple(sorted(kept)))

    def covariance(self, axes: Axes) -> Covariance:
        """Return the covariances of the cells of a pair's table; EstimationError as of one."""
        return pair_covariance(self.source, axes)

    def joint(self) -> JointTable:
        """Work out a table of all attributes from those of the groups, by maximum entropy.

        Of all tables that have those of the groups it is the most even one: what more attributes
        have to do with each other beyond that, groups do not tell. It has no standard errors.

        Raises:
            EstimationError: nobody reported one of the groups.
            DomainError: more than 2**20 cells.

        Source: :func:`~sudare.estimation.maximum_entropy.maximum_entropy`.
        """
        tables = {group: self.source.table(group).shares for group in self.groups}
        return maximum_entropy(self.source.sizes, tables)
