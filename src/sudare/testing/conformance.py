"""``check_mechanism``: what every mechanism must do, ours and anybody's plug-in.

The runner. The checks are those of the mechanism's :class:`~sudare.testing.family.Family`, which
its class names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sudare.errors import ConformanceError, MissingExtraError
from sudare.exact.entropy import Randomness, as_entropy
from sudare.mechanisms import Mechanism
from sudare.mechanisms.labels import numbered
from sudare.testing.core import exact_checks
from sudare.testing.family import family_of
from sudare.testing.suite import BrokenRuleError, Comparison, Total, demand

FALSE_ALARM = 1e-6
"""Most probability that one call fails a mechanism that follows its law."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """The checks that a mechanism has passed, by name."""

    mechanism: str
    passed: tuple[str, ...]


def check_mechanism(mechanism: Mechanism, *, rng: Randomness = None) -> Conformance:
    """Check a mechanism; return the names of the checks passed.

    Exact checks come first: they enumerate the law of a small sibling (the same class with fewer
    categories, attributes or keys), and of the mechanism itself where it can be written out.
    Sampled checks follow, on both. They compare counts with binomial laws by exact tails, and the
    false-alarm rate of the whole call is at most 1e-6: it is shared evenly by the sampled checks,
    within a check by its comparisons, and within these by their counts (Bonferroni, whatever the
    dependence between them).

    Args:
        mechanism: any :class:`~sudare.mechanisms.Mechanism` of a family that names its checks.
            Baselines for studies pass those that do not ask for a guarantee.
        rng: to repeat a failure; default the operating system's entropy. What a mechanism draws
            when it is given no entropy is always fresh.

    Raises:
        ConformanceError: a check failed; the message names it and says what was found.
        WrongTypeError: not a mechanism of a family that has checks.
        DomainError: it is too large to sample.
        MissingExtraError: SciPy is not installed.

    Examples:
        >>> import sudare as sd
        >>> "perturbs_mixed_batches" in sd.testing.check_mechanism(sd.GRR(5, 1.0)).passed
        True
    """
    given, family = mechanism, family_of(mechanism)
    data = mechanism.to_json()
    if numbered(data) != data:  # the checks count their answers from 0, which labels may forbid
        mechanism = type(mechanism).from_json(numbered(data))
    entropy = as_entropy(rng)
    with _rules(mechanism, "subjects"):
        subjects = family.subjects(mechanism)
    exacts = exact_checks(family, mechanism)
    for exact in exacts:
        for subject in subjects:
            with _rules(subject, exact.__name__), _no_crash():
                exact(subject, entropy)
    level = FALSE_ALARM / max(1, len(family.sampled) * len(subjects))
    for sampled in family.sampled:
        for subject in subjects:
            with _rules(subject, sampled.__name__), _no_crash():
                judge(sampled(subject, entropy), level)
    checks: tuple[Callable[..., object], ...] = (*exacts, *family.sampled)
    return Conformance(repr(given), tuple(check.__name__ for check in checks))


def judge(comparisons: Iterable[Comparison | Total], level: float) -> None:
    """Raise BrokenRuleError where one of the comparisons is improbable at ``level`` for all."""
    given = [comparison for comparison in comparisons if comparison.size]
    for comparison in given:
        p_value, found = comparison.worst()
        share = level / len(given) / comparison.size
        demand(p_value >= share, f"must follow its law: {found}")


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
