"""``audit``: how much ε a mechanism spends at least, from what it draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, MissingExtraError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.mechanisms import Mechanism
from sudare.testing.law import Law, law_of

CONFIDENCE = 1 - 1e-6
_ANSWERS = 128  # of which pairs are compared
_CELLS = 1 << 18
_BATCH = 1 << 17
_Z = 5.0  # standard errors that the choice of a pair allows for


@dataclass(frozen=True, slots=True)
class Audit:
    """A lower bound on the ε that a mechanism spends.

    Attributes:
        mechanism: the mechanism, as it shows itself.
        epsilon: what it says that it spends; for places a metre, as everything here.
        epsilon_lower: what it spends at least.
        confidence: the probability that this is so.
        pair: the two answers that were told apart best.
        event: the reports, in their wire form, that the first answer gives more often.
        counts: how often each answer gave one of them.
        draws: how often each answer was drawn.
    """

    mechanism: str
    epsilon: float
    epsilon_lower: float
    confidence: float
    pair: tuple[Any, Any]
    event: tuple[bytes, ...] = field(repr=False)
    counts: tuple[int, int]
    draws: int


def audit(
    mechanism: Mechanism,
    trials: int = 1_000_000,
    *,
    confidence: float = CONFIDENCE,
    rng: Randomness = None,
) -> Audit:
    """Return a lower bound on the ε that ``perturb`` spends, whatever the mechanism says.

    ::

        ε >= ln( low(P(E | a)) / high(P(E | b)) ) / d(a, b)

    with answers a and b, and reports E that a gives more often; low and high are the limits of
    Clopper and Pearson, each of them wrong with probability at most (1 - confidence) / 2. d is 1,
    for places the metres between a and b. Pair and event are chosen first: by the likelihood
    ratios of the program's law, or by those of half of the trials where these tell two answers
    apart better than the law allows. The bound comes from the other half.

    It is at least 0.95 ε at a million trials where a pair of answers differs by ε in an event of
    some hundredths: every mechanism of up to some ten reports with ε of 0.5 to 3. Below that the
    noise of counting hides ε; where ε is reached in rare reports alone (unary encodings of many
    categories, a large ε) the bound is further down.

    Args:
        mechanism: of a family that names its checks, whose law can be written out.
        trials: how many reports are drawn, at least 1,000.
        confidence: of the bound, above 0 and below 1.
        rng: to repeat an audit.

    Raises:
        WrongTypeError: not a mechanism of a family that has checks.
        DomainError: its law is too large to write out, too few trials, or no such confidence.
        MissingExtraError: SciPy is not installed.

    Source: Ding, Wang, Wang, Zhang, Kifer 2018 (StatDP: events that tell answers apart, chosen
    apart from the test); Jagielski, Ullman, Oprea 2020 (the bound from Clopper and Pearson 1934).

    Examples:
        >>> import sudare as sd
        >>> found = sd.testing.audit(sd.GRR(2, 1.0), rng=sd.Entropy.seeded(b"audit"))
        >>> 0.95 < found.epsilon_lower <= found.epsilon <= 1
        True
    """
    number = as_integer(trials, "trials", low=1000, high=1 << 40)
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise DomainError("confidence", "must lie between 0 and 1", got=confidence)
    law, entropy = law_of(mechanism, _CELLS), as_entropy(rng)
    if law is None:
        raise DomainError("mechanism", "must have a law that can be written out", "audit fewer k")
    a, b, event = _chosen(law, number // 2, entropy)
    draws = number // 4
    values = np.repeat([a, b], draws)
    entropy.generator().shuffle(values)
    hits = event[_drawn(law, values, entropy)]
    counts = int(hits[values == a].sum()), int(hits[values == b].sum())
    low, high = _limits(counts, draws, (1 - confidence) / 2)
    return Audit(
        mechanism=repr(mechanism),
        epsilon=mechanism.epsilon,
        epsilon_lower=max(0.0, math.log(low / high) if low else 0.0) / float(_apart(law)[a, b]),
        confidence=confidence,
        pair=(law.answers[a], law.answers[b]),
        event=tuple(law.wires[row] for row in np.flatnonzero(event).tolist()),
        counts=counts,
        draws=draws,
    )


def _chosen(law: Law, trials: int, rng: Entropy) -> tuple[int, int, Any]:
    """Return the pair of answers, and the reports, that promise the largest bound."""
    outputs, k = law.table.shape
    few = np.unique(np.linspace(0, k - 1, min(k, _ANSWERS)).astype(np.int64))
    best = _best(law, law.table, few, trials / 2)
    values = rng.generator().permutation(few[np.arange(trials) % few.size])
    cells = _drawn(law, values, rng) * k + values
    seen = np.bincount(cells, minlength=outputs * k).reshape(outputs, k)
    shares = seen / np.maximum(seen.sum(axis=0), 1)
    return max(best, _best(law, shares, few, trials / few.size), key=lambda found: found[0])[1]


def _best(law: Law, table: Floats, few: Any, n: float) -> tuple[float, tuple[int, int, Any]]:
    """Return the largest bound that n draws promise, with its pair and its reports.

    Of two answers the reports are taken in the order of their likelihood ratio, as many as serve.
    """
    apart, promised = _apart(law), (-math.inf, (0, 0, np.zeros(len(table), dtype=np.bool_)))
    for a in few.tolist():
        others = few[few != a]
        own, theirs = table[:, [a]], table[:, others]
        order = np.argsort(-own / np.maximum(theirs, 1e-300), axis=0, kind="stable")
        first = np.cumsum(np.take_along_axis(np.broadcast_to(own, order.shape), order, 0), axis=0)
        second = np.cumsum(np.take_along_axis(theirs, order, 0), axis=0)
        low = first - _Z * np.sqrt(first * np.abs(1 - first) / n)
        high = second + _Z * np.sqrt(second * np.abs(1 - second) / n) + _Z**2 / n
        bounds = np.log(np.maximum(low, 1e-300) / high) / apart[a, others]
        last, i = np.unravel_index(int(np.argmax(bounds)), bounds.shape)
        if bounds[last, i] > promised[0]:
            event = np.zeros(len(table), dtype=np.bool_)
            event[order[: last + 1, i]] = True
            promised = (float(bounds[last, i]), (a, int(others[i]), event))
    return promised


def _apart(law: Law) -> Floats:
    metres = law.family.distances(law.m, law.answers)
    return np.ones((len(law.answers),) * 2) if metres is None else metres


def _drawn(law: Law, values: Any, rng: Entropy) -> Any:
    parts = range(0, values.size, _BATCH)
    return np.concatenate([law.draw(values[i : i + _BATCH], rng) for i in parts])


def _limits(counts: tuple[int, int], n: int, miss: float) -> tuple[float, float]:
    """Return a lower limit of the first chance and an upper one of the second."""
    try:
        from scipy.stats import beta
    except ImportError:
        raise MissingExtraError("scipy", "analysis", "for audits") from None
    first, second = counts
    low = float(beta.ppf(miss, first, n - first + 1)) if first else 0.0
    high = float(beta.ppf(1 - miss, second + 1, n - second)) if second < n else 1.0
    return low, high
