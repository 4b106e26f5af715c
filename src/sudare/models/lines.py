"""Linear regression of a number, or of categories with public scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from sudare.alignment import align
from sudare.arrays import Floats
from sudare.channels import Numeric
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.mechanisms.number.mean import MeanOfNumber
from sudare.mechanisms.reports import as_indices
from sudare.mechanisms.values import as_numbers
from sudare.models.answers import law_of, places, summary_name
from sudare.models.covariates import RandomisedColumn, check_respondents
from sudare.models.families import Normal
from sudare.models.fit import Fit

_SAME = 1e-9


def linear(
    reports: Any,
    mechanism: Any = None,
    covariates: Any = None,
    *,
    scores: Any = None,
    randomised: Mapping[str, tuple[Any, Any]] | None = None,
    formula: str | None = None,
    names: Sequence[str] | None = None,
    intercept: bool = True,
    independent: bool = False,
) -> Fit:
    """Return the line that tells a randomised number, or a number by randomised covariates.

    ::

        E[outcome] = β_0 + Σ_j β_j x_j

    A randomised outcome: a report r stands for a number u_r whose mean, whatever is held, is what
    is held (``Σ_r M[r, v] u_r = score_v``), and the line is that of least squares through these. No
    law of the outcome is assumed; the errors are those of the sandwich (HC1), and have the
    randomisation in them.

    An outcome in clear, with covariates that were randomised: maximum likelihood with normal
    deviations of one size, over all categories that the reports may stand for; errors of the
    observed information.

    Args:
        reports: of the outcome, as ``mechanism.perturb`` returns them (n respondents); without a
            mechanism the outcome itself, finite numbers.
        mechanism: ``sd.Duchi``, ``Piecewise`` or ``Hybrid``; or one of k categories or a channel,
            with ``scores``; None for an outcome in clear.
        covariates: as in :func:`logistic`, like all that follow.
        scores: (k,) public: the number that each category stands for.
        randomised: covariates that were randomised, beside an outcome in clear.
        formula, names, intercept, independent: as in :func:`logistic`.

    Raises:
        WrongTypeError, DomainError: not such arguments, numbers that are not finite, or both the
            outcome and covariates randomised.
        ReportError: reports that the mechanism cannot produce.
        EstimationError: covariates that tell each other; no finite coefficients are the likeliest.
        MissingExtraError: a formula without formulaic.

    Source: van den Hout, Kooiman 2006 (covariates); White 1980, MacKinnon, White 1985 (errors).

    Examples:
        >>> import numpy as np
        >>> import sudare as sd
        >>> rng = np.random.default_rng(1)
        >>> rooms = rng.integers(1, 6, 20_000)
        >>> rent = 2.0 * rooms + rng.uniform(0, 4, 20_000)                # nobody ever sees this
        >>> m = sd.Piecewise(2.0, low=0, high=20)
        >>> reports = m.perturb(rent, rng=sd.Entropy.seeded(b"models"))
        >>> fit = sd.models.linear(reports, m, {"rooms": rooms})
        >>> fit.names, fit.coefficients.round(1).tolist(), fit.stderr.round(2).tolist()
        (('const', 'rooms'), [2.0, 2.0], [0.15, 0.04])
    """
    check_respondents(reports, covariates, randomised)
    if mechanism is None:
        if scores is not None:
            raise DomainError("scores", "must not be given without a mechanism", "leave them out")
        y = as_numbers(reports, "reports", "leave out rows without a value")
        if y.ndim != 1 or y.size < 2 or not np.ptp(y) > 0:
            raise DomainError("reports", "must be numbers (n,) that differ", "or name a mechanism")
        asked = RandomisedColumn.read(
            len(y), covariates, randomised, formula, names, intercept, independent
        )
        return asked.fitted("linear", Normal(y), "")
    if randomised:
        rule = "must not be given beside a randomised outcome"
        raise DomainError("randomised", rule, "sd.models.logistic takes both")
    numbers = _numbers(mechanism, reports, scores)
    asked = RandomisedColumn.read(
        len(numbers), covariates, None, formula, names, intercept, independent
    )
    return _least_squares(numbers, asked, summary_name(mechanism))


@singledispatch
def _numbers(mechanism: Any, reports: Any, scores: Any) -> Floats:
    """Return for each report the number that it stands for."""
    law = law_of(mechanism, "mechanism")
    remedy = f"give the number that each of the {law.shape[1]} categories stands for"
    if scores is None:
        raise WrongTypeError("scores", "must be given", remedy)
    axes = (getattr(mechanism, "labels", None) or law.shape[1],)
    wanted = as_numbers(align(scores, axes, "scores"), "scores", remedy)
    if wanted.shape != law.shape[1:]:
        raise DomainError(
            "scores", f"must have the shape {law.shape[1:]}", remedy, got=wanted.shape
        )
    stand = Numeric(law).solve_adjoint(wanted)
    if np.abs(law.T @ stand - wanted).max() > _SAME * max(1.0, np.abs(wanted).max()):
        raise EstimationError("scores", "must have reports that stand for them without bias")
    return np.asarray(stand[places(reports, mechanism)], dtype=np.float64)


@_numbers.register
def _(mechanism: MeanOfNumber, reports: Any, scores: Any) -> Floats:
    if scores is not None:
        rule = "must not be given: reports of this mechanism are numbers already"
        raise DomainError("scores", rule, "leave them out")
    rows = as_indices(reports, mechanism.program.outputs)
    return np.asarray(mechanism.numbers[rows], dtype=np.float64)


def _least_squares(u: Floats, asked: RandomisedColumn, by: str) -> Fit:
    """Return the line through numbers whose deviations differ, with errors that allow for it."""
    x = asked.design.matrices[0]
    n, p = x.shape
    q, r = np.linalg.qr(x)
    inverse = np.linalg.inv(r)
    coefficients = inverse @ (q.T @ u)
    off = u - x @ coefficients
    inner = q.T @ ((off * off)[:, None] * q) * (n / (n - p))
    return Fit(
        kind="linear",
        names=asked.design.names,
        coefficients=coefficients,
        covariance=np.asarray(inverse @ inner @ inverse.T, dtype=np.float64),
        n=n,
        method="least squares on unbiased numbers",
        errors="HC1",
        randomised=(f"the outcome by {by}", *asked.by),
        parameters=p,
        intercept=asked.intercept,
    )
