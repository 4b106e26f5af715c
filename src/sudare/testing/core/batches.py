"""Sampled: batches of every form, and ``perturb_one``, by what is seen of each report.

Respondents are independent, and each follows its answer's column of the law. Each count is
therefore binomial, exactly: it adds up one event each of different respondents, or of disjoint
pairs of them. Where the events' probabilities differ, the tails are no heavier than those of the
binomial law of their average (Hoeffding 1956).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.testing.core.look import Look, focus, lags, mixed
from sudare.testing.family import Sampled, family_of
from sudare.testing.law import Law, law_of
from sudare.testing.suite import Comparison, Total, demand, of

_DRAWS = 1 << 16
_PAIRED = 1 << 6  # most cells of a law whose pairs are counted: their number is its square
_LARGE = 1 << 18
_LARGE_BYTES = 1 << 22  # of all its reports
_BLOCKS = 64
_CALLS = 128
_ALONE = 512
_OF_EACH = 64  # single reports of every value: a value in clear shows where p is 1/2 too

Found = Iterator[Comparison | Total]


@of(law_of)
def follows_its_whole_law(law: Law, rng: Entropy) -> Found:
    """Each report under each answer; in the smallest laws, each pair of them too."""
    outputs, k = law.table.shape
    values = mixed(k, _DRAWS, rng)
    drawn = Look(law).draw(values, rng)
    yield from compared(drawn, rng)
    if outputs * k > _PAIRED:
        return
    cells, side = drawn.rows * k + values, outputs * k
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


def _look(m: object) -> Look | None:
    found: Look | None = family_of(m).look(m)
    return found


@of(_look)
def perturbs_sorted_batches(look: Look, rng: Entropy) -> Found:
    """Different answers in their order, as data often come."""
    yield from compared(look.draw(np.sort(mixed(look.k, look.size // 2, rng)), rng), rng)


@of(_look)
def perturbs_batches_of_one_value(look: Look, rng: Entropy) -> Found:
    """All respondents of a batch give the same answer."""
    for value in focus(look.k, rng)[:3].tolist():
        drawn = look.draw(np.full(look.size // 8, value), rng)
        yield from compared(drawn, rng)
        yield from drawn.of_one_value(rng)


@of(_look)
def perturbs_large_batches(look: Look, rng: Entropy) -> Found:
    """A batch of 262,144, where its reports are short: in each block, each of a few values."""
    n = min(_LARGE, _LARGE_BYTES // look.m.report_bytes)
    if n <= look.size:
        return
    few = focus(look.k, rng)
    values = few[rng.generator().integers(few.size, size=n)]
    reports = look.perturb(values, rng)
    demand(len(reports) == n, "must give one report a respondent")
    blocks = np.array_split(np.arange(n), _BLOCKS)
    groups = [[block[values[block] == value] for value in few] for block in blocks]
    observed, chance = look.in_groups(reports, few, groups)
    trials = np.array([[rows.size for rows in block] for block in groups])
    what = "sent what one value gives in one block"
    yield Comparison(what, observed, trials.reshape(*trials.shape, 1), chance)


@of(_look)
def perturbs_call_after_call(look: Look, rng: Entropy) -> Found:
    """128 calls without an rng: each call, and each place of a batch, follows the law."""
    size = max(8, 1 << (look.size // (2 * _CALLS)).bit_length() - 1)  # a lag that is looked at
    values = mixed(look.k, _CALLS * size, rng)
    calls = [look.perturb(call, None) for call in values.reshape(_CALLS, size)]
    drawn = look.seen(values, np.concatenate(calls))
    yield from compared(drawn, rng)
    own, chance = drawn.own.reshape(_CALLS, size), drawn.chance.reshape(_CALLS, size)
    yield Comparison("one call sent likely reports", own.sum(axis=1), size, chance.mean(axis=1))
    what = "one place of a batch sent likely reports"
    yield Comparison(what, own.sum(axis=0), _CALLS, chance.mean(axis=0))


@of(_look)
def perturbs_respondents_alone(look: Look, rng: Entropy) -> Found:
    """Batches of one respondent, without an rng."""
    values = mixed(look.k, _ALONE, rng)
    reports = [look.perturb(values[i : i + 1], None) for i in range(_ALONE)]
    yield from compared(look.seen(values, np.concatenate(reports)), rng)


@of(_look)
def perturbs_one_at_a_time(look: Look, rng: Entropy) -> Found:
    """``perturb_one``: with an entropy source, and without one, where every value comes up."""
    if not family_of(look.m).alone(look.m):
        return
    for entropy in (rng, None):
        values = mixed(look.k, look.singles, rng)
        if entropy is None and look.k <= _OF_EACH:
            values = rng.generator().permutation(np.tile(np.arange(look.k), _OF_EACH))
        yield from compared(look.one_by_one(values, entropy), rng)


def compared(drawn: Any, rng: Entropy) -> Found:
    """Compare the reports of each answer, and each two of them, so many places apart."""
    yield from drawn.by_value()
    yield from drawn.between_respondents(lags(drawn.values.size, rng))


SAMPLED: tuple[Sampled, ...] = (
    perturbs_sorted_batches,
    perturbs_batches_of_one_value,
    perturbs_large_batches,
    perturbs_call_after_call,
    perturbs_respondents_alone,
    perturbs_one_at_a_time,
)
