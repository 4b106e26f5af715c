"""The covariances of one table among consistent ones: how strongly its attributes depend."""

from __future__ import annotations

import numpy as np

from sudare.estimation.association import table_dependence
from sudare.estimation.consistent import Axes, ConsistentPairs
from sudare.estimation.covariance import Covariance
from sudare.estimation.dependence import Dependence


def pair_covariance(source: ConsistentPairs, pair: Axes) -> Covariance:
    """Return the covariances of the cells of a pair's table, in row-major order.

    With ``C = D + V H V^T`` those of the pair's own group, R and C the indicators of rows and
    columns, U both beside each other, t and s the weights of the group in its margins::

        table = A own + (margins of other groups, spread evenly over their cells),   A = 1 - U B U^T
        B = [ (1 - t) (1 / k_j - J) + J, 0; 0, (1 - s) (1 / k_i - J) ],   J = 1 1^T / (k_i k_j)
        A C A^T = D - U B (D U)^T - D U B U^T + U B (U^T D U) B U^T + (A V) H (A V)^T

    and other groups add the covariances of their centred margins. For the respondents that of
    which cell a person is in, divided by their number, is taken off.

    Args:
        source: the consistent tables.
        pair: two attributes that somebody reported.

    Source: the algebra above.
    """
    (i, j), (rows, columns) = pair, source.shape(pair)
    own = source.laws[pair].covariance()
    first = np.repeat(np.eye(rows), columns, axis=0)
    second = np.tile(np.eye(columns), (rows, 1))
    both = np.concatenate([first, second], axis=1)
    t, s = (source.parts(axis)[pair] for axis in pair)
    even = 1 / (rows * columns)
    kept = np.zeros((rows + columns, rows + columns))
    kept[:rows, :rows] = (1 - t) * (np.eye(rows) / columns - even) + even
    kept[rows:, rows:] = (1 - s) * (np.eye(columns) / rows - even)
    turned = own.diagonal[:, None] * both
    corner = kept @ (both.T @ turned) @ kept
    inner = np.block([[corner, -kept], [-kept, np.zeros_like(kept)]])
    total = Covariance(own.diagonal, np.concatenate([both, turned], axis=1), inner)
    moved = own.vectors - both @ (kept @ (both.T @ own.vectors))
    nothing = np.zeros(rows * columns)
    total += Covariance(nothing, moved, own.inner)
    for axis, indicator, size in ((i, first, columns), (j, second, rows)):
        others = sum(
            (
                source.margin_covariances[axis, other]
                for other in source.parts(axis)
                if other != pair
            ),
            start=np.zeros((source.sizes[axis],) * 2),
        )
        total += Covariance(nothing, indicator, others / size**2)
    if source.target == "respondents":
        shares = np.clip(source.shares(pair).ravel(), 0, 1)
        shares /= max(float(shares.sum()), 1e-12)
        total += Covariance.of_one(shares).scaled(-1 / source.people)
    return total


def pair_dependence(source: ConsistentPairs, pair: Axes) -> Dependence:
    """Estimate Cramér's V of two attributes from their consistent table.

    Raises:
        EstimationError: nobody reported the pair.

    Source: :func:`~sudare.estimation.association.table_dependence`.
    """
    table = source.table(pair)
    return table_dependence(table.shares, pair_covariance(source, pair))
