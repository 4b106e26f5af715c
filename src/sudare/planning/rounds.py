"""``plan_repeated``: what each way of asking again errs in each round, at one ε over all rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare import mechanisms
from sudare.errors import PrivacyError, as_one_of
from sudare.estimation.estimate import Target, check_target
from sudare.exact import as_epsilon, as_integer
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.repeated import KINDS, Repeated
from sudare.mechanisms.repeated.totals import as_rounds
from sudare.mechanisms.repeated.within import COVERS, STEP, within
from sudare.mechanisms.values import as_categories_count


@dataclass(frozen=True, slots=True)
class RepeatedOption:
    """One way to ask a question in each of some rounds.

    Attributes:
        mechanism: of each round.
        remembers: whether devices keep a permanent answer; else each round is randomised afresh.
        expected_mse: of the shares of one round, mean over the k cells.
        round_epsilon: ε of one report.
        steady_epsilon: ε of all rounds of one whose answer does not change.
        total_epsilon: ε of all rounds, whatever is answered.
        any_rounds: whether ``steady_epsilon`` stays below the ε asked for in further rounds.
    """

    mechanism: FrequencyOracle
    remembers: bool
    expected_mse: float
    round_epsilon: float
    steady_epsilon: float
    total_epsilon: float
    any_rounds: bool

    def to_json(self) -> dict[str, Any]:
        """Return the option as JSON data."""
        names = (
            "remembers", "expected_mse", "round_epsilon", "steady_epsilon", "total_epsilon",
            "any_rounds",
        )  # fmt: skip
        return {"mechanism": self.mechanism.to_json()} | {
            name: getattr(self, name) for name in names
        }


def plan_repeated(
    k: int,
    n: int,
    epsilon: float | Fraction,
    rounds: int,
    *,
    covers: str = "steady",
    report: float | Fraction | None = None,
    target: Target = "population",
) -> list[RepeatedOption]:
    """Rank the ways to ask one question in each of some rounds, least error first.

    A new answer each round, by the best mechanism at ε / rounds, stands beside those that remember
    (:class:`~sudare.mechanisms.Repeated`).

    Args:
        k: number of categories.
        n: respondents in each round.
        epsilon: of all rounds together.
        rounds: 1 to 1000.
        covers: what ε covers: ``"steady"``, people whose answer does not change, or ``"any"``,
            whatever they answer.
        report: ε of one report of those that remember, below ``epsilon``; default half of it. For
            ``"any"`` it follows from ``epsilon``, with permanent answers of 20: those of less
            need a weaker second step, and that tells sooner that an answer changed.
        target: whose shares the errors are about.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.

    Examples:
        >>> import sudare as sd
        >>> for one in sd.plan_repeated(k=5, n=10_000, epsilon=2.0, rounds=12)[:2]:
        ...     print(f"{one.mechanism.name:6} {one.expected_mse:.2g} {one.total_epsilon:.3g}")
        LGRR   0.00024 15.5
        LOLOHA 0.0004 13.3
        >>> best = sd.plan_repeated(k=5, n=10_000, epsilon=2.0, rounds=12, covers="any")[0]
        >>> best.remembers, f"{best.expected_mse:.2g}"
        (False, '0.0093')
    """
    size, wanted, many = as_categories_count(k), as_epsilon(epsilon), as_rounds(rounds)
    people, whose = as_integer(n, "n", low=1, high=2**62), check_target(target)
    what = as_one_of(covers, "covers", COVERS)
    each = wanted / 2 if report is None else as_epsilon(report, "report")
    if each >= wanted:
        raise PrivacyError("report", "must be below epsilon", "leave it out", got=float(each))
    found: list[RepeatedOption] = list(_afresh(size, wanted, people, many, whose))
    for name in KINDS:
        cls: type[Repeated] = getattr(mechanisms, name)
        m = within(cls, size, wanted, many, what, each)
        if m is not None:
            found.append(
                RepeatedOption(
                    m, True, m.expected_mse(people, target=whose), m.epsilon,
                    m.steady_epsilon(many), m.total_epsilon(many), what == "steady",
                )
            )  # fmt: skip
    return sorted(found, key=lambda one: one.expected_mse)


def _afresh(
    k: int, epsilon: Fraction, n: int, rounds: int, target: Target
) -> Iterator[RepeatedOption]:
    if epsilon / rounds < STEP:
        return
    error, m = rank(k, epsilon / rounds, n, target, plugins=False)[0]
    total = rounds * m.epsilon
    yield RepeatedOption(m, False, error, m.epsilon, total, total, rounds == 1)
