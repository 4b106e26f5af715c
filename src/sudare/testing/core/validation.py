"""Exact checks of what goes in and out: answers, reports, counts, seeds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np

from sudare.errors import SudareError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.testing.family import OUTSIDE, Batch, family_of, split_reports
from sudare.testing.suite import BrokenRuleError, demand

_REPORTS = 300


def refuses_bad_values(m: Mechanism, _: Entropy) -> None:
    """No answer outside the domain gets in, alone or among others, and no message shows it."""
    family = family_of(m)
    for arguments in family.bad_batches(m):
        refuse(m.perturb, *arguments)
    for bad in family.bad_answers(m) if family.alone(m) else ():
        refuse(m.perturb_one, bad)


def refuses_foreign_reports(m: Mechanism, _: Entropy) -> None:
    """What is not a batch of reports, or not this mechanism's counts, is not tallied."""
    for bad in ([-1], [0.5], [None], ["0"], [[[[0]]]], None, [2**63]):
        refuse(m.aggregate, bad)
    larger = np.zeros(tuple(size + 1 for size in m.shape), dtype=np.int64)
    nobody = Counts(np.zeros(m.shape, dtype=np.int64), 0)
    for counts in (None, Counts(larger, 1), nobody):
        refuse(m.estimate, counts)
    for arguments in family_of(m).bad_simulations(m):
        refuse(m.simulate, *arguments)  # type: ignore[attr-defined]


def keeps_its_wire(m: Mechanism, rng: Entropy) -> None:
    """Reports encode to report_bytes bytes and decode to themselves; other lengths are refused."""
    family = family_of(m)
    reports = family.perturb(m, _batch(m, _REPORTS), rng)
    demand(len(reports) == _REPORTS, "must give one report a respondent")
    wires = [family.wire(m, report) for report in reports]
    for wire in wires:
        demand(len(wire) == m.report_bytes, "must encode to report_bytes bytes")
        m.program.check_wire(wire)
    again = [
        bytes(m.program.encode_one(one)) for one in split_reports(m.program.decode(b"".join(wires)))
    ]
    demand(again == wires, "must decode what it encodes")
    for foreign in (b"", wires[0][1:], wires[0] + b"\0"):
        refuse(m.program.check_wire, foreign)


def merges(m: Mechanism, rng: Entropy) -> None:
    """Counts add up in any order, and survive JSON."""
    reports = family_of(m).perturb(m, _batch(m, 30), rng)
    tally: Any = m.aggregate
    a, b, c = (tally(part) for part in (reports[:7], reports[7:20], reports[20:]))
    demand((a + b) + c == a + (b + c) == tally(reports), "must merge counts by addition")
    demand(tally(reports[:0]) + a == a, "must tally no report as nothing")
    demand(Counts.from_json((a + b).to_json()) == a + b, "must keep counts through JSON")
    demand(a.mechanism == m.to_json(), "must write itself into its counts")


def repeats_from_a_seed(m: Mechanism, rng: Entropy) -> None:
    """One seed gives one outcome, of ``perturb`` and of ``simulate``."""
    family, seed, batch = family_of(m), rng.take(16), _batch(m, 64)
    once, again = (family.perturb(m, batch, Entropy.seeded(seed)) for _ in range(2))
    demand(np.array_equal(once, again), "must repeat reports from a seed")
    answers = family.answers(m)
    truth = np.full(len(answers), 10)
    first, second = (family.simulate(m, answers, truth, Entropy.seeded(seed)) for _ in range(2))
    demand(first == second, "must repeat a simulation from a seed")
    demand(first.n == truth.sum(), "must simulate one report a respondent")
    m.check_counts(first)


def _batch(m: Mechanism, n: int) -> Batch:
    family = family_of(m)
    return family.batch(m, list(islice(cycle(family.answers(m)), n)))


def refuse(act: Callable[..., object], *arguments: object) -> None:
    """Demand a typed error that keeps the value to itself."""
    name = getattr(act, "__name__", "it")
    try:
        act(*arguments)
    except SudareError as error:
        demand(str(OUTSIDE) not in str(error), f"must not show a value in an error of {name}")
        return
    except Exception as error:
        raise BrokenRuleError(
            f"must refuse bad input of {name} by a typed error, not by {type(error).__name__}"
        ) from error
    raise BrokenRuleError(f"must refuse bad input of {name} by a typed error")
