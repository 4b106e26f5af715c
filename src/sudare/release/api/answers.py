"""What the query API answers, as structures that become JSON and the description of the API."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from msgspec import Meta, Raw, Struct

from sudare.exact import exact_text
from sudare.ledger import Account
from sudare.release.api.requests import Category
from sudare.release.dataset import Dataset
from sudare.release.definition import Definition
from sudare.release.kinds import Kind
from sudare.release.quote import Quote
from sudare.release.released import BoundIn, Released, finite
from sudare.release.synthetic import Synthesis

if TYPE_CHECKING:
    from sudare.release.sql import Selection

Exact: TypeAlias = Annotated[str, Meta(description="An exact decimal or fraction.")]

_AS_IT_IS = (
    "bound_in", "sampling_stderr", "epsilon", "rho", "delta", "reused", "event", "neighbours",
    "query",
)  # fmt: skip

_RESULTS = {
    "type": "object",
    "additionalProperties": True,
    "description": "As GET /api/v1/collections/{name}/results.",
}

FREE = (
    "free: reports were randomised on the respondents' devices before they arrived, so that what "
    "is made of them tells no more than they do"
)


class Group(Struct, frozen=True):
    """A number of a group, with its own bound, and with its rows where their number came along.

    The group ``null`` stands for all other rows; of several columns it is a key of each. A
    coefficient of a regression has the ``interval`` that holds the population's; bound and interval
    are null where the noise may be all that is told.
    """

    group: Category | list[Category] | None
    value: float
    bound: float | None
    rows: float | None
    interval: list[float] | None


class _Paid(Struct, frozen=True, kw_only=True):
    bound_in: BoundIn
    confidence: float
    sampling_stderr: float | None
    epsilon: float | None
    rho: float
    delta: float
    charged: Exact
    reused: bool
    event: int
    remaining: dict[str, Exact]
    neighbours: str
    notes: list[str]
    query: dict[str, Any]

    @classmethod
    def _told(cls, answer: Released[Any], confidence: float, **own: Any) -> Self:
        """Return a released answer as it travels, with what is this form's own."""
        return cls(
            confidence=confidence,
            charged=exact_text(Fraction(0) if answer.reused else answer.cost.amount),
            remaining=amounts(answer.remaining),
            notes=list(answer.notes),
            **{name: getattr(answer, name) for name in _AS_IT_IS},
            **own,
        )


class Answer(_Paid, frozen=True, kw_only=True):
    """An answer with noise.

    ``value``, or ``groups`` where there is a number for each. With the confidence named the noise
    takes it no further than ``bound`` from the data's own value, counted in ``bound_in``; of groups
    that is the widest. ``rows`` is the number of rows, with noise, where it came along;
    ``sampling_stderr`` is apart from that. ``charged`` is 0 for an answer from the record.
    """

    value: Category | None
    groups: list[Group] | None
    bound: float | None
    rows: float | None

    @classmethod
    def of(cls, answer: Released[Any], confidence: float) -> Answer:
        """Return a released answer as it travels."""
        value, groups, rows = answer.value, None, answer.rows
        each = rows if isinstance(rows, Mapping) else {}
        if isinstance(value, dict):
            bounds, sure = answer.bounds(confidence), answer.of_population
            around = answer.intervals(confidence) if sure else {}
            groups = [
                Group(
                    list(one) if isinstance(one, tuple) else one,
                    value[one],
                    finite(bounds[one]),
                    each.get(one),
                    list(around[one]) if one in around and math.isfinite(bounds[one]) else None,
                )
                for one in value
            ]
            value = None
        return cls._told(
            answer,
            confidence,
            value=value,
            groups=groups,
            rows=None if isinstance(rows, Mapping) else rows,
            bound=finite(answer.bound(confidence)),
        )


