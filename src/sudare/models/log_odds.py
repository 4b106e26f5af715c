"""Logistic regression of an outcome of two categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.mechanisms.values import as_array
from sudare.models.answers import Answers
from sudare.models.covariates import RandomisedColumn, check_respondents
from sudare.models.families import Logit
from sudare.models.fit import Fit


def logistic(
    reports: Any,
    mechanism: Any = None,
    covariates: Any = None,
    *,
    randomised: Mapping[str, tuple[Any, Any]] | None = None,
    formula: str | None = None,
    names: Sequence[str] | None = None,
    intercept: bool = True,
    independent: bool = False,
    category: int | str | None = None,
) -> Fit:
    """Return the logistic regression of a randomised outcome, or on randomised covariates.

    ::

        ln(P(outcome = 1) / P(outcome = 0)) = β_0 + Σ_j β_j x_j

    by maximum likelihood: a report is seen, or several, and the likelihood goes over all that they
    may stand for. Standard errors are those of the observed information, and have the randomisation
    in them. ε stays what it is: nothing more is asked of anybody.

    Args:
        reports: of the outcome, as ``mechanism.perturb`` returns them (n respondents); without a
            mechanism the outcome itself, 0 and 1 or truth values.
        mechanism: of two categories, such as ``sd.GRR(2, epsilon)``, or a channel of two values
            whose rows the reports number; None for an outcome in clear.
        covariates: in clear: a mapping of names to columns (n,), a data frame, or an array (n, p).
        randomised: covariates that were randomised: a name, and its reports with their mechanism
            of k categories. Each category but 0 has a coefficient, ``name[category]``.
        formula: the right-hand side, such as ``"age + C(region)"``, read by formulaic (extra
            ``models``); randomised covariates are columns of it, of whole numbers.
        names: of an array's columns; default x1, x2, ...
        intercept: whether there is one (without a formula), ``const``.
        independent: whether randomised covariates are taken not to depend on those in clear; by
            default their law is a multinomial logit of these.
        category: of a mechanism of several categories: the one whose holding is the outcome, by its
            number or label; all others are 0. What a report says of that one alone is used.

    Raises:
        WrongTypeError, DomainError: not such arguments, or numbers that are not finite.
        ReportError: reports that the mechanism cannot produce.
        EstimationError: covariates that tell each other, or tell the outcome without error
            (separation), so that no finite coefficients are the likeliest.
        MissingExtraError: a formula without formulaic.

    Source: van den Hout, van der Heijden, Gilchrist 2007; Blair, Imai, Zhou 2015.

    Examples:
        >>> import numpy as np
        >>> import sudare as sd
        >>> rng = np.random.default_rng(1)
        >>> age = rng.normal(size=4000)
        >>> smokes = rng.random(4000) < 1 / (1 + np.exp(0.5 - age))      # nobody ever sees this
        >>> m = sd.GRR(2, epsilon=2.0)
        >>> reports = m.perturb(smokes.astype(int), rng=sd.Entropy.seeded(b"models"))
        >>> fit = sd.models.logistic(reports, m, {"age": age})
        >>> fit.names, fit.coefficients.round(2).tolist(), fit.stderr.round(2).tolist()
        (('const', 'age'), [-0.54, 1.06], [0.05, 0.07])
    """
    check_respondents(reports, covariates, randomised)
    if category is not None:
        outcome = Answers.of_one(reports, mechanism, category)
    elif mechanism is None:
        outcome = Answers.exact(_zero_or_one(reports), 2)
    else:
        outcome = Answers.read(reports, mechanism, "mechanism")
        if outcome.k != 2:
            rule = "must have two categories"
            remedy = "or say which one is the outcome: category="
            raise DomainError("mechanism", rule, remedy, got=outcome.k)
    asked = RandomisedColumn.read(
        len(outcome), covariates, randomised, formula, names, intercept, independent
    )
    return asked.fitted("logistic", Logit(outcome.likelihood), outcome.by)


def _zero_or_one(values: Any) -> Integers:
    """Return an outcome in clear as 0 and 1."""
    array = as_array(values)
    remedy = "or give the mechanism that randomised it"
    if array is None or array.dtype.kind not in "biuf" or array.ndim != 1:
        raise WrongTypeError("reports", "must be an outcome of 0 and 1, (n,)", remedy)
    if not array.size or not np.isin(array, (0, 1)).all():
        raise DomainError("reports", "must be 0 or 1 each without a mechanism", remedy)
    return array.astype(np.int64)
