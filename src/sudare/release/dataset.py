"""``Dataset``: questions to data that a trusted holder has, answered with calibrated noise."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sudare.errors import DomainError, TypeGuessWarning
from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release.account import LedgerAccounts, as_account
from sudare.release.grid import Scale
from sudare.release.kinds import Kind
from sudare.release.numbers import Outside, Policy
from sudare.release.private_data import PrivateData
from sudare.release.protection import Neighbours
from sudare.release.queries import Filtered, Query, Where
from sudare.release.queries.base import GroupQuestions, Questions
from sudare.release.released import PreparedQuery, Released
from sudare.release.remote_table import RemoteTableError
from sudare.release.synthetic_method import SyntheticMethod
from sudare.release.table import read_sql
from sudare.release.tables import Joinable, Tables
from sudare.release.types import guess_in_words

if TYPE_CHECKING:
    from sudare.release.quote import DryRun
    from sudare.release.sql import Selected

V = TypeVar("V")


class QueryMethod(Protocol[V]):
    """A method that asks and pays: the fields of its query, and a price."""

    def __call__(
        self, *asked: Any, epsilon: Any = None, rho: Any = None, reuse: bool = False, **named: Any
    ) -> Released[V]:
        """Ask."""


class PureQueryMethod(Protocol[V]):
    """The same of a query that is paid in ε alone."""

    def __call__(self, *asked: Any, epsilon: Any, reuse: bool = False, **named: Any) -> Released[V]:
        """Ask."""


class Dataset(Joinable, SyntheticMethod, Questions):
    """A data set that answers with noise.

    ::

        P(answer | data) <= exp(ε) P(answer | neighbouring data)

    Noise is added to whole numbers, drawn exactly (discrete Laplace for ``epsilon=``, discrete
    Gaussian for ``rho=``). Numbers are clamped to the bounds and counted in steps of a public grid:
    columns that are said or declared to hold whole numbers in steps of 1, others in about a million
    steps, or in those given.

    Args:
        frame: a pandas, polars or pyarrow frame, a mapping from names to columns, a stream of
            Arrow's, or the path of a folder of CSV files with the same columns. What is read again
            for each question, batch by batch, and may be larger than memory: the path or URI of a
            Parquet file or of a folder of such, a data set of PyArrow, a table of deltalake or
            pyiceberg, a lazy frame (polars, DuckDB and others). For SQL:
            :meth:`from_sql`.
        bounds: from a column of numbers to ``(low, high)``, taken from what the numbers mean; of
            dates and times such values, or their text (ISO 8601).
        neighbours: ``"replace-one"`` (the number of rows is public) or ``"add-remove"``.
        unit: the column that says whose a row is, of text or whole numbers, never floats, with the
            most rows that one person contributes: ``("person", 3)``. Of a person with more, the
            first in the order of the data are kept. Ids that are written in two ways (``A7`` and
            ``a7``) are two persons.
        grids: from a column to the step of its grid, of times in days (dates) or seconds.
        missing: what becomes of rows without a number: ``"refuse"`` (an error now) or ``"drop"``
            (left out of the column's queries, whose number of rows is then private, whether or not
            a number is missing; the default grid is then that of fractions, unless ``types`` say
            ``whole``). A cell that is no number is missing.
        outside: what becomes of numbers outside the bounds: ``"clamp"``, or ``"refuse"`` (an error
            now).
        budget: ε, or a :class:`~sudare.ledger.Cost` (with δ too: ``Cost.of(epsilon=1,
            delta=1e-6)``), that all answers together may cost, counted in memory; None for no limit
            of ε or ρ.
        ledger: a :class:`~sudare.ledger.Ledger` instead: budgets that survive.
        accounts: names of its accounts that pay; None for the one of this data set's name.
        name: of the data set in the ledger; name another edition of the data otherwise.
        categories: public ones of columns, by which :meth:`sql` groups without an ``IN``.
        tables: others about the same persons, for :meth:`join`: from a name to a frame, or to
            (frame, column that says whose a row is) where that has another name than in ``unit``.
            Bounds, grids and categories are of columns of all; a neighbour has the rows of one
            person in each.
        types: what columns hold: ``whole`` (numbers), ``number``, ``text``, ``truth``, ``date``,
            ``datetime`` or ``time``. A cell that does not fit is a missing value. Of lists, columns
            of objects, CSV files, JSON lines and what a database declares no type for, others are
            as their bounds or categories are; where there are none the type is guessed, which a
            :class:`~sudare.errors.TypeGuessWarning` tells.
        rng: :meth:`Entropy.seeded` for simulations; default the operating system's.
        engine: a session of Spark (:func:`sudare.spark.session`), whose executors work out the
            exact sums; None for this process. ``frame`` is then the path of Parquet files, which
            every executor reaches.

    Raises:
        EngineError: Spark could not finish.
        WrongTypeError, DomainError: no such frame, bounds or options; numbers that are missing or
            outside where that is refused. No value is ever shown.
        StorageError: a file that cannot be read; when asked, one that has changed.

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

    if TYPE_CHECKING:  # what the kinds of this package return; the methods themselves are theirs
        count: QueryMethod[float]
        count_missing: QueryMethod[float]
        count_present: QueryMethod[float]
        distinct: QueryMethod[float]
        sum: QueryMethod[float]
        mean: QueryMethod[float]
        variance: QueryMethod[float]
        covariance: QueryMethod[dict[tuple[str, str], float]]
        correlation: QueryMethod[dict[tuple[str, str], float]]
        linear: QueryMethod[dict[str, float]]
        logistic: QueryMethod[dict[str, float]]
        quantile: PureQueryMethod[float]
        median: PureQueryMethod[float]
        max: PureQueryMethod[float]
        min: PureQueryMethod[float]
        histogram: QueryMethod[dict[Any, float]]
        bins: QueryMethod[dict[str, float]]
        mode: PureQueryMethod[Any]
        top: QueryMethod[dict[Any, float]]
        find_bounds: QueryMethod[dict[str, float]]
        capped: QueryMethod[float]
        over_sum: QueryMethod[float]
        over_rows: QueryMethod[float]
        over_groups: QueryMethod[float]
        discover: QueryMethod[dict[str, float]]

        def __getattr__(self, name: str) -> QueryMethod[Any]: ...

    _looks = True

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
        categories: Mapping[str, Sequence[Any]] | None = None,
        tables: Mapping[str, Any] | None = None,
        types: Mapping[str, str] | None = None,
        rng: Entropy | None = None,
        engine: Any = None,
    ) -> None:
        if engine is not None and tables:
            raise DomainError("tables", "cannot be joined by Spark", "join them first, or here")

        def opened(frame: Any, unit: Any) -> PrivateData:
            how: dict[str, Any] = {"name": name, "rng": rng, "others": bool(tables)}
            how.update(engine=engine, types=types, categories=categories, looks=self._looks)
            return PrivateData.of(frame, bounds, neighbours, unit, grids, missing, outside, **how)

        self.held = opened(frame, unit)
        most = self.held.protection.rows
        self._tables = Tables.of(self.held, tables or {}, lambda one, key: opened(one, (key, most)))
        self._tables.check_columns(list(bounds or {}))
        self._tables.check_types(types or {})
        self._steps = ((name, False),)
        self._payer = as_account(budget, ledger, accounts, name)
        self.categories = dict(categories or {})
        for column, some in self.categories.items():
            self.check_categories(column, some)
        if self.guessed:
            warnings.warn(guess_in_words(self.guessed), TypeGuessWarning, stacklevel=2)

    @classmethod
    def describe(cls, frame: Any, *, rows: int | None = None, **options: Any) -> DryRun:
        """Return what is public of a data set, and no more: prices and bounds of its questions.

        Unlike ``Dataset(frame).dry_run()`` it is the same whatever the cells hold: also where
        ``missing="refuse"`` or ``outside="refuse"`` would not open the data set.

        Args:
            frame: as of :class:`Dataset`.
            rows: as of :meth:`dry_run`.
            options: as of :class:`Dataset`.

        Examples:
            >>> said = {"bounds": {"age": (0, 110)}, "types": {"age": "whole"}, "budget": 1}
            >>> with_one_missing = {"age": [33, None, 55, 20]}
            >>> Dataset.describe(with_one_missing, **said).mean("age", epsilon=1).bound(0.95)
            82.5
        """
        return Description(frame, **options).dry_run(rows=rows)

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
        of = self.held if column in self.held.columns else self._tables.of_column(column)
        of.categories(column, categories)

    def paid_by(self, accounts: Sequence[str]) -> Dataset:
        """Return the same data, whose answers are paid by other accounts of the ledger.

        Raises:
            WrongTypeError, DomainError: no such names, or no ledger.
        """
        if not isinstance(self._payer, LedgerAccounts):
            raise DomainError("accounts", "need a ledger", "give the data set one")
        other = copy.copy(self)
        other._payer = as_account(None, self._payer.ledger, accounts, self.held.name)
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
            >>> from sudare.ledger import Ledger
            >>> ledger = Ledger("ledger.db")
            >>> _ = ledger.open("data", epsilon=1)
            >>> db = Dataset({"score": [60, 70] * 500}, bounds={"score": (0, 100)}, ledger=ledger)
            >>> first = db.once("monday").mean("score", epsilon=0.1)
            >>> again = db.once("monday").mean("score", epsilon=0.1)
            >>> again.value == first.value, again.reused, ledger.account("data").spent
            (True, True, Fraction(1, 10))
            >>> ledger.close()
        """
        if not isinstance(self._payer, LedgerAccounts):
            raise DomainError("key", "needs a ledger, which keeps the answers", "give ledger=")
        other = copy.copy(self)
        other._payer = replace(self._payer, key=key, by=by)
        return other

    def dry_run(self, *, rows: int | None = None) -> DryRun:
        """Return the same data set without its rows, which tells prices and bounds beforehand.

        It takes every question that this one takes, as the same methods, and ``batch`` takes it
        too. What is told is a :class:`~sudare.release.Quote`; nothing is drawn or paid.

        Args:
            rows: about how many rows a question is about, where that is private, and of each group:
                the bounds of means and variances depend on it.

        Raises:
            WrongTypeError, DomainError: no such number.

        Examples:
            >>> db = Dataset({"score": [60, 70] * 5000}, bounds={"score": (0, 100)}, budget=1)
            >>> told = db.dry_run().mean("score", epsilon=0.5)
            >>> told.charged, told.bound(0.95) == db.mean("score", epsilon=0.5).bound(0.95)
            ({'budget': Fraction(1, 2)}, True)
        """
        from sudare.release.quote import DryRun

        return DryRun(self.held, self._payer, self.categories, rows, self._tables, self._steps)

    # -- questions ---------------------------------------------------------------------------

    def ask(self, query: Query, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Pay for a query and answer it; each kind is a method, too: ``mean``, ``median``, ...

        Args:
            query: such as ``queries.moments.Mean("score")``.
            cost: what to pay.
            reuse: take the same query's answer from the ledger's record, at no cost.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer it.
            BudgetExceeded: nothing was spent.
        """
        (answer,) = self.ask_all([(query, cost)], reuse=reuse)
        return answer

    def ask_all(
        self, pairs: Sequence[tuple[Query, Cost]], *, reuse: bool = False
    ) -> list[Released[Any]]:
        """Pay for several queries at once and answer them: all, or none.

        What is asked and what it costs never depends on the data: it is put to an empty data set
        first, so that what cannot be paid is refused before the data are worked on.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer one of them.
            BudgetExceeded: nothing was spent.
        """
        empty = self.held.emptied()
        self._payer.check([one.prepare(empty, cost).bill for one, cost in pairs], reuse=reuse)
        questions = [self._prepared(one, cost) for one, cost in pairs]
        paid = self._payer.pay([one.bill for one in questions], reuse=reuse)
        return [one.released(what) for one, what in zip(questions, paid, strict=True)]

    def _prepared(self, query: Query, cost: Cost) -> PreparedQuery[Any]:
        try:
            return query.prepare(self.held, cost)
        except RemoteTableError:
            kind = query.query.tag() if isinstance(query, Filtered) else query.tag()
            raise RemoteTableError(f"of kind {kind}") from None

    def sql(
        self,
        text: str,
        *,
        epsilon: Any = None,
        rho: Any = None,
        split: Sequence[Any] | None = None,
        reuse: bool = False,
    ) -> Selected:
        """Answer an SQL SELECT: each of its numbers is a question, all are paid at once.

        Args:
            text: such as ``SELECT AVG(score) FROM data WHERE age >= 18``; ``data`` or the name of
                this data set.
            epsilon, rho: what to pay for all numbers together, one of the two.
            split: a positive number for each: its part of the price; None for equal ones.
            reuse: take answers from the ledger's record where they are.

        Raises:
            WrongTypeError, DomainError, PrivacyError: it has what no question is, with the reason;
                or it cannot be answered; nothing was spent.
            BudgetExceeded: nothing was spent.
            MissingExtraError: sqlglot is not installed (extra ``sql``).

        Examples:
            >>> frame = {"sex": ["f", "m"] * 5000, "score": [70, 60] * 5000}
            >>> db = Dataset(frame, bounds={"score": (0, 100)}, categories={"sex": ["f", "m"]})
            >>> select = "SELECT sex, AVG(score) AS mean FROM data GROUP BY sex"
            >>> [round(one["mean"], -1) for one in db.sql(select, epsilon=1).records()]
            [70.0, 60.0]
        """
        from sudare.release.ask import batch
        from sudare.release.sql import Selection

        selection, cost = Selection.of(text, self), Cost.of(epsilon=epsilon, rho=rho)
        asks = list(selection.asks.values())
        return selection.answered(batch(selection.db, asks, cost, split=split, reuse=reuse))

    def _put(self, of: type[Query], asked: Any, named: Any, cost: Cost, reuse: bool) -> Any:
        return self.ask(of(*asked, **named), cost, reuse=reuse)

    def where(self, *conditions: Any) -> Rows:
        """Return the rows of which all conditions are true, to ask about them alone.

        Conditions are public; how many rows match is private, and a missing value never does.

        Args:
            conditions: text such as ``"age >= 18 and sex in f,m"``, or (column, sign, value) with
                one of ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` (a list), ``between``.

        Raises:
            WrongTypeError, DomainError: unknown column, values that are not of its kind, or no row
                can match.

        Examples:
            >>> frame = {"age": [15, 30, 45, 60] * 2500, "score": [70, 60, 50, 40] * 2500}
            >>> db = Dataset(frame, bounds={"score": (0, 100)})
            >>> adults = db.where("age >= 18")
            >>> abs(adults.mean("score", epsilon=1).value - 50) < 1
            True
            >>> abs(adults.where(("age", "<", 50)).count(epsilon=1).value - 5000) < 30
            True
        """
        return Rows(self, Where.of(*conditions))

    def group_by(self, column: str | Sequence[str], keys: Sequence[Any]) -> Groups:
        """Return the rows of each given key, to ask about all of them at once.

        Of several columns, with a list of keys for each, there is a group for each combination.

        Examples:
            >>> frame = {"sex": ["f", "m"] * 5000, "score": [70, 60] * 5000}
            >>> db = Dataset(frame, bounds={"score": (0, 100)}, neighbours="add-remove")
            >>> found = db.group_by("sex", ["f", "m"]).count(epsilon=1.0)
            >>> sorted(found.value), abs(found.value["f"] - 5000) < 30
            (['f', 'm'], True)
        """
        return Groups(self, column, keys)