class Selected(Struct, frozen=True):
    """The table of a SELECT: ``rows`` have its columns, each number with its bound after it.

    ``answers``: of each column that is no key.
    """

    columns: list[str]
    rows: list[dict[str, Category | list[Category] | None]]
    answers: dict[str, Answer]
    remaining: dict[str, Exact]

    @classmethod
    def of(
        cls, selection: Selection, answers: Sequence[Released[Any]], confidence: float
    ) -> Selected:
        """Return the answers to a SELECT as they travel."""
        done = selection.answered(answers)
        each = {name: Answer.of(one, confidence) for name, one in done.answers.items()}
        left = amounts(answers[-1].remaining)
        return cls(list(selection.columns), done.records(confidence), each, left)


class Measured(Struct, frozen=True):
    """A table of one or two columns that was counted, and how far the made-up rows lie from it.

    ``stderr``: of the noise of a cell, in rows. ``distance``: total variation between the counts
    and the rows; ``noise``: about so large is it by the noise alone.
    """

    columns: list[str]
    cells: int
    unit: str
    price: Exact
    stderr: float
    distance: float
    noise: float


class MadeUpRows(_Paid, frozen=True, kw_only=True):
    """Made-up rows: ``columns`` have the cells of each, null where a row is in no category.

    ``tables``: what was measured. ``bound`` is that of each of its counts, in rows; the rows' own
    tables lie farther off.
    """

    rows: int
    columns: dict[str, list[Category | None]]
    tables: list[Measured]
    bound: float

    @classmethod
    def of(cls, answer: Released[Any], confidence: float) -> MadeUpRows:
        """Return a released answer as it travels."""
        made = answer.value
        tables = [
            Measured(
                list(one.columns),
                one.cells,
                one.cost.unit,
                exact_text(one.cost.amount),
                one.stderr,
                one.distance,
                one.noise,
            )
            for one in made.tables
        ]
        return cls._told(
            answer,
            confidence,
            rows=made.rows,
            columns=dict(made.columns),
            tables=tables,
            bound=answer.bound(confidence),
        )


_EACH = {"anyOf": [{"$ref": f"#/components/schemas/{one}"} for one in ("Answer", "MadeUpRows")]}


class Answers(Struct, frozen=True):
    """The answers of a batch, in the order of its queries."""

    answers: Annotated[list[Any], Meta(extra_json_schema={"items": _EACH})]
    remaining: dict[str, Exact]

    @classmethod
    def of(cls, answers: Sequence[Released[Any]], confidence: float) -> Answers:
        """Return released answers as they travel."""
        each = [answer_of(one, confidence) for one in answers]
        return cls(each, amounts(answers[-1].remaining))


def answer_of(answer: Released[Any], confidence: float) -> Answer | MadeUpRows:
    """Return a released answer, or made-up rows, as it travels."""
    made = isinstance(answer.value, Synthesis)
    return (MadeUpRows if made else Answer).of(answer, confidence)


class QuotedCharge(Struct, frozen=True):
    """What a query would be charged, by account in its own unit; and how far its noise would reach.

    ``bound`` is the widest that the data can make it, counted in ``bound_in``; null where
    ``unbounded`` says why. ``reused``: it is on record, and costs nothing.
    """

    charged: dict[str, Exact]
    reused: bool
    bound: float | None
    bound_in: BoundIn
    confidence: float
    unbounded: str | None
    epsilon: float | None
    rho: float
    query: dict[str, Any]

    @classmethod
    def of(cls, told: Quote, confidence: float) -> QuotedCharge:
        """Return what a dry run tells, as it travels."""
        return cls(
            charged=amounts(told.charged),
            reused=told.reused,
            bound=told.bound(confidence),
            bound_in=told.bound_in,
            confidence=confidence,
            unbounded=told.unbounded or None,
            epsilon=told.epsilon,
            rho=told.rho,
            query=told.query,
        )


