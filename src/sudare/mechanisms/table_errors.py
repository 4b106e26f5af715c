"""Expected errors of tables of several attributes, by whatever mechanism they are collected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from math import prod
from typing import Any

import numpy as np

from sudare.errors import WrongTypeError
from sudare.estimation.estimate import Target
from sudare.estimation.support import PairLaw
from sudare.mechanisms.frequency import FrequencyOracle
from sudare.mechanisms.joint import JointRR
from sudare.mechanisms.marginal import MarginalRR
from sudare.mechanisms.pairs import SampledPairs

Axes = tuple[int, ...]


@singledispatch
def table_errors(
    mechanism: Any, sizes: Sequence[int], tables: Sequence[Axes], n: int, target: Target
) -> list[float]:
    """Return for each table the mean over its cells of the expected squared error of a share.

    Exact; for the population uniform true shares are assumed.

    Args:
        mechanism: of these attributes: joint, marginal, of sampled pairs, or a frequency oracle of
            all cells.
        sizes: number of categories of each attribute.
        tables: each by its attributes.
        n: number of respondents.
        target: whose shares the error is about.

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
    rule = "must be joint, marginal, of sampled pairs, or a frequency oracle"
    raise WrongTypeError("mechanism", rule, got=type(mechanism).__name__)


@table_errors.register
def _of_joint(
    mechanism: JointRR, sizes: Sequence[int], tables: Sequence[Axes], n: int, target: Target
) -> list[float]:
    return [mechanism.subset(axes).expected_mse(n, target=target) for axes in tables]


@table_errors.register
def _of_marginal(
    mechanism: MarginalRR, sizes: Sequence[int], tables: Sequence[Axes], n: int, target: Target
) -> list[float]:
    errors = mechanism.expected_mse(n, target=target)
    return [float(errors[axis]) for (axis,) in tables]


@table_errors.register
def _of_pairs(
    mechanism: SampledPairs, sizes: Sequence[int], tables: Sequence[Axes], n: int, target: Target
) -> list[float]:
    return mechanism.expected_errors([tuple(sorted(axes)) for axes in tables], n, target)


@table_errors.register
def _of_cells(
    mechanism: FrequencyOracle, sizes: Sequence[int], tables: Sequence[Axes], n: int, target: Target
) -> list[float]:
    """A cell of a table is the sum of many: what these are does not matter, where any two
    categories go together alike."""
    alike, found = isinstance(mechanism.law, PairLaw), dict[Any, float]()
    for axes in tables:
        key = prod(sizes[axis] for axis in axes) if alike else axes
        if key not in found:
            found[key] = _sums(mechanism, sizes, axes, n, target, alike)
    keys = [prod(sizes[axis] for axis in axes) if alike else axes for axes in tables]
    return [found[key] for key in keys]


def _sums(
    mechanism: FrequencyOracle,
    sizes: Sequence[int],
    axes: Axes,
    n: int,
    target: Target,
    alike: bool,
) -> float:
    """Return the mean error of the sums of cells over all but some attributes."""
    size = prod(sizes[axis] for axis in axes)
    if size == mechanism.k:
        return mechanism.expected_mse(n, target=target)
    uniform = np.full(mechanism.k, 1 / mechanism.k)
    if alike:
        sums = [(np.arange(mechanism.k) < mechanism.k // size).astype(np.float64)]
    else:
        at = np.unravel_index(np.arange(mechanism.k), tuple(sizes))
        place = np.ravel_multi_index([at[i] for i in axes], [sizes[i] for i in axes])
        sums = [(place == one).astype(np.float64) for one in range(size)]
    noise = float(np.mean([mechanism.law.noise(one, uniform) for one in sums]))
    sampled = (1 - 1 / size) / size if target == "population" else 0.0
    return (noise + sampled) / n
