"""PEM: a device reports about a prefix of its word; how long a one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Never

import numpy as np
import numpy.typing as npt

from sudare.arrays import Bytes
from sudare.errors import DomainError, EstimationError, ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact import as_integer, exp_bounds
from sudare.exact.entropy import Entropy, Randomness
from sudare.exact.linear_hash import LinearHash, primes
from sudare.exact.parameters import is_list
from sudare.frozen import set_fields
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.bulk import in_blocks
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.parameters import EPSILON, Parameter, whole
from sudare.mechanisms.registry import register
from sudare.mechanisms.text.alphabet import Alphabet
from sudare.mechanisms.text.counts_with_reports import CountsWithReports
from sudare.mechanisms.text.discovered_words import DiscoveredWords
from sudare.mechanisms.values import as_array
from sudare.samplers import Keep, Prefix
from sudare.samplers.prefix import MOST_SYMBOLS, Reports

_MOST_HASHES = 256
_MOST_WRITTEN = 1 << 16
_MOST_EXPANDED = 1 << 16


def _lengths(given: Any, m: Any) -> tuple[int, ...]:
    if given is None:
        return tuple(range(min(2, m.longest), m.longest + 1))
    if not is_list(given):
        raise WrongTypeError("lengths", "must be whole numbers", "such as (2, 4, 6)", got=given)
    own = tuple(as_integer(one, "lengths", low=1, high=m.longest) for one in given)
    if not own or own[-1] != m.longest or any(a >= b for a, b in pairwise(own)):
        rule = f"must ascend to longest, {m.longest}"
        raise DomainError("lengths", rule, "such as (2, 4, 6) of 6", got=own)
    step = max(b - a for a, b in pairwise((0, *own)))
    if m.alphabet.size**step > _MOST_EXPANDED:
        rule = f"must have steps of at most {_MOST_EXPANDED} continuations"
        raise DomainError("lengths", rule, "ask about more lengths", got=own)
    return own


_ALPHABET = Parameter(
    name="alphabet",
    read=lambda name, _: name if isinstance(name, Alphabet) else Alphabet(name),
    write=lambda alphabet: alphabet.name,
    show=lambda alphabet: f"alphabet={alphabet.name!r}",
    examples=("ab", "abc", "kana", "bytes"),
    bad=(
        *((value, WrongTypeError) for value in (None, 3, b"ab", ["a"])),
        *((value, DomainError) for value in ("", "aa", "\u212b")),
    ),
)
_FOLD = Parameter(
    name="fold",
    read=lambda fold, m: Alphabet(m.alphabet.name, fold).fold,
    show=lambda fold: "fold=True" if fold else "",
    examples=(False, True),
    bad=tuple((value, WrongTypeError) for value in (None, 1, "yes")),
)
_LENGTHS = Parameter(
    name="lengths",
    read=_lengths,
    write=list,
    examples=(None, (1, 2)),
    bad=(
        *((value, WrongTypeError) for value in (2, "12", (1.5, 2))),
        *((value, DomainError) for value in ((), (2, 1), (1,), (0, 2), (1, 3))),
    ),
)


@register
class PEM(OneValue):
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

    name: ClassVar[str] = "PEM"
    conformance: ClassVar[str] = "sudare.testing.words"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        whole("longest", 1, MOST_SYMBOLS, (2, 2, 2, 2)),
        EPSILON,
        _ALPHABET,
        _FOLD,
        _LENGTHS,
    )
    __slots__ = ("alphabet", "fold", "lengths", "longest")
    program: Prefix
    longest: int
    alphabet: Alphabet
    fold: bool
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
        self._take(longest=longest, epsilon=epsilon, alphabet=alphabet, fold=fold, lengths=lengths)

    def _build(self) -> None:
        alphabet = Alphabet(self.alphabet.name, self.fold)
        part: Any = GRR(_best_prime(self.requested_epsilon), self.requested_epsilon).program
        set_fields(self, alphabet=alphabet, program=Prefix(alphabet.size, self.lengths, part))

    # -- what follows from the parameters ---------------------------------------------------------

    @property
    def g(self) -> int:
        """Number of hashes: the prime below 256 with the least error of a rare word."""
        return self.part.k

    @property
    def part(self) -> Keep:
        """The program that randomises the hash."""
        return self.program.part

    @property
    def family(self) -> LinearHash:
        """Functions of one symbol; that of a prefix is a sum of one for each."""
        return self.program.family

    @property
    def parts(self) -> tuple[int, ...]:
        """How often each length is drawn, of their sum: the last as often as all others."""
        return self.program.turns

    @property
    def support_probabilities(self) -> tuple[Fraction, Fraction]:
        """``(p, q)``: a report supports its own prefix, or any other one. Exact."""
        part = self.part
        return Fraction(part.keep + part.step, 1 << part.width), Fraction(1, self.g)

    # -- the respondent's side --------------------------------------------------------------------

    def perturb(self, words: Any, *, rng: Randomness = None) -> Reports:
        """Randomise the words of n people.

        Args:
            words: n texts.
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            Reports, (n, longest + 2) uint16.

        Raises:
            WrongTypeError, DomainError: a word is no text (None, NaN), empty, too long or not of
                the alphabet; nothing is randomised, and the message never shows the word.
        """
        given = words.tolist() if hasattr(words, "tolist") else words

        def draw(given: Any, rng: Entropy) -> Reports:
            return self.program.draw(self._values(given), rng)

        return np.asarray(in_blocks(draw, rng, given, report_bytes=2 * (self.longest + 2)))

    def _values(self, words: Any) -> Bytes:
        return self.alphabet.encode_all(words, self.longest)

    def _value(self, word: Any) -> list[int]:
        """Return the symbols of a word."""
        row: list[int] = self.alphabet.encode(word, self.longest).tolist()
        return row

    def law(self, word: str) -> dict[tuple[int, ...], Fraction]:
        """Return the exact probability of each report of a word, of a small mechanism.

        Raises:
            DomainError: more than 65,536 reports.
        """
        row, many = self._value(word), self.family.functions
        if sum(many**length for length in self.lengths) * self.g > _MOST_WRITTEN:
            raise DomainError("law", f"is written out for {_MOST_WRITTEN} reports at most")
        return self.program.law(row)

    # -- the analyst's side -----------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """One count for each of :attr:`lengths`."""
        return (len(self.lengths),)

    def aggregate(self, reports: npt.ArrayLike) -> CountsWithReports:
        """Keep reports, and count those about each length: :meth:`find` takes both.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports.
        """
        own = self._checked(reports)
        support = np.bincount(own[:, 0], minlength=len(self.lengths)).astype(np.int64)
        return CountsWithReports(support, len(own), self.to_json(), own)

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Never:
        """Refuse: words are found, and only those that many hold.

        Raises:
            EstimationError: always.
        """
        raise EstimationError("counts", "cannot tell unlisted words", "use find(reports)")

    def expected_mse(self, n: int, shares: object = None, target: Target = "population") -> float:
        """Return the squared error of the share of a word named beforehand, rare and found.

        ``q (1 - q) / ((p - q)^2 m)`` with the m of n people who report about whole words.
        """
        p, q = self.support_probabilities
        asked = Fraction(as_integer(n, "n", low=1, high=1 << 62) * self.parts[-1], sum(self.parts))
        return float(q * (1 - q) / ((p - q) ** 2 * asked))

    def find(
        self,
        reports: npt.ArrayLike | CountsWithReports,
        *,
        false: float = 0.05,
        above: float = 0,
        beam: int = 256,
    ) -> DiscoveredWords:
        """Find the words that many hold.

        A word is published where so many reports of the last length support it as would by chance,
        for one of the m words that are tried, with probability ``false / m`` at most. So that any
        is published that the share ``above`` of the population at most holds has probability
        ``false`` at most (union bound; proof: ``docs/proofs/words.md``).

        Args:
            reports: rows of :meth:`perturb`, those of many devices stacked; or what
                :meth:`aggregate` made of them.
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

        given = reports.reports if isinstance(reports, CountsWithReports) else reports
        return find(self, self._checked(given), false, above, beam)

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
        return self.program.checked(array)


@lru_cache(256)
def _best_prime(epsilon: Fraction) -> int:
    gamma = float(exp_bounds(epsilon)[0])

    def error(g: int) -> float:  # q (1 - q) / (p - q)^2 of a word that hardly anybody holds
        p, q = gamma / (gamma + g - 1), 1 / g
        return q * (1 - q) / (p - q) ** 2

    return min(primes(_MOST_HASHES), key=error)
