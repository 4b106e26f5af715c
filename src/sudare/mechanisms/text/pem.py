"""Prefix extension: each report is about the first symbols of a word, how many is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Bytes
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.exact import as_epsilon, as_integer, exp_bounds
from sudare.exact.entropy import Entropy, EntropySource, as_entropy_source
from sudare.exact.linear_hash import LinearHash, primes
from sudare.exact.parameters import is_list
from sudare.exact.uniform import uniform, uniform_one
from sudare.frozen import set_fields
from sudare.mechanisms.bulk import in_blocks
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.text.alphabet import Alphabet
from sudare.mechanisms.text.found import Found
from sudare.mechanisms.values import as_array
from sudare.samplers import Keep

Reports = npt.NDArray[np.uint16]

MOST_SYMBOLS = 64
_MOST_HASHES = 256
_MOST_WRITTEN = 1 << 16
_MOST_EXPANDED = 1 << 16


@dataclass(frozen=True, init=False, repr=False)
class PEM:
    """Find frequent words that nobody listed, by prefix extension (PEM).

    A device draws one of the ``lengths`` l, whatever the word, and reports about the word's first l
    symbols alone: a linear hash function of them over the field of g elements, g a prime near
    ``e^ε + 1``, and their hash by :class:`~sudare.GRR` of g values::

        p = e^ε / (e^ε + g - 1),   q = 1 / g

    The last length, that of whole words, is drawn as often as all others together.
    :meth:`find` goes from length to length: what the people of one length support often enough is
    continued by each symbol, and asked of the people of the next one.

    Guarantee: ε-local differential privacy of one word (any two words are neighbours): length and
    function are drawn whatever the word is, and the hash is randomised with the full ε.
    Reports: (n, longest + 2) uint16: which length; for each symbol its part of the function, 0
    behind the length; the hash. Source: Wang, Li, Jha 2021 (arXiv 2018), Algorithm 1, with
    optimised local hashing (Wang et al. 2017, section 4.4); the family: Carter and Wegman 1979.

    Args:
        longest: most symbols of a word, 1 to 64.
        epsilon: of a report, 0.001 to 20.
        alphabet: ``"bytes"`` of UTF-8, ``"kana"``, or a text of up to 255 characters.
        fold: whether upper and lower case are one.
        lengths: of the prefixes that are asked about, ascending, the last one ``longest``; default
            all from 2 on.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PEM(longest=3, epsilon=4.0, alphabet="kana")
        >>> m.lengths, m.g
        ((2, 3), 53)
        >>> words = ["すし"] * 3000 + ["そば"] * 2000 + ["うどん"] * 1000
        >>> reports = m.perturb(words, rng=sd.Entropy.seeded(b"words"))
        >>> m.find(reports).words
        ('すし', 'そば', 'うどん')
    """

    longest: int
    requested_epsilon: Fraction
    alphabet: Alphabet
    lengths: tuple[int, ...]

    def __init__(
        self,
        longest: int,
        epsilon: Any,
        alphabet: str = "bytes",
        *,
        fold: bool = False,
        lengths: Sequence[int] | None = None,
    ) -> None:
        set_fields(
            self,
            longest=as_integer(longest, "longest", low=1, high=MOST_SYMBOLS),
            requested_epsilon=as_epsilon(epsilon),
            alphabet=Alphabet(alphabet, fold),
        )
        set_fields(self, lengths=self._lengths(lengths))

    def _lengths(self, given: Sequence[int] | None) -> tuple[int, ...]:
        if given is None:
            return tuple(range(min(2, self.longest), self.longest + 1))
        if not is_list(given):
            raise WrongTypeError("lengths", "must be whole numbers", "such as (2, 4, 6)", got=given)
        own = tuple(as_integer(one, "lengths", low=1, high=self.longest) for one in given)
        if not own or own[-1] != self.longest or any(a >= b for a, b in pairwise(own)):
            rule = f"must ascend to longest, {self.longest}"
            raise DomainError("lengths", rule, "such as (2, 4, 6) of 6", got=own)
        step = max(b - a for a, b in pairwise((0, *own)))
        if self.alphabet.size**step > _MOST_EXPANDED:
            rule = f"must have steps of at most {_MOST_EXPANDED} continuations"
            raise DomainError("lengths", rule, "ask about more lengths", got=own)
        return own

    def __repr__(self) -> str:
        name, fold = self.alphabet.name, ", fold=True" if self.alphabet.fold else ""
        own = f"longest={self.longest}, epsilon={float(self.requested_epsilon)}"
        return f"PEM({own}, alphabet={name!r}{fold}, lengths={self.lengths})"

    # -- what follows from the parameters ---------------------------------------------------------

    @property
    def g(self) -> int:
        """Number of hashes: the prime below 256 with the least error of a rare word."""
        return _best_prime(self.requested_epsilon)

    @property
    def part(self) -> Keep:
        """The program that randomises the hash."""
        program: Keep = GRR(self.g, self.requested_epsilon).program
        return program

    @property
    def family(self) -> LinearHash:
        """Functions of one symbol; that of a prefix is a sum of one for each."""
        return LinearHash(self.alphabet.size, self.g)

    @property
    def support_probabilities(self) -> tuple[Fraction, Fraction]:
        """``(p, q)``: a report supports its own prefix, or any other one. Exact."""
        part = self.part
        return Fraction(part.keep + part.step, 1 << part.width), Fraction(1, self.g)

    @property
    def epsilon(self) -> float:
        """Realised ε from the integer weights, rounded down; at most the one asked for."""
        return self.part.epsilon

    @property
    def report_bytes(self) -> int:
        """Length of a row of :meth:`perturb`."""
        return 2 * (self.longest + 2)

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """How often each length is drawn, of their sum: the last as often as all others."""
        others = len(self.lengths) - 1
        return (1,) * others + (max(1, others),)

    # -- the respondent's side --------------------------------------------------------------------

    def perturb(self, words: Any, *, rng: Entropy | None = None) -> Reports:
        """Randomise the words of n people.

        Args:
            words: n texts.
            rng: :meth:`Entropy.seeded` to repeat a simulation; default the operating system's.

        Returns:
            Reports, (n, longest + 2) uint16.

        Raises:
            WrongTypeError, DomainError: a word is no text (None, NaN), empty, too long or not of
                the alphabet; nothing is randomised, and the message never shows the word.
        """
        given = words.tolist() if hasattr(words, "tolist") else words

        def draw(given: Any, rng: Entropy) -> Reports:
            return self._draw(self.alphabet.encode_all(given, self.longest), rng)

        return np.asarray(in_blocks(draw, rng, given, report_bytes=self.report_bytes))

    def _draw(self, rows: Bytes, rng: Entropy) -> Reports:
        ends = np.cumsum(self.parts)
        which = np.searchsorted(ends, uniform(len(rows), int(ends[-1]), rng), side="right")
        functions = uniform(rows.size, self.family.functions, rng).reshape(rows.shape)
        behind = np.arange(self.longest) >= np.array(self.lengths)[which][:, None]
        functions[behind] = 0  # and 0 is the hash of any symbol
        hashes = self.family.hashes(functions, rows).sum(axis=1) % self.g
        told = self.part.draw(hashes, rng)
        return np.column_stack([which, functions, told]).astype(np.uint16)

    def perturb_one(self, word: str, *, entropy: EntropySource | None = None) -> list[int]:
        """Randomise one word: the length, the functions of its symbols, then what GRR consumes.

        Draws are those of :func:`~sudare.exact.uniform.uniform_one`.
        """
        row, source = self.alphabet.encode(word, self.longest), as_entropy_source(entropy)
        drawn = uniform_one(sum(self.parts), source)
        which = sum(drawn >= end for end in accumulate(self.parts))
        length = self.lengths[which]
        functions = [uniform_one(self.family.functions, source) for _ in range(length)]
        own = int(self.family.hashes(np.array(functions), row[:length]).sum()) % self.g
        told = self.part.draw_one(own, source)
        return [which, *functions, *[0] * (self.longest - length), told]

    def law(self, word: str) -> dict[tuple[int, ...], Fraction]:
        """Return the exact probability of each report of a word, of a small mechanism.

        Raises:
            DomainError: more than 65,536 reports.
        """
        row, many = self.alphabet.encode(word, self.longest), self.family.functions
        if sum(many**length for length in self.lengths) * self.g > _MOST_WRITTEN:
            raise DomainError("law", f"is written out for {_MOST_WRITTEN} reports at most")
        hashed = self.part.laws(range(self.g))
        out = {}
        for which, length in enumerate(self.lengths):
            drawn = Fraction(self.parts[which], sum(self.parts) * many**length)
            own = [[drawn * probability for probability in column] for column in hashed]
            behind = (0,) * (self.longest - length)
            functions = list(product(range(many), repeat=length))
            hashes = self.family.hashes(np.array(functions), row[:length]).sum(axis=1) % self.g
            for function, at in zip(functions, hashes.tolist(), strict=True):
                for told, probability in enumerate(own[at]):
                    out[which, *function, *behind, told] = probability
        return out

    # -- the analyst's side -----------------------------------------------------------------------

    def find(
        self, reports: npt.ArrayLike, *, false: float = 0.05, above: float = 0, beam: int = 256
    ) -> Found:
        """Find the words that many hold.

        A word is published where so many reports of the last length support it as would by chance,
        for one of the m words that are tried, with probability ``false / m`` at most. So that any
        is published that the share ``above`` of the population at most holds has probability
        ``false`` at most (union bound; proof: ``docs/proofs/words.md``).

        Args:
            reports: rows of :meth:`perturb`; those of many devices are stacked.
            false: most probability that anything false is published.
            above: a share; words that no more people hold are false ones. 0: words of nobody.
            beam: prefixes that are kept of each length, at most.

        Returns:
            Words with shares of the population and their standard errors, the most frequent first.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports.
            EstimationError: there is a length about which nobody reported.
        """
        from sudare.mechanisms.text.decoding import find  # what a device does not need

        return find(self, self._checked(reports), false, above, beam)

    def chance(
        self, share: float, n: int, *, false: float = 0.05, above: float = 0, beam: int = 256
    ) -> float:
        """Return the probability that :meth:`find` publishes a word of that share of n people.

        At least, where no length has more than ``beam`` prefixes over its threshold: all prefixes
        of a word are held by its share at least, and each has to be supported often enough.
        """
        from sudare.mechanisms.text.chances import chance

        return chance(self, share, n, false, above, beam)

    def least_share(
        self,
        n: int,
        probability: float = 0.9,
        *,
        false: float = 0.05,
        above: float = 0,
        beam: int = 256,
    ) -> float:
        """Return the share from which on a word of n people is found with that probability.

        Returns:
            A share, rounded up to 1e-6; infinite where no word can be found.

        Examples:
            >>> import sudare as sd
            >>> m = sd.PEM(longest=6, epsilon=4.0, alphabet="kana")
            >>> round(m.least_share(10_000), 3), round(m.least_share(1_000_000), 4)
            (0.045, 0.0037)
        """
        from sudare.mechanisms.text.chances import least_share

        return least_share(self, n, probability, false, above, beam)

    def _checked(self, reports: npt.ArrayLike) -> Reports:
        array = as_array(reports)
        if array is None or array.dtype.kind not in "iu":
            raise WrongTypeError("reports", "must be whole numbers", "use perturb's output")
        if array.ndim != 2 or array.shape[1] != self.longest + 2:
            raise ReportError("reports", f"must have the shape (n, {self.longest + 2})")
        most = [len(self.lengths), *[self.family.functions] * self.longest, self.g]
        if not ((array >= 0) & (array < most)).all():
            raise ReportError("reports", "must be this mechanism's", "use its perturb")
        for which, length in enumerate(self.lengths):
            if array[array[:, 0] == which, 1 + length : -1].any():
                raise ReportError("reports", "must have no function behind their length")
        return array.astype(np.uint16)


@lru_cache(256)
def _best_prime(epsilon: Fraction) -> int:
    gamma = float(exp_bounds(epsilon)[0])

    def error(g: int) -> float:  # q (1 - q) / (p - q)^2 of a word that hardly anybody holds
        p, q = gamma / (gamma + g - 1), 1 / g
        return q * (1 - q) / (p - q) ** 2

    return min(primes(_MOST_HASHES), key=error)
