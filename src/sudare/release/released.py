"""``Released``: an answer, how far off its noise may be, what it cost, and whom it protects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sudare.estimation.confidence import check_confidence
from sudare.ledger import Cost

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class Released(Generic[V]):
    """A central answer with noise.

    Attributes:
        value: a number, or one for each group.
        cost: what was paid, exactly.
        neighbours: whom it protects, in words.
        sampling_stderr: at most this much is the standard error of taking these people for a larger
            population, apart from the noise; None where it has no such bound.
        query: what was asked, as it stands in the ledger.
        notes: sentences that a reader should know.
        event: number of the ledger's event; 0 without a ledger.
        reused: answered from the record, at no cost.
    """

    value: V
    cost: Cost
    neighbours: str
    sampling_stderr: float | None
    query: dict[str, Any]
    notes: tuple[str, ...] = ()
    event: int = 0
    reused: bool = False
    _reach: Callable[[float], Any] = field(default=lambda _: 0.0, repr=False)

    @property
    def epsilon(self) -> float | None:
        """ε of this answer; None for Gaussian noise."""
        return float(self.cost.amount) if self.cost.unit == "epsilon" else None

    @property
    def rho(self) -> float:
        """ρ of this answer (zero-concentrated differential privacy)."""
        return float(self.cost.within("rho").amount)

    def bound(self, confidence: float = 0.95) -> Any:
        """Return how far the noise takes the value from the data's own, with this confidence.

        In the unit of the value; of groups each on its own. For quantiles in ranks, for a mode in
        rows.

        Raises:
            WrongTypeError, DomainError: no confidence between 0 and 1.
        """
        return self._reach(1 - check_confidence(confidence))
