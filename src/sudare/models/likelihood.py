"""The likelihood of reports beside covariates, with its gradient and its curvature in closed form.

::

    log L = Σ_i log Σ_c A_ic π_c(z_i; γ) g(y_i | x_ic' β, σ)

c goes over the combinations of the covariates that were randomised (one, where none was), A_ic is
how probable respondent i's reports of them are, π_c their law given what is in clear (a multinomial
logit), g the law of the outcome, through its own channel where it was randomised too. With
``w_ic`` the probability of c given all that is seen of i, and ``s_ic``, ``H_ic`` the slopes of
``log(π_c g)``::

    gradient = Σ_ic w_ic s_ic,   Hessian = Σ_ic w_ic (H_ic + s_ic s_ic') - Σ_i s_i s_i'

with ``s_i = Σ_c w_ic s_ic``. Source: Louis 1982; van den Hout, van der Heijden, Gilchrist 2007
(outcome); van den Hout, Kooiman 2006 (covariates).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats
from sudare.models.design import Design
from sudare.models.families import Family, Slopes


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The likelihood about parameters.

    Attributes:
        value: log L.
        gradient: (P,).
        hessian: (P, P).
        known: (P, P) the information if nothing had been randomised: EM's curvature.
        shares: (combinations,) the mean of π over the respondents.
    """

    value: float
    gradient: Floats
    hessian: Floats
    known: Floats
    shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The parameters in a row: β, then τ = ln σ where there is one, then γ.

    Attributes:
        design: covariates under each combination.
        family: law of the outcome.
        seen: (n, combinations) A.
        given: (n, q) what the law of the combinations depends on.
    """

    design: Design
    family: Family
    seen: Floats
    given: Floats

    @property
    def p(self) -> int:
        """Number of coefficients."""
        return len(self.design.names)

    @property
    def size(self) -> int:
        """Number of parameters."""
        free = self.seen.shape[1] - 1
        return int(self.p + self.family.scaled + free * self.given.shape[1])

    @property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.seen)

    def _chances(self, gamma: Floats) -> Floats:
        """Return π, (n, combinations)."""
        logits = np.column_stack((np.zeros(self.n), self.given @ gamma.T))
        logits -= logits.max(axis=1, keepdims=True)
        out = np.exp(logits)
        return np.asarray(out / out.sum(axis=1, keepdims=True))

    def at(self, theta: Floats) -> Point:
        """Return the likelihood about parameters."""
        p, scaled, classes = self.p, int(self.family.scaled), self.seen.shape[1]
        beta, tau = theta[:p], float(theta[p]) if scaled else 0.0
        gamma = theta[p + scaled :].reshape(classes - 1, self.given.shape[1])
        chances = self._chances(gamma)
        each = [self.family.slopes(matrix @ beta, tau) for matrix in self.design.matrices]
        with np.errstate(divide="ignore"):
            logs = np.log(self.seen * chances) + np.column_stack([one.log for one in each])
        top = logs.max(axis=1, keepdims=True)
        weights = np.exp(logs - top)
        sums = weights.sum(axis=1, keepdims=True)
        weights /= sums
        value = float((np.log(sums) + top).sum())

        hessian, known = np.zeros((self.size, self.size)), np.zeros((self.size, self.size))
        mean = np.zeros((self.n, self.size))
        for place, (matrix, one) in enumerate(zip(self.design.matrices, each, strict=True)):
            w = weights[:, place]
            slope = self._slope(matrix, one, chances, place)
            mean += w[:, None] * slope
            if classes > 1:
                hessian += slope.T @ (w[:, None] * slope)
            hessian[:p, :p] += matrix.T @ ((w * one.eta_eta)[:, None] * matrix)
            known[:p, :p] += matrix.T @ ((w * one.known)[:, None] * matrix)
            if one.eta_tau is not None and one.tau_tau is not None:
                cross = matrix.T @ (w * one.eta_tau)
                hessian[:p, p] += cross
                hessian[p, :p] += cross
                hessian[p, p] += float(w @ one.tau_tau)
                known[p, p] += 2 * float(w.sum())
        if classes > 1:
            hessian -= mean.T @ mean
            start = p + scaled
            turned = self._turned(chances)
            hessian[start:, start:] -= turned
            known[start:, start:] += turned
        return Point(value, mean.sum(axis=0), hessian, known, chances.mean(axis=0))

    def _slope(self, matrix: Floats, one: Slopes, chances: Floats, place: int) -> Floats:
        """Return the slopes of each respondent's ``log(π_c g)``, (n, P)."""
        parts = [one.eta[:, None] * matrix]
        if one.tau is not None:
            parts.append(one.tau[:, None])
        parts += [
            ((place == other) - chances[:, other])[:, None] * self.given
            for other in range(1, chances.shape[1])
        ]
        return np.hstack(parts)

    def _turned(self, chances: Floats) -> Floats:
        """Return the information of a multinomial logit."""
        free, q = chances.shape[1] - 1, self.given.shape[1]
        out = np.empty((free, q, free, q))
        for a in range(free):
            for b in range(free):
                own = chances[:, a + 1] * ((a == b) - chances[:, b + 1])
                out[a, :, b] = self.given.T @ (own[:, None] * self.given)
        return out.reshape(free * q, free * q)
