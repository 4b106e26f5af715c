"""What may be asked over HTTP: one structure a kind of query, told apart by ``query``."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from sudare.errors import DomainError
from sudare.ledger import Cost
from sudare.ledger.bills import MOST_KEY
from sudare.release.api.refusal import Refusal
from sudare.release.ask import Ask
from sudare.release.held import MOST_GROUPS

Column: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, description="A column.")]
Category: TypeAlias = str | int | float | bool
Categories: TypeAlias = Annotated[
    list[Category],
    Meta(min_length=1, max_length=MOST_GROUPS, description="Given, each once; never the data's."),
]
Price: TypeAlias = Annotated[float, Meta(ge=1e-15, le=1_000_000)]
Key: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=MOST_KEY, description="The analyst's, fresh for a query.")
]
Confidence: TypeAlias = Annotated[float, Meta(gt=0, lt=1)]


class _Query(Struct, tag_field="query", forbid_unknown_fields=True, kw_only=True, frozen=True):
    confidence: Confidence = 0.95


class _Held(_Query, kw_only=True, frozen=True):
    """A query to held data.

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

    def ask(self) -> Ask:
        """Return the question."""
        kind = str(self.__struct_config__.tag).removeprefix("group_")
        values = getattr(self, "categories", ())
        return Ask(
            kind,
            getattr(self, "column", None),
            tuple(values),
            getattr(self, "by", None),
            tuple(getattr(self, "keys", ())),
        )


class _Noisy(_Held, kw_only=True, frozen=True):
    """``epsilon`` (Laplace noise) or ``rho`` (Gaussian noise) is its price, one of the two."""

    rho: Price | None = None


class Count(_Noisy, tag="count", kw_only=True, frozen=True):
    """Count rows: all of them where their number is private, or those of one category."""

    column: Column | None = None
    equals: Category | None = None

    def ask(self) -> Ask:
        """Return the question."""
        if (self.column is None) != (self.equals is None):
            raise DomainError("equals", "and column go together", "give both, or neither")
        return Ask("count", self.column, () if self.equals is None else (self.equals,))


class Missing(_Noisy, tag="missing", kw_only=True, frozen=True):
    """Count the rows that have no value in a column."""

    column: Column


class Sum(_Noisy, tag="sum", kw_only=True, frozen=True):
    """Sum a column with bounds."""

    column: Column


class Mean(_Noisy, tag="mean", kw_only=True, frozen=True):
    """Average a column with bounds."""

    column: Column


class Variance(_Noisy, tag="variance", kw_only=True, frozen=True):
    """Return the variance of a column with bounds."""

    column: Column


class Quantile(_Held, tag="quantile", kw_only=True, frozen=True):
    """Return a number with about a share of the rows below it."""

    column: Column
    share: Annotated[float, Meta(ge=0, le=1)]

    def ask(self) -> Ask:
        """Return the question."""
        return Ask("quantile", self.column, (self.share,))


class Median(_Held, tag="median", kw_only=True, frozen=True):
    """Return the quantile of one half."""

    column: Column


class Max(_Held, tag="max", kw_only=True, frozen=True):
    """Return a number near the top: as extreme as its rank can be told."""

    column: Column


class Min(_Held, tag="min", kw_only=True, frozen=True):
    """Return a number near the bottom: as extreme as its rank can be told."""

    column: Column


class Histogram(_Noisy, tag="histogram", kw_only=True, frozen=True):
    """Count the rows of each category, and of all others together (group ``null``)."""

    column: Column
    categories: Categories


class Mode(_Held, tag="mode", kw_only=True, frozen=True):
    """Return the most frequent of the categories."""

    column: Column
    categories: Categories


class GroupCount(_Noisy, tag="group_count", kw_only=True, frozen=True):
    """Count the rows of each key; other rows are left out."""

    by: Column
    keys: Categories


class GroupSum(GroupCount, tag="group_sum", kw_only=True, frozen=True):
    """Sum a column over the rows of each key."""

    column: Column


class GroupMean(GroupCount, tag="group_mean", kw_only=True, frozen=True):
    """Average a column over the rows of each key."""

    column: Column


class Estimate(_Query, tag="estimate", kw_only=True, frozen=True):
    """Estimate a collection's shares, means and tables from its randomised reports: it is free."""

    target: Literal["population", "respondents"] = "population"


Held: TypeAlias = (
    Count
    | Missing
    | Sum
    | Mean
    | Variance
    | Quantile
    | Median
    | Max
    | Min
    | Histogram
    | Mode
    | GroupCount
    | GroupSum
    | GroupMean
)
Query: TypeAlias = Held | Estimate

_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Query)
_MISSING = re.compile(r"Object missing required field `([a-z_]+)`", re.ASCII)
_WHERE = re.compile(r"at `\$((?:\.[a-z_]+|\[[0-9.]*\])*)`$", re.ASCII)


def decode(body: bytes) -> Any:
    """Return the query that a body holds.

    Raises:
        Refusal: 400; the text names the field that is wrong, and nothing of the body.
    """
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        where, rule = what_is_wrong(error)
        raise Refusal(400, DomainError(where, rule, "see GET /openapi.json")) from None


def what_is_wrong(error: Exception) -> tuple[str, str]:
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
