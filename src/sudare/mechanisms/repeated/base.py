"""What all mechanisms of a repeated question share: permanent answers, and reports about them."""

from __future__ import annotations

import json
from abc import abstractmethod
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, OutOfReachError, PrivacyError, WrongTypeError
from sudare.exact import as_epsilon, exact_text, floor_float, log_bounds, read_exact
from sudare.exact.entropy import Entropy, EntropySource, Randomness, as_entropy, as_entropy_source
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.parameters import WRONG_RATES, Parameter
from sudare.mechanisms.repeated.memory import Memory, Permanent, as_memory
from sudare.mechanisms.repeated.sequences import ROUNDING
from sudare.mechanisms.repeated.totals import MOST_ROUNDS, as_rounds
from sudare.mechanisms.values import as_array


def _permanent(value: Any, m: Any) -> Fraction:
    epsilon = 2 * m.requested_epsilon if value is None else as_epsilon(value, "permanent")
    if epsilon <= m.requested_epsilon:
        raise PrivacyError(
            "permanent",
            "must be above the ε of one report",
            "the permanent answer tells more than a report about it",
            got=float(epsilon),
        )
    return as_epsilon(epsilon, "permanent")


PERMANENT = Parameter(
    name="permanent",
    read=_permanent,
    write=exact_text,
    parse=read_exact,
    show=lambda epsilon: f"permanent={float(epsilon)}",
    attribute="requested_permanent",
    examples=(None, 2.0, 5.0),
    bad=(*(bad for bad in WRONG_RATES if bad[0] is not None), (0.5, PrivacyError)),
)
"""ε of the permanent answer: what any number of reports about one answer tell at most."""


