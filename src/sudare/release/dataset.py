"""``Dataset``: questions to data that a trusted holder has, answered with calibrated noise."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from sudare.errors import DomainError
from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release import groups, moments, ranks
from sudare.release.account import Accounts, payer
from sudare.release.column import Kind
from sudare.release.grid import Scale
from sudare.release.held import Held, Outside, Policy
from sudare.release.prepared import Prepared
from sudare.release.protection import Neighbours
from sudare.release.released import Released
from sudare.release.table import read_sql

V = TypeVar("V")


class Dataset:
    """A data set that answers with noise.

    ::

        P(answer | data) <= exp(ε) P(answer | neighbouring data)

    Noise is added to whole numbers, drawn exactly (discrete Laplace for ``epsilon=``, discrete
    Gaussian for ``rho=``). Numbers are clamped to the bounds and counted in steps of a public grid:
    whole numbers in steps of 1, others in about a million steps, or in those given.

    Args:
        frame: a pandas, polars or pyarrow frame, a mapping from names to columns, or the path of a
            Parquet file. For SQL: :meth:`from_sql`.
        bounds: from a column of numbers to ``(low, high)``, taken from what the numbers mean; of
            dates and times such values, or their text (ISO 8601).
        neighbours: ``"replace-one"`` (the number of rows is public) or ``"add-remove"``.
        unit: the column that says whose a row is, of text or whole numbers, never floats, with the
            most rows that one person contributes: ``("person", 3)``. Of a person with more, the
            first in the order of the data are kept.
        grids: from a column to the step of its grid, of times in days (dates) or seconds.
        missing: what becomes of rows without a number: ``"refuse"`` (an error now) or ``"drop"``
            (left out of the column's queries, whose number of rows is then private, whether or not
            a number is missing; the default grid is then that of fractions).
        outside: what becomes of numbers outside the bounds: ``"clamp"``, or ``"refuse"`` (an error
            now).
        budget: ε, or a :class:`~sudare.ledger.Cost`, that all answers together may cost, counted in
            memory; None for no limit.
        ledger: a :class:`~sudare.ledger.Ledger` instead: budgets that survive.
        accounts: names of its accounts that pay; None for the one of this data set's name.
        name: of the data set in the ledger; name another edition of the data otherwise.
        rng: :meth:`Entropy.seeded` for simulations; default the operating system's.

    Raises:
        WrongTypeError, DomainError: no such frame, bounds or options; numbers that are missing or
            outside where that is refused. No value is ever shown.

    Source: Dwork, McSherry, Nissim, Smith 2006; exact noise: Canonne, Kamath, Steinke 2020.

    Examples:
        >>> import sudare as sd
        >>> scores = {"score": [80, 65, 90, 70] * 25_000}
        >>> db = sd.release.Dataset(scores, bounds={"score": (0, 100)}, budget=1)
        >>> mean = db.mean("score", epsilon=0.1)
        >>> abs(mean.value - 76.25) < 0.3, round(mean.bound(0.95), 5), mean.epsilon
        (True, 0.02996, 0.1)
        >>> db.spent, db.remaining
        (Fraction(1, 10), Fraction(9, 10))
    """

    def __init__(
        self,
        frame: Any,
        *,
        bounds: Mapping[str, Any] | None = None,
        neighbours: Neighbours = "replace-one",
        unit: tuple[str, int] | None = None,
        grids: Mapping[str, Any] | None = None,
        missing: Policy = "refuse",
        outside: Outside = "clamp",
        budget: Any = None,
        ledger: Any = None,
        accounts: Sequence[str] | None = None,
        name: str = "data",
        rng: Entropy | None = None,
    ) -> None:
        self.held = Held.of(
            frame,
            bounds=bounds,
            neighbours=neighbours,
            unit=unit,
            grids=grids,
            missing=missing,
            outside=outside,
            name=name,
            rng=rng,
        )
        self._payer = payer(budget, ledger, accounts, name)

    @classmethod
    def from_sql(cls, url: str, table: str, **options: Any) -> Dataset:
        """Read a table of a database, such as ``sqlite:///people.db``.

        Args:
            url: of the database (SQLAlchemy); ``postgresql://`` needs psycopg.
            table: its name.
            options: as of :class:`Dataset`.

        Raises:
            StorageError: no such database or table; neither URL nor data are shown.
        """
        return cls(read_sql(url, table), **options)

    # -- what is public ----------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of rows, where it is public (replace-one, a row a person).

        Raises:
            DomainError: it is private: ask :meth:`count`.
        """
        if not self.held.size_is_public:
            raise DomainError("n", "is private under this relation", "ask count(epsilon=...)")
        return self.held.rows

    @property
    def neighbours(self) -> str:
        """Whom all answers protect, in words."""
        return self.held.protection.words

    @property
    def spent(self) -> Fraction:
        """What all answers together have cost, of a budget in memory."""
        spent: Fraction = self._purse().spent
        return spent

    @property
    def remaining(self) -> Fraction | None:
        """What is left of a budget in memory; None without a limit."""
        purse = self._purse()
        return None if purse.budget is None else purse.budget.amount - purse.spent

    def _purse(self) -> Any:
        if not hasattr(self._payer, "spent"):
            raise DomainError("budget", "stands in the ledger", "ask ledger.account(name)")
        return self._payer

    @property
    def size_is_public(self) -> bool:
        """Whether :attr:`n` may be told."""
        return self.held.size_is_public

    @property
    def columns(self) -> list[tuple[str, Kind, Scale | None]]:
        """Name of each column, what it holds, and its bounds and grid where it has them."""
        bounded = self.held.bounded
        return [
            (name, column.kind, bounded[name].scale if name in bounded else None)
            for name, column in self.held.columns.items()
        ]

    def check_categories(self, column: str, categories: Sequence[Any]) -> None:
        """Check that categories fit a column; whether the data has them is not looked at.

        Raises:
            WrongTypeError, DomainError: unknown column, or not of its kind.
        """
        self.held.categories(column, categories)

    def paid_by(self, accounts: Sequence[str]) -> Dataset:
        """Return the same data, whose answers are paid by other accounts of the ledger.

        Raises:
            WrongTypeError, DomainError: no such names, or no ledger.
        """
        if not isinstance(self._payer, Accounts):
            raise DomainError("accounts", "need a ledger", "give the data set one")
        other = copy.copy(self)
        other._payer = payer(None, self._payer.ledger, accounts, self.held.name)
        return other

    def once(self, key: str, by: str | None = None) -> Dataset:
        """Return the same data for one question (or batch) that is paid once under a key.

        Its noise is fresh the first time. Asked again with its key, it is answered from the
        ledger's record at no cost: an answer that was lost on its way is not paid twice.

        Args:
            key: 1 to 200 characters, fresh for each question.
            by: the account whose key it is; None for all that pay.

        Raises:
            WrongTypeError, DomainError: no such key, or no ledger; when asked, if the key has paid
                for another question.

        Examples:
            >>> import tempfile
            >>> from sudare.ledger import Ledger
            >>> folder = tempfile.TemporaryDirectory()
            >>> ledger = Ledger(folder.name + "/ledger.db")
            >>> _ = ledger.open("data", epsilon=1)
            >>> db = Dataset({"score": [60, 70] * 500}, bounds={"score": (0, 100)}, ledger=ledger)
            >>> first = db.once("monday").mean("score", epsilon=0.1)
            >>> again = db.once("monday").mean("score", epsilon=0.1)
            >>> again.value == first.value, again.reused, ledger.account("data").spent
            (True, True, Fraction(1, 10))
            >>> ledger.close(); folder.cleanup()
        """
        if not isinstance(self._payer, Accounts):
            raise DomainError("key", "needs a ledger, which keeps the answers", "give ledger=")
        other = copy.copy(self)
        other._payer = replace(self._payer, key=key, by=by)
        return other

    # -- questions ---------------------------------------------------------------------------

    def count(
        self,
        column: str | None = None,
        equals: Any = None,
        *,
        epsilon: Any = None,
        rho: Any = None,
        reuse: bool = False,
    ) -> Released[float]:
        """Count rows: all of them, or those whose column equals a value.

        Args:
            column, equals: None for all rows, where their number is private.
            epsilon, rho: what to pay, one of the two.
            reuse: take the same query's answer from the ledger's record, at no cost.

        Raises:
            DomainError: unknown column, or the number of rows is public.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: groups.count(held, column, equals, Cost.of(epsilon=epsilon, rho=rho)),
            reuse,
        )

    def count_missing(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[float]:
        """Count the rows that have no value in a column.

        Raises:
            DomainError: unknown column.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: groups.missing(held, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
        )

    def sum(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[float]:
        """Return the sum of a column, its values clamped to the bounds.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: moments.total(held, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
        )

    def mean(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[float]:
        """Return the mean of a column, its values clamped to the bounds.

        Where the number of rows is public all is paid for the sum, of sensitivity
        ``(high - low) / n``; else half for the sum around the middle, half for the number.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: moments.mean(held, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
        )

    def variance(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[float]:
        """Return the variance of a column: mean square less squared mean, around the middle.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: moments.variance(held, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
        )

    def quantile(
        self, column: str, share: Any, *, epsilon: Any, reuse: bool = False
    ) -> Released[float]:
        """Return a number below which about a share of the rows lies, by the exponential mechanism.

        ``P(x) ∝ exp(-ε loss(x) / (2 D))`` over the grid between the bounds, the loss how many ranks
        x is away from ``share n``.

        Raises:
            DomainError, WrongTypeError: unknown column, no bounds, a share outside [0, 1].
            BudgetExceeded: nothing was spent.

        Source: Smith 2011, algorithm 2.
        """
        return self._answer(
            lambda held: ranks.quantile(
                held, column, ranks.as_share(share), Cost.of(epsilon=epsilon)
            ),
            reuse,
        )

    def median(self, column: str, *, epsilon: Any, reuse: bool = False) -> Released[float]:
        """Return the median: :meth:`quantile` of 1/2."""
        return self.quantile(column, Fraction(1, 2), epsilon=epsilon, reuse=reuse)

    def max(self, column: str, *, epsilon: Any, reuse: bool = False) -> Released[float]:
        """Return a number near the top of a column: a high quantile, which is all that can be told.

        One person can move the maximum from one bound to the other: its sensitivity is
        ``high - low``, and Laplace noise of that size drowns it.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: ranks.extreme(held, column, Cost.of(epsilon=epsilon), top=True), reuse
        )

    def min(self, column: str, *, epsilon: Any, reuse: bool = False) -> Released[float]:
        """Return a number near the bottom of a column, as :meth:`max` does."""
        return self._answer(
            lambda held: ranks.extreme(held, column, Cost.of(epsilon=epsilon), top=False), reuse
        )

    def histogram(
        self,
        column: str,
        categories: Sequence[Any],
        *,
        epsilon: Any = None,
        rho: Any = None,
        reuse: bool = False,
    ) -> Released[dict[Any, float]]:
        """Count the rows of each given category, and of all others together (None).

        Categories are given, never read from the data: that a category occurs is an answer too.

        Raises:
            DomainError, WrongTypeError: unknown column, no categories, or the same twice.
            BudgetExceeded: nothing was spent.
        """
        return self._answer(
            lambda held: groups.histogram(
                held, column, categories, Cost.of(epsilon=epsilon, rho=rho)
            ),
            reuse,
        )

    def mode(
        self, column: str, categories: Sequence[Any], *, epsilon: Any, reuse: bool = False
    ) -> Released[Any]:
        """Return the given category that is most frequent, by permute-and-flip.

        Raises:
            DomainError, WrongTypeError: unknown column, no categories, or the same twice.
            BudgetExceeded: nothing was spent.

        Source: McKenna, Sheldon 2020.
        """
        return self._answer(
            lambda held: groups.mode(held, column, categories, Cost.of(epsilon=epsilon)), reuse
        )

    def group_by(self, column: str, keys: Sequence[Any]) -> groups.Groups:
        """Return the rows of each given key, to ask about all of them at once.

        Examples:
            >>> frame = {"sex": ["f", "m"] * 5000, "score": [70, 60] * 5000}
            >>> db = Dataset(frame, bounds={"score": (0, 100)}, neighbours="add-remove")
            >>> found = db.group_by("sex", ["f", "m"]).count(epsilon=1.0)
            >>> sorted(found.value), abs(found.value["f"] - 5000) < 30
            (['f', 'm'], True)
        """
        return groups.Groups(self, column, keys)

    # -- for the questions of this package ---------------------------------------------------

    def _answer(self, ask: Callable[[Held], Prepared[V]], reuse: bool) -> Released[V]:
        """Pay for a question and answer it."""
        (answer,) = self._answers(lambda held: [ask(held)], reuse)
        return answer

    def _answers(
        self, ask: Callable[[Held], Sequence[Prepared[Any]]], reuse: bool
    ) -> list[Released[Any]]:
        """Pay for several questions at once and answer them: all, or none.

        What is asked and what it costs never depends on the data: it is put to an empty data set
        first, so that what cannot be paid is refused before the data are worked on.
        """
        self._payer.check([one.bill for one in ask(self.held.emptied())], reuse=reuse)
        questions = ask(self.held)
        paid = self._payer.pay([one.bill for one in questions], reuse=reuse)
        return [one.released(what) for one, what in zip(questions, paid, strict=True)]
