"""The checks of repeated questions: a round as of any mechanism, and the memory between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.exact.entropy import Entropy
from sudare.mechanisms.repeated import Memory, Repeated
from sudare.testing.core import Checked, resized
from sudare.testing.core.batches import Found, compared
from sudare.testing.core.look import Look, mixed
from sudare.testing.core.simulations import Tallies
from sudare.testing.core.validation import refuse
from sudare.testing.family import Exact, Sampled
from sudare.testing.law import Law, law_of
from sudare.testing.suite import Comparison, demand, of

_SMALL = 4
_PEOPLE = 1 << 14


def remembers(m: Repeated, rng: Entropy) -> None:
    """An answer is settled when it is first given, and never again; a memory survives JSON."""
    memory = m.remember(entropy=rng)
    for value in (0, m.k - 1, 0):
        _, settled = m.report(value, memory, entropy=rng)
        demand(settled.drawn == memory.drawn, "must keep what it has drawn")
        before = memory.answers.items()
        demand(before <= settled.answers.items(), "must keep its permanent answers")
        memory = Memory.from_json(settled.to_json())
        demand(memory == settled, "must keep its memory through JSON")
    demand(1 <= len(memory.answers) <= 2, "must settle each answer once")
    refuse(m.report, 0, Memory("another", memory.drawn, memory.answers))


def accounts_for_all_rounds(m: Repeated, _: Entropy) -> None:
    """ε of one round is that of a report; of more no less, and of one answer the permanent's."""
    demand(m.total_epsilon(1) == m.epsilon, "must account for one report by its ε")
    steady = [m.steady_epsilon(rounds) for rounds in (1, 2, 9, 1000)]
    demand(steady == sorted(steady), "must not account for less in more rounds")
    demand(m.epsilon <= steady[0], "must account for one report by its ε")
    demand(steady[-1] <= m.permanent_epsilon, "must stay below the ε of its permanent answer")


@of(law_of)
def settles_each_answer_once(law: Law, rng: Entropy) -> Found:
    """Both of two rounds follow the law; of one answer they are alike as often as one permanent
    answer is told alike, of two different ones each has its own."""
    m, look, k = law.m, Look(law), len(law.answers)
    first = mixed(k, _PEOPLE, rng)
    second = np.where(mixed(2, _PEOPLE, rng) > 0, first, mixed(k, _PEOPLE, rng))
    reports = m.perturb_rounds(np.column_stack([first, second]), rng=rng)
    drawn = [look.seen(own, one) for own, one in zip((first, second), reports, strict=True)]
    for one in drawn:
        yield from compared(one, rng)
    stays = first == second
    alike = int((drawn[0].rows == drawn[1].rows)[stays].sum())
    for chance in alike_twice(m):
        what = "told one permanent answer alike in two rounds"
        yield Comparison(what, np.array([alike]), int(stays.sum()), float(chance))


def alike_twice(m: Repeated) -> set[Fraction]:
    """Return how probable it is that two reports about one permanent answer are the same: of each
    of these, which has the same probability in all that ship."""
    if m.instant is None:
        return {Fraction(1)}
    laws = m.instant.laws(list(m.instant.every()))
    found = {sum((one * one for one in own), Fraction(0)) for own in laws}
    return found if len(found) == 1 else set()


class _Rounds(Checked[Repeated]):
    """One of k categories, by the whole law of a round."""

    exact: ClassVar[tuple[Exact, ...]] = (*Checked.exact, remembers, accounts_for_all_rounds)
    sampled: ClassVar[tuple[Sampled, ...]] = (*Checked.sampled, settles_each_answer_once)

    def subjects(self, m: Repeated) -> tuple[Repeated, ...]:
        """Return the sibling at ``min(k, 4)``, and m where that is another one."""
        return (m,) if m.k <= _SMALL else (resized(m, k=_SMALL), m)

    def answers(self, m: Repeated) -> Sequence[Any]:
        """Return all categories."""
        return range(m.k)

    def bad_answers(self, m: Repeated) -> Iterable[Any]:
        """Return what is no category."""
        return (*super().bad_answers(m), m.k)

    def tallies(self, m: Repeated) -> Tallies | None:
        """Return the laws of tallies, where ``simulate`` is not ``perturb`` of each respondent."""
        return None if m.instant is None else super().tallies(m)

    def channels(self, m: Repeated, law: Law) -> Iterator[tuple[Floats, Floats]]:
        """Yield the channel, and the law."""
        yield m.channel.dense(), law.table


FAMILY = _Rounds()
