"""``plan_words``: which words that nobody listed can be found among so many people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sudare.exact import as_integer
from sudare.mechanisms.text import PEM

_PROBABILITIES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class WordPlan:
    """What :meth:`sudare.PEM.find` will find.

    Attributes:
        mechanism: ready to use.
        n: people who report.
        false: most probability that a word of nobody is published.
        shares: from which share on a word is found, with each of the ``probabilities``; infinite
            where none can be.
    """

    mechanism: PEM
    n: int
    false: float
    probabilities: tuple[float, ...]
    shares: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data; no share is ``null``."""
        rows = [
            {"probability": probability, "share": share if math.isfinite(share) else None}
            for probability, share in zip(self.probabilities, self.shares, strict=True)
        ]
        m = self.mechanism
        return {
            "n": self.n,
            "epsilon": m.epsilon,
            "longest": m.longest,
            "alphabet": m.alphabet.name,
            "lengths": list(m.lengths),
            "false": self.false,
            "report_bytes": m.report_bytes,
            "found": rows,
        }


def plan_words(
    n: int, epsilon: Any, longest: int, alphabet: str = "bytes", *, false: float = 0.05
) -> WordPlan:
    """Tell from which share on a word that nobody listed is found, before anybody is asked.

    Args:
        n: people who report, each once.
        epsilon, longest, alphabet: as :class:`sudare.PEM` takes them.
        false: most probability that a word of nobody is published.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.

    Examples:
        >>> plan = plan_words(10_000, 4.0, longest=6, alphabet="kana")
        >>> [round(share, 3) for share in plan.shares]
        [0.034, 0.045, 0.056]
    """
    m, people = PEM(longest, epsilon, alphabet), as_integer(n, "n", low=1, high=1 << 40)
    shares = tuple(m.least_share(people, own, false=false) for own in _PROBABILITIES)
    return WordPlan(m, people, false, _PROBABILITIES, shares)
