"""``check_mechanism``: what every mechanism must do, ours and anybody's plug-in.

The runner. The checks of a family of mechanisms are a :class:`~sudare.testing.suite.Suite`,
chosen by the mechanism's base class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sudare.errors import ConformanceError, MissingExtraError, WrongTypeError
from sudare.exact.entropy import Entropy, choose
from sudare.mechanisms import FrequencyOracle, Mechanism
from sudare.testing import frequency
from sudare.testing.suite import BrokenRuleError, Comparison, Suite, Total, demand

FALSE_ALARM = 1e-6
"""Most probability that one call fails a mechanism that follows its law."""

_SUITES: tuple[tuple[type, Suite[Any]], ...] = ((FrequencyOracle, frequency.SUITE),)


@dataclass(frozen=True, slots=True)
class Conformance:
    """The checks that a mechanism has passed, by name."""

    mechanism: str
    passed: tuple[str, ...]


def check_mechanism(mechanism: Mechanism, *, rng: Entropy | None = None) -> Conformance:
    """Check a mechanism; return the names of the checks passed.

    Exact checks come first: they enumerate the law of a small sibling (the same class at
    k <= 4), and of the mechanism itself where it can be written out. Sampled checks follow, on
    both. They compare counts with binomial laws by exact tails, and the false-alarm rate of
    the whole call is at most 1e-6: it is shared evenly by the sampled checks, and within a
    check by its comparisons (Bonferroni, whatever the dependence between them).

    Args:
        mechanism: any :class:`~sudare.mechanisms.FrequencyOracle` with k <= 65,536.
        rng: to repeat a failure; default the operating system's entropy. What a mechanism draws
            when it is given no entropy is always fresh.

    Raises:
        ConformanceError: a check failed; the message names it and says what was found.
        WrongTypeError: not a mechanism of a family that has checks.
        DomainError: k is too large to sample.
        MissingExtraError: SciPy is not installed.

    Examples:
        >>> import sudare as sd
        >>> "perturbs_mixed_batches" in sd.testing.check_mechanism(sd.GRR(5, 1.0)).passed
        True
    """
    suite = _suite_of(mechanism)
    entropy = choose(rng)
    with _rules(mechanism, "subjects"):
        subjects = suite.subjects(mechanism)
    for exact in suite.exact:
        for subject in subjects:
            with _rules(subject, exact.__name__), _no_crash():
                exact(subject, entropy)
    level = FALSE_ALARM / (len(suite.sampled) * len(subjects))
    for sampled in suite.sampled:
        for subject in subjects:
            with _rules(subject, sampled.__name__), _no_crash():
                judge(sampled(subject, entropy), level)
    checks: tuple[Callable[..., object], ...] = (*suite.exact, *suite.sampled)
    return Conformance(repr(mechanism), tuple(check.__name__ for check in checks))


def judge(comparisons: Iterable[Comparison | Total], level: float) -> None:
    """Raise BrokenRuleError where one of the comparisons is improbable at ``level`` for all."""
    given = [comparison for comparison in comparisons if comparison.size]
    tests = sum(comparison.size for comparison in given)
    for comparison in given:
        p_value, found = comparison.worst()
        demand(p_value >= level / tests, f"must follow its law: {found}")


def _suite_of(mechanism: object) -> Suite[Any]:
    if isinstance(mechanism, Mechanism) and mechanism.studies_only:
        raise WrongTypeError(
            "mechanism", "must give a guarantee", f"{mechanism.name} is for studies alone"
        )
    for family, suite in _SUITES:
        if isinstance(mechanism, family):
            return suite
    families = " or ".join(family.__name__ for family, _ in _SUITES)
    raise WrongTypeError("mechanism", f"must be a {families}", "build one: sudare.GRR(k=5, ...)")


@contextmanager
def _rules(subject: object, check: str) -> Iterator[None]:
    """Turn a broken rule into the error that names the mechanism and the check."""
    try:
        yield
    except BrokenRuleError as broken:
        rule, remedy = str(broken), f"the check is {check}"
        raise ConformanceError(_shown(subject), rule, remedy) from broken.__cause__


@contextmanager
def _no_crash() -> Iterator[None]:
    """Turn whatever a mechanism raises on good input into a broken rule."""
    try:
        yield
    except (BrokenRuleError, MissingExtraError):
        raise
    except Exception as error:
        raise BrokenRuleError(f"must not fail on good input, by {type(error).__name__}") from error


def _shown(subject: object) -> str:
    try:
        return repr(subject)
    except Exception:  # noqa: BLE001 - a plug-in's own text may fail
        return type(subject).__name__
