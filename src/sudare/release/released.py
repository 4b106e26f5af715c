"""``Released``: an answer with its cost and bound; ``PreparedQuery``: what becomes one if paid."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Generic, Literal, TypeVar

from sudare.errors import WrongTypeError
from sudare.estimation.confidence import check_confidence
from sudare.guesses import Guessed
from sudare.ledger import Bill, Cost, Paid

V = TypeVar("V")
BoundIn = Literal["value", "ranks", "rows"]


@dataclass(frozen=True, eq=False)
class Released(Guessed, Generic[V]):
    """A central answer with noise.

    Attributes:
        value: a number, or one for each group.
        cost: what was paid, exactly.
        neighbours: whom it protects, in words.
        sampling_stderr: at most this much is the standard error of taking these people for a larger
            population, apart from the noise; None where it has no such bound.
        query: what was asked, as it stands in the ledger.
        notes: sentences that a reader should know.
        bound_in: what :meth:`bound` counts: ``"value"`` (its unit), ``"ranks"`` or ``"rows"``.
        event: number of the ledger's event; 0 without a ledger.
        reused: answered from the record, at no cost.
        noise: the laws of what was drawn, as JSON data.
        raw: the answer before post-processing (:func:`consistent`); None for one as it was drawn.
        remaining: of each account that paid, after this; of a budget in memory under ``"budget"``.
        rows: the number of rows that came along, with noise, one for each group of groups; None
            where none did.
    """

    value: V
    cost: Cost
    neighbours: str
    sampling_stderr: float | None
    query: dict[str, Any]
    notes: tuple[str, ...] = ()
    bound_in: BoundIn = "value"
    event: int = 0
    reused: bool = False
    noise: tuple[Mapping[str, Any], ...] = ()
    raw: Released[V] | None = None
    remaining: Mapping[str, Fraction] = field(default_factory=dict)
    rows: float | Mapping[Any, float] | None = None
    _reach: Callable[[float], float] = field(default=lambda _: 0.0, repr=False)
    _reaches: Callable[[float], Sequence[float]] | None = field(default=None, repr=False)
    _intervals: Callable[[float], Sequence[tuple[float, float]]] | None = field(
        default=None, repr=False
    )

    @property
    def epsilon(self) -> float | None:
        """ε of this answer; None for Gaussian noise."""
        return float(self.cost.amount) if self.cost.unit == "epsilon" else None

    @property
    def delta(self) -> float:
        """δ of this answer beside its ε or ρ; 0 where that is all."""
        return float(self.cost.delta)

    @property
    def rho(self) -> float:
        """ρ of this answer (zero-concentrated differential privacy)."""
        return float(self.cost.within("rho").amount)

    def bound(self, confidence: float = 0.95) -> float:
        """Return how far the noise takes the value from the data's own, with this confidence.

        In the unit of the value; of groups each on its own, and the widest of them: see
        :meth:`bounds`. For quantiles in ranks, for a mode in rows: see :attr:`bound_in`. Of a
        regression infinite where the noise may be all that is told.

        Raises:
            WrongTypeError, DomainError: no confidence between 0 and 1.
        """
        return self._reach(1 - check_confidence(confidence))

    def bounds(self, confidence: float = 0.95) -> dict[Any, float]:
        """Return the bound of each group, each on its own.

        Raises:
            WrongTypeError, DomainError: no confidence between 0 and 1, or an answer without groups.
        """
        if not isinstance(self.value, Mapping):
            raise WrongTypeError("bounds", "are of groups: this answer has none", "ask for bound()")
        miss, size = 1 - check_confidence(confidence), len(self.value)
        wide = [self._reach(miss)] * size if self._reaches is None else self._reaches(miss)
        return dict(zip(self.value, wide, strict=True))

    @property
    def of_population(self) -> bool:
        """Whether it is a regression, which has :meth:`intervals`."""
        return self._intervals is not None

    def intervals(self, confidence: float = 0.95) -> dict[Any, tuple[float, float]]:
        """Return an interval for each coefficient of a regression, each on its own.

        It holds that of the population of which the rows are an independent sample: noise and
        sampling together, by the normal law; infinite where the noise may be all that is told.

        Raises:
            WrongTypeError, DomainError: no confidence between 0 and 1, or no regression.
        """
        if self._intervals is None or not isinstance(self.value, Mapping):
            raise WrongTypeError("intervals", "are of regressions", "ask for bound() or bounds()")
        miss = 1 - check_confidence(confidence)
        return dict(zip(self.value, self._intervals(miss), strict=True))

    def to_json(self) -> str:
        """Return the answer as JSON text, with its bounds at 50, 80, 90, 95, 98, 99 and 99.9 %.

        Raises:
            WrongTypeError: a value, or a group, that JSON does not have (made-up rows, dates).
        """
        from sudare.release import answer_json  # asked for by few

        return answer_json.write(self)

    @classmethod
    def from_json(cls, text: str) -> Released[Any]:
        """Rebuild an answer from :meth:`to_json`.

        Its bound of another confidence is that of the next one above which was written.

        Raises:
            ReportError: the text is not an answer of this format.

        Examples:
            >>> from sudare.release import Dataset
            >>> db = Dataset({"score": [80, 65, 90, 70] * 250}, bounds={"score": (0, 100)})
            >>> mean = db.mean("score", epsilon=1)
            >>> again = Released.from_json(mean.to_json())
            >>> again.value == mean.value, again.bound(0.95) == mean.bound(0.95), again.cost
            (True, True, Cost(unit='epsilon', amount=Fraction(1, 1)))
        """
        from sudare.release import answer_json

        return answer_json.read(text)

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the first 60 groups."""
        from sudare.release import answer_json

        return answer_json.html(self)


@dataclass(frozen=True, eq=False)
class PreparedQuery(Generic[V]):
    """A question to a data set, checked and priced; nothing is drawn or spent yet.

    Attributes:
        bill: its price, what is asked, and what draws the noise: JSON data, all that is ever told.
        read: what that data says: the released answer, before it is known who paid.
    """

    bill: Bill
    read: Callable[[Any], Released[V]]

    def released(self, paid: Paid) -> Released[V]:
        """Return the answer that was paid for."""
        answer, of = self.read(paid.answer), paid
        return replace(answer, event=of.event, reused=of.reused, remaining=of.remaining)


def finite(bound: float) -> float | None:
    """Return a bound as JSON and files have it: None where the noise may be all that is told."""
    return bound if math.isfinite(bound) else None
