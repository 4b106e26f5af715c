"""Closed forms: expected errors of GRR and OUE, and where they are equal.

With ``e = exp(ε)``, for the respondents, whatever they answered (the true counts sum to n, so
that their skew drops out)::

    n k MSE(GRR) = (k-1)(2e + k-2) / (e-1)²
    n k MSE(OUE) = (4e(k-1) + (e+1)²) / (e-1)²
    equal at       e² + 2ke + 1 - (k-1)(k-2) = 0,   e = sqrt((2k-1)(k-1)) - k

The root is above 1 (ε > 0) for k > 5 alone.

GRR's shares sum to 1; OUE's do not, and given the answers its columns are independent. Shifting
them all alike to the sum 1 keeps them unbiased and takes the k-th part off their error; then::

    equal at       e² + 2(k-1)e + 1 - k(k-2) = 0,   e = sqrt(2k(k-2)) - (k-1)

which is above 1 for k > 4. Source: the sum over the categories of the exact
variances of Wang et al. 2017, section 4; the shift is our addition.
"""

from __future__ import annotations

import math

import numpy as np


def grr_noise(k: int, epsilon: float) -> float:
    """Return ``n k MSE`` of GRR's shares for the respondents."""
    e = math.exp(epsilon)
    return (k - 1) * (2 * e + k - 2) / (e - 1) ** 2


def oue_noise(k: int, epsilon: float) -> float:
    """Return ``n k MSE`` of OUE's shares for the respondents."""
    e = math.exp(epsilon)
    return (4 * e * (k - 1) + (e + 1) ** 2) / (e - 1) ** 2


def excess(k: int, epsilon: float) -> float:
    """Return the expected error of OUE over that of GRR."""
    return oue_noise(k, epsilon) / grr_noise(k, epsilon)


def exact_crossing(k: int) -> float | None:
    """Return the ε above which GRR has the smaller error; None for k <= 5, where it always has.

    Examples:
        >>> round(exact_crossing(43), 4), exact_crossing(5)
        (2.8184, None)
    """
    e = math.sqrt((2 * k - 1) * (k - 1)) - k
    return math.log(e) if e > 1 else None


def shifted_crossing(k: int) -> float | None:
    """Return :func:`exact_crossing` for OUE shifted to the sum 1; None for k <= 4.

    Examples:
        >>> round(shifted_crossing(43), 4), round(shifted_crossing(5), 4), shifted_crossing(4)
        (2.8553, 0.3902, None)
    """
    e = math.sqrt(2 * k * (k - 2)) - (k - 1)
    return math.log(e) if k > 4 else None


def rule_of_thumb(k: int) -> float | None:
    """Return the ε where ``3e + 2 = k``: the crossing for a category nobody holds.

    Examples:
        >>> round(rule_of_thumb(43), 4), rule_of_thumb(5)
        (2.615, None)
    """
    return math.log((k - 2) / 3) if k > 5 else None


def unary_excess(k: int, epsilon: float) -> float:
    """Return OUE's expected error over that of the best unary encoding of the same ε."""
    e = math.exp(epsilon)
    q = np.linspace(1e-5, 0.5, 200_001)[:-1]
    p = e * q / (1 - q) / (1 + e * q / (1 - q))
    noise = ((k - 1) * q * (1 - q) + p * (1 - p)) / (p - q) ** 2
    return oue_noise(k, epsilon) / float(noise.min())
