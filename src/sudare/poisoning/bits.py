"""Fake reports betray themselves by how many bits they set."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import WrongTypeError
from sudare.estimation import histogram
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.reports import as_packed
from sudare.poisoning.false_alarms import FOUR_SIGMA
from sudare.testing.fit import binomial_pvalues


@singledispatch
def bit_count_law(mechanism: Mechanism) -> Floats:
    """Return the law of the number of ones of an honest report: (k + 1,).

    Whatever the answer, one bit is 1 with p and k - 1 others with q: a Bernoulli and a binomial
    number, independent.

    Examples:
        >>> import sudare as sd
        >>> bit_count_law(sd.SUE(k=2, epsilon=2.0)).round(3).tolist()
        [0.197, 0.607, 0.197]
    """
    raise WrongTypeError("mechanism", "must be a unary encoding", "such as OUE")


@bit_count_law.register(Unary)
def _of_unary(mechanism: Unary) -> Floats:
    p, q = (float(x) for x in mechanism.support_probabilities)
    others = np.arange(1, mechanism.k, dtype=np.float64)
    steps = np.log((mechanism.k - others) / others) + np.log(q) - np.log1p(-q)
    logs = (mechanism.k - 1) * np.log1p(-q) + np.concatenate([[0.0], np.cumsum(steps)])
    binomial = np.exp(logs)
    out: Floats = np.append(binomial * (1 - p), 0.0) + np.append(0.0, binomial * p)
    return out


def bit_counts(mechanism: Unary, reports: npt.ArrayLike) -> dict[str, Any]:
    """Test whether packed reports set as many bits as honest ones do, as JSON data.

    Each number of ones is counted and compared with its exact binomial law; the alarm is raised
    where the least of the k + 1 two-sided p-values, times k + 1 (Bonferroni), is at most 3.2e-5:
    that is its false-alarm rate for one set of reports, at any n. It finds MGA, whose reports all
    have the same number of ones, and RPA, and is blind to RIA, whose reports are honest ones.

    Args:
        mechanism: a unary encoding.
        reports: (n, ceil(k / 8)) packed bits.

    Returns:
        ``raised``, ``p`` (after Bonferroni), ``false_alarm``, ``ones`` (how many reports set 0, 1,
        ... k bits) and ``expected`` (how many would).

    Raises:
        WrongTypeError, ReportError: not a unary encoding, or not its reports.
        MissingExtraError: SciPy is not installed.

    Examples:
        >>> import sudare as sd
        >>> m = sd.OUE(k=20, epsilon=1.0)
        >>> honest = m.perturb([3] * 2000, rng=sd.Entropy.seeded(b"bits"))
        >>> fakes = sd.poisoning.MGA([7]).reports(m, 400)
        >>> [sd.poisoning.bit_counts(m, r)["raised"] for r in (honest, [*honest, *fakes])]
        [False, True]
    """
    law = bit_count_law(mechanism)
    rows = as_packed(reports, mechanism.k)
    weights = np.array([one.bit_count() for one in range(256)])
    ones = histogram(weights[rows].sum(axis=1), mechanism.k + 1)
    n = rows.shape[0]
    p_values = binomial_pvalues(ones, np.array([n]), law)
    p = min(1.0, float(p_values.min()) * law.size)
    return {
        "raised": bool(p <= FOUR_SIGMA),
        "p": p,
        "false_alarm": FOUR_SIGMA,
        "ones": ones.tolist(),
        "expected": (n * law).tolist(),
    }
