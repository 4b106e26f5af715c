"""The checks of sets of categories: the whole law at small k, bit by bit at any k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import SetUnary
from sudare.testing.core import Checked, resized, value
from sudare.testing.core.look import compare_pairs, lags, mixed
from sudare.testing.family import OUTSIDE, Batch, Exact, Sampled
from sudare.testing.law import Law
from sudare.testing.suite import Comparison

_SMALL = 4
_DRAWS = 1 << 13


def perturbs_each_category(m: SetUnary, rng: Entropy) -> Iterator[Comparison]:
    """Each bit follows p or q, alone, with the next one, and with other respondents'."""
    answers = FAMILY.answers(m)
    held = FAMILY.batch(m, answers)[0][mixed(len(answers), _DRAWS, rng)]
    reports = m.perturb(held, rng=rng)
    bits = np.unpackbits(reports, axis=1, bitorder="little", count=m.k).astype(np.bool_)
    own, other = (float(one) for one in m.support_probabilities)
    for state, chance, word in ((held, own, "held"), (~held, other, "other")):
        yield Comparison(f"sent a category that was {word}", (bits & state).sum(0), state.sum(0),
                         chance)  # fmt: skip
        pairs = state & np.roll(state, -1, axis=1)
        both = bits & np.roll(bits, -1, axis=1) & pairs
        yield Comparison(
            f"sent two categories that were {word}", both.sum(0), pairs.sum(0), chance**2
        )
    free = np.flatnonzero(~held[:, 0])
    what = "two respondents sent a category that neither held"
    yield from compare_pairs(what, bits[free, 0], other, lags(free.size, rng))


class _Sets(Checked[SetUnary]):
    """Lists of the categories held."""

    exact: ClassVar[tuple[Exact, ...]] = (*Checked.exact, value.spends_all_of_it)
    sampled: ClassVar[tuple[Sampled, ...]] = (*Checked.sampled, perturbs_each_category)

    def subjects(self, m: SetUnary) -> tuple[SetUnary, ...]:
        if m.k <= _SMALL:
            return (m,)
        return resized(m, k=_SMALL, most=min(m.most, _SMALL)), m

    def answers(self, m: SetUnary) -> Sequence[Any]:
        """Return all sets; of many categories the empty one, and rows of categories."""
        if m.k <= _SMALL:
            return m.program.sets()
        sizes = sorted({0, 1, (m.most + 1) // 2, m.most})
        rows = {tuple(sorted((i * 7 + j) % m.k for j in range(size)))
                for i in range(16) for size in sizes}  # fmt: skip
        return sorted(rows)

    def batch(self, m: SetUnary, answers: Sequence[Any]) -> Batch:
        held = np.zeros((len(answers), m.k), dtype=np.bool_)
        for row, own in zip(held, answers, strict=True):
            row[list(own)] = True
        return (held,)

    def bad_answers(self, m: SetUnary) -> Iterator[Any]:
        for bad in (float("nan"), None, -1, 1.5, "0", True, OUTSIDE, m.k, [0]):
            yield [bad]
        yield from ([0, 0], None, 0, "01", OUTSIDE)
        if m.most < m.k:
            yield range(m.most + 1)

    def bad_batches(self, m: SetUnary) -> Iterator[tuple[Any, ...]]:
        none = np.zeros((2, m.k), dtype=np.bool_)
        for bad in (none[0], none[:, 1:], none.astype(float), none[:0], None, "01", 0, [[OUTSIDE]]):
            yield (bad,)
        if m.most < m.k:
            yield (~none,)

    def channels(self, m: SetUnary, law: Law) -> Iterator[tuple[Floats, Floats]]:
        if m.k <= _SMALL:
            yield m.channel.dense(), law.table

    def tally(self, m: SetUnary, answers: Sequence[Any], weights: Any) -> Any:
        return weights @ self.batch(m, answers)[0]

    def simulate(self, m: SetUnary, answers: Sequence[Any], truth: Any, rng: Entropy) -> Counts:
        return m.simulate(self.tally(m, answers, truth), int(truth.sum()), rng=rng)

    def bad_simulations(self, m: SetUnary) -> Iterator[tuple[Any, ...]]:
        for bad in (None, [1], np.full(m.k, -1), np.full(m.k, 0.5), np.full(m.k, 6)):
            yield bad, 5
        yield np.ones(m.k, dtype=np.int64), None


FAMILY = _Sets()
