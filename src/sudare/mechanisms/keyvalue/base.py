"""What all key-value mechanisms share: three counts a key, and estimates from them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.alignment import check_rows
from sudare.arrays import Floats
from sudare.channels import Dense
from sudare.errors import DomainError, OutOfReachError, WrongTypeError, counted
from sudare.estimation import Counts
from sudare.estimation.caution import Caution, no_stderr
from sudare.estimation.conclude import EstimateRequest
from sudare.estimation.estimate import Target
from sudare.estimation.keyvalue import KeyValueEstimate
from sudare.estimation.keyvalue.bayes import posterior
from sudare.estimation.keyvalue.iterate import em
from sudare.estimation.keyvalue.law import HOLDS, SIGN, StateLaw
from sudare.exact import as_integer, exp_bounds
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.bulk import in_blocks
from sudare.mechanisms.keyvalue.validation import (
    MOST_KEYS,
    Holdings,
    as_holding,
    as_holdings,
    as_population,
)
from sudare.mechanisms.parameters import EPSILON, Parameter, whole
from sudare.mechanisms.values import MAX_RESPONDENTS

NO_MEAN = "no-mean"
NO_REPORTS = "no-reports"


class KeyValue(Mechanism):
    """Which of d keys a respondent holds, and a value in [-1, 1] for each of them.

    A report is about the *sign* of a key's state, <1,+1>, <1,-1> or <0,*>: a value v has the sign
    +1 with probability (1 + v) / 2. Of each key the collector has three counts; from them come the
    frequency f (the share of holders) and the mean m of their values::

        θ = shares of the states,  f = padding (θ+ + θ-),  m = (θ+ - θ-) / (θ+ + θ-)

    Must implement: ``_build``, ``_draw``, ``channel`` (of one key), ``methods``, ``aggregate``
    and ``_tally`` (a simulation's counts).
    """

    conformance: ClassVar[str] = "sudare.testing.keyvalue"
    covers: ClassVar[str] = "one submission: all keys and values together"
    methods: ClassVar[tuple[str, ...]] = ("unbiased", "privkv", "mle", "em", "bayes")
    draws_key: ClassVar[bool] = False
    """Whether a report is about one key drawn uniformly, which a collector may fix."""
    feeds_back: ClassVar[bool] = False
    """Whether what one round finds is told to the next, so that its means depend on it."""
    parameters: ClassVar[tuple[Parameter, ...]] = (
        whole("d", 2, MOST_KEYS, examples=(2, 3, 4)),
        EPSILON,
    )
    __slots__ = ("d",)
    d: int
    padding: int = 1
    """Frequencies are so many times the states' shares; 1 but for padding and sampling."""

    def _refuse_overspending(self) -> None:
        if self.program.ratio > exp_bounds(self.requested_epsilon)[0]:
            raise OutOfReachError(
                "epsilon", "cannot be kept by 64-bit weights", "take a larger one"
            )

    # -- the law -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def channel(self) -> Dense:
        """The law of one key's report: states to reports, both <1,+1>, <1,-1>, <0,*>; (3, 3)."""

    @property
    def shape(self) -> tuple[int, ...]:
        """``(d, 3)``: reports <1,+1>, <1,-1> and <0,0> of each key."""
        return (self.d, 3)

    # -- the respondent's side ---------------------------------------------------------------

    def perturb(
        self, held: npt.ArrayLike, values: npt.ArrayLike, *, rng: Randomness = None
    ) -> npt.NDArray[Any]:
        """Randomise what n respondents hold.

        Args:
            held: (n, d) booleans: the respondent holds the key.
            values: (n, d) numbers in [-1, 1], rounded to multiples of 2^-30; ignored where the
                key is not held.
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            Reports, respondents on axis 0, in the smallest dtype that holds them.

        Raises:
            WrongTypeError, DomainError: not of that form; nothing is randomised or returned, and
                the message never shows a value.
        """
        check_rows({"held": held, "values": values})

        def draw(held: npt.ArrayLike, values: npt.ArrayLike, rng: Entropy) -> npt.NDArray[Any]:
            return self._draw(self._values((held, values)), rng)

        return in_blocks(draw, rng, held, values, report_bytes=self.report_bytes)

    @abstractmethod
    def _draw(self, holdings: Holdings, rng: Entropy) -> npt.NDArray[Any]:
        """Randomise what n respondents hold by the law of :attr:`program`."""

    def _values(self, values: Any) -> Any:
        held, numbers = values
        return as_holdings(held, numbers, self.d)

    def _value(self, value: Any) -> list[int]:
        return as_holding(value, self.d)

    # -- the analyst's side ------------------------------------------------------------------

    def estimate(
        self,
        counts: Counts,
        method: str = "unbiased",
        target: Target = "population",
        *,
        tolerance: float | None = None,
    ) -> KeyValueEstimate:
        """Estimate the frequency of each key, and the mean of its holders' values.

        ======== =====================================================================
        method   shares θ of the states, c of the N reports about the key
        ======== =====================================================================
        unbiased ``M⁻¹ c / N``, not clipped; the mean is a ratio of two unbiased numbers
        privkv   PrivKV's own: its mean is drawn towards 0 where the key is rare
        mle      the most likely θ in the triangle of possible ones, in closed form
        em       the same by iteration, with the certificate 1e-8 of the log-likelihood
        bayes    posterior means under a prior that all keys fit (60 × 41 grid)
        ======== =====================================================================

        A mean is NaN where no holder is estimated (``warnings`` says where). Intervals are those of
        the reports themselves, whatever the method.

        Args:
            counts: tally of the reports.
            method: one of :attr:`methods`.
            target: whose frequencies and means the standard errors are about.
            tolerance: for ``"em"`` alone: stop when no share moves by so much. The result names
                it: what is stopped early is drawn towards the start.

        Raises:
            EstimationError: no reports, or counts of another mechanism.
            DomainError: unknown method or target, or a tolerance that is none.
        """
        asked = self._asked(counts, method, target)
        return self._estimate(asked, _as_tolerance(tolerance, method))

    def _estimate(self, asked: EstimateRequest, tolerance: float | None) -> KeyValueEstimate:
        law, method = self._law(asked.counts, asked.target), asked.method
        if method == "bayes":
            none = np.full(self.d, np.nan)
            found = posterior(law.counts, law.channel, self.padding)
            return self._result(asked, (*found, none, none), law)
        if method == "privkv":
            return self._result(asked, self._published(law), law)
        if method == "unbiased":
            states = law.raw
        elif method == "mle":
            states = law.plausible
        else:
            states, _ = em(law.counts, law.channel, tolerance)
        share = states @ HOLDS
        f = self.padding * share
        with np.errstate(invalid="ignore", divide="ignore"):
            m = np.where(share != 0, states @ SIGN / share, np.nan)
        stderr_f, stderr_m = law.stderr_frequency, law.stderr_mean(m, share)
        if method != "unbiased":  # at the border no formula is known, and none for an early stop
            edge = (law.raw < 0).any(axis=1) | (tolerance is not None)
            stderr_f, stderr_m = (np.where(edge, np.nan, one) for one in (stderr_f, stderr_m))
        rule = "" if tolerance is None else f"stopped at {tolerance:g}"
        return self._result(asked, (f, m, stderr_f, stderr_m), law, rule)

    def _published(self, law: StateLaw) -> tuple[Floats, Floats, Floats, Floats]:
        """Return PrivKV's estimates: f by inversion, m from the signs among the reports <1,*>."""
        a, b, p = self._rates
        plus, minus = law.counts[:, 0], law.counts[:, 1]
        named = plus + minus
        with np.errstate(invalid="ignore", divide="ignore"):
            f = self.padding * (named / law.total - b) / (a - b)
            sides = [((p - 1) * named + one) / (2 * p - 1) for one in (plus, minus)]
            first, second = (np.clip(side, 0, named) for side in sides)
            m = (first - second) / named
            signs = (plus - minus) / named
            stderr_m = np.sqrt((1 - signs**2) / named) / (2 * p - 1)
        return f, m, law.stderr_frequency, stderr_m

    @property
    def _rates(self) -> tuple[float, float, float]:
        """``(a, b, p)`` of the channel: held and reported, not held and reported, sign kept."""
        rows = self.channel.rows
        a, b = rows[0][0] + rows[1][0], rows[0][2] + rows[1][2]
        return float(a), float(b), float(rows[0][0] / a)

    def _law(self, counts: Counts, target: Target) -> StateLaw:
        known = np.zeros(self.d)
        if target == "respondents" and counts.n > 1:
            reports = counts.support.sum(axis=1)
            known = (reports - 1).clip(0) / (counts.n - 1)
        return StateLaw(
            counts.support.astype(np.float64), self.channel.dense(), self.padding, known
        )

    def _result(
        self,
        asked: EstimateRequest,
        numbers: tuple[Floats, Floats, Floats, Floats],
        law: StateLaw,
        rule: str = "",
    ) -> KeyValueEstimate:
        counts, method = asked.counts, asked.named(rule)
        f, m, stderr_f, stderr_m = numbers
        warnings = []
        silent = counts.support.sum(axis=-1).reshape(-1, self.d).min(axis=0) == 0
        for keys, code, text in (
            (silent, NO_REPORTS, "nobody has reported about {}"),
            (
                np.isnan(m) & ~silent,
                NO_MEAN,
                "no holder is estimated of {}, and so their mean is not defined",
            ),
        ):
            if keys.any():
                warnings.append(_named(text, code, np.flatnonzero(keys), self.d))
        if np.isnan(stderr_f[~np.isnan(f)]).any():
            warnings.append(
                Caution(
                    f"no formula is known for some standard errors of {method!r}: use the "
                    "intervals, which do not depend on the method",
                    no_stderr(method).code,
                )
            )
        return asked.answer(
            KeyValueEstimate,
            tuple(warnings),
            rule,
            frequency=f,
            mean=m,
            stderr_frequency=stderr_f,
            stderr_mean=stderr_m,
            reports=counts.support.sum(axis=-1).reshape(-1, self.d)[0],
            _law=law,
        )

    # -- simulation --------------------------------------------------------------------------

    def simulate(
        self,
        n: int,
        frequency: npt.ArrayLike,
        mean: npt.ArrayLike,
        *,
        rng: Randomness = None,
    ) -> Counts:
        """Draw the counts of n people taken at random from a population, without a loop over them.

        Args:
            n: number of people.
            frequency: (d,) shares of holders; keys are held independently of one another.
            mean: (d,) means of the holders' values; NaN where nobody holds the key.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not of that form.
        """
        people = as_integer(n, "n", low=1, high=MAX_RESPONDENTS)
        f, m = as_population(frequency, mean, self.d)
        return self._counts(self._tally(people, f, m, as_entropy(rng).generator()), people)

    @abstractmethod
    def _tally(
        self, n: int, f: Floats, m: Floats, generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw the support of n people."""


def states_of(f: Floats, m: Floats) -> Floats:
    """Return the (d, 3) shares of the states of keys with these frequencies and means."""
    return np.stack([f * (1 + m) / 2, f * (1 - m) / 2, 1 - f], axis=1)


def draw_reports(
    trials: npt.NDArray[np.int64], law: Floats, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw the three counts of each key: multinomial, ``trials`` reports of the (d, 3) ``law``."""
    law = law.clip(0)
    return generator.multinomial(trials, law / law.sum(axis=1, keepdims=True)).astype(np.int64)


def _named(text: str, code: str, keys: npt.NDArray[np.intp], d: int) -> Caution:
    some = keys[:1000].tolist()
    shown = ", ".join(map(str, some[:8])) + (", ..." if some[8:] else "")
    return Caution(f"{text.format(f'{keys.size} of ' + counted(d, 'key'))}: {shown}", code, some)


def _as_tolerance(tolerance: object, method: str) -> float | None:
    if tolerance is None:
        return None
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise WrongTypeError("tolerance", "must be a number", "or None to converge")
    if method != "em":
        raise DomainError("tolerance", 'is for method="em" alone', "leave it out")
    if not 0 < tolerance < 1:
        raise DomainError("tolerance", "must lie between 0 and 1", "or None to converge")
    return float(tolerance)
