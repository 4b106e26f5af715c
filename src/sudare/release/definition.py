"""A data set as a file defines it: where the data is, whom its answers protect, its budget."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sudare.definitions import as_slug, load, tables
from sudare.errors import DomainError, StorageError, WrongTypeError, as_one_of
from sudare.exact import Entropy
from sudare.files.people import read_people
from sudare.ledger import Cost, Ledger
from sudare.ledger.plan import Budget
from sudare.release.dataset import Dataset
from sudare.release.dummy import TYPES, check_types, dummy
from sudare.release.table import read_sql

_FIELDS = {
    "name": str,
    "title": str,
    "file": str,
    "sql_table": str,
    "sql_url_env": str,
    "neighbours": str,
    "unit": list,
    "missing": str,
    "outside": str,
    "budget": dict,
    "bounds": dict,
    "grids": dict,
    "categories": dict,
    "columns": dict,
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
            ``date``, ``datetime`` or ``time``; others are as their bounds and categories are.
        budget: what all answers together may cost.
        terms: ``delta``, ``plan`` and ``keys`` of it, as of :meth:`~sudare.ledger.Ledger.open`.

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
        for name, value in data.items():
            if name not in _FIELDS:
                raise DomainError(name, "is not a field", f"the fields are {', '.join(_FIELDS)}")
            if not isinstance(value, _FIELDS[name]):
                raise WrongTypeError(name, f"must be a {_FIELDS[name].__name__} of TOML")
        name = as_slug(data.get("name"), "name", "name the data set", DomainError)
        source: dict[str, str] = {
            key: data[key] for key in ("file", "sql_table", "sql_url_env") if key in data
        }
        if set(source) not in ({"file"}, {"sql_table", "sql_url_env"}):
            raise DomainError(
                "file", "or sql_table and sql_url_env must be given", "say where the data is"
            )
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
        columns = data.get("columns", {})
        for column, of in columns.items():
            as_one_of(of, f"columns.{column}", TYPES)
        return cls(
            name=name,
            title=data.get("title", name),
            source=source,
            options={key: data[key] for key in _OPTIONS if key in data},
            categories=categories,
            budget=cost,
            columns=columns,
            folder=folder or Path(),
            terms=terms,
        )

    def dummy(self, rows: int = 1000, rng: Entropy | None = None) -> dict[str, list[Any]]:
        """Return made-up rows with the columns and types of this definition; no data is read.

        For writing a program before it may ask: ``Dataset(definition.dummy(),
        **definition.options)`` takes the questions that the data set takes, and answers nonsense.

        Args:
            rows: 1 to 1,000,000.
            rng: where they are drawn from; None for the same ones each time.

        Raises:
            WrongTypeError, DomainError: no such number, or no column is named.
        """
        return dummy(self, rows, rng)

    def open(self, ledger: Ledger, *, rng: Entropy | None = None) -> Dataset:
        """Read the data, and open its account in a ledger if it is not open.

        Args:
            ledger: open.
            rng: :meth:`Entropy.seeded` for simulations; default the operating system's.

        Raises:
            WrongTypeError, DomainError: the data does not fit; no value of it is shown. Or its
                account is open with another budget.
            StorageError: data or ledger cannot be read.
        """
        if "file" in self.source:
            frame = read_people(self.folder / self.source["file"])
        else:
            url = os.environ.get(self.source["sql_url_env"])
            if not url:
                raise DomainError(
                    "sql_url_env", "must name a variable that is set", "set it to the URL",
                    got=self.source["sql_url_env"],
                )  # fmt: skip
            frame = read_sql(url, self.source["sql_table"])
        who: dict[str, Any] = {"name": self.name, "categories": self.categories, "ledger": ledger}
        db = Dataset(frame, **self.options, **who, rng=rng)
        check_types(self, db.columns)
        budget: dict[str, Any] = {self.budget.unit: self.budget.amount}
        ledger.open(self.name, **budget, **self.terms)
        return db
