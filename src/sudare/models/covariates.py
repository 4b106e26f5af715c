"""Check the covariates of a regression, in clear and randomised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.alignment import check_rows
from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.models.answers import Answers
from sudare.models.design import INTERCEPT, Design, columns_of, plain
from sudare.models.families import Family
from sudare.models.fit import Fit, fitted
from sudare.models.likelihood import Likelihood

MOST = 256
"""Most combinations of categories of randomised covariates."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomisedColumn:
    """Covariates, checked.

    Attributes:
        design: their matrices.
        sizes: number of categories of each randomised one.
        seen: (n, combinations) how probable its reports are under each combination.
        given: (n, q) what the law of the combinations depends on.
        by: how they were randomised, in words.
        intercept: its name; empty without.
    """

    design: Design
    sizes: dict[str, int]
    seen: Floats
    given: Floats
    by: tuple[str, ...]
    intercept: str

    @classmethod
    def read(
        cls,
        n: int,
        covariates: Any,
        randomised: Mapping[str, tuple[Any, Any]] | None,
        formula: str | None,
        names: Sequence[str] | None,
        intercept: bool,
        independent: bool,
    ) -> RandomisedColumn:
        """Return checked covariates of n respondents."""
        answers = _answers(randomised, n)
        sizes = {name: one.k for name, one in answers.items()}
        if int(np.prod(list(sizes.values()))) > MOST:
            rule = f"must have at most {MOST} combinations of categories"
            raise DomainError("randomised", rule, "join categories, or leave one out", got=sizes)
        if formula is None:
            design = plain(covariates, n, sizes, names, intercept)
        else:
            from sudare.models.formulas import read

            design = read(formula, columns_of(covariates, names), n, sizes)
        seen = np.ones((n, 1))
        for one in answers.values():
            seen = (seen[:, :, None] * one.likelihood[:, None, :]).reshape(n, -1)
        given = np.ones((n, 1)) if independent or not sizes else design.clear
        by = tuple(f"{name} by {one.by}" for name, one in answers.items())
        own = [name for name in design.names if name in (INTERCEPT, "Intercept")]
        return cls(design, sizes, seen, given, by, own[0] if own else "")

    def fitted(self, kind: str, family: Family, outcome: str) -> Fit:
        """Return the regression of an outcome of that law."""
        by = (f"the outcome by {outcome}", *self.by) if outcome else self.by
        likelihood = Likelihood(self.design, family, self.seen, self.given)
        return fitted(kind, likelihood, self.sizes, by, self.intercept)


def check_respondents(reports: Any, covariates: Any, randomised: Any) -> None:
    """Raise DomainError where columns of pandas would not go together by position."""
    columns = {"reports": reports, "covariates": covariates}
    if isinstance(covariates, Mapping):
        columns.update({f"covariates[{name!r}]": one for name, one in covariates.items()})
    for name, pair in randomised.items() if isinstance(randomised, Mapping) else ():
        if isinstance(pair, tuple):
            columns[f"randomised[{name!r}]"] = next(iter(pair), None)
    check_rows(columns)


def _answers(randomised: object, n: int) -> dict[str, Answers]:
    """Return the reports of randomised covariates, checked."""
    if randomised is None:
        return {}
    remedy = 'such as {"region": (reports, mechanism)}'
    if not isinstance(randomised, Mapping):
        rule = "must be a mapping of names to reports with their mechanism"
        raise WrongTypeError("randomised", rule, remedy)
    out = {}
    for name, pair in randomised.items():
        argument = f"randomised[{name!r}]"
        if not isinstance(name, str) or not isinstance(pair, tuple) or len(pair) != 2:
            raise WrongTypeError(argument, "must be a name, and reports with a mechanism", remedy)
        out[name] = Answers.read(*pair, argument)
        if len(out[name]) != n:
            rule = f"must have a report for each of the {n} respondents"
            raise DomainError(argument, rule, "one a respondent, in one order", got=len(out[name]))
    return out
