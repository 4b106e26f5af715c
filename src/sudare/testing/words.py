"""The checks of unlisted words: reports follow the whole law of all words of a short alphabet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.mechanisms.text import PEM
from sudare.testing.core import BORDERS, LAW, SPENT, VALUE, batches, validation, value
from sudare.testing.core.look import Look
from sudare.testing.family import Exact, Family, Sampled
from sudare.testing.law import law_of
from sudare.testing.suite import demand

_MOST_WORDS = 12

NOT_TEXT = (None, float("nan"), 0, True, b"ab", "", "  ", ["ab"])


def supports_as_stated(m: PEM, _: Entropy) -> None:
    """Of whole words a report supports its own with p, any other one with q, and 0 < q < p."""
    law = law_of(m)
    p, q = m.support_probabilities
    demand(0 < q < p <= 1, "must support the true word more often than another one")
    if law is None:
        return
    reports = np.array([m.program.decode(wire)[0] for wire in law.wires])
    last = reports[:, 0] == len(m.lengths) - 1
    asked = sum(m.parts)
    for other in law.answers:
        hashes = m.family.hashes(reports[:, 1:-1], m.alphabet.encode(other, m.longest))
        rows = np.flatnonzero(last & (hashes.sum(axis=1) % m.g == reports[:, -1]))
        for word, own in zip(law.answers, law.exact, strict=True):
            chance = sum(own[row] for row in rows.tolist()) * asked / m.parts[-1]
            stated = p if word == other else q
            demand(chance == stated, "must support words with its support_probabilities")


class _Words(Family[PEM]):
    """Words of an alphabet so small that all of them can be written out."""

    most: ClassVar[int] = 1 << 17

    exact: ClassVar[tuple[Exact, ...]] = (
        *VALUE,
        *SPENT,
        value.spends_all_of_it,
        *LAW,
        supports_as_stated,
        *(one for one in BORDERS if one is not validation.repeats_from_a_seed),
    )
    sampled: ClassVar[tuple[Sampled, ...]] = (batches.follows_its_whole_law, *batches.SAMPLED)

    def subjects(self, m: PEM) -> tuple[PEM, ...]:
        """Return the sibling of two letters, with words of two where its law can be written out."""
        small = PEM(2, m.requested_epsilon, "ab", lengths=(1, 2))
        if law_of(small) is None:
            small = PEM(1, m.requested_epsilon, "ab")
        return small, m

    def answers(self, m: PEM) -> Sequence[str]:
        """Return some of the shortest words of few letters."""
        own = (m.alphabet.characters or "ab")[:3]
        lengths = range(1, m.longest + 1)
        words = ("".join(one) for length in lengths for one in product(own, repeat=length))
        return list(islice(words, _MOST_WORDS))

    def bad_answers(self, m: PEM) -> Iterable[Any]:
        """Return what is no word of the alphabet."""
        long = m.alphabet.decode([1]) if m.alphabet.characters else "a"
        return (*NOT_TEXT, long * (m.longest + 1))

    def bad_batches(self, m: PEM) -> Iterator[tuple[Any, ...]]:
        """Yield bad answers, alone and among others, and what is no list."""
        good = self.answers(m)[0]
        for bad in self.bad_answers(m):
            yield ([bad],)
            yield ([good, bad],)
        yield from ((0,), (None,), (good,))

    def bad_simulations(self, m: PEM) -> Iterator[tuple[Any, ...]]:
        """Yield nothing: words are simulated respondent by respondent."""
        yield from ()

    def look(self, m: PEM) -> Look | None:
        """Return what the whole law says of reports, where it is written out."""
        law = law_of(m)
        return None if law is None else Look(law)

    def tallies(self, m: PEM) -> None:
        """Return nothing: there is no tally to simulate."""


FAMILY = _Words()
