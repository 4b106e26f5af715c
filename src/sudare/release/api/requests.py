"""What may be asked over HTTP: one structure a kind of query, told apart by ``query``."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union

import msgspec
from msgspec import Meta, Struct

from sudare.errors import DomainError
from sudare.ledger import Cost
from sudare.ledger.bills import MOST_KEY
from sudare.refusal import Refusal
from sudare.release.held import MOST_GROUPS, Held
from sudare.release.queries import KINDS, Filtered, Query, Where
from sudare.release.queries.filters import MOST_CONDITIONS

Column: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, description="A column.")]
Category: TypeAlias = str | int | float | bool
_GIVEN = "Given, each once; never the data's."
Categories: TypeAlias = Annotated[
    list[Category], Meta(min_length=1, max_length=MOST_GROUPS, description=_GIVEN)
]
Price: TypeAlias = Annotated[float, Meta(ge=1e-15, le=1_000_000)]
Key: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=MOST_KEY, description="The analyst's, fresh for a query.")
]
Confidence: TypeAlias = Annotated[float, Meta(gt=0, lt=1)]


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


class _Held(_Query, kw_only=True, frozen=True):
    """A query to held data.

    ``epsilon`` is its price. ``reuse``: take the same query's answer from the record, at no cost.
    ``key``: asked again with it, this query is not paid again; the header ``Idempotency-Key`` says
    the same. ``where``: the rows that it is about, those of which all conditions are true.
    """

    epsilon: Price | None = None
    reuse: bool = True
    key: Key | None = None
    where: Conditions | None = None

    @property
    def cost(self) -> Cost:
        return Cost.of(epsilon=self.epsilon, rho=getattr(self, "rho", None))

    def of(self, held: Held) -> Query:
        """Return the query to a data set.

        Raises:
            WrongTypeError, DomainError: unknown column, or fields that do not go together.
        """
        kind = KINDS[str(self.__struct_config__.tag)]
        query = kind.read(held, {name: getattr(self, name) for name in kind.fields()})
        if self.where is None:
            return query
        return Filtered(query, Where.of(*((one.column, one.sign, one.value) for one in self.where)))


class _Noisy(_Held, kw_only=True, frozen=True):
    """``epsilon`` (Laplace noise) or ``rho`` (Gaussian noise) is its price, one of the two."""

    rho: Price | None = None


class Estimate(_Query, tag="estimate", kw_only=True, frozen=True):
    """Estimate a collection's shares, means and tables from its randomised reports: it is free."""

    target: Literal["population", "respondents"] = "population"


def request_struct(kind: type[Query]) -> type[_Held]:
    """Return the structure of a kind of query: its fields, with its price.

    Examples:
        >>> request_struct(KINDS["quantile"]).__struct_fields__
        ('confidence', 'epsilon', 'reuse', 'key', 'where', 'column', 'share')
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
        bases=(_Noisy if kind.noisy else _Held,),
        namespace={"__doc__": inspect.getdoc(kind).partition("\n\n")[0]},  # type: ignore[union-attr]
        module=kind.__module__,
        tag=kind.tag(),
        kw_only=True,
        frozen=True,
    )
    found: type[_Held] = made
    return found


_HOLDS: dict[str, Any] = {
    "column": Column,
    "columns": Column | Annotated[list[Column], Meta(min_length=1)],
    "others": Annotated[list[Column], Meta(min_length=1, description="Columns that go with it.")],
    "category": Category,
    "categories": Categories,
    "keys": Annotated[
        list[Category | Categories],
        Meta(min_length=1, max_length=MOST_GROUPS, description=_GIVEN),
    ],
}


def request_union() -> Any:
    """Return the type of all that may be asked: a structure a kind, and :class:`Estimate`."""
    return _union(tuple(KINDS.values()))


@cache
def _union(kinds: tuple[type[Query], ...]) -> Any:
    return Union[(*map(request_struct, kinds), Estimate)]


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
        return _decoder(request_union()).decode(body)
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
