"""What may be asked over HTTP: one structure a kind of query, told apart by ``query``."""

from __future__ import annotations

import inspect
import re
from abc import abstractmethod
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from sudare.errors import DomainError
from sudare.estimation.confidence import LEAST
from sudare.ledger import Cost
from sudare.ledger.bills import MOST_KEY
from sudare.refusal import Refusal
from sudare.release.ask import parts_of
from sudare.release.private_data import MOST_GROUPS
from sudare.release.queries import KINDS, Filtered, Query, Where
from sudare.release.queries.filters import MOST_CONDITIONS
from sudare.request_json import read_json

if TYPE_CHECKING:
    from sudare.release import Dataset, DryRun
    from sudare.release.sql import Selection

MOST_QUERIES = 1_000
"""Queries of a batch."""

MOST_MADE = 100_000
"""Made-up rows of an answer, in a batch of all together."""

D = TypeVar("D", "Dataset", "DryRun")
Pairs: TypeAlias = list[tuple[Query, Cost]]
Column: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, description="A column.")]
Table: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, description="A table.")]
Category: TypeAlias = str | int | float | bool
_GIVEN = "Given, each once; never the data's."
Categories: TypeAlias = Annotated[
    list[Category], Meta(min_length=1, max_length=MOST_GROUPS, description=_GIVEN)
]
Price: TypeAlias = Annotated[float, Meta(ge=1e-15, le=1_000_000)]
Key: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=MOST_KEY, description="The analyst's, fresh for a query.")
]
Part: TypeAlias = Annotated[float, Meta(gt=0, le=1_000_000)]
Confidence: TypeAlias = Annotated[float, Meta(ge=LEAST, lt=1)]


class _Query(Struct, tag_field="query", forbid_unknown_fields=True, kw_only=True, frozen=True):
    confidence: Confidence = 0.95


class Condition(Struct, forbid_unknown_fields=True, frozen=True):
    """A column, what it is, and a value: a list of them for ``in`` and ``between``."""

    column: Column
    sign: Literal["=", "!=", "<", "<=", ">", ">=", "in", "between"]
    value: Category | Categories


Conditions: TypeAlias = Annotated[
    list[Condition], Meta(min_length=1, max_length=MOST_CONDITIONS, description="All are true.")
]


class _Paid(_Query, kw_only=True, frozen=True):
    """What is paid for.

    ``epsilon`` is its price. ``reuse``: take the same query's answer from the record, at no cost.
    ``key``: asked again with it, this query is not paid again; the header ``Idempotency-Key`` says
    the same.
    """

    epsilon: Price | None = None
    reuse: bool = True
    key: Key | None = None

    @property
    def cost(self) -> Cost:
        return Cost.of(epsilon=self.epsilon, rho=getattr(self, "rho", None))

    @abstractmethod
    def asked(self, db: D) -> tuple[D, Pairs]:
        """Return which of a data set's rows are asked, and the queries with what each costs.

        Raises:
            WrongTypeError, DomainError, PrivacyError: fields that do not fit it or each other.
            MissingExtraError: sqlglot is not installed.
        """


class Join(Struct, forbid_unknown_fields=True, frozen=True):
    """Another table about the same persons, whose rows stand beside theirs.

    ``keep_all``: rows without one in it are kept, and have no value in its columns.
    """

    table: Table
    keep_all: bool = False


Joins: TypeAlias = Annotated[
    list[Join], Meta(min_length=1, max_length=100, description="One after the other.")
]


class _OfTables(_Paid, kw_only=True, frozen=True):
    """``table``: another one of several about the same persons; ``join``: with rows of others."""

    table: Table | None = None
    join: Joins | None = None

    def rows_of(self, db: D) -> D:
        """Return the rows that it is about.

        Raises:
            DomainError: no such tables, or one twice.
        """
        found = db if self.table is None else db.table(self.table)
        for one in self.join or ():
            found = found.join(one.table, keep_all=one.keep_all)
        return found


