"""What a regression found: coefficients with their errors, tests, and a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sudare import frames
from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, as_one_of
from sudare.estimation.confidence import check_confidence, normal_quantile
from sudare.models.likelihood import Likelihood
from sudare.models.search import Top, maximise
from sudare.models.significance import Test, chi_squared_beyond
from sudare.models.summary import table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit:
    """A regression on randomised answers.

    Attributes:
        kind: ``"logistic"`` or ``"linear"``.
        names: of the p coefficients.
        coefficients: (p,) float64; of a logistic regression changes of the log-odds.
        covariance: (p, p) of the coefficients, of the population from which the respondents are a
            random sample: the randomisation is in it.
        n: number of respondents.
        method: how it was found.
        errors: where the covariance comes from.
        randomised: what was randomised, and how, in words.
        log_likelihood: at the highest point; NaN where no law of the outcome is assumed.
        shares: of the combinations of the randomised covariates, an axis for each; None without.
        scale: the standard deviation about the line, of a linear regression.
        parameters: how many were fitted, with those of the scale and of the shares.
        intercept: the name of its coefficient; empty without.
    """

    kind: str
    names: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    n: int
    method: str
    errors: str
    randomised: tuple[str, ...]
    log_likelihood: float = math.nan
    shares: Floats | None = None
    scale: float = math.nan
    parameters: int = 0
    intercept: str = ""
    _likelihood: Likelihood | None = field(default=None)

    @property
    def stderr(self) -> Floats:
        """(p,) standard errors of the coefficients."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def z(self) -> Floats:
        """(p,) coefficients over their standard errors."""
        return self.coefficients / self.stderr

    @property
    def p_values(self) -> Floats:
        """(p,) how often chance alone goes beyond, by the normal law."""
        return np.array([chi_squared_beyond(float(z * z), 1) for z in self.z])

    @property
    def aic(self) -> float:
        """Akaike's criterion: ``2 parameters - 2 log L``."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion: ``ln(n) parameters - 2 log L``."""
        return math.log(self.n) * self.parameters - 2 * self.log_likelihood

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each coefficient, by the normal law.

        Raises:
            WrongTypeError, DomainError: the confidence does not lie between 0 and 1.
        """
        reach = normal_quantile(check_confidence(confidence)) * self.stderr
        return self.coefficients - reach, self.coefficients + reach

    def wald(self, *names: str) -> Test:
        """Test that the coefficients of these names are 0, by their covariance.

        ::

            b' V^-1 b  beside χ² with as many degrees of freedom

        Args:
            names: of coefficients; none for all but the intercept.

        Raises:
            DomainError: there is no coefficient of that name.
        """
        at = self._places(names)
        b = self.coefficients[at]
        return Test(float(b @ np.linalg.solve(self.covariance[np.ix_(at, at)], b)), len(at))

    def likelihood_ratio(self, *names: str) -> Test:
        """Test that the coefficients of these names are 0, by a fit without them.

        ::

            2 (log L - log L without)  beside χ² with as many degrees of freedom

        Args:
            names: of coefficients; none for all but the intercept.

        Raises:
            DomainError: there is no coefficient of that name.
            EstimationError: there is no likelihood, or the fit without them has no highest point.
        """
        if self._likelihood is None:
            raise EstimationError(
                "method",
                "must be maximum likelihood: no law is assumed here",
                "use wald",
                got=self.method,
            )
        given, at = self._likelihood, self._places(names)
        design = given.design.without([self.names[place] for place in at])
        less = highest(Likelihood(design, given.family, given.seen, given.given))
        return Test(max(0.0, 2 * (self.log_likelihood - less.point.value)), len(at))

    def _places(self, names: Sequence[str]) -> list[int]:
        chosen = list(dict.fromkeys(names)) or [one for one in self.names if one != self.intercept]
        if not chosen:
            raise DomainError("names", "must name a coefficient", "there is the intercept alone")
        return [self.names.index(as_one_of(one, "names", self.names)) for one in chosen]

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame with a row a coefficient.

        Raises:
            DomainError: unknown library.
            MissingExtraError: the library is not installed.
        """
        low, high = self.interval()
        columns = {
            "name": list(self.names),
            "coefficient": self.coefficients,
            "stderr": self.stderr,
            "z": self.z,
            "p_value": self.p_values,
            "low": low,
            "high": high,
        }
        return frames.build(columns, library)

    def summary(self, confidence: float = 0.95) -> str:
        """Return the table of coefficients as statsmodels prints it.

        Raises:
            WrongTypeError, DomainError: the confidence does not lie between 0 and 1.
        """
        return table(self, confidence)

    def __repr__(self) -> str:
        each = zip(self.names, self.coefficients, self.stderr, strict=True)
        shown = ", ".join(f"{name}: {value:.4g} ± {error:.2g}" for name, value, error in each)
        return f"Fit({self.kind}, n={self.n}, {shown})"


def highest(likelihood: Likelihood) -> Top:
    """Return the highest point of a likelihood, from where its law has the search start.

    What columns in clear tell of numbers is taken off them and given back, so that the search is
    the same about 0 and far from it.
    """
    design, same = likelihood.design, likelihood.design.same
    family, line = likelihood.family.beside(design.matrices[0][:, same])
    start = family.start(design.matrices)
    about = Likelihood(design, family, likelihood.seen, likelihood.given)
    top = maximise(about, np.pad(start, (0, likelihood.size - start.size)))
    top.theta[: likelihood.p][same] += line
    return top


def fitted(
    kind: str,
    likelihood: Likelihood,
    sizes: dict[str, int],
    randomised: tuple[str, ...],
    intercept: str,
) -> Fit:
    """Return what the highest point of a likelihood says."""
    top, p = highest(likelihood), likelihood.p
    covariance = np.asarray(np.linalg.inv(-top.point.hessian), dtype=np.float64)
    return Fit(
        kind=kind,
        names=likelihood.design.names,
        coefficients=top.theta[:p],
        covariance=covariance[:p, :p],
        n=likelihood.n,
        method="maximum likelihood",
        errors="observed information",
        randomised=randomised,
        log_likelihood=top.point.value,
        shares=top.point.shares.reshape(tuple(sizes.values())) if sizes else None,
        scale=math.exp(float(top.theta[p])) if likelihood.family.scaled else math.nan,
        parameters=likelihood.size,
        _likelihood=likelihood,
        intercept=intercept,
    )
