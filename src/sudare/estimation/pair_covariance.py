"""The covariances of a pair's table: how strongly its attributes depend."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Kronecker
from sudare.estimation.association import table_dependence
from sudare.estimation.consistent import Axes, ConsistentTables
from sudare.estimation.covariance import Covariance
from sudare.estimation.dependence import Dependence
from sudare.estimation.estimate import Target


def pair_covariance(source: ConsistentTables, pair: Axes) -> Covariance:
    """Return the covariances of the cells of a pair's table, in row-major order.

    With ``C = D + V H V^T`` those of the pair's margin of a group that reports it, u, t and s the
    weights of the group in the effects of both and of each, R and C the indicators of rows and
    columns, U both beside each other::

        told = A own,   A = u (1 - U B U^T),   J = 1 1^T / (k_i k_j)
        B = [ (1 - t/u) (1 / k_j - J) + J, 0; 0, (1 - s/u) (1 / k_i - J) ]
        A C A^T / u² = D - U B (D U)^T - D U B U^T + U B (U^T D U) B U^T + (A V) H (A V)^T / u²

    Groups that report one of the two add the covariances of their centred margins, spread evenly.
    For the respondents that of which cell a person is in, divided by their number, is taken off.

    Args:
        source: the consistent tables.
        pair: two attributes that somebody reported.

    Source: the algebra above.
    """
    (i, j), (rows, columns) = pair, source.shape(pair)
    first = np.repeat(np.eye(rows), columns, axis=0)
    second = np.tile(np.eye(columns), (rows, 1))
    nothing = np.zeros(rows * columns)
    total = Covariance(nothing, np.zeros((nothing.size, 0)), np.zeros((0, 0)))
    for group in source.parts(pair):
        total += _told(source, group, pair, np.concatenate([first, second], axis=1))
    for axis, indicator, size in ((i, first, columns), (j, second, rows)):
        others = np.zeros((source.sizes[axis],) * 2)
        for group, own in source.margin_covariances[axis].items():
            if group not in source.parts(pair):
                others += own
        total += Covariance(nothing, indicator, others / size**2)
    if source.target == "respondents":
        shares = np.clip(source.shares(pair).ravel(), 0, 1)
        shares /= max(float(shares.sum()), 1e-12)
        total += Covariance.of_one(shares).scaled(-1 / source.people)
    return total


def covariance_apart(
    channel: Kronecker, support: npt.NDArray[np.int64], target: Target
) -> Covariance:
    """Return the same of two attributes that were randomised apart, each all others alike.

    With x the unbiased table of the reports' shares y, g I + h 1 1^T the inverse of each channel,
    and U the indicators of rows and columns beside each other::

        W = g_1 g_2 I + U S U^T,     n C = W diag(y) W^T - x x^T      (diag(x): the respondents)

    Args:
        channel: of the two attributes.
        support: counts of the reports, (I, J).
        target: of whom.

    Source: the algebra above.
    """
    rows, columns = support.shape
    n = int(support.sum())
    first = np.repeat(np.eye(rows), columns, axis=0)
    both = np.concatenate([first, np.tile(np.eye(columns), (rows, 1))], axis=1)
    ends = [
        part.solve(np.eye(size)[0]) for part, size in zip(channel.parts, support.shape, strict=True)
    ]
    (g, h), (k, m) = ((float(one[0] - one[1]), float(one[1])) for one in ends)
    inner = np.zeros((rows + columns, rows + columns))
    inner[:rows, :rows] = g * m * np.eye(rows) + h * m
    inner[rows:, rows:] = h * k * np.eye(columns)
    y = support.ravel() / n
    x = g * k * y + both @ (inner @ (both.T @ y))
    seen = y[:, None] * both
    size = len(inner)
    middle = np.zeros((2 * size, 2 * size))
    middle[:size, :size] = inner @ (both.T @ seen) @ inner
    middle[:size, size:] = middle[size:, :size] = g * k * inner
    total = Covariance((g * k) ** 2 * y, np.concatenate([both, seen], axis=1), middle)
    if target == "population":
        total += Covariance(np.zeros(y.size), x[:, None], np.array([[-1.0]]))
    else:
        total += Covariance(-np.clip(x, 0, 1), np.zeros((y.size, 0)), np.zeros((0, 0)))
    return total.scaled(1 / n)


def _told(source: ConsistentTables, group: Axes, pair: Axes, both: Floats) -> Covariance:
    """Return the covariances of what a group tells that reports both."""
    (rows, columns), own = source.shape(pair), source.covariance(group, pair)
    told = source.parts(pair)[group]
    t, s = (source.parts((axis,))[group] / told for axis in pair)
    even = 1 / (rows * columns)
    kept = np.zeros((rows + columns, rows + columns))
    kept[:rows, :rows] = (1 - t) * (np.eye(rows) / columns - even) + even
    kept[rows:, rows:] = (1 - s) * (np.eye(columns) / rows - even)
    turned = own.diagonal[:, None] * both
    inner = np.zeros((2 * len(kept), 2 * len(kept)))
    inner[: len(kept), : len(kept)] = kept @ (both.T @ turned) @ kept
    inner[: len(kept), len(kept) :] = inner[len(kept) :, : len(kept)] = -kept
    moved = own.vectors - both @ (kept @ (both.T @ own.vectors))
    out = Covariance(own.diagonal, np.concatenate([both, turned], axis=1), inner)
    out += Covariance(np.zeros(rows * columns), moved, own.inner)
    return out.scaled(told**2)


def pair_dependence(source: ConsistentTables, pair: Axes) -> Dependence:
    """Estimate Cramér's V of two attributes from their consistent table.

    Raises:
        EstimationError: nobody reported the pair.

    Source: :func:`~sudare.estimation.association.table_dependence`.
    """
    table = source.table(pair)
    return table_dependence(table.shares, pair_covariance(source, pair))
