"""Expected errors of tables of several attributes, by whatever mechanism they are collected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from math import prod
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import WrongTypeError
from sudare.estimation.counts import margin
from sudare.estimation.estimate import Target
from sudare.estimation.support import PairLaw
from sudare.mechanisms.frequency import FrequencyOracle
from sudare.mechanisms.joint import JointRR
from sudare.mechanisms.marginal import MarginalRR
from sudare.mechanisms.pairs import SampledTables

Axes = tuple[int, ...]


@singledispatch
def table_errors(
    mechanism: Any,
    sizes: Sequence[int],
    tables: Sequence[Axes],
    n: int,
    target: Target,
    shares: Floats | None = None,
) -> list[float]:
    """Return for each table the mean over its cells of the expected squared error of a share.

    Exact.

    Args:
        mechanism: of these attributes: joint, marginal, of sampled tables, or a frequency oracle of
            all cells.
        sizes: number of categories of each attribute.
        tables: each by its attributes.
        n: number of respondents.
        target: whose shares the error is about.
        shares: the true ones, of the shape ``sizes``; None stands for uniform ones.

    Raises:
        WrongTypeError: another mechanism.

    Examples:
        >>> from sudare.mechanisms import SubsetSelection
        >>> cells, margin = table_errors(
        ...     SubsetSelection(80, 1.0), [16, 5], [(0, 1), (0,)], 45_222, "population"
        ... )
        >>> round(cells, 7), round(margin, 7)
        (7.94e-05, 0.000377)
    """
    rule = "must be joint, marginal, of sampled tables, or a frequency oracle"
    raise WrongTypeError("mechanism", rule, got=type(mechanism).__name__)


@table_errors.register
def _of_joint(
    mechanism: JointRR,
    sizes: Sequence[int],
    tables: Sequence[Axes],
    n: int,
    target: Target,
    shares: Floats | None = None,
) -> list[float]:
    true = [None if shares is None else margin(shares, axes) for axes in tables]
    return [
        mechanism.subset(axes).expected_mse(n, own, target)
        for axes, own in zip(tables, true, strict=True)
    ]


@table_errors.register
def _of_marginal(
    mechanism: MarginalRR,
    sizes: Sequence[int],
    tables: Sequence[Axes],
    n: int,
    target: Target,
    shares: Floats | None = None,
) -> list[float]:
    true = None if shares is None else [margin(shares, (i,)) for i in range(len(sizes))]
    errors = mechanism.expected_mse(n, true, target)
    return [float(errors[axis]) for (axis,) in tables]


@table_errors.register
def _of_tables(
    mechanism: SampledTables,
    sizes: Sequence[int],
    tables: Sequence[Axes],
    n: int,
    target: Target,
    shares: Floats | None = None,
) -> list[float]:
    return mechanism.expected_errors([tuple(sorted(axes)) for axes in tables], n, target, shares)


@table_errors.register
def _of_cells(
    mechanism: FrequencyOracle,
    sizes: Sequence[int],
    tables: Sequence[Axes],
    n: int,
    target: Target,
    shares: Floats | None = None,
) -> list[float]:
    """A cell of a table is the sum of many: what these are does not matter, where any two
    categories go together alike."""
    alike = isinstance(mechanism.law, PairLaw)
    true = np.full(sizes, 1 / mechanism.k) if shares is None else shares
    found = dict[Any, float]()
    errors = []
    for axes in tables:
        size = prod(sizes[axis] for axis in axes)
        if size == mechanism.k:
            own = None if shares is None else shares.ravel()
            errors.append(mechanism.expected_mse(n, own, target))
            continue
        key = size if alike else axes
        if key not in found:
            found[key] = _noise(mechanism, sizes, axes, true, alike)
        cells = margin(true, axes)
        sampled = float((cells * (1 - cells)).mean()) if target == "population" else 0.0
        errors.append((found[key] + sampled) / n)
    return errors


def _noise(
    mechanism: FrequencyOracle, sizes: Sequence[int], axes: Axes, true: Floats, alike: bool
) -> float:
    """Return n times the mean variance of the sums of cells over all but some attributes."""
    size = prod(sizes[axis] for axis in axes)
    if alike:  # whatever the shares: their part is linear in them, and they add up to 1
        even = np.full(mechanism.k, 1 / mechanism.k)
        one = (np.arange(mechanism.k) < mechanism.k // size).astype(np.float64)
        return mechanism.law.noise(one, even)
    at = np.unravel_index(np.arange(mechanism.k), tuple(sizes))
    place = np.ravel_multi_index([at[i] for i in axes], [sizes[i] for i in axes])
    sums = [(place == one).astype(np.float64) for one in range(size)]
    return float(np.mean([mechanism.law.noise(one, true.ravel()) for one in sums]))
