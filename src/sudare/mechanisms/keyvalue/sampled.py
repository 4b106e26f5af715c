"""One key a person, drawn uniformly and told: PrivKV, and randomised response on its state."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Dense
from sudare.estimation import Counts, histogram
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.keyvalue.law import HOLDS, StateLaw
from sudare.exact import as_integer, exp_bounds, uniform
from sudare.exact.entropy import Entropy
from sudare.frozen import set_fields
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.keyvalue.base import KeyValue, draw_reports, states_of
from sudare.mechanisms.keyvalue.position import Position
from sudare.mechanisms.keyvalue.validation import (
    NOT_HELD,
    STEPS,
    Holdings,
    Positions,
    as_keyed,
    as_population,
)
from sudare.mechanisms.parameters import Parameter, choice
from sudare.mechanisms.registry import register
from sudare.samplers import Keep, Pick, Round, Table
from sudare.samplers.base import index_dtype

Split = Literal["tight", "half"]
SPLITS: tuple[Split, ...] = get_args(Split)

_PEOPLE = 1 << 17  # at a time


class Sampled(KeyValue):
    """What is shared where a report is one key's index, in clear, and its randomised state.

    The index does not depend on what is held. Whoever lets the device draw it lets a liar choose
    it: a collector that draws it, by an invite's ticket, takes that away (:mod:`sudare.poisoning`).

    Reports: (n, 2): key, and 0 for <1,+1>, 1 for <1,-1>, 2 for <0,0>.
    """

    draws_key: ClassVar[bool] = True
    __slots__ = ("state_program",)
    program: Pick
    state_program: Table | Keep
    """From the state of one key to its report."""

    def _compile(self, part: Table | Keep) -> None:
        set_fields(self, state_program=part, program=one_key_program(self.d, part))

    @property
    def channel(self) -> Dense:
        """The law of one key's report: states to reports, both <1,+1>, <1,-1>, <0,*>; (3, 3)."""
        return Dense.from_matrix(self.state_program.matrix())

    def _draw(self, holdings: Holdings, rng: Entropy) -> npt.NDArray[Any]:
        return draw_keyed(self.program, holdings, rng)

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the three states of each key."""
        rows = as_keyed(reports, self.d)
        return self._counts(tally(rows, self.d), rows.shape[0])

    # -- before collecting -------------------------------------------------------------------

    def expected_stderr(
        self,
        n: int,
        frequency: npt.ArrayLike,
        mean: npt.ArrayLike,
        target: Target = "population",
    ) -> tuple[Floats, Floats]:
        """Return the standard errors to expect of each key's frequency and mean.

        They are those of n / d reports about each key that are just what the channel makes of the
        true frequencies and means.

        Args:
            n: number of respondents.
            frequency: (d,) true shares of holders.
            mean: (d,) true means of their values; NaN where nobody holds the key.
            target: whose frequencies and means the errors are about.

        Returns:
            Two (d,) arrays; the second is NaN or infinite where nobody holds the key.

        Raises:
            WrongTypeError, DomainError: not of that form.

        Examples:
            >>> import sudare as sd
            >>> of_f, of_m = sd.PrivKV(d=2, epsilon=2.0).expected_stderr(1000, [0.5, 0.1], [0, 0])
            >>> of_f.round(3).tolist(), of_m.round(3).tolist()
            ([0.036, 0.032], [0.103, 0.367])
        """
        people = as_integer(n, "n", low=1, high=2**62)
        check_target(target)
        f, m = as_population(frequency, mean, self.d)
        states = states_of(f, m)
        law = StateLaw(
            states @ self.channel.dense().T * (people / self.d),
            self.channel.dense(),
            self.padding,
            np.full(self.d, 1 / self.d if target == "respondents" else 0.0),
        )
        return law.stderr_frequency, law.stderr_mean(m, states @ HOLDS)

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Return the mean over the keys of the expected squared error of a frequency.

        With q the chance that a report names the key, of n / d reports::

            V(f) = d / n (q (1 - q) / (a - b)² - κ f (1 - f)),  q = b + (a - b) f

        κ is 1 / d for the respondents (so many of them report about the key), else 0.

        Args:
            n: number of respondents.
            shares: (d,) true frequencies; default the one of the largest error.
            target: whose frequencies the error is about.

        Raises:
            WrongTypeError, DomainError: not of that form.
        """
        if shares is None:
            a, b, _ = self._rates
            known = 1 / self.d if check_target(target) == "respondents" else 0.0
            worst = ((1 - 2 * b) / (a - b) - known) / (2 * (1 - known))
            shares = np.full(self.d, min(1.0, max(0.0, worst)))
        stderr, _ = self.expected_stderr(n, shares, np.zeros(self.d), target)
        return float((stderr**2).mean())

    def _tally(
        self, n: int, f: Floats, m: Floats, generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        trials = generator.multinomial(n, np.full(self.d, 1 / self.d))
        return draw_reports(trials, states_of(f, m) @ self.channel.dense().T, generator)


@register
class PrivKV(Sampled):
    """PrivKV: the state of one key, drawn uniformly and told, its presence and its sign randomised.

    ::

        held       <1, s> with p1, its sign s kept with p2;  <0,0> with 1 - p1
        not held   <1, ±1> with (1 - p1) / 2 each;           <0,0> with p1
        p_i = e^ε_i / (1 + e^ε_i)

    The default is *not* the published mechanism, which is ``split="half"``. Exactly
    ``ε = max(ε1, ε2, ε1 + ln(2 / (1 + e^-ε2)))`` of the whole report:

    - ``split="half"`` (as published): ε1 = ε2 = ε / 2. It spends less than ε;
      :attr:`epsilon` says how much.
    - ``split="tight"`` (our own, default): ε1 = ln((e^ε + 1) / 2), ε2 = ε. It spends all of ε, and
      is more accurate.

    Args:
        d: number of keys, at least 2.
        epsilon: ε of one submission, 0.001 to 20.
        split: ``"tight"`` or ``"half"``.

    Raises:
        WrongTypeError, DomainError: d or the split is none.
        WrongTypeError, PrivacyError: ε is out of range, or too small to be split.

    Source: Ye, Hu, Meng, Zheng 2019, algorithms 1 to 3; the tight split follows from the exact ε
    of its channel (``docs/mechanisms/privkv.md``).

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKV(d=3, epsilon=1.0, split="half")
        >>> m
        PrivKV(d=3, epsilon=1.0, split='half')  # the published split: spends 0.7191
        >>> sd.PrivKV(d=3, epsilon=1.0)
        PrivKV(d=3, epsilon=1.0, split='tight')  # not the published split: spends 1
        >>> m.aggregate(m.perturb([[True, False, True]], [[0.5, 0.0, -1.0]])).n
        1
        >>> est = m.estimate(sd.Counts([[42, 38, 120], [30, 70, 100], [45, 15, 140]], 600), "mle")
        >>> est.frequency.round(3).tolist(), est.mean.round(3).tolist()
        ([0.099, 0.601, 0.0], [1.0, -1.0, nan])
    """

    name: ClassVar[str] = "PrivKV"
    parameters: ClassVar[tuple[Parameter, ...]] = (*KeyValue.parameters, choice("split", SPLITS))
    __slots__ = ("split",)
    split: Split

    def __init__(self, d: int, epsilon: float | Fraction, split: Split = "tight") -> None:
        self._take(d=d, epsilon=epsilon, split=split)

    def __repr__(self) -> str:
        published = "the published split" if self.split == "half" else "not the published split"
        return f"{super().__repr__()}  # {published}: spends {self.epsilon:.4g}"

    def _build(self) -> None:
        asked, half = self.requested_epsilon, self.split == "half"
        first = exp_bounds(asked / 2)[0] if half else (exp_bounds(asked)[0] + 1) / 2
        second = exp_bounds(asked / 2 if half else asked)[0]
        self._compile(two_stages(first, second).table())
        self._refuse_overspending()


@register
class StateRR(Sampled):
    """Three-state randomised response: the state of one key, drawn uniformly and told, by GRR.

    ::

        report the true state of <1,+1>, <1,-1>, <0,*> with e^ε / (e^ε + 2), else one of the others

    It treats all three states alike: somewhat better for frequencies than :class:`PrivKV`.

    Args:
        d: number of keys, at least 2.
        epsilon: ε of one submission, 0.001 to 20.

    Raises:
        WrongTypeError, DomainError: d is none.
        WrongTypeError, PrivacyError: ε is out of range.

    Source: generalised randomised response (Warner 1965) on the states of PrivKV.

    Examples:
        >>> import sudare as sd
        >>> m = sd.StateRR(d=2, epsilon=1.0)
        >>> m.estimate(sd.Counts([[60, 30, 90], [50, 50, 80]], 360)).frequency.round(3).tolist()
        [0.209, 0.362]
    """

    name: ClassVar[str] = "StateRR"
    methods: ClassVar[tuple[str, ...]] = ("unbiased", "mle", "em", "bayes")
    __slots__ = ()

    def __init__(self, d: int, epsilon: float | Fraction) -> None:
        self._take(d=d, epsilon=epsilon)

    def _build(self) -> None:
        self._compile(GRR(3, self.requested_epsilon).program)


def two_stages(first: Fraction, second: Fraction) -> Position:
    """Return the law of PrivKV for ``e^ε1`` and ``e^ε2``."""
    a = first / (1 + first)
    return Position.of(a=a, b=1 - a, p=second / (1 + second))


def one_key_program(d: int, part: Table | Keep) -> Pick:
    """Return the program that draws one of d keys, rounds its value to a sign, and randomises."""
    return Pick(parts=(Round(steps=STEPS, cells=1, part=part),) * d)


def draw_keyed(
    program: Pick, holdings: Holdings, rng: Entropy, fed: Positions | None = None
) -> npt.NDArray[Any]:
    """Return (n, 2) reports, key and state, by the law of a program whose parts are all the same.

    The keys are drawn first; of what is held only they are looked at.

    Args:
        fed: (d,) positions of keys that are not held; default none.
    """
    d, part = len(program.parts), program.parts[0]
    out = np.empty((len(holdings), 2), dtype=index_dtype(max(d, 3)))
    for start in range(0, len(out), _PEOPLE):
        rows = out[start : start + _PEOPLE]
        keys = uniform(len(rows), d, rng)
        own = holdings.positions(start, keys)
        if fed is not None:
            own = np.where(own == NOT_HELD, fed[keys], own)
        rows[:, 0] = keys
        rows[:, 1] = part.draw(own, rng)
    return out


def keyed(drawn: tuple[npt.NDArray[Any], list[npt.NDArray[Any]]], d: int) -> npt.NDArray[Any]:
    """Return what was drawn as (n, 2): key and state."""
    index, reports = drawn
    out = np.empty((index.size, 2), dtype=index_dtype(max(d, 3)))
    out[:, 0] = index
    out[np.argsort(index, kind="stable"), 1] = np.concatenate(reports)
    return out


def tally(rows: npt.NDArray[Any], d: int) -> npt.NDArray[np.int64]:
    """Count (n, 2) reports, key and state: (d, 3)."""
    cells = rows[:, 0].astype(np.int64) * 3 + rows[:, 1]
    return histogram(cells, 3 * d).reshape(d, 3)
