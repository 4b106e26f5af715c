"""Exact checks of what goes in and out: parameters, values, reports, counts, seeds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sudare.errors import OutOfReachError, SudareError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.exact.parameters import EPSILON_MAX
from sudare.mechanisms import FrequencyOracle
from sudare.testing.suite import BrokenRuleError, demand

_OUTSIDE = 2**40 + 918_273_645  # a value that a message must not show
_BAD_VALUES = (float("nan"), None, -1, 1.5, "0", True, _OUTSIDE)
_REPORTS = 300


def builds_what_is_asked(m: FrequencyOracle, _: Entropy) -> None:
    """Another ε or k gives another mechanism, with that ε and that k."""
    asked = m.requested_epsilon
    others = (asked, asked * 2 if asked * 2 <= EPSILON_MAX else asked / 2, asked + Fraction(1, 999))
    for epsilon in others:
        if epsilon > EPSILON_MAX:
            continue
        for k in (m.k, m.k + 1):
            try:
                built = type(m)(k, epsilon)
            except OutOfReachError:
                continue
            demand(built.requested_epsilon == epsilon, "must take the ε that it is asked for")
            demand(built.k == k and built.program.inputs == k, "must take the k it is asked for")
            same = k == m.k and built.program == m.program
            demand((built == m) == same, "must differ from a mechanism of another k or law")
            demand(
                (repr(built) == repr(m)) == (k == m.k and float(epsilon) == float(asked)),
                "must have a repr that names k and ε",
            )


def refuses_bad_values(m: FrequencyOracle, _: Entropy) -> None:
    """No value outside the domain gets in, alone or among others, and no message shows it."""
    for bad in (*_BAD_VALUES, m.k):
        _refuse(m.perturb, [bad])
        _refuse(m.perturb, [0, bad])
        _refuse(m.perturb_one, bad)
    for shape in ([], [[0, 1]], 0, None, "01"):
        _refuse(m.perturb, shape)


def refuses_foreign_reports(m: FrequencyOracle, _: Entropy) -> None:
    """What is not a batch of reports, or not this mechanism's counts, is not tallied."""
    for bad in ([-1], [0.5], [None], ["0"], [[[0]]], None, [2**63]):
        _refuse(m.aggregate, bad)
    for counts in (None, Counts(np.zeros(m.k + 1, dtype=np.int64), 1), _nobody(m)):
        _refuse(m.estimate, counts)
    for truth in (None, [1], np.full(m.k, -1), np.full(m.k, 0.5), np.zeros(m.k, dtype=np.int64)):
        _refuse(m.simulate, truth)


def keeps_its_wire(m: FrequencyOracle, rng: Entropy) -> None:
    """Reports encode to report_bytes bytes and decode to themselves; other lengths are refused."""
    reports = m.perturb(np.arange(_REPORTS) % m.k, rng=rng)
    demand(len(reports) == _REPORTS, "must give one report a respondent")
    wires = [bytes(m.program.encode_one(report)) for report in reports]
    for wire in wires:
        demand(len(wire) == m.report_bytes, "must encode to report_bytes bytes")
        m.program.check_wire(wire)
    demand(
        np.array_equal(m.program.decode(b"".join(wires)), reports), "must decode what it encodes"
    )
    for foreign in (b"", wires[0][1:], wires[0] + b"\0"):
        _refuse(m.program.check_wire, foreign)


def merges(m: FrequencyOracle, rng: Entropy) -> None:
    """Counts add up in any order, and survive JSON."""
    reports = m.perturb(np.arange(30) % m.k, rng=rng)
    a, b, c = (m.aggregate(part) for part in (reports[:7], reports[7:20], reports[20:]))
    demand((a + b) + c == a + (b + c) == m.aggregate(reports), "must merge counts by addition")
    demand(m.aggregate(reports[:0]) + a == a, "must tally no report as nothing")
    demand(Counts.from_json((a + b).to_json()) == a + b, "must keep counts through JSON")
    demand(a.mechanism == m.to_json(), "must write itself into its counts")


def repeats_from_a_seed(m: FrequencyOracle, rng: Entropy) -> None:
    """One seed gives one outcome, of ``perturb`` and of ``simulate``."""
    seed, values = rng.take(16), np.arange(64) % m.k
    once, again = (m.perturb(values, rng=Entropy.seeded(seed)) for _ in range(2))
    demand(np.array_equal(once, again), "must repeat reports from a seed")
    truth = np.full(m.k, 10)
    first, second = (m.simulate(truth, rng=Entropy.seeded(seed)) for _ in range(2))
    demand(first == second, "must repeat a simulation from a seed")
    demand(first.n == 10 * m.k, "must simulate one report a respondent")
    m.check_counts(first)


def _refuse(act: Callable[..., object], argument: object) -> None:
    """Demand a typed error that keeps the value to itself."""
    name = getattr(act, "__name__", "it")
    try:
        act(argument)
    except SudareError as error:
        demand(str(_OUTSIDE) not in str(error), f"must not show a value in an error of {name}")
        return
    except Exception as error:
        raise BrokenRuleError(
            f"must refuse bad input of {name} by a typed error, not by {type(error).__name__}"
        ) from error
    raise BrokenRuleError(f"must refuse bad input of {name} by a typed error")


def _nobody(m: FrequencyOracle) -> Counts:
    return Counts(np.zeros(m.k, dtype=np.int64), 0)
