"""Sampled: every report of every answer, in batches of every form, where the law is small.

Respondents are independent, and each follows its answer's column of the law. Each count below is
therefore binomial, exactly: it adds up one event each of different respondents, or of disjoint
pairs of respondents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.testing.core.draws import Values, compare_pairs, focus, lags, mixed
from sudare.testing.law import Law, law_of
from sudare.testing.suite import Comparison, Total, demand

_DRAWS = 1 << 16
_PAIRED = 1 << 6  # most cells of a law whose pairs are counted: their number is its square
_BATCH = 1 << 14
_LARGE = 1 << 18
_BLOCKS = 32
_CALLS, _EACH = 128, 64
_ALONE = 512
_RARER = 8  # times than the answer that is given most often

Check = Callable[[Mechanism, Entropy], Iterator[Comparison | Total]]


def follows_its_whole_law(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """Each report under each answer; in the smallest laws, each pair of them too."""
    law = law_of(m)
    if law is None:
        return
    outputs, k = law.table.shape
    values = mixed(k, _DRAWS, rng)
    rows = law.draw(values, rng)
    yield from _compared(law, values, rows, rng)
    if outputs * k > _PAIRED:
        return
    cells, side = rows * k + values, outputs * k
    for start in (0, 1):  # disjoint pairs, so that their counts are binomial
        left, right = slice(start, _DRAWS - 1, 2), slice(start + 1, None, 2)
        pairs = np.bincount(cells[left] * side + cells[right], minlength=side * side)
        trials = np.bincount(values[left] * k + values[right], minlength=k * k)
        yield Comparison(
            "sent two reports for the values of two neighbours",
            pairs.reshape(outputs, k, outputs, k),
            trials.reshape(k, 1, k),
            law.table[:, :, None, None] * law.table,
        )


def perturbs_sorted_batches(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """Different answers in their order, as data often come."""
    law = law_of(m)
    if law is not None:
        values = np.sort(mixed(len(law.answers), _BATCH, rng))
        yield from _compared(law, values, law.draw(values, rng), rng)


def perturbs_batches_of_one_value(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """All respondents of a batch give the same answer: each alone, and each two of them."""
    law = law_of(m)
    if law is None:
        return
    for value in focus(len(law.answers), rng)[:3].tolist():
        values = np.full(_BATCH, value)
        yield from _compared(law, values, law.draw(values, rng), rng)


def perturbs_large_batches(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """A batch of 262,144, block by block."""
    law = law_of(m)
    if law is None:
        return
    values = focus(len(law.answers), rng)
    values = values[rng.generator().integers(values.size, size=_LARGE)]
    rows = law.draw(values, rng)
    likely, chance = _likely(law)
    for value in np.unique(values).tolist():
        events = likely[rows, value]
        groups = [
            block[values[block] == value] for block in np.array_split(np.arange(_LARGE), _BLOCKS)
        ]
        yield Comparison(
            "sent a likely report for one value in one block",
            np.array([events[group].sum() for group in groups]),
            np.array([group.size for group in groups]),
            chance[value],
        )


def perturbs_call_after_call(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """128 calls without an rng: each call, and each place of a batch, follows the law."""
    law = law_of(m)
    if law is None:
        return
    value = int(focus(len(law.answers), rng)[2:3].sum())
    values = np.full(_EACH, value)
    rows = np.concatenate([law.draw(values, None) for _ in range(_CALLS)])
    yield from _compared(law, np.full(rows.size, value), rows, rng)
    likely, chance = _likely(law)
    events = likely[rows, value].reshape(_CALLS, _EACH)
    yield Comparison("one call sent likely reports", events.sum(axis=1), _EACH, chance[value])
    what = "one place of a batch sent likely reports"
    yield Comparison(what, events.sum(axis=0), _CALLS, chance[value])


def perturbs_respondents_alone(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """Batches of one respondent, without an rng."""
    law = law_of(m)
    if law is not None:
        values = mixed(len(law.answers), _ALONE, rng)
        rows = [law.draw(values[i : i + 1], None) for i in range(_ALONE)]
        yield from _by_answer(law, values, np.concatenate(rows))


def perturbs_one_at_a_time(m: Mechanism, rng: Entropy) -> Iterator[Comparison | Total]:
    """``perturb_one``: with an entropy source, and without one."""
    law = law_of(m)
    if law is None or not law.family.alone(m):
        return
    for entropy in (rng, None):
        values = mixed(len(law.answers), 2 * _ALONE, rng)
        drawn = [m.perturb_one(law.answers[value], entropy=entropy) for value in values.tolist()]
        rows = np.array([law.row(bytes(m.program.encode_one(one))) for one in drawn])
        yield from _by_answer(law, values, rows)


def _by_answer(law: Law, values: Values, rows: Values) -> Iterator[Comparison | Total]:
    """Compare each report of each answer, and how often answers got one of their likely ones."""
    outputs, k = law.table.shape
    demand(rows.size == values.size, "must give one report a respondent")
    counts = np.bincount(rows * k + values, minlength=outputs * k).reshape(outputs, k)
    trials = np.bincount(values, minlength=k)
    often = np.flatnonzero(trials >= trials.max() / _RARER)
    what = "sent one report for one value"
    yield Comparison(what, counts[:, often], trials[often], law.table[:, often])
    likely, chance = _likely(law)
    own = (counts * likely).sum(axis=0)
    yield Comparison("sent a likely report for one value", own, trials, chance)
    variance = float(trials @ (chance * (1 - chance)))
    yield Total("sent likely reports", int(own.sum()), float(trials @ chance), variance, 1)


def _compared(law: Law, values: Values, rows: Values, rng: Entropy) -> Iterator[Comparison | Total]:
    """Compare the reports of each answer, and each two of them, so many places apart."""
    yield from _by_answer(law, values, rows)
    likely, chance = _likely(law)
    what = "two respondents sent likely reports"
    yield from compare_pairs(what, likely[rows, values], chance[values], lags(rows.size, rng))


def _likely(law: Law) -> tuple[np.ndarray, np.ndarray]:
    """Return which reports are likelier under an answer than under all, and their chance."""
    likely = law.table > law.table.mean(axis=1, keepdims=True) * (1 + 1e-9)
    return likely, (law.table * likely).sum(axis=0)


SAMPLED: tuple[Check, ...] = (
    perturbs_sorted_batches,
    perturbs_batches_of_one_value,
    perturbs_large_batches,
    perturbs_call_after_call,
    perturbs_respondents_alone,
    perturbs_one_at_a_time,
)