class Repeated(FrequencyOracle):
    """A mechanism for one of k categories that is asked in each of some rounds.

    The first time that a respondent gives an answer, the device randomises it by
    :attr:`permanent` and remembers the outcome; whenever it is given again, the outcome is the same
    one. Each round reports the outcome, randomised afresh by :attr:`instant`. As a frequency oracle
    it is that of one round: its program makes both steps, and ``epsilon`` is the ε of one report.

    Args:
        k: number of categories.
        epsilon: ε of one report, such as the first.
        permanent: ε of the permanent answer, above ``epsilon``; default twice as much. Any number
            of reports of a person whose answer does not change tell at most that.

    Raises:
        WrongTypeError, DomainError, PrivacyError: as of every frequency oracle, and where
            ``permanent`` is not above ``epsilon``.

    Source: Erlingsson, Pihur, Korolova 2014 (RAPPOR); Arcolezi, Couchot, Al Bouna, Xiao 2022.
    ``docs/proofs/repeated.md``.
    """

    once: ClassVar[bool | None] = False
    conformance: ClassVar[str] = "sudare.testing.repeated"
    parameters: ClassVar[tuple[Parameter, ...]] = (*FrequencyOracle.parameters, PERMANENT)
    __slots__ = ("instant", "permanent", "requested_permanent")
    permanent: Any
    """The program of the permanent answer."""
    instant: Any
    """The program of a round's report, whose value is a permanent answer."""
    requested_permanent: Fraction

    def __init__(
        self,
        k: int,
        epsilon: float | Fraction,
        permanent: float | Fraction | None = None,
    ) -> None:
        self._take(k=k, epsilon=epsilon, permanent=permanent)

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        return cls(k, epsilon).program

    @abstractmethod
    def _build(self) -> None: ...

    def _check_k(self) -> None:
        """Refuse more categories than the programs can hold."""
        if self.k > self.max_k:
            rule = f"must be at most {self.max_k} for {self.name}"
            raise OutOfReachError("k", rule, "take another mechanism", got=self.k)

    # -- the guarantee -----------------------------------------------------------------------

    @property
    def permanent_epsilon(self) -> float:
        """ε of the permanent answer, rounded down: of all reports about one answer together."""
        return float(self.permanent.epsilon)

    @property
    @abstractmethod
    def states(self) -> int:
        """How many permanent answers a respondent can have at most."""

    @abstractmethod
    def steady_ratio(self, rounds: int) -> Fraction:
        """Return the exact largest ratio of two constant answers over so many rounds."""

    @abstractmethod
    def total_ratio(self, rounds: int) -> Fraction | None:
        """Return a wide bound on the ratio of any two sequences of answers; None: there is none."""

    def _changing(self, rounds: int) -> float:
        """Return ε of any two sequences of answers, as close as is known; inf where only the wide
        bound is."""
        return inf

    def steady_epsilon(self, rounds: int) -> float:
        """ε of so many rounds together, of one who gives the same answer in each; rounded down.

        Exact, and below :attr:`permanent_epsilon` for any number of rounds.

        Args:
            rounds: 1 to 1000.

        Examples:
            >>> import sudare as sd
            >>> m = sd.LGRR(k=4, epsilon=1.0, permanent=2.0)
            >>> [round(m.steady_epsilon(rounds), 3) for rounds in (1, 2, 52)]
            [1.0, 1.678, 2.0]
        """
        return floor_float(log_bounds(self.steady_ratio(as_rounds(rounds)))[0])

    def total_epsilon(self, rounds: int) -> float:
        """ε of so many rounds together, whatever is answered in each; rounded down.

        Of any two sequences of answers: exact for up to 6 rounds, and of two categories by LGRR for
        any number; beyond, a proven bound. It grows with each round: who changes the answer is seen
        to have changed it, sooner or later. Infinite where a report is the permanent answer itself
        and there are two rounds.

        Args:
            rounds: 1 to 1000.

        Examples:
            >>> import sudare as sd
            >>> m = sd.LGRR(k=4, epsilon=1.0, permanent=2.0)
            >>> [round(m.total_epsilon(rounds), 2) for rounds in (1, 3, 12)]
            [1.0, 3.44, 14.82]
        """
        bounds = self.total_bounds(as_rounds(rounds))
        return float("inf") if bounds is None else floor_float(bounds[0])

    def total_bounds(self, rounds: int) -> tuple[Fraction, Fraction] | None:
        """Return rationals just below and above :meth:`total_epsilon`; None: it is infinite."""
        wide = self.wide_bounds(rounds)
        close = inf if rounds == 1 or wide is None else self._changing(rounds)
        if close == inf or wide is None:
            return wide
        about, margin = Fraction(close), ROUNDING * max(Fraction(1), Fraction(close))
        return min(wide, (about - margin, about + margin))

    def wide_bounds(self, rounds: int) -> tuple[Fraction, Fraction] | None:
        """Return rationals just below and above the logarithm of :meth:`total_ratio`."""
        ratio = self.total_ratio(rounds)
        return None if ratio is None else log_bounds(ratio)

    def states_epsilon(self, answers: int) -> float:
        """ε of all rounds of two people whose answers change in the same rounds; rounded down.

        ``min(answers, states)`` times :attr:`permanent_epsilon`: the account of the papers. It does
        not cover *that* an answer changed: :meth:`total_epsilon` does.

        Args:
            answers: how many different answers a person gives at most, 1 to 1000.
        """
        times = min(as_rounds(answers), self.states)
        return floor_float(times * log_bounds(self.permanent.ratio)[0])

    # -- the respondent's side ---------------------------------------------------------------

    def remember(self, *, entropy: EntropySource | None = None) -> Memory:
        """Return the memory that a device begins with."""
        return Memory(self._owner, self._drawn(as_entropy_source(entropy)))

    @property
    def _owner(self) -> str:
        """What a memory of this mechanism names it by: its parameters, each of which matters."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))

    @property
    def sent(self) -> dict[str, Any]:
        """Both steps as a device runs them, as JSON data: a program of the kind ``repeat``."""
        steps = {"permanent": self.permanent.to_json(), "instant": self.instant.to_json()}
        return {"kind": "repeat", **self._hash, **steps}

    @property
    def _hash(self) -> dict[str, Any]:
        """What a device needs to know of the hash function that it draws."""
        return {}

    def report(
        self, value: Any, memory: Memory, *, entropy: EntropySource | None = None
    ) -> tuple[Any, Memory]:
        """Return a round's report, and the memory that must be kept before it is sent.

        Args:
            value: the answer of this round, in [0, k).
            memory: of the rounds before; :meth:`remember` gives the first.
            entropy: see :meth:`perturb_one`.

        Raises:
            WrongTypeError, DomainError: no answer, or no memory of this mechanism.

        Examples:
            >>> import sudare as sd
            >>> m = sd.LOSUE(k=5, epsilon=1.0, permanent=2.0)
            >>> rng = sd.Entropy.seeded(b"device")
            >>> memory = m.remember(entropy=rng)
            >>> for answer in (2, 2, 4):
            ...     report, memory = m.report(answer, memory, entropy=rng)
            >>> memory
            Memory(answers=2)
        """
        checked, known = self._value(value), as_memory(memory)
        source = as_entropy_source(entropy)
        if known.mechanism != self._owner:
            raise not_of_this()
        self._check_drawn(known)
        key = self._key(checked, known.drawn)
        if key not in known.answers:
            known = known.with_answer(key, self._settle(key, known.drawn, source))
        if not self._is_settled(known.answers[key], known.drawn):
            raise not_of_this()
        return self._tell(known.answers[key], known.drawn, source), known

    def perturb_rounds(
        self, values: npt.ArrayLike, *, rng: Randomness = None
    ) -> list[npt.NDArray[Any]]:
        """Randomise the answers of n respondents in each round, with their memory.

        Args:
            values: (n, rounds) whole numbers in [0, k).
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Returns:
            For each round the reports of all, respondents on axis 0: ``aggregate`` takes them.

        Raises:
            WrongTypeError, DomainError: not such numbers; nothing is randomised.

        Examples:
            >>> import sudare as sd
            >>> m = sd.LGRR(k=3, epsilon=1.0)
            >>> rounds = m.perturb_rounds([[0, 0], [1, 2]], rng=sd.Entropy.seeded(b"rounds"))
            >>> [reports.shape for reports in rounds]
            [(2,), (2,)]
        """
        array = as_array(values)
        if array is None or array.ndim != 2:
            raise WrongTypeError("values", "must be a table", "a row a person, a column a round")
        n, rounds = array.shape
        if not 1 <= rounds <= MOST_ROUNDS:
            raise DomainError("values", f"must have 1 to {MOST_ROUNDS} columns", "one a round")
        source = as_entropy(rng)
        flat = self._values(array.reshape(-1))
        table = flat.reshape(n, rounds)
        drawn = self._drawn_many(n, source)
        keys = np.stack([self._keys(table[:, i], drawn) for i in range(rounds)], axis=1)
        settled: list[npt.NDArray[Any]] = []
        reports = []
        for i in range(rounds):
            own = self._settle_many(keys[:, i], drawn, source)
            for before in range(i):
                same = keys[:, before] == keys[:, i]
                own[same] = settled[before][same]
            settled.append(own)
            reports.append(self._tell_many(own, drawn, source))
        return reports

    # -- what differs ------------------------------------------------------------------------

    def _drawn(self, entropy: EntropySource) -> Permanent | None:
        """Draw what does not depend on any answer."""
        return None

    def _drawn_many(self, n: int, rng: Entropy) -> Any:
        return None

    def _check_drawn(self, memory: Memory) -> None:
        """Refuse a memory of another mechanism."""
        if memory.drawn is not None:
            raise not_of_this()

    @abstractmethod
    def _is_settled(self, one: Permanent, drawn: Any) -> bool:
        """Tell whether this mechanism can have drawn a permanent answer."""

    def _key(self, value: int, drawn: Any) -> int:
        """Return what stands for an answer: each has one permanent answer."""
        return value

    def _keys(self, values: npt.NDArray[Any], drawn: Any) -> npt.NDArray[Any]:
        return values

    def _settle(self, key: int, drawn: Any, entropy: EntropySource) -> Permanent:
        """Draw the permanent answer."""
        settled: Permanent = self.permanent.draw_one(key, entropy)
        return settled

    def _settle_many(self, keys: npt.NDArray[Any], drawn: Any, rng: Entropy) -> npt.NDArray[Any]:
        settled: npt.NDArray[Any] = self.permanent.draw(keys, rng)
        return settled

    def _tell(self, settled: Permanent, drawn: Any, entropy: EntropySource) -> Any:
        """Randomise a permanent answer for one round."""
        return self.instant.draw_one(settled, entropy)

    def _tell_many(self, settled: npt.NDArray[Any], drawn: Any, rng: Entropy) -> npt.NDArray[Any]:
        told: npt.NDArray[Any] = self.instant.draw(settled, rng)
        return told


def not_of_this() -> DomainError:
    """Return the error of a memory that another mechanism made."""
    return DomainError("memory", "must be one of this mechanism", "begin with remember()")
