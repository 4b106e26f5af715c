"""``curve``: how wide the interval of a share is at each ε, for every mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare import frames
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation.estimate import (
    Target,
    check_confidence,
    check_target,
    normal_quantile,
)
from sudare.exact import as_epsilon, as_integer
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.values import as_array, as_categories_count
from sudare.planning.crossings import crossing, grid

LOW, HIGH, POINTS = 0.1, 8.0, 81


@dataclass(frozen=True, eq=False)
class Curve:
    """Half widths of a typical interval of a share, by mechanism and ε.

    Attributes:
        k, n, target, confidence: what the widths are about.
        epsilons: (m,) float64, increasing.
        half_widths: mechanism's name to (m,) float64, as shares; NaN where it is out of reach.
        crossing: ε from which on GRR is better than OUE (:func:`crossing`), or None.
    """

    k: int
    n: int
    target: Target
    confidence: float
    epsilons: npt.NDArray[np.float64]
    half_widths: Mapping[str, npt.NDArray[np.float64]]
    crossing: float | None

    def __len__(self) -> int:
        return len(self.epsilons)

    def rows(self) -> Iterator[dict[str, float]]:
        """Yield one record an ε: ``epsilon`` and the half width of each mechanism."""
        for i, epsilon in enumerate(self.epsilons.tolist()):
            yield {
                "epsilon": epsilon,
                **{name: float(widths[i]) for name, widths in self.half_widths.items()},
            }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row an ε."""
        return frames.build({"epsilon": self.epsilons, **self.half_widths}, library)


def curve(
    k: int,
    n: int,
    *,
    epsilons: npt.ArrayLike | None = None,
    target: Target = "population",
    confidence: float = 0.95,
) -> Curve:
    """Return the half width of a typical interval at each ε, for every mechanism.

    ::

        half_width = z sqrt(expected_mse(n))

    with uniform shares, as in :func:`plan`.

    Args:
        k: number of categories.
        n: number of respondents.
        epsilons: increasing ε, each in [0.001, 20]; default 81 in equal ratios from 0.1 to 8.
        target: whose shares the error is about.
        confidence: of the interval.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.

    Examples:
        >>> c = curve(k=43, n=49_742, epsilons=[1.0, 2.0, 4.0])
        >>> c.half_widths["GRR"].round(4).tolist()
        [0.0345, 0.0102, 0.0024]
        >>> round(c.crossing, 3)
        2.818
    """
    size, people = as_categories_count(k), as_integer(n, "n", low=1, high=2**62)
    check_target(target)
    level = check_confidence(confidence)
    asked = _epsilons(epsilons)
    known = names(FrequencyOracle)
    errors = {name: np.full(len(asked), math.nan) for name in known}
    for i, epsilon in enumerate(asked):
        for mse, mechanism in rank(size, epsilon, people, target):
            errors[mechanism.name][i] = mse
    z = normal_quantile(level)
    return Curve(
        k=size,
        n=people,
        target=target,
        confidence=level,
        epsilons=np.array([float(epsilon) for epsilon in asked]),
        half_widths={name: z * np.sqrt(mse) for name, mse in errors.items()},
        crossing=crossing("GRR", "OUE", k=size),
    )


def _epsilons(epsilons: npt.ArrayLike | None) -> list[Fraction]:
    if epsilons is None:
        return [as_epsilon(epsilon) for epsilon in grid(LOW, HIGH, POINTS)]
    array = as_array(epsilons)
    if array is None or array.ndim != 1:
        raise WrongTypeError("epsilons", "must be a list of numbers")
    asked = [as_epsilon(epsilon, "epsilons") for epsilon in array.tolist()]
    if not asked or any(a >= b for a, b in pairwise(asked)):
        raise DomainError("epsilons", "must be increasing, at least one")
    return asked
