"""``Quote``: price and bound of a question before it is paid; ``DryRun``: a data set that tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from sudare.errors import SudareError
from sudare.estimation.confidence import check_confidence
from sudare.exact import as_integer
from sudare.ledger import Cost, Due
from sudare.release.account import LedgerAccounts, MemoryAccount
from sudare.release.dataset import Groups, QueryMethod, Rows
from sudare.release.private_data import PrivateData, columns_of
from sudare.release.queries import Filtered, Query, Where
from sudare.release.queries.base import Questions
from sudare.release.released import BoundIn
from sudare.release.synthetic_method import SyntheticMethod
from sudare.release.tables import Joinable, Step, Tables

MOST_ROWS = 1 << 60


@dataclass(frozen=True, eq=False)
class Quote:
    """What a question would cost, and how far its noise would reach: the data were not looked at.

    Attributes:
        cost: what its answer would cost, exactly.
        charged: what each account would pay for it now, in its own unit; a part of a plan counts
            questions. Empty where the answer is on record.
        reused: its answer is on record and would be given at no cost.
        remaining: of each account, after all questions that were put together.
        query: what would stand in the ledger.
        bound_in: what :meth:`bound` counts, as of :class:`~sudare.release.Released`.
        unbounded: why there is no bound before the answer; empty where there is one.
    """

    cost: Cost
    charged: Mapping[str, Fraction]
    reused: bool
    remaining: Mapping[str, Fraction]
    query: dict[str, Any]
    bound_in: BoundIn = "value"
    unbounded: str = ""
    _reach: Callable[[float], float] = field(default=lambda _: 0.0, repr=False)

    @property
    def epsilon(self) -> float | None:
        """ε of its answer; None for Gaussian noise."""
        return float(self.cost.amount) if self.cost.unit == "epsilon" else None

    @property
    def rho(self) -> float:
        """ρ of its answer (zero-concentrated differential privacy)."""
        return float(self.cost.within("rho").amount)

    def bound(self, confidence: float = 0.95) -> float | None:
        """Return how far the noise would take the value from the data's own, at most.

        Where the data decide (means of a private number of rows, variances) it is the widest that
        they can make it with so many rows; of correlations, which have no such one, that of
        independent columns that are spread evenly between their bounds. None where there is no
        bound beforehand.

        Raises:
            WrongTypeError, DomainError: no confidence between 0 and 1.
        """
        miss = 1 - check_confidence(confidence)
        return None if self.unbounded else self._reach(miss)


class DryRun(Joinable, SyntheticMethod, Questions):
    """What is public about a data set, which tells what its questions would cost.

    Made by :meth:`Dataset.dry_run <sudare.release.Dataset.dry_run>`. It refuses what asking would
    refuse now, with the same errors. It has no rows: neither data nor randomness are touched.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> QueryMethod[Any]: ...

    def __init__(
        self,
        held: PrivateData,
        payer: MemoryAccount | LedgerAccounts,
        categories: Mapping[str, Sequence[Any]],
        rows: int | None,
        tables: Tables,
        steps: tuple[Step, ...],
    ) -> None:
        self.held = self._shown(held)
        self._tables, self._steps = tables, steps
        self.categories = dict(categories)
        self._payer = payer
        self._rows = 0 if rows is None else as_integer(rows, "rows", low=1, high=MOST_ROWS)

    def _shown(self, held: PrivateData) -> PrivateData:
        return replace(held.emptied(), rows=held.rows if held.size_is_public else 0)

    def ask(self, query: Query, cost: Cost, *, reuse: bool = False) -> Quote:
        """Tell price and bound of a query; as :meth:`Dataset.ask <sudare.release.Dataset.ask>`."""
        (told,) = self.ask_all([(query, cost)], reuse=reuse)
        return told

    def ask_all(self, pairs: Sequence[tuple[Query, Cost]], *, reuse: bool = False) -> list[Quote]:
        """Tell prices and bounds of several queries that are paid at once.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer one of them.
            BudgetExceeded: they cannot be paid.
        """
        bills = [query.prepare(self.held, cost).bill for query, cost in pairs]
        due = self._payer.check(bills, reuse=reuse)
        return [
            self._told(query, bill.cost, dict(bill.query), one)
            for (query, _), bill, one in zip(pairs, bills, due, strict=True)
        ]

    def sql(
        self,
        text: str,
        *,
        epsilon: Any = None,
        rho: Any = None,
        split: Sequence[Any] | None = None,
        reuse: bool = False,
    ) -> dict[str, Quote]:
        """Tell price and bound of each number of a SELECT, by its column.

        As :meth:`Dataset.sql <sudare.release.Dataset.sql>`.
        """
        from sudare.release.ask import batch
        from sudare.release.sql import Selection

        this: Any = self
        selection, cost = Selection.of(text, this), Cost.of(epsilon=epsilon, rho=rho)
        asks, joined = selection.asks, cast("DryRun", selection.db)
        told = batch(joined, list(asks.values()), cost, split=split, reuse=reuse)
        return dict(zip(asks, told, strict=True))

    def where(self, *conditions: Any) -> Rows:
        """Return the rows that match, as :meth:`Dataset.where <sudare.release.Dataset.where>`."""
        this: Any = self
        return Rows(this, Where.of(*conditions))

    def group_by(self, column: str | Sequence[str], keys: Sequence[Any]) -> Groups:
        """Return the groups, as :meth:`Dataset.group_by <sudare.release.Dataset.group_by>`."""
        this: Any = self
        return Groups(this, column, keys)

    def _put(self, of: type[Query], asked: Any, named: Any, cost: Cost, reuse: bool) -> Any:
        return self.ask(of(*asked, **named), cost, reuse=reuse)

    def _told(self, query: Query, cost: Cost, asked: dict[str, Any], due: Due) -> Quote:
        plain = query.query if isinstance(query, Filtered) else query
        held, why = replace(self.held, rows=self._rows_of(query, plain)), ""

        def reach(miss: float) -> float:
            return query.planned(held, cost, miss)

        try:
            reach(0.05)
        except SudareError as error:
            why = "its bound depends on the number of rows, which is private: say about how many"
            why = why if error.argument == "n" else str(error)
        told = (cost, due.charged, due.reused, due.remaining, asked)
        return Quote(*told, plain.bound_in, why, reach)

    def _rows_of(self, query: Query, plain: Query) -> int:
        """Return how many rows a query is about, where that is public, or what was said."""
        names = [
            name
            for place, one in plain.fields().items()
            if one.holds in ("column", "columns") and getattr(plain, place) is not None
            for name in columns_of(getattr(plain, place))
        ]
        bounded = [self.held.bounded[one] for one in names if one in self.held.bounded]
        public = self.held.size_is_public and all(one.size_is_public for one in bounded)
        if public and query is plain and not plain.is_grouped():
            return self.held.rows
        return self._rows
