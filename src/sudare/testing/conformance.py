"""``check_mechanism``: what every mechanism must do, ours and anybody's plug-in.

Exact enumeration and algebra first, on a small sibling of the mechanism where its own alphabet
is too large to write out; then sampling, at a stated false-alarm rate.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import ConformanceError, SudareError
from sudare.estimation import Counts
from sudare.estimation.estimate import normal_quantile
from sudare.exact import log_bounds
from sudare.exact.entropy import Entropy, choose
from sudare.mechanisms import FrequencyOracle, from_json
from sudare.testing.fit import chi_square_pvalue

FALSE_ALARM = 1e-9
"""Probability that one statistical check fails a right mechanism."""

_SMALL = 4
_DRAWS = 20_000
_LEAST_SUPPORT = 400
_BAD_VALUES = (float("nan"), None, -1, 1.5, "0", True, 2**40)
_ALLOWED_SHORTFALL = Fraction(1, 10**6)

Check = Callable[[FrequencyOracle, FrequencyOracle, Entropy], None]


@dataclass(frozen=True, slots=True)
class Conformance:
    """The checks that a mechanism has passed, by name."""

    mechanism: str
    passed: tuple[str, ...]


def check_mechanism(mechanism: FrequencyOracle, *, rng: Entropy | None = None) -> Conformance:
    """Check a mechanism; return the names of the checks passed.

    Statistical checks use fresh entropy and fail a right mechanism with probability 1e-9 each.

    Args:
        mechanism: any :class:`~sudare.mechanisms.FrequencyOracle`.
        rng: to repeat a failure; default the operating system's entropy.

    Raises:
        ConformanceError: a check failed; the message names it and says what was found.

    Examples:
        >>> import sudare as sd
        >>> len(sd.testing.check_mechanism(sd.GRR(k=5, epsilon=1.0)).passed)
        12
    """
    small = type(mechanism)(min(mechanism.k, _SMALL), mechanism.requested_epsilon)
    entropy = choose(rng)
    for check in _CHECKS:
        check(mechanism, small, entropy)
    return Conformance(repr(mechanism), tuple(check.__name__[1:] for check in _CHECKS))


def _demand(condition: bool, mechanism: FrequencyOracle, rule: str) -> None:
    if not condition:
        raise ConformanceError(repr(mechanism), rule)


def _is_a_frozen_value(m: FrequencyOracle, _: FrequencyOracle, __: Entropy) -> None:
    try:
        m.k = m.k
    except AttributeError:
        pass
    else:
        raise ConformanceError(repr(m), "must be frozen")
    _demand(type(m).__name__ in repr(m) and str(m.k) in repr(m), m, "must have a clear repr")


def _survives_json(m: FrequencyOracle, _: FrequencyOracle, __: Entropy) -> None:
    again = from_json(json.loads(json.dumps(m.to_json())), FrequencyOracle)
    _demand(again == m and hash(again) == hash(m), m, "must equal itself after a trip through JSON")


def _spends_what_it_says(m: FrequencyOracle, _: FrequencyOracle, __: Entropy) -> None:
    low, high = log_bounds(m.program.ratio)
    asked = m.requested_epsilon
    _demand(low <= asked, m, "must not spend more ε than asked for")
    _demand(asked - high <= _ALLOWED_SHORTFALL, m, "must spend ε within 1e-6 of the one asked for")
    _demand(Fraction(m.epsilon) <= high, m, "must not show more ε than it spends")


def _has_exact_columns(_: FrequencyOracle, small: FrequencyOracle, __: Entropy) -> None:
    law = small.program.matrix()
    _demand(
        all(sum(column) == 1 for column in zip(*law, strict=True)),
        small,
        "must have columns that sum to exactly 1",
    )
    largest = max((max(row) / min(row) if min(row) else Fraction(0)) for row in law if any(row))
    _demand(
        all(min(row) > 0 for row in law if any(row)),
        small,
        "must be able to send each report whatever the value",
    )
    _demand(largest == small.program.ratio, small, "must state its largest ratio of probabilities")


def _has_a_channel(_: FrequencyOracle, small: FrequencyOracle, __: Entropy) -> None:
    dense = small.channel.dense()
    law = np.array([[float(cell) for cell in row] for row in small.program.matrix()])
    _demand(dense.shape == law.shape and np.allclose(dense, law, atol=1e-14, rtol=0), small,
            "must have the channel of its program")  # fmt: skip
    _demand(abs(small.channel.epsilon - small.epsilon) < 1e-12, small, "must have one epsilon")


def _supports_as_stated(_: FrequencyOracle, small: FrequencyOracle, __: Entropy) -> None:
    p, q = small.support_probabilities
    law = small.program.matrix()
    reports = [_report(small, index) for index in range(len(law))]
    supports = [small.aggregate(report).support for report in reports]
    for value in range(small.k):
        for category in range(small.k):
            total = sum(
                (row[value] * int(s[category]) for row, s in zip(law, supports, strict=True)),
                start=Fraction(0),
            )
            _demand(
                total == (p if category == value else q),
                small,
                "must support values with its support_probabilities",
            )


def _estimates_without_bias(m: FrequencyOracle, _: FrequencyOracle, __: Entropy) -> None:
    p, q = m.support_probabilities
    truth = np.zeros(m.k)
    truth[0], truth[-1] = 0.75, 0.25
    n = 2**40
    expected = float(q) + float(p - q) * truth
    support = np.round(expected * n).astype(np.int64)
    support[0] += n - int(support.sum()) if _one_support_each(m) else 0
    shares = m.estimate(Counts(support, n)).shares
    _demand(
        np.allclose(shares, truth, atol=1e-9 * m.k / float(p - q), rtol=0), m, "must be unbiased"
    )


def _matches_its_law(_: FrequencyOracle, small: FrequencyOracle, rng: Entropy) -> None:
    law = small.program.matrix()
    index = {bytes(small.program.encode_one(_report(small, i)[0])): i for i in range(len(law))}
    for value in range(small.k):
        reports = small.perturb(np.full(_DRAWS, value), rng=rng)
        observed = np.zeros(len(law))
        for report in reports:
            observed[index[bytes(small.program.encode_one(report))]] += 1
        p_value = chi_square_pvalue(observed, [float(row[value]) for row in law])
        _demand(p_value > FALSE_ALARM, small, f"must perturb by its law (χ² p = {p_value:.2g})")


def _simulates_its_law(m: FrequencyOracle, _: FrequencyOracle, rng: Entropy) -> None:
    truth = np.zeros(m.k, dtype=np.int64)
    truth[0], truth[-1] = 700_000, 300_000
    n = int(truth.sum())
    shares = truth / n
    if n * float(m.support_probabilities[1]) < _LEAST_SUPPORT:
        return  # too few supports for the normal law
    errors = m.estimate(m.simulate(truth, rng=rng)).shares - shares
    worst = float(np.max(np.abs(errors) / np.sqrt(m.variance(shares, n, "respondents"))))
    bound = normal_quantile(1 - FALSE_ALARM, m.k) + 1
    _demand(worst < bound, m, f"must simulate what it estimates (largest z = {worst:.1f})")


def _merges(m: FrequencyOracle, _: FrequencyOracle, rng: Entropy) -> None:
    reports = m.perturb(np.arange(30) % m.k, rng=rng)
    a, b, c = (m.aggregate(part) for part in (reports[:7], reports[7:20], reports[20:]))
    _demand((a + b) + c == a + (b + c) == m.aggregate(reports), m, "must merge counts by addition")
    _demand(Counts.from_json((a + b).to_json()) == a + b, m, "must keep counts through JSON")


def _keeps_its_wire(m: FrequencyOracle, _: FrequencyOracle, rng: Entropy) -> None:
    for value in (0, m.k - 1):
        wire = m.program.encode_one(m.perturb_one(value, entropy=rng))
        _demand(len(wire) == m.report_bytes, m, "must encode to report_bytes bytes")
        m.program.check_wire(wire)
        again = m.program.encode_one(m.program.decode(wire)[0])
        _demand(again == wire, m, "must decode what it encodes")
    for foreign in (b"", wire + b"\0"):
        try:
            m.program.check_wire(foreign)
        except SudareError:
            continue
        raise ConformanceError(repr(m), "must refuse a report of a wrong length")


def _refuses_bad_values(m: FrequencyOracle, _: FrequencyOracle, __: Entropy) -> None:
    for bad in (*_BAD_VALUES, m.k):
        for refused in (_refuses(m.perturb, [bad]), _refuses(m.perturb_one, bad)):
            _demand(refused, m, "must refuse values outside its domain by a typed error")


def _refuses(act: Callable[..., object], argument: object) -> bool:
    try:
        act(argument)
    except SudareError:
        return True
    return False


def _report(m: FrequencyOracle, index: int) -> npt.NDArray[Any]:
    size = m.report_bytes
    return np.asarray(m.program.decode(index.to_bytes(size, "little")))


def _one_support_each(m: FrequencyOracle) -> bool:
    p, q = m.support_probabilities
    return p + (m.k - 1) * q == 1


_CHECKS: tuple[Check, ...] = (
    _is_a_frozen_value,
    _survives_json,
    _spends_what_it_says,
    _has_exact_columns,
    _has_a_channel,
    _supports_as_stated,
    _estimates_without_bias,
    _matches_its_law,
    _simulates_its_law,
    _merges,
    _keeps_its_wire,
    _refuses_bad_values,
)