class Description(Dataset):
    """A data set of which only what is public is asked: no cell decides whether it opens."""

    _looks = False

    def ask(self, query: Query, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Refuse: what a data set must not hold was not looked for."""
        raise DomainError("db", "is a description", "open a Dataset to be answered")


class Rows(SyntheticMethod, Questions):
    """The rows that match public conditions; asked as the data set is.

    Args:
        db: the data set.
        where: the conditions.

    Raises:
        WrongTypeError, DomainError: as of :meth:`Dataset.where`.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> QueryMethod[Any]: ...

    def __init__(self, db: Dataset, where: Where) -> None:
        where.matches(db.held)
        self._db, self._where, self.categories = db, where, db.categories

    def _put(self, of: type[Query], asked: Any, named: Any, cost: Cost, reuse: bool) -> Any:
        return self.ask(of(*asked, **named), cost, reuse=reuse)

    def ask(self, query: Query, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Pay for a query about these rows and answer it; as :meth:`Dataset.ask`."""
        return self._db.ask(Filtered(query, self._where), cost, reuse=reuse)

    def where(self, *conditions: Any) -> Rows:
        """Return those of these rows of which further conditions are true."""
        return Rows(self._db, Where.of(self._where, *conditions))

    def group_by(self, column: str | Sequence[str], keys: Sequence[Any]) -> Groups:
        """Return those of these rows that have each given key; as :meth:`Dataset.group_by`."""
        return Groups(self._db, column, keys, self)


class Groups(GroupQuestions):
    """The rows of each given key of a column; each query is about all keys at once.

    Args:
        db: the data set.
        column: that says which group a row is in; or several.
        keys: given; other rows are left out. Of several columns a list for each.
        rows: those that it is about; None for all.

    Raises:
        DomainError, WrongTypeError: unknown column, no keys, or the same twice.
    """

    if TYPE_CHECKING:
        count: QueryMethod[dict[Any, float]]
        sum: QueryMethod[dict[Any, float]]
        mean: QueryMethod[dict[Any, float]]
        quantile: PureQueryMethod[dict[Any, float]]
        median: PureQueryMethod[dict[Any, float]]

        def __getattr__(self, name: str) -> QueryMethod[Any]: ...

    def __init__(
        self,
        db: Dataset,
        column: str | Sequence[str],
        keys: Sequence[Any],
        rows: Rows | None = None,
    ) -> None:
        self._of: Dataset | Rows = db if rows is None else rows
        self._by, self._keys = db.held.groups(column, keys)

    def _put(self, of: type[Query], asked: Any, named: Any, cost: Cost, reuse: bool) -> Any:
        given: Any = of
        query = given(self._by, self._keys, *asked, **named)
        return self._of.ask(query, cost, reuse=reuse)
