"""``Dataset``: questions to data that a trusted holder has, answered with calibrated noise."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, choose
from sudare.ledger import Bill, Cost
from sudare.release import groups, moments, ranks
from sudare.release.account import Accounts, payer, priced
from sudare.release.grid import Scale
from sudare.release.prepared import Prepared
from sudare.release.protection import RELATIONS, Neighbours, Protection
from sudare.release.released import Released
from sudare.release.table import Columns, Kind, kind_of, read_columns, read_sql

V = TypeVar("V")
Policy = Literal["refuse", "drop"]
Outside = Literal["clamp", "refuse"]


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
        bounds: from a column of numbers to ``(low, high)``, taken from what the numbers mean.
        neighbours: ``"replace-one"`` (the number of rows is public) or ``"add-remove"``.
        unit: the column that says whose a row is, with the most rows that one person contributes:
            ``("person", 3)``. Of a person with more, the first in the order of the data are kept.
        grids: from a column to the step of its grid.
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
        if not isinstance(neighbours, str) or neighbours not in RELATIONS:
            raise DomainError("neighbours", f"must be one of {list(RELATIONS)}", got=neighbours)
        for argument, value, known in (
            ("missing", missing, ("refuse", "drop")),
            ("outside", outside, ("clamp", "refuse")),
        ):
            if not isinstance(value, str) or value not in known:
                raise DomainError(argument, f"must be one of {list(known)}", got=value)
        if not isinstance(name, str) or not name:
            raise WrongTypeError("name", "must be text", "name the data set")
        self._columns = read_columns(frame)
        self._kinds = {name: kind_of(name, column) for name, column in self._columns.items()}
        self._protection = Protection(neighbours)
        if unit is not None:
            self._protection, self._columns = _limited(self._columns, neighbours, unit)
        self._rows = int(next(iter(self._columns.values())).size)
        self._missing, self._outside, self._name = missing, outside, name
        self._scales = self._read_scales(bounds or {}, grids or {})
        self._codes: dict[str, tuple[dict[Any, int], npt.NDArray[np.int64]]] = {}
        self._steps: dict[str, npt.NDArray[np.int64]] = {}
        self._payer = payer(budget, ledger, accounts, name)
        self._rng = choose(rng) if rng is not None else None

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

    def _read_scales(self, bounds: Mapping[str, Any], grids: Mapping[str, Any]) -> dict[str, Scale]:
        if not isinstance(bounds, Mapping) or not isinstance(grids, Mapping):
            raise WrongTypeError("bounds", "must be a mapping", 'such as {"score": (0, 100)}')
        for column in grids:
            if column not in bounds:
                raise DomainError("grids", "must be of columns with bounds", "give bounds too")
        out = {}
        for column, limits in bounds.items():
            values = self._column(column)
            if values.dtype.kind not in "iuf":
                raise WrongTypeError(
                    f"column {column}", "must be numbers", "bounds are for numbers"
                )
            # where numbers may be missing, a column's type in memory depends on whether one is
            whole = values.dtype.kind in "iu" and self._missing == "refuse"
            scale = Scale.of(limits, grids.get(column), whole, f"bounds.{column}")
            lost = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.size, np.bool_)
            if self._missing == "refuse" and lost.any():
                raise DomainError(
                    f"column {column}", "must not have missing numbers", 'or give missing="drop"'
                )
            there = values[~lost]
            beyond = (there < float(scale.low)) | (there > float(scale.high))
            if self._outside == "refuse" and beyond.any():
                raise DomainError(
                    f"column {column}", "must lie within the bounds", 'or give outside="clamp"'
                )
            out[column] = scale
        return out

    # -- what is public ----------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of rows, where it is public (replace-one, a row a person).

        Raises:
            DomainError: it is private: ask :meth:`count`.
        """
        if not self._protection.size_is_public:
            raise DomainError("n", "is private under this relation", "ask count(epsilon=...)")
        return self._rows

    @property
    def neighbours(self) -> str:
        """Whom all answers protect, in words."""
        return self._protection.words

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
        return self._protection.size_is_public

    @property
    def columns(self) -> list[tuple[str, Kind, Scale | None]]:
        """Name of each column, what it holds, and its bounds and grid where it has them."""
        return [(name, kind, self._scales.get(name)) for name, kind in self._kinds.items()]

    def check_categories(self, column: str, categories: Sequence[Any]) -> None:
        """Check that categories fit a column; whether the data has them is not looked at.

        Raises:
            WrongTypeError, DomainError: unknown column, or not of its kind.
        """
        groups.given_for(self, column, categories)

    def paid_by(self, accounts: Sequence[str]) -> Dataset:
        """Return the same data, whose answers are paid by other accounts of the ledger.

        Raises:
            WrongTypeError, DomainError: no such names, or no ledger.
        """
        if not isinstance(self._payer, Accounts):
            raise DomainError("accounts", "need a ledger", "give the data set one")
        other = copy.copy(self)
        other._payer = payer(None, self._payer.ledger, accounts, self._name)
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
            lambda db: groups.count(db, column, equals, Cost.of(epsilon=epsilon, rho=rho)), reuse
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
            lambda db: groups.missing(db, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
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
            lambda db: moments.total(db, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
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
            lambda db: moments.mean(db, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
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
            lambda db: moments.variance(db, column, Cost.of(epsilon=epsilon, rho=rho)), reuse
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
            lambda db: ranks.quantile(db, column, ranks.as_share(share), Cost.of(epsilon=epsilon)),
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
            lambda db: ranks.extreme(db, column, Cost.of(epsilon=epsilon), top=True), reuse
        )

    def min(self, column: str, *, epsilon: Any, reuse: bool = False) -> Released[float]:
        """Return a number near the bottom of a column, as :meth:`max` does."""
        return self._answer(
            lambda db: ranks.extreme(db, column, Cost.of(epsilon=epsilon), top=False), reuse
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
            lambda db: groups.histogram(db, column, categories, Cost.of(epsilon=epsilon, rho=rho)),
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
            lambda db: groups.mode(db, column, categories, Cost.of(epsilon=epsilon)), reuse
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

    def _column(self, name: object) -> npt.NDArray[Any]:
        if not isinstance(name, str):
            raise WrongTypeError("column", "must be the name of a column", got=None)
        if name not in self._columns:
            raise DomainError("column", f"must be one of {sorted(self._columns)}", got=name)
        return self._columns[name]

    def _kind(self, name: object) -> Kind:
        self._column(name)
        return self._kinds[str(name)]

    def _coded(self, name: str) -> tuple[dict[Any, int], npt.NDArray[np.int64]]:
        """Return a code for each value of a column, and the codes of its rows."""
        if name not in self._codes:
            index: dict[Any, int] = {}
            codes = [index.setdefault(one, len(index)) for one in self._column(name).tolist()]
            self._codes[name] = index, np.array(codes, dtype=np.int64)
        return self._codes[name]

    def _numbers(self, column: object) -> tuple[npt.NDArray[np.int64], Scale, bool]:
        """Return a column in steps, its scale, and whether its number of rows is public."""
        values = self._column(column)
        if column not in self._scales:
            raise DomainError(
                "bounds",
                f"must be given for {column}: one person could be anything, no noise hides that",
                "take them from what the numbers mean, not from the data",
            )
        name = str(column)
        scale, partly = self._scales[name], self._missing == "drop"
        if name not in self._steps:
            there = values[~np.isnan(values)] if values.dtype.kind == "f" else values
            self._steps[name] = scale.steps(there)
        return self._steps[name], scale, not partly and self._protection.size_is_public

    @property
    def _entropy(self) -> Entropy:
        return choose(self._rng)

    def _prepared(
        self,
        query: dict[str, Any],
        cost: Cost,
        draw: Callable[[], Any],
        read: Callable[[Any], dict[str, Any]],
    ) -> Prepared[Any]:
        """Return a question: ``read`` says what is special of its answer, the rest stands here."""
        # the record of another number of rows is another query's: its sums are not of these rows
        size = {"rows": self._rows} if self.size_is_public else {}
        own = {"dataset": self._name, "neighbours": self.neighbours, **size, **query}
        full = priced(own, cost)
        facts = {"cost": cost, "neighbours": self.neighbours, "query": full}
        return Prepared(
            Bill(cost, full, draw),
            lambda answer: Released(**{"sampling_stderr": None, **facts, **read(answer)}),
        )

    def _answer(self, ask: Callable[[Dataset], Prepared[V]], reuse: bool) -> Released[V]:
        """Pay for a question and answer it."""
        (answer,) = self._answers(lambda db: [ask(db)], reuse)
        return answer

    def _answers(
        self, ask: Callable[[Dataset], Sequence[Prepared[Any]]], reuse: bool
    ) -> list[Released[Any]]:
        """Pay for several questions at once and answer them: all, or none.

        What is asked and what it costs never depends on the data: it is put to an empty data set
        first, so that what cannot be paid is refused before the data are worked on.
        """
        self._payer.check([one.bill for one in ask(self._emptied())], reuse=reuse)
        questions = ask(self)
        paid = self._payer.pay([one.bill for one in questions], reuse=reuse)
        return [one.released(what) for one, what in zip(questions, paid, strict=True)]

    def _emptied(self) -> Dataset:
        """Return all that is said of this data set, without its rows."""
        other = copy.copy(self)
        other._columns = {name: column[:0] for name, column in self._columns.items()}
        other._codes, other._steps = {}, {}
        return other

    def _scale_json(self, column: str, scale: Scale) -> dict[str, Any]:
        return {
            "column": column,
            "bounds": [str(scale.low), str(scale.high)],
            "grid": str(scale.step),
            "missing": self._missing,
        }


def _limited(columns: Columns, neighbours: Neighbours, unit: object) -> tuple[Protection, Columns]:
    """Return the columns with at most so many rows of each person: the first ones."""
    if not isinstance(unit, list | tuple) or len(unit) != 2 or not isinstance(unit[0], str):
        raise WrongTypeError("unit", "must be (column, most rows)", 'such as ("person", 3)')
    whose, most = unit[0], as_integer(unit[1], "unit", low=1, high=1 << 20)
    if whose not in columns:
        raise DomainError("unit", f"must name one of {sorted(columns)}", got=whose)
    seen: dict[Any, int] = {}
    keep = np.zeros(columns[whose].size, dtype=np.bool_)
    for place, person in enumerate(columns[whose].tolist()):
        if person is None or person != person:
            raise DomainError("unit", "must say whose each row is", "leave rows of nobody out")
        try:
            times = seen[person] = seen.get(person, 0) + 1
        except TypeError:
            raise WrongTypeError(
                "unit", "must name a column of plain values", "text, say"
            ) from None
        keep[place] = times <= most
    return Protection(neighbours, most, whose), {k: v[keep] for k, v in columns.items()}