class _OfRows(_OfTables, kw_only=True, frozen=True):
    """A query to held data; ``where``: the rows of which all conditions are true."""

    where: Conditions | None = None

    def asked(self, db: D) -> tuple[D, Pairs]:
        of = self.rows_of(db)
        return of, [(self.of(of), self.cost)]

    def of(self, db: Dataset | DryRun) -> Query:
        """Return the query to a data set.

        Raises:
            WrongTypeError, DomainError: unknown column, or fields that do not go together.
        """
        query = self.plain(db)
        if self.where is None:
            return query
        return Filtered(query, Where.of(*((one.column, one.sign, one.value) for one in self.where)))

    @abstractmethod
    def plain(self, db: Dataset | DryRun) -> Query:
        """Return it without its filter."""


class _DataQuery(_OfRows, kw_only=True, frozen=True):
    def plain(self, db: Dataset | DryRun) -> Query:
        """Return the query of its kind."""
        kind = KINDS[str(self.__struct_config__.tag)]
        return kind.read(db.held, {name: getattr(self, name) for name in kind.fields()})


class _Noisy(_DataQuery, kw_only=True, frozen=True):
    """``epsilon`` (Laplace noise) or ``rho`` (Gaussian noise) is its price, one of the two."""

    rho: Price | None = None


class MadeUp(_OfRows, tag="synthetic", kw_only=True, frozen=True):
    """Make up rows whose tables of two columns lie near those of the data.

    ``columns``: from a column to its categories or the edges of its bins, null for those that are
    public; or a list of columns; null for all that have public categories or bounds. ``epsilon`` or
    ``rho`` is the price of all that is measured; ``rows``: how many to make up.
    """

    rho: Price | None = None
    columns: dict[Column, Categories | None] | list[Column] | None = None
    rows: Annotated[int, Meta(ge=1, le=MOST_MADE)] = 10_000

    def plain(self, db: Dataset | DryRun) -> Query:
        """Return the question for them."""
        from sudare.release.synthetic import Synthetic

        return Synthetic(self.columns, db.categories, self.rows)


Parts: TypeAlias = Annotated[list[Part], Meta(min_length=1)]


class BatchOf(_OfTables, kw_only=True, frozen=True):
    """Ask several queries for one price: all are answered, or none is and nothing is spent.

    Price, tables, ``confidence``, ``reuse`` and ``key`` are the batch's. ``epsilon`` or ``rho`` is
    the price of all together, ``split`` a positive number for each: its part of that, equal ones if
    it is left out.
    """

    rho: Price | None = None
    split: Parts | None = None

    def asked(self, db: D) -> tuple[D, Pairs]:
        """Return the queries, with the part of the price that each has."""
        this: Any = self  # the field is that of the structure that is made below
        queries: list[_OfRows] = this.queries
        for one in queries:
            for name in _OF_ALL:
                if getattr(one, name, None) not in (None, _DEFAULTS.get(name)):
                    raise DomainError(name, "stands in the batch", "leave it out of its queries")
        if sum(one.rows for one in queries if isinstance(one, MadeUp)) > MOST_MADE:
            raise DomainError("rows", f"must be at most {MOST_MADE:,} in all", "make up fewer")
        of, costs = self.rows_of(db), parts_of(self.cost, len(queries), self.split)
        return of, [(one.of(of), cost) for one, cost in zip(queries, costs, strict=True)]


class Sql(_Paid, tag="sql", kw_only=True, frozen=True):
    """Ask a SELECT: each of its numbers is a query, all are paid at once.

    ``epsilon`` or ``rho`` is the price of all together, ``split`` a positive number for each: its
    part of that, equal ones if it is left out.
    """

    rho: Price | None = None
    split: Parts | None = None
    sql: Annotated[str, Meta(min_length=1, max_length=100_000, description="A SELECT.")]

    def selection(self, db: Dataset | DryRun) -> Selection:
        """Return what it asks of a data set."""
        from sudare.release.sql import Selection

        this: Any = db
        return Selection.of(self.sql, this)

    def asked(self, db: D) -> tuple[D, Pairs]:
        """Return the rows that it joins, and the question of each number with what it costs."""
        selection = self.selection(db)
        of: Any = selection.db
        asks = selection.asks.values()
        costs = parts_of(self.cost, len(asks), self.split)
        return of, [(one.query(of.held), cost) for one, cost in zip(asks, costs, strict=True)]


