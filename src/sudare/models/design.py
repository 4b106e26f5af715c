"""Covariates as a matrix with names, for each combination of the categories that were randomised.

A category that nobody knows makes a row of the matrix unknown: there is a matrix for every
combination that could hold, and the likelihood goes over all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.mechanisms.values import as_numbers

INTERCEPT = "const"

_TOLD = 1e-8
"""How much of a column, as a part of it, is none beside others."""

Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The rows of a regression.

    Attributes:
        matrices: (combinations, n, p) the covariates under each combination of categories.
        names: of the p coefficients.
    """

    matrices: Floats
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        combinations, n, p = self.matrices.shape
        if not np.isfinite(self.matrices).all():
            raise DomainError("covariates", "must be finite", "leave out rows without a value")
        if len(set(self.names)) < p:
            raise DomainError("covariates", "must have different names", got=self.names)
        if n <= p:
            rule = f"must have more rows than coefficients ({p})"
            raise EstimationError("covariates", rule, "collect more, or ask for fewer", got=n)
        stacked = self.matrices.reshape(combinations * n, p)
        scaled = stacked / np.maximum(np.abs(stacked).max(axis=0), 1e-300)
        if p and np.linalg.matrix_rank(scaled) < p:
            rule = "must not tell each other: a column is a sum of others"
            raise EstimationError("covariates", rule, "leave one of them out", got=self.names)

    @property
    def same(self) -> npt.NDArray[np.bool_]:
        """(p,) which columns hold whatever was randomised."""
        return np.asarray((self.matrices == self.matrices[0]).all(axis=(0, 1)))

    @property
    def clear(self) -> Floats:
        """(n, q) an intercept, and the columns of any combination that it and they do not tell.

        A column beside given categories is known from what is in clear: of ``tea:age`` age itself
        is one, though no coefficient is its own.
        """
        n, first = self.matrices.shape[1], self.matrices[0]
        kept, basis = [np.ones(n)], np.empty((n, 0))
        for place, matrix in enumerate(self.matrices):
            fresh = (matrix != first).any(axis=0) if place else np.full(matrix.shape[1], True)
            for column in matrix[:, fresh & (np.ptp(matrix, axis=0) > 0)].T:
                own = rest = column - column.mean()
                for _ in range(2):  # once is not enough for columns that are nearly told
                    rest = rest - basis @ (basis.T @ rest)
                length = np.linalg.norm(rest)
                if length > _TOLD * np.linalg.norm(own):
                    kept.append(column)
                    basis = np.column_stack((basis, rest / length))
        return np.column_stack(kept)

    def without(self, names: Sequence[str]) -> Design:
        """Return the design whose coefficients of these names are 0."""
        kept = [place for place, name in enumerate(self.names) if name not in names]
        return Design(self.matrices[:, :, kept], tuple(self.names[place] for place in kept))


def plain(
    covariates: Any, n: int, sizes: Mapping[str, int], names: Sequence[str] | None, intercept: bool
) -> Design:
    """Return the design of columns of numbers, and of an indicator for each category but 0."""
    own = columns_of(covariates, names)
    blocks = [np.ones((n, 1))] if intercept else []
    titles = [INTERCEPT] if intercept else []
    for name, column in own.items():
        numbers = as_numbers(column, f"covariates[{name!r}]", "leave out rows without a value")
        if numbers.shape != (n,):
            rule = f"must have a value for each of the {n} reports"
            raise DomainError(f"covariates[{name!r}]", rule, got=numbers.shape)
        blocks.append(numbers[:, None])
        titles.append(name)
    clear = np.hstack(blocks) if blocks else np.empty((n, 0))
    indicators = np.array([indicated(each, sizes) for each in combinations(sizes)])
    titles += [f"{name}[{value}]" for name, k in sizes.items() for value in range(1, k)]
    if not titles:
        raise DomainError("covariates", "must have a column", "or leave the intercept in")
    matrices = [np.hstack((clear, np.broadcast_to(one, (n, one.size)))) for one in indicators]
    return Design(np.array(matrices), tuple(titles))


def combinations(sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return every combination of categories, the last one fastest; one where there are none."""
    return list(product(*(range(k) for k in sizes.values())))


def indicated(each: Sequence[int], sizes: Mapping[str, int]) -> Floats:
    """Return the indicators of a combination: of each category but 0."""
    parts = [np.eye(k)[value, 1:] for value, k in zip(each, sizes.values(), strict=True)]
    return np.concatenate(parts) if parts else np.empty(0)


def columns_of(covariates: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the columns of a mapping, of a data frame or of an (n, p) array, by name."""
    if covariates is None:
        return {}
    remedy = "give a mapping of names to columns, a data frame or an (n, p) array"
    if isinstance(covariates, Mapping):
        own = dict(covariates)
    elif hasattr(covariates, "columns") or hasattr(covariates, "column_names"):
        titles = getattr(covariates, "column_names", None) or covariates.columns
        own = {name: np.asarray(covariates[name]) for name in titles}
    else:
        array = as_numbers(covariates, "covariates", remedy)
        if array.ndim != 2:
            raise DomainError("covariates", "must have the shape (n, p)", remedy, got=array.shape)
        titles = _titles(names, array.shape[1])
        if len(titles) != array.shape[1]:
            rule = "must name each column"
            raise DomainError("names", rule, f"there are {array.shape[1]}", got=len(titles))
        own = dict(zip(titles, array.T, strict=True))
    for name in own:
        if not isinstance(name, str) or not name:
            raise WrongTypeError("covariates", "must have names of text", remedy, got=name)
    return {name: _numbers(column) for name, column in own.items()}


def _titles(names: Sequence[str] | None, p: int) -> list[str]:
    """Return the names of an array's columns, checked."""
    if names is None:
        return [f"x{place}" for place in range(1, p + 1)]
    remedy = 'such as ["age", "height"]'
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise WrongTypeError("names", "must be a list of text", remedy, got=type(names).__name__)
    titles = list(names)
    if not all(isinstance(one, str) for one in titles):
        raise WrongTypeError("names", "must be a list of text", remedy)
    if len(set(titles)) < len(titles):
        raise DomainError("names", "must differ", remedy, got=titles)
    return [str(one) for one in titles]


def _numbers(column: Any) -> Any:
    """Return truth values as 0 and 1."""
    array = np.asarray(column)
    return array.astype(np.float64) if array.dtype == np.bool_ else column
