"""A data set as a file defines it: where the data is, whom its answers protect, its budget."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sudare.definitions import as_slug, load, tables
from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.exact.entropy import Entropy, Randomness
from sudare.ledger import Cost, Ledger
from sudare.ledger.plan import Budget
from sudare.release.dataset import Dataset
from sudare.release.dummy import check_columns, check_named, dummy
from sudare.release.sources import FIELDS, OtherTable, check_fields, read, source_of
from sudare.release.types import as_types

_FIELDS = {
    "name": str,
    "title": str,
    **FIELDS,
    "neighbours": str,
    "unit": list,
    "missing": str,
    "outside": str,
    "budget": dict,
    "bounds": dict,
    "grids": dict,
    "categories": dict,
    "columns": dict,
    "tables": dict,
}
_OPTIONS = ("neighbours", "unit", "missing", "outside", "bounds", "grids")


@dataclass(frozen=True)
class Definition:
    """What a TOML file says of a data set.

    Attributes:
        name: of the data set, in addresses and in the ledger: 1 to 64 of a-z, 0-9, - and _.
        title: for people.
        source: a file, or the table and the environment variable that holds a database's URL.
        options: of :class:`~sudare.release.Dataset`.
        categories: from a column to its public categories, which are shown to who may ask.
        columns: from a column to what it holds: ``whole``, ``number``, ``text``, ``truth``,
            ``date``, ``datetime`` or ``time``; others are as their bounds and categories are. A
            cell that does not fit is a missing value.
        budget: what all answers together may cost.
        terms: ``delta``, ``plan`` and ``keys`` of it, as of :meth:`~sudare.ledger.Ledger.open`.
        tables: others about the same persons, by their names.

    Examples:
        >>> Definition.from_toml('''
        ... name = "scores-2026"
        ... file = "scores.parquet"
        ... [budget]
        ... epsilon = 5
        ... [bounds]
        ... score = [0, 100]
        ... ''').budget
        Cost(unit='epsilon', amount=Fraction(5, 1))
    """

    name: str
    title: str
    source: dict[str, str]
    options: dict[str, Any]
    categories: dict[str, list[Any]]
    budget: Cost
    columns: dict[str, str] = field(default_factory=dict)
    folder: Path = field(default=Path())
    terms: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, OtherTable] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Definition:
        """Read a definition; files that it names stand beside it.

        Raises:
            StorageError: it cannot be read.
            WrongTypeError, DomainError, PrivacyError: it defines no data set.
        """
        return load(
            path, "dataset", lambda text: cls.from_toml(text, Path(path).parent), StorageError
        )

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None) -> Definition:
        """Read a definition from text.

        Raises:
            WrongTypeError, DomainError, PrivacyError: it defines no data set; what is wrong is
                named.
        """
        data = tables(text, "dataset", DomainError)
        check_fields(data, _FIELDS)
        name = as_slug(data.get("name"), "name", "name the data set", DomainError)
        source = source_of(data)
        others = {key: OtherTable.of(key, of) for key, of in data.get("tables", {}).items()}
        if others and "unit" not in data:
            raise DomainError("unit", "is needed for several tables", 'such as ["person", 3]')
        budget = data.get("budget", {})
        if not set(budget) <= {"epsilon", "rho", "delta", "plan", "keys"}:
            rule = "must be epsilon or rho, perhaps with delta, a plan and keys"
            raise DomainError("budget", rule, "such as epsilon = 5")
        terms = {key: budget[key] for key in ("delta", "plan", "keys") if key in budget}
        cost = Cost.of(**{key: one for key, one in budget.items() if key not in terms})
        if terms:
            Budget.of(**budget)
        categories = data.get("categories", {})
        if not all(isinstance(one, list) for one in categories.values()):
            raise WrongTypeError("categories", "must be lists", 'such as sex = ["f", "m"]')
        columns = as_types(data.get("columns", {}))
        out = cls(
            name=name,
            title=data.get("title", name),
            source=source,
            options={key: data[key] for key in _OPTIONS if key in data}
            | ({"types": columns} if columns else {}),
            categories=categories,
            budget=cost,
            columns=columns,
            folder=folder or Path(),
            terms=terms,
            tables=others,
        )
        check_named(out)
        return out

    def dummy(
        self, rows: int = 1000, rng: Randomness = None, table: str | None = None
    ) -> dict[str, list[Any]]:
        """Return made-up rows with the columns and types of this definition; no data is read.

        For writing a program before it may ask: ``Dataset(definition.dummy(),
        **definition.options)`` takes the questions that the data set takes, and answers nonsense.

        Args:
            rows: 1 to 1,000,000.
            rng: a seed, a NumPy generator or an ``Entropy``; None for the same ones each time.
            table: another of the tables, whose ``columns`` are named; None for the first.

        Raises:
            WrongTypeError, DomainError: no such number or table, or no column is named.
        """
        return dummy(self, rows, rng, table)

    def open(
        self, ledger: Ledger, *, rng: Entropy | None = None, of: type[Dataset] = Dataset
    ) -> Dataset:
        """Read the data, and open its account in a ledger if it is not open.

        Args:
            ledger: open.
            rng: :meth:`Entropy.seeded` for simulations; default the operating system's.
            of: a class of data sets, such as one that is only described.

        Raises:
            WrongTypeError, DomainError: the data does not fit; no value of it is shown. Or its
                account is open with another budget.
            StorageError: data or ledger cannot be read.
        """
        who: dict[str, Any] = {"name": self.name, "categories": self.categories, "ledger": ledger}
        others = {name: one.frame(self.folder) for name, one in self.tables.items()}
        frame = read(self.source, self.folder)
        db = of(frame, tables=others, **self.options, **who, rng=rng)
        check_columns(self, {name: db.columns_of(name) for name in db.tables})
        budget: dict[str, Any] = {self.budget.unit: self.budget.amount}
        ledger.open(self.name, **budget, **self.terms)
        return db