_OF_ALL = ("epsilon", "rho", "key", "reuse", "confidence", "table", "join")
_DEFAULTS: dict[str, Any] = {"reuse": True, "confidence": 0.95}


class Estimate(_Query, tag="estimate", kw_only=True, frozen=True):
    """Estimate a collection's shares, means and tables from its randomised reports: it is free."""

    target: Literal["population", "respondents"] = "population"


def request_struct(kind: type[Query]) -> type[_DataQuery]:
    """Return the structure of a kind of query: its fields, with its price.

    Examples:
        >>> request_struct(KINDS["quantile"]).__struct_fields__
        ('confidence', 'epsilon', 'reuse', 'key', 'table', 'join', 'where', 'column', 'share')
    """
    fields: list[Any] = []
    for name, field in kind.fields().items():
        holds = _HOLDS.get(field.holds) or Annotated[float, Meta(ge=field.low, le=field.high)]
        if field.holds == "word":
            holds = Literal[field.words]
        fields.append((name, holds) if kind.needs(name) else (name, holds | None, None))
    made: Any = msgspec.defstruct(
        kind.__name__,
        fields,
        bases=(_Noisy if kind.noisy else _DataQuery,),
        namespace={"__doc__": (inspect.getdoc(kind) or "").partition("\n\n")[0]},
        module=kind.__module__,
        tag=kind.tag(),
        kw_only=True,
        frozen=True,
    )
    found: type[_DataQuery] = made
    return found


_HOLDS: dict[str, Any] = {
    "column": Column,
    "columns": Column | Annotated[list[Column], Meta(min_length=1)],
    "others": Annotated[list[Column], Meta(min_length=1, description="Columns that go with it.")],
    "category": Category,
    "categories": Categories,
    "zone": Annotated[str, Meta(max_length=100, description="Name of a time zone: Asia/Tokyo.")],
    "keys": Annotated[
        list[Category | Categories],
        Meta(min_length=1, max_length=MOST_GROUPS, description=_GIVEN),
    ],
}


def request_union() -> Any:
    """Return the type of all that may be asked: a structure a kind, and what is more than one."""
    return _union(tuple(KINDS.values()))


@cache
def _union(kinds: tuple[type[Query], ...]) -> Any:
    each: Any = reduce(or_, map(request_struct, kinds))
    several = Annotated[list[each | MadeUp], Meta(min_length=1, max_length=MOST_QUERIES)]
    batch = msgspec.defstruct(
        "QueryBatch",
        [("queries", several)],
        bases=(BatchOf,),
        namespace={"__doc__": (inspect.getdoc(BatchOf) or "")},
        module=__name__,
        tag="batch",
        kw_only=True,
        frozen=True,
    )
    return each | batch | Sql | MadeUp | Estimate


@cache
def _decoder(query: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(query)


_MISSING = re.compile(r"Object missing required field `([a-z_]+)`", re.ASCII)
_WHERE = re.compile(r"at `\$((?:\.[a-z_]+|\[[0-9.]*\])*)`$", re.ASCII)


def decode(body: bytes) -> Any:
    """Return the query that a body holds.

    Raises:
        Refusal: 400; the text names the field that is wrong, and nothing of the body.
    """
    try:
        return read_json(body, _decoder(request_union()))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        where, rule = invalid_field(error)
        raise Refusal(400, DomainError(where, rule, "see GET /openapi.json")) from None


def invalid_field(error: Exception) -> tuple[str, str]:
    """Return the field that is wrong, or ``"body"``, and a rule: nothing of the body."""
    text = str(error)
    if missing := _MISSING.fullmatch(text):  # a whole text: what was sent stands in none of these
        return missing[1], "must be given"
    if text.startswith("Object contains unknown field"):
        return "body", "must have no fields but those of its query"
    if not isinstance(error, msgspec.ValidationError):
        return "body", "must be JSON"
    found = _WHERE.search(text)
    where = found[1].strip(".") if found else ""
    return where or "body", "must be as the description of the API says"
