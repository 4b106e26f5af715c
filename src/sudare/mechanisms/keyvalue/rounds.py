"""PrivKVM: PrivKV in rounds, with the means of one fed back into the next."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from sudare.alignment import check_rows
from sudare.arrays import Booleans, Floats
from sudare.channels import Dense
from sudare.errors import PrivacyError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.conclude import EstimateRequest
from sudare.estimation.estimate import Target
from sudare.estimation.keyvalue import KeyValueEstimate
from sudare.estimation.keyvalue.law import StateLaw
from sudare.exact import as_integer, exp_bounds
from sudare.exact.entropy import Entropy, EntropySource, Randomness, as_entropy
from sudare.exact.parameters import EPSILON_MIN
from sudare.frozen import set_fields
from sudare.mechanisms.base import adds_up_to
from sudare.mechanisms.bulk import in_blocks, in_parts
from sudare.mechanisms.keyvalue.base import KeyValue, draw_reports, states_of
from sudare.mechanisms.keyvalue.position import TOTAL, WIDTH, Position
from sudare.mechanisms.keyvalue.sampled import draw_keyed, one_key_program, tally, two_stages
from sudare.mechanisms.keyvalue.validation import (
    STEPS,
    Holdings,
    as_keyed,
    as_means,
    as_states,
)
from sudare.mechanisms.parameters import Parameter, whole
from sudare.mechanisms.registry import register
from sudare.samplers import Product, Table
from sudare.samplers.base import index_dtype

MOST_ROUNDS = 100


@register
class PrivKVM(KeyValue):
    """PrivKVM: every person reports in each of c rounds; the means found are fed back.

    ::

        round 1         PrivKV with ε1 = ε / 2 and ε2 = ε / (2 c): the frequencies come from here
        rounds 2 to c   presence by a coin (p1 = 1/2), sign with ε2 = ε / (2 c); whoever does not
                        hold the key reports with the mean that the round before it found
        the means come from the last round

    Each round draws a key of its own. Guarantee: the sum of the rounds' exact ε. A live protocol
    is run by :meth:`perturb_round`; :meth:`perturb` runs all rounds on data at hand.

    Reports: (n, c, 2): in each round the key, and 0 for <1,+1>, 1 for <1,-1>, 2 for <0,0>.

    Args:
        d: number of keys, at least 2.
        epsilon: ε of all rounds together, 0.001 to 20.
        rounds: c, 1 to 100.

    Raises:
        WrongTypeError, DomainError: d or the rounds are none.
        WrongTypeError, PrivacyError: ε is out of range, or too small for so many rounds.

    Source: Ye, Hu, Meng, Zheng 2019, section 5. With some thousand reports a key it is hardly ever
    better than :class:`PrivKV` (``docs/mechanisms/privkvm.md``).

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKVM(d=3, epsilon=4.0, rounds=2)
        >>> reports = m.perturb([[True, False, True]] * 9, [[0.5, 0.0, -1.0]] * 9)
        >>> reports.shape, m.aggregate(reports).support.shape
        ((9, 2, 2), (2, 3, 3))
    """

    name: ClassVar[str] = "PrivKVM"
    covers: ClassVar[str] = "all rounds of one submission: all keys and values together"
    methods: ClassVar[tuple[str, ...]] = ("privkv",)
    draws_key: ClassVar[bool] = True
    feeds_back: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *KeyValue.parameters,
        whole("rounds", 1, MOST_ROUNDS, examples=(2, 1, 3)),
    )
    __slots__ = ("_tables", "rounds")
    rounds: int
    program: Product
    _tables: tuple[Table, ...]

    def __init__(self, d: int, epsilon: float | Fraction, rounds: int = 2) -> None:
        self._take(d=d, epsilon=epsilon, rounds=rounds)

    def _build(self) -> None:
        asked = self.requested_epsilon
        second = asked / (2 * self.rounds)
        if second < EPSILON_MIN:
            raise PrivacyError(
                "epsilon",
                f"must leave at least {float(EPSILON_MIN)} for each round's sign",
                "take fewer rounds",
                got=float(asked),
            )
        grown = exp_bounds(second)[0]
        first = two_stages(exp_bounds(asked / 2)[0], grown)
        half = Fraction(1, 2)
        later = Position.of(a=half, b=half, p=grown / (1 + grown))
        tables = (first.table(), *(Table(width=WIDTH, rows=later.own_rows),) * (self.rounds - 1))
        program = Product(parts=tuple(one_key_program(self.d, table) for table in tables))
        set_fields(self, _tables=tables, program=program)

    @property
    def round_epsilons(self) -> tuple[float, ...]:
        """ε of each round, rounded down; their exact sum is :attr:`epsilon`."""
        return tuple(part.epsilon for part in self.program.parts)

    @property
    def channel(self) -> Dense:
        """The law of one key's report in the first round."""
        return Dense.from_matrix(self._tables[0].matrix())

    @property
    def shape(self) -> tuple[int, ...]:
        """``(rounds, d, 3)``."""
        return (self.rounds, self.d, 3)

    # -- the respondent's side ---------------------------------------------------------------

    def perturb(
        self, held: npt.ArrayLike, values: npt.ArrayLike, *, rng: Randomness = None
    ) -> npt.NDArray[Any]:
        """Run all rounds on what n respondents hold, feeding back each round's means.

        Arguments and errors are those of :meth:`KeyValue.perturb`.
        """
        check_rows({"held": held, "values": values})
        return self._draw(self._values((held, values)), as_entropy(rng))

    def _draw(self, holdings: Holdings, rng: Entropy) -> npt.NDArray[Any]:
        out = np.empty((len(holdings), self.rounds, 2), dtype=index_dtype(max(self.d, 3)))
        means = np.zeros(self.d)
        for number in range(self.rounds):
            out[:, number] = self._draw_round(number, holdings, means, rng)
            means = self._means(tally(out[:, number], self.d))
        return out

    def perturb_round(
        self,
        number: int,
        held: npt.ArrayLike,
        values: npt.ArrayLike,
        means: npt.ArrayLike | None = None,
        *,
        rng: Randomness = None,
    ) -> npt.NDArray[Any]:
        """Randomise one round of n respondents.

        Args:
            number: 0 to rounds - 1.
            held, values, rng: as of :meth:`KeyValue.perturb`.
            means: (d,) the means that the round before found; not for the first one.

        Returns:
            (n, 2) reports: key and state.

        Raises:
            WrongTypeError, DomainError: not of that form; the message never shows a value.
        """
        i = as_integer(number, "number", low=0, high=self.rounds - 1)
        check_rows({"held": held, "values": values})
        if i and means is None:
            raise WrongTypeError("means", "must be given", "those of the round before")
        fed = as_means(means, self.d) if i else np.zeros(self.d)  # type: ignore[arg-type]
        return self._draw_round(i, self._values((held, values)), fed, as_entropy(rng))

    def perturb_one(self, value: Any, *, entropy: EntropySource | None = None) -> NoReturn:
        """Refuse: a device cannot know the means of rounds that are yet to come."""
        raise PrivacyError(
            "PrivKVM", "must be run round by round", "use perturb_round, or PrivKV for one report"
        )

    def _draw_round(
        self, number: int, holdings: Holdings, means: Floats, rng: Entropy
    ) -> npt.NDArray[Any]:
        program: Any = self.program.parts[number]
        fed = np.rint((1 - means) * (STEPS // 2)).astype(np.uint32) if number else None

        def draw(held: Booleans, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
            return draw_keyed(program, Holdings(held, values), rng, fed)

        given = holdings.held, holdings.values
        return in_blocks(draw, rng, *given, report_bytes=program.report_bytes)

    # -- the analyst's side ------------------------------------------------------------------

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the three states of each key in each round; reports: (n, rounds, 2)."""
        rows = as_states(reports, (self.rounds, 2), max(self.d, 3))
        support = [tally(as_keyed(rows[:, i], self.d), self.d) for i in range(self.rounds)]
        return self._counts(np.stack(support), rows.shape[0])

    def _adds_up(self, counts: Counts) -> bool:
        return all(adds_up_to(each, counts.n) for each in counts.support)

    def estimate(
        self,
        counts: Counts,
        method: str = "privkv",
        target: Target = "population",
        *,
        tolerance: float | None = None,
    ) -> KeyValueEstimate:
        """Estimate frequencies from the first round and means from the last one.

        The means' standard errors are those of the last round's signs; that they are drawn
        towards 0, or towards the means fed back, is not in them.

        Arguments and errors are those of :meth:`KeyValue.estimate`; ``"privkv"``, the published
        estimator, is the only method, and ``tolerance`` of no use.
        """
        return super().estimate(counts, method, target, tolerance=tolerance)

    def _estimate(self, asked: EstimateRequest, tolerance: float | None) -> KeyValueEstimate:
        counts = asked.counts
        first = self._law(Counts(counts.support[0], counts.n), asked.target)
        f, _, stderr_f, _ = self._published(first)
        _, m, _, stderr_m = self._published(self._last(counts.support[-1], first))
        return self._result(asked, (f, m, stderr_f, stderr_m), first)

    def _last(self, support: npt.NDArray[np.int64], like: StateLaw) -> StateLaw:
        return StateLaw(support.astype(np.float64), like.channel, like.padding, like.known)

    def _means(self, support: npt.NDArray[Any]) -> Floats:
        """Return the means that a round's counts give, to be fed back; 0 where there is none."""
        law = StateLaw(support.astype(np.float64), self.channel.dense(), 1, np.zeros(self.d))
        return np.nan_to_num(self._published(law)[1], nan=0.0)

    # -- simulation --------------------------------------------------------------------------

    def _tally(
        self,
        n: int,
        f: Floats,
        m: Floats,
        generator: np.random.Generator,
        others: npt.NDArray[np.int64] | None = None,
    ) -> npt.NDArray[np.int64]:
        """Draw each round's counts, of people drawn anew for each round.

        That one round's people are the next one's changes nothing but the covariance of two rounds.

        Args:
            others: (rounds, d, 3) counts of further reports, which are fed back too.
        """
        out: list[npt.NDArray[np.int64]] = []
        means = np.zeros(self.d)
        for number in range(self.rounds):
            trials = generator.multinomial(n, np.full(self.d, 1 / self.d))
            drawn = draw_reports(trials, self._reported(number, f, m, means), generator)
            out.append(drawn if others is None else drawn + others[number])
            means = self._means(out[-1])
        return np.stack(out)

    def _reported(self, number: int, f: Floats, m: Floats, means: Floats) -> Floats:
        """Return the (d, 3) law of a round's reports about each key, ``means`` fed back."""
        states = states_of(f, m)
        if not number:
            return states @ self.channel.dense().T
        signs = states[:, :2] + (1 - f)[:, None] * states_of(np.ones(self.d), means)[:, :2]
        out: Floats = signs @ self._signs(number).T
        return out

    def _signs(self, number: int) -> Floats:
        """Return the (3, 2) law of a later round: signs to reports."""
        return np.array(self._tables[number].weights(), dtype=np.float64).T / float(TOTAL)
