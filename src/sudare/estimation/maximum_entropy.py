"""The most even table of several attributes that has given tables of pairs: maximum entropy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.estimation.simplex import project

MOST_CELLS = 1 << 20
"""Most cells of the joint table."""

ROUNDS = 300
CLOSE = 1e-9
SEEN, MIXED = 1e-6, 0.01

Axes = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class JointTable:
    """Shares of all attributes together, worked out from tables of some of them.

    It says nothing that the tables do not: of all joint tables that have them it is the one of the
    largest entropy. How far it is from the true one, no error tells.

    Attributes:
        shares: none below 0, of the sum 1.
        distance: the largest difference of a cell of its own tables from those that were given; 0
            but for rounding where a joint table has them all.
    """

    shares: Floats
    distance: float


def maximum_entropy(sizes: Sequence[int], tables: Mapping[Axes, Floats]) -> JointTable:
    """Return the joint table of the largest entropy with these tables of some attributes.

    Tables with shares below 0 are first made possible (:func:`possible`). Then iterative
    proportional fitting, from the uniform table: for each table in turn every cell is multiplied by
    ``wanted / own`` of the table's cell that it belongs to, up to 300 rounds, until no table is
    further than 1e-9. Where no joint table has them all it would go round in circles: a hundredth
    of each table is then replaced by the product of its margins, so that zeros of some leave room
    for others, and 300 steps towards all of them at once balance them.

    Args:
        sizes: number of categories of each attribute.
        tables: by their attributes, in ascending order; with equal margins.

    Raises:
        DomainError: more than 2**20 cells.

    Source: Deming and Stephan 1940; Csiszár 1975 (of all tables the one of the largest entropy);
    Zhang et al. 2018 (CALM) make joint tables of views so.

    Examples:
        >>> one, other = np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([[0.3, 0.2], [0.2, 0.3]])
        >>> found = maximum_entropy([2, 2, 2], {(0, 1): one, (1, 2): other})
        >>> found.shares[0].round(2).tolist()
        [[0.24, 0.16], [0.04, 0.06]]
    """
    shape = tuple(sizes)
    if prod(shape) > MOST_CELLS:
        raise DomainError("sizes", f"must have at most {MOST_CELLS} cells", got=prod(shape))
    wanted = possible(shape, tables)
    joint = _fitted(np.full(shape, 1 / prod(shape)), wanted)
    if _distance(joint, wanted) > SEEN:
        mixed = {axes: (1 - MIXED) * own + MIXED * _apart(own) for axes, own in wanted.items()}
        other = _balanced(_fitted(np.full(shape, 1 / prod(shape)), mixed), mixed)
        joint = min(joint, other, key=lambda one: _distance(one, wanted))
    return JointTable(joint, _distance(joint, tables))


def _fitted(joint: Floats, wanted: Mapping[Axes, Floats]) -> Floats:
    """Return the table after each of the wanted ones in turn, again and again."""
    for _ in range(ROUNDS):
        for axes, table in wanted.items():
            fitted = joint * _ratio(joint, axes, table)
            if fitted.sum() > 0:  # else the tables' zeros leave no cell
                joint = fitted
        if _distance(joint, wanted) <= CLOSE:
            break
    out: Floats = joint / joint.sum()
    return out


def _balanced(joint: Floats, wanted: Mapping[Axes, Floats]) -> Floats:
    """Return the table after all of the wanted ones at once, by the geometric mean of the steps."""
    for _ in range(ROUNDS):
        steps = np.ones_like(joint)
        for axes, table in wanted.items():
            steps = steps * _ratio(joint, axes, table) ** (1 / len(wanted))
        joint = joint * steps
        joint = joint / joint.sum()
    return joint


def _ratio(joint: Floats, axes: Axes, table: Floats) -> Floats:
    own = _table(joint, axes)
    ratio = np.divide(table, own, out=np.zeros_like(own), where=own > 0)
    out: Floats = ratio.reshape([size if i in axes else 1 for i, size in enumerate(joint.shape)])
    return out


def _apart(table: Floats) -> Floats:
    """Return the table of attributes with these margins that have nothing to do with each other."""
    out = np.ones(())
    for axis in range(table.ndim):
        out = np.multiply.outer(out, _margin(table, tuple(range(table.ndim)), axis))
    return np.asarray(out)


def possible(sizes: Sequence[int], tables: Mapping[Axes, Floats]) -> dict[Axes, Floats]:
    """Return tables that agree in their margins, with no share below 0 and the sum 1.

    In turn each table is projected on the simplex (Norm-Sub), and moved to the mean of the margins
    of all tables, evenly over the cells of a category; up to 300 rounds, until no share is below
    -1e-9. At the end what is below 0 becomes 0.
    """
    found = {axes: np.asarray(table, dtype=np.float64) for axes, table in tables.items()}
    if all(float(table.min()) >= 0 for table in found.values()):
        return found
    for _ in range(ROUNDS):
        found = {axes: project(one.ravel()).reshape(one.shape) for axes, one in found.items()}
        for axis, size in enumerate(sizes):
            some = {axes: _margin(one, axes, axis) for axes, one in found.items() if axis in axes}
            if not some:
                continue
            mean = np.mean(list(some.values()), axis=0)
            for axes, own in some.items():
                rest = found[axes].size // size
                step = (mean - own) / rest
                found[axes] = found[axes] + step.reshape([-1 if i == axis else 1 for i in axes])
        if min(float(one.min()) for one in found.values()) >= -CLOSE:
            break
    clipped = {axes: np.maximum(one, 0.0) for axes, one in found.items()}
    return {axes: one / one.sum() for axes, one in clipped.items()}


def _table(joint: Floats, axes: Axes) -> Floats:
    out: Floats = joint.sum(axis=tuple(i for i in range(joint.ndim) if i not in axes))
    return out


def _margin(table: Floats, axes: Axes, axis: int) -> Floats:
    out: Floats = table.sum(axis=tuple(place for place, i in enumerate(axes) if i != axis))
    return out


def _distance(joint: Floats, tables: Mapping[Axes, Floats]) -> float:
    return max(float(np.abs(_table(joint, axes) - own).max()) for axes, own in tables.items())
