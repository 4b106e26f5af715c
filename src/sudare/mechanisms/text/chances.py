"""What can be found, before anybody is asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from sudare.errors import DomainError
from sudare.estimation.tails import least_count, upper_tail
from sudare.exact import as_integer
from sudare.exact.parameters import as_number

if TYPE_CHECKING:
    from sudare.mechanisms.text.pem import PEM

_CHANCE = 4  # of the beam, the part that may be filled by what nobody holds
_FINEST = 1_000_000
_MOST_PEOPLE = 1 << 40


@dataclass(frozen=True, slots=True)
class WordSearch:
    """What is asked of words, checked.

    Attributes:
        false: most probability of a false word.
        above: the share from which on a word is no false one.
        beam: prefixes that are kept at most.
    """

    false: float
    above: float
    beam: int

    @classmethod
    def checked(cls, m: PEM, false: object, above: object, beam: object) -> WordSearch:
        """Check the arguments of :meth:`~sudare.PEM.find`."""
        chance, share = as_number(false, "false"), as_number(above, "above")
        if not 0 < chance < 1:
            raise DomainError("false", "must lie between 0 and 1", "such as 0.05", got=chance)
        if not 0 <= share < 1:
            raise DomainError("above", "must be a share below 1", "such as 0.01", got=share)
        return cls(chance, share, as_integer(beam, "beam", low=1, high=1 << 14))

    def level(self, tried: int) -> float:
        """Return the level of one prefix of so many: on average chance fills a quarter."""
        return min(1.0, self.beam / _CHANCE / max(1, tried))


def chance(m: PEM, share: object, n: object, false: object, above: object, beam: object) -> float:
    """As :meth:`~sudare.PEM.chance`, with as many people of each length as are expected."""
    asked = WordSearch.checked(m, false, above, beam)
    own, people = as_number(share, "share"), as_integer(n, "n", low=1, high=_MOST_PEOPLE)
    if not 0 <= own <= 1:
        raise DomainError("share", "must lie in [0, 1]", "such as 0.01", got=own)
    return _chance(m, own, _thresholds(m, people, asked))


def _thresholds(m: PEM, n: int, asked: WordSearch) -> list[tuple[int, int]]:
    """Return for each length the people who report about it, and the least count that is kept.

    As many prefixes are tried as there can be: all symbols behind a full beam.
    """
    p, q = (float(one) for one in m.support_probabilities)
    rows, prefixes = [], 1
    for (start, length), part in zip(pairwise((0, *m.lengths)), m.parts, strict=True):
        people = n * part // sum(m.parts)
        tried = prefixes * m.alphabet.size ** (length - start)
        prefixes = min(asked.beam, tried)
        if length < m.longest:
            rows.append((people, least_count(people, q, asked.level(tried))))
        else:
            held = q + asked.above * (p - q)
            rows.append((people, least_count(people, held, asked.false / tried)))
    return rows


def _chance(m: PEM, share: float, thresholds: list[tuple[int, int]]) -> float:
    p, q = (float(one) for one in m.support_probabilities)
    held = q + share * (p - q)
    return math.prod(upper_tail(people, held, least) for people, least in thresholds)


def least_share(
    m: PEM, n: object, probability: object, false: object, above: object, beam: object
) -> float:
    """As :meth:`~sudare.PEM.least_share`: the chance grows with the share."""
    asked = WordSearch.checked(m, false, above, beam)
    wanted, people = (
        as_number(probability, "probability"),
        as_integer(n, "n", low=1, high=_MOST_PEOPLE),
    )
    if not 0 < wanted < 1:
        raise DomainError("probability", "must lie between 0 and 1", "such as 0.9", got=wanted)
    thresholds = _thresholds(m, people, asked)
    if _chance(m, 1.0, thresholds) < wanted:
        return math.inf
    low, high = 0, _FINEST  # at high it is found
    while high - low > 1:
        middle = (low + high) // 2
        if _chance(m, middle / _FINEST, thresholds) < wanted:
            low = middle
        else:
            high = middle
    return high / _FINEST
