"""Formulas such as ``age + C(region)``, read by formulaic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sudare.errors import DomainError, MissingExtraError, WrongTypeError
from sudare.models.design import Design, combinations

_REMEDY = 'such as "age + C(region)": the right-hand side alone, without the outcome'


def read(formula: object, columns: Mapping[str, Any], n: int, sizes: Mapping[str, int]) -> Design:
    """Return the design of a formula, for each combination of the randomised categories.

    These are columns of whole numbers with their own names, so that they may be in any term; each
    must be named. Rows are the same whatever the columns of others are.

    Raises:
        MissingExtraError: formulaic is not installed.
        WrongTypeError, DomainError: not a formula, or one that these columns do not satisfy.
    """
    if not isinstance(formula, str):
        raise WrongTypeError("formula", "must be text", _REMEDY, got=type(formula).__name__)
    if "~" in formula:
        raise DomainError("formula", "must not name an outcome", _REMEDY, got=formula)
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    except ImportError:
        raise MissingExtraError("formulaic", "models", "for formulas") from None
    import pandas as pd  # formulaic needs it

    for name in columns:
        if name in sizes:
            raise DomainError("randomised", "must not have the name of a covariate", got=name)
        if len(columns[name]) != n:
            rule = f"must have a value for each of the {n} reports"
            raise DomainError(f"covariates[{name!r}]", rule, got=len(columns[name]))
    frame = pd.DataFrame({name: np.asarray(column) for name, column in columns.items()}, range(n))
    if frame.isna().any(axis=None):
        raise DomainError("covariates", "must be finite", "leave out rows without a value")
    try:
        parsed = Formula(formula)
        matrices = []
        for each in combinations(sizes):
            for (name, k), value in zip(sizes.items(), each, strict=True):
                frame[name] = pd.Categorical(np.full(n, value), categories=range(k))
            matrices.append(parsed.get_model_matrix(frame, context={}, na_action="raise"))
        names = tuple(str(one) for one in matrices[0].columns)
        cells = np.array([np.asarray(one, dtype=np.float64) for one in matrices])
    except (FormulaicError, SyntaxError, TypeError, ValueError, AttributeError) as error:
        rule = f"must be one that these columns satisfy ({type(error).__name__})"
        raise DomainError("formula", rule, _REMEDY, got=formula) from None
    axes = cells.reshape(*sizes.values(), *cells.shape[1:])
    for axis, name in enumerate(sizes):
        if (np.diff(axes, axis=axis) == 0).all():
            raise DomainError("formula", f"must have {name} in it", "it was randomised")
    return Design(cells, names)
