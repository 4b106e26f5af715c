"""Sampled: ``perturb`` on batches of every form, and ``perturb_one``, at the mechanism's own k."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.draws import Values, focus, lags, mixed
from sudare.testing.frequency.subjects import supports_of
from sudare.testing.frequency.supports import MOST_PAIRED, Drawn
from sudare.testing.suite import Comparison, Total, demand

_CELLS = 1 << 24
_FEW_REPORTS = 1 << 12
_LARGE = 1 << 18
_LARGE_BYTES = 1 << 22  # of all its reports
_BLOCKS = 64
_CALLS = 128
_ALONE = 512
_WORDS = 1 << 19  # entropy of all single reports of one check, in words of one category each
_OF_EACH = 64  # single reports of every value: a value in clear shows where p is 1/2 too


def perturbs_mixed_batches(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """A shuffled batch of different values: each respondent by itself follows the law."""
    drawn = _perturb(m, mixed(m.k, batch_size(m), rng), rng)
    yield from drawn.by_value()
    yield from drawn.between_respondents(lags(drawn.values.size, rng))
    if m.k <= MOST_PAIRED:
        yield from drawn.between_categories()
    else:
        far = int(rng.generator().integers(1, m.k))
        yield from drawn.within_reports((1, 8, far))


def perturbs_sorted_batches(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """The same in the order of the values, as data often come."""
    drawn = _perturb(m, np.sort(mixed(m.k, batch_size(m) // 2, rng)), rng)
    yield from drawn.by_value()
    yield from drawn.between_respondents(lags(drawn.values.size, rng))


def perturbs_batches_of_one_value(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """All respondents of a batch give the same answer."""
    for value in focus(m.k, rng)[:3].tolist():
        drawn = _perturb(m, np.full(batch_size(m) // 8, value), rng)
        yield from drawn.by_value()
        yield from drawn.between_respondents(lags(drawn.values.size, rng))
        other = (value + int(rng.generator().integers(1, m.k))) % m.k
        yield from drawn.repeats(other, lags(drawn.values.size, rng))


def perturbs_large_batches(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison]:
    """A batch of 262,144, where its reports are short: in each block, each of a few values."""
    n = min(_LARGE, _LARGE_BYTES // m.report_bytes)
    if n <= batch_size(m):
        return
    few = focus(m.k, rng)
    values = few[rng.generator().integers(few.size, size=n)]
    reports = m.perturb(values, rng=rng)
    demand(len(reports) == n, "must give one report a respondent")
    groups = [
        block[values[block] == value]
        for block in np.array_split(np.arange(n), _BLOCKS)
        for value in few
    ]
    p, q = (float(x) for x in m.support_probabilities)
    yield Comparison(
        "supported one category for one value in one block",
        np.array([m.aggregate(reports[rows]).support[few] for rows in groups]),
        np.array([[rows.size] for rows in groups]),
        np.tile(np.where(few[:, None] == few, p, q), (_BLOCKS, 1)),
    )


def perturbs_call_after_call(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """128 calls without an rng: each call, and each place of a batch, follows the law."""
    size = max(8, 1 << (batch_size(m) // (2 * _CALLS)).bit_length() - 1)  # a lag that is looked at
    values = mixed(m.k, _CALLS * size, rng)
    calls = values.reshape(_CALLS, size)
    drawn = _drawn(m, values, np.concatenate([m.perturb(call) for call in calls]))
    yield from drawn.by_value()
    yield from drawn.between_respondents(lags(drawn.values.size, rng))
    p = float(m.support_probabilities[0])
    own = drawn.own.reshape(_CALLS, size)
    yield Comparison("one call supported true values", own.sum(axis=1), size, p)
    yield Comparison("one place of a batch supported true values", own.sum(axis=0), _CALLS, p)


def perturbs_respondents_alone(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """Batches of one respondent, given as a list, without an rng."""
    values = mixed(m.k, _ALONE, rng)
    drawn = _drawn(m, values, np.concatenate([m.perturb([value]) for value in values.tolist()]))
    yield from drawn.by_value()
    yield from drawn.between_respondents(lags(drawn.values.size, rng))


def perturbs_one_at_a_time(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison | Total]:
    """``perturb_one``: with an entropy source, and without one, where every value comes up."""
    for entropy in (rng, None):
        values = mixed(m.k, max(32, min(1 << 9, _WORDS // m.k)), rng)
        if entropy is None and m.k <= _OF_EACH:
            values = rng.generator().permutation(np.tile(np.arange(m.k), _OF_EACH))
        reports = [m.perturb_one(value, entropy=entropy) for value in values.tolist()]
        wire = b"".join(m.program.encode_one(report) for report in reports)
        drawn = _drawn(m, values, np.asarray(m.program.decode(wire)))
        yield from drawn.by_value()
        yield from drawn.between_respondents(lags(drawn.values.size, rng))


def batch_size(m: FrequencyOracle) -> int:
    """Respondents of a batch: more where few reports are different, fewer where k is large."""
    most = 1 << 15 if m.program.outputs <= _FEW_REPORTS else 1 << 12
    return max(1 << 8, min(most, _CELLS // m.k))


def _perturb(m: FrequencyOracle, values: Values, rng: Entropy) -> Drawn:
    return _drawn(m, values, m.perturb(values, rng=rng))


def _drawn(m: FrequencyOracle, values: Values, reports: np.ndarray) -> Drawn:
    demand(len(reports) == values.size, "must give one report a respondent")
    return Drawn(m, values, supports_of(m, reports))