class DryRun(Struct, frozen=True):
    """What queries would be charged together; nothing was, and the data were not looked at.

    ``told``: of each, in the order of a batch or of the numbers of a SELECT. ``charged`` is their
    sum, ``remaining`` what would be left of each account.
    """

    told: list[QuotedCharge]
    charged: dict[str, Exact]
    remaining: dict[str, Exact]

    @classmethod
    def of(cls, told: Sequence[Quote], confidence: float) -> DryRun:
        """Return what is told, as it travels."""
        whole: dict[str, Fraction] = {}
        for one in told:
            for name, amount in one.charged.items():
                whole[name] = whole.get(name, Fraction(0)) + amount
        each = [QuotedCharge.of(one, confidence) for one in told]
        return cls(each, amounts(whole), amounts(told[-1].remaining))


class Estimated(Struct, frozen=True):
    """Estimates of a collection: what its results page shows, as JSON."""

    collection: str
    charged: Exact
    reason: str
    results: Annotated[Raw, Meta(extra_json_schema=_RESULTS)]


class Column(Struct, frozen=True):
    """A column: what it holds, its bounds and grid if it may be summed, its public categories."""

    name: str
    kind: Kind
    bounds: list[Exact] | None
    grid: Exact | None
    categories: list[Category] | None


class Budget(Struct, frozen=True):
    """An account that pays.

    ``unit``: ``epsilon``, ``rho``, ``rho for (ε, δ)``, counted in ρ, ``plan for (ε, δ)``, in
    questions, or a part: of a plan, in ``questions`` of the price in its name, or ``delta``, for
    keys that nobody listed.
    """

    account: str
    unit: str
    budget: Exact
    remaining: Exact

    @classmethod
    def of(cls, account: Account) -> Budget:
        """Return an account as it travels."""
        amounts = exact_text(account.budget), exact_text(account.remaining)
        return cls(account.name, account.unit, *amounts)


class Summary(Struct, frozen=True):
    """What can be asked: held data, which costs a budget, or a collection, which is free."""

    name: str
    title: str
    kind: Literal["held", "collection"]


class Summaries(Struct, frozen=True):
    """All that a token covers, and all collections."""

    datasets: list[Summary]


class Dummy(Struct, frozen=True):
    """Made-up rows: the columns and types of a data set's definition, and nothing of its data.

    ``columns``: the cells of each; dates and times as ISO 8601 writes them. ``tables``: the columns
    of each other table about the same persons.
    """

    name: str
    columns: dict[str, list[Category | None]]
    tables: dict[str, dict[str, list[Category | None]]]


class Table(Struct, frozen=True):
    """Another table about the same persons; ``person`` is the column that says whose a row is."""

    name: str
    person: str | None
    columns: list[Column]


class Description(Struct, frozen=True):
    """All that is public about a data set; ``rows`` is null where their number is private.

    ``tables`` are further ones about the same persons, which may be asked and joined.
    """

    name: str
    title: str
    kind: Literal["held", "collection"]
    neighbours: str
    rows: int | None
    columns: list[Column]
    budgets: list[Budget]
    tables: list[Table] = []

    @classmethod
    def of(cls, definition: Definition, db: Dataset, accounts: list[Account]) -> Description:
        """Return the description of held data."""
        rows = db.n if db.size_is_public else None
        budgets = [Budget.of(one) for one in accounts]
        tables = [
            Table(name, db.key_of(name), _columns(definition, db.table(name)))
            for name in db.tables[1:]
        ]
        columns, title = _columns(definition, db), definition.title
        return cls(definition.name, title, "held", db.neighbours, rows, columns, budgets, tables)


def _columns(definition: Definition, db: Dataset) -> list[Column]:
    out = []
    for name, kind, scale in db.columns:
        bounds, grid = None, None
        if scale is not None:
            bounds = [exact_text(scale.low), exact_text(scale.high)]
            grid = exact_text(scale.step)
        out.append(Column(name, kind, bounds, grid, definition.categories.get(name)))
    return out


def amounts(of: Mapping[str, Fraction]) -> dict[str, str]:
    """Return exact amounts as they travel."""
    return {name: exact_text(one) for name, one in of.items()}
