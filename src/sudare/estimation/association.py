"""Cramér's V of an estimated table, from the covariances of its cells."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.estimation.covariance import Covariance
from sudare.estimation.dependence import CERTAIN, Dependence


def table_dependence(shares: Floats, covariance: Covariance) -> Dependence:
    """Estimate Cramér's V of a table whose cells are unbiased, whatever mechanism they come from.

    With x the table divided by its sum s, r and c its margins, C the covariances of the cells
    divided by s², and z the standardised table::

        z_ij = (x_ij - r_i c_j) / sqrt(r_i c_j),   φ² = Σ z_ij²,   P = its slope: z = P x
        E φ²(estimated) = φ² + tr S + ...,   S = P C P^T

    The excess tr S is taken off. The variance is the delta method's, and 2 tr S² that remain under
    independence, as in :func:`~sudare.estimation.dependence.cramers_v`, which is the same for
    attributes that were randomised apart. Categories that are rare are left out as there.

    Args:
        shares: (I, J) unbiased shares.
        covariance: of the I J cells in row-major order.

    Source: the algebra above; Bergsma 2013 without noise.

    Examples:
        >>> seen = np.array([[0.4, 0.1], [0.1, 0.4]])
        >>> of_1000 = Covariance.of_one(seen.ravel()).scaled(1 / 1000)
        >>> table_dependence(seen, of_1000)
        Dependence(V=0.599, 95 % interval 0.552 to 0.651)
    """
    sizes = shares.shape
    cells = np.arange(shares.size).reshape(sizes)
    kept = [_told_apart(shares, covariance, axis) for axis in (0, 1)]
    left_out = tuple(np.flatnonzero(~one).tolist() for one in kept)
    some = np.ix_(*kept)
    x = shares[some]
    rare = (tuple(left_out[0]), tuple(left_out[1]))
    if min(x.shape) < 2 or min(x.sum(axis=1).min(), x.sum(axis=0).min()) <= 0:
        return Dependence(0.0, 0.0, 0.0, 0, rare)
    places = np.full(shares.size, -1)
    places[cells[some].ravel()] = np.arange(x.size)
    whole = float(x.sum())
    return _square(x / whole, covariance.grouped(places, x.size).scaled(whole**-2), rare)


def _told_apart(shares: Floats, covariance: Covariance, axis: int) -> Booleans:
    """Return which categories of an attribute have a share that is told from nothing."""
    margin = shares.sum(axis=1 - axis)
    own = covariance.margin(shares.shape, (axis,))
    spread = ((own.vectors @ own.inner) * own.vectors).sum(axis=1)
    error = np.sqrt(np.maximum(own.diagonal + spread, 0))
    out: Booleans = (margin > 0) & (margin >= CERTAIN * error)
    return out


def _square(
    x: Floats, covariance: Covariance, left_out: tuple[tuple[int, ...], tuple[int, ...]]
) -> Dependence:
    r, c = x.sum(axis=1), x.sum(axis=0)
    expected = np.outer(r, c)
    plain = float(((x - expected) ** 2 / expected).sum())
    ratio = x / expected
    slope = 2 * ratio
    slope -= (ratio * x / r[:, None]).sum(axis=1)[:, None]
    slope -= (ratio * x / c).sum(axis=0)
    own, inner = covariance.diagonal.reshape(x.shape), covariance.inner
    vectors = covariance.vectors.reshape(*x.shape, -1)
    along = np.einsum("ij,ijr->r", slope, vectors)
    noise = float((slope * slope * own).sum() + along @ inner @ along)
    # P v of each vector, and P^T P v; P^T P itself is the product of two small matrices
    seen = _standardised(vectors, r, c)
    back = (seen / np.sqrt(expected)[..., None]).reshape(x.size, -1)
    seen = seen.reshape(x.size, -1)
    turned = inner @ (seen.T @ seen)
    rows, columns = np.diag(1 / r) - 1, np.diag(1 / c) - 1
    excess = float((own * np.outer(1 / r - 1, 1 / c - 1)).sum() + np.trace(turned))
    wide = float((own * (rows**2 @ own @ columns**2)).sum())
    wide += 2 * float(np.trace(inner @ (back.T * own.ravel()) @ back))
    wide += float(np.trace(turned @ turned))
    return Dependence(
        square=plain - max(0.0, excess),
        steep=max(0.0, noise) / plain if plain > 0 else 0.0,
        flat=2 * max(0.0, wide),
        most=min(x.shape) - 1,
        left_out=left_out,
    )


def _standardised(vectors: Floats, r: Floats, c: Floats) -> Floats:
    """Return ``(v_ij - r_i v_.j - c_j v_i. + r_i c_j v_..) / sqrt(r_i c_j)`` of each vector."""
    rows, columns = vectors.sum(axis=1), vectors.sum(axis=0)
    both = r[:, None, None] * c[:, None]
    out = vectors - r[:, None, None] * columns - c[:, None] * rows[:, None]
    return np.asarray((out + both * rows.sum(axis=0)) / np.sqrt(both))
