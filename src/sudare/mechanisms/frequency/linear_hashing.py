"""Linear hashing: a drawn hash function, and some of its hashes, the value's often among them."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from sudare import samplers
from sudare.errors import OutOfReachError
from sudare.exact import exp_bounds, log_bounds
from sudare.exact.linear_hash import digits_of, primes
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.frequency.hashed import Hashed
from sudare.mechanisms.registry import register
from sudare.samplers.hash import MOST_REPORTS

_LEAST_STEPS = 1 << 20
_STEPS = 1 << 14  # of decoding, for each category
_SLACK = 1.001
_BASES = 1 << 12  # the fields are smaller


@register
class LinearHashing(Hashed):
    """Report a hash function and d of its g hashes: that of the true category is among them with p.

    ::

        p = e^ε d / (e^ε d + g - d),   d / g near 1 / (e^ε + 1),   q = (d g^(t-1) - p) / (g^t - 1)

    The functions are the linear ones over the field of g elements, g a prime, of categories of t
    digits, but the one that is 0. The d hashes are one behind the other. A function and a report
    that names the hash of the category are e^ε times as likely as one that does not. With d = 1 it
    is optimised local hashing.

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: (n,) numbers below ``(g^t - 1) g`` of the smallest unsigned dtype. Source: Wang et al.
    2017, section 4.4, for hashing; Ye and Barg 2018 for the sets of hashes; the family: Carter and
    Wegman 1979; its decoding: as in Feldman, Nelson, Nguyen, Talwar 2022.

    Integers: ``own = floor(2^w p)`` from a lower bound on e^ε; a word decides whether the hash is
    among those that are named, whose place is uniform (the program ``hash``).

    Raises:
        OutOfReachError: more than 2**20 categories.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LinearHashing(k=65_536, epsilon=2.0)
        >>> m.program.g, m.program.size, m.report_bytes
        (17, 2, 3)
        >>> m.expected_mse(1000) / sd.OUE(65_536, 2.0).expected_mse(1000) < 1.001
        True
    """

    name: ClassVar[str] = "LinearHashing"
    max_k: ClassVar[int] = 1 << 20
    __slots__ = ()
    program: samplers.Hash

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> samplers.Hash:
        gamma = exp_bounds(epsilon)[0]  # a rational below e^ε: never too little noise
        g, d = best_hashes(k, float(gamma))
        for width in (32, 64):
            own = int(gamma * d * (1 << width) // (gamma * d + g - d))
            if not d << width < own * g < g << width:
                continue
            program = samplers.Hash(k=k, g=g, size=d, width=width, own=own)
            if epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
                return program
        raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))

    @property
    def _kept(self) -> Fraction:
        return Fraction(self.program.own, 1 << self.program.width)


@lru_cache(256)
def best_hashes(k: int, gamma: float) -> tuple[int, int]:
    """Return g and d of the least expected squared error, as far as they are decoded soon.

    Of errors within one per mille of the least the one of the fewest reports.
    """
    options = []
    for g in primes(_BASES):
        functions = g ** digits_of(k, g)
        if functions * g > MOST_REPORTS:
            continue
        near = int(g / (gamma + 1))
        for d in {min(max(one, 1), g - 1) for one in (near, near + 1)}:
            if functions * g * d > max(_LEAST_STEPS, _STEPS * k):
                continue
            p = gamma * d / (gamma * d + g - d)
            q = (functions * d / g - p) / (functions - 1)
            error = (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2
            options.append((error, functions * g, g, d))
    least = min(options)[0]
    _, _, g, d = min((o for o in options if o[0] <= _SLACK * least), key=lambda o: o[1:])
    return g, d
