"""The highest point of a likelihood: Newton's steps where it is curved downwards, else EM's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats
from sudare.errors import EstimationError
from sudare.models.likelihood import Likelihood, Point

STEPS = 500
_HALVINGS = 30
_CLOSE = 1e-18
"""A step's square, in standard errors, after which there is no other."""

_FLAT = 1e-9
"""Information along some direction, as a part of what it is at the start, that is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Top:
    """Where a likelihood is highest.

    Attributes:
        theta: (P,) parameters.
        point: the likelihood there.
        steps: how many led there.
    """

    theta: Floats
    point: Point
    steps: int


def maximise(likelihood: Likelihood, start: Floats) -> Top:
    """Return the highest point that steps from a start lead to.

    A step is Newton's where the Hessian is negative definite, and otherwise EM's first one (the
    gradient by the information of complete data); it is halved until the likelihood grows. Sources:
    Lange 1995 (EM's gradient); Dempster, Laird, Rubin 1977.

    Raises:
        EstimationError: no end was found, or coefficients that run away: categories or outcomes
            that the covariates tell without error, or shares at the border.
    """
    _refuse_exact(likelihood, start)
    theta, here = start, likelihood.at(start)
    first = here.known
    if not likelihood.size:
        return Top(start, here, 0)
    for steps in range(1, STEPS + 1):
        newton = _newton(here)
        exact = newton is not None
        step = _gradient(here, first) if newton is None else newton
        theta, there = _along(likelihood, theta, here, step)
        _refuse_exact(likelihood, theta)
        if exact and float(step @ here.gradient) < _CLOSE:
            return _settled(Top(theta, there, steps), first)
        if there.value <= here.value and not exact:
            break
        here = there
    _refuse_runaway(here, first)
    raise EstimationError(
        "the likelihood", "must have a highest point that is found", "ask for fewer coefficients"
    )


def _newton(here: Point) -> Floats | None:
    try:
        lower = np.linalg.cholesky(-here.hessian)
    except np.linalg.LinAlgError:
        return None
    half = np.linalg.solve(lower, here.gradient)
    return np.asarray(np.linalg.solve(lower.T, half), dtype=np.float64)


def _gradient(here: Point, first: Floats) -> Floats:
    known = here.known + 1e-12 * np.diag(np.diag(first))
    return np.asarray(np.linalg.solve(known, here.gradient), dtype=np.float64)


def _along(
    likelihood: Likelihood, theta: Floats, here: Point, step: Floats
) -> tuple[Floats, Point]:
    """Return the first point along a step, halved, where the likelihood is no lower."""
    for _ in range(_HALVINGS):
        with np.errstate(over="ignore", invalid="ignore"):  # a step too far is halved
            there = likelihood.at(theta + step)
        if there.value >= here.value - 1e-12 * abs(here.value):
            return theta + step, there
        step = step / 2
    return theta, here


def _refuse_exact(likelihood: Likelihood, theta: Floats) -> None:
    """Refuse numbers about which no deviation is left."""
    if likelihood.family.scaled and theta[likelihood.p] < likelihood.family.least:
        rule = "must not lie on the line without error"
        raise EstimationError("reports", rule, "there is nothing to estimate")


def _settled(top: Top, first: Floats) -> Top:
    _refuse_runaway(top.point, first)
    return top


def _refuse_runaway(point: Point, first: Floats) -> None:
    """Refuse a point where some direction has no information left."""
    scale = np.sqrt(np.diag(first))
    own, whole = (one / np.outer(scale, scale) for one in (-point.hessian, first))
    values, vectors = np.linalg.eigh(whole)
    root = vectors / np.sqrt(np.maximum(values, 1e-300))
    if float(np.linalg.eigvalsh(root.T @ own @ root).min()) < _FLAT:
        raise EstimationError(
            "covariates",
            "must leave the coefficients finite: they tell the outcome, or a randomised category, "
            "without error (separation), or its share is at the border",
            "leave out what separates, join rare categories, or collect more",
        )
