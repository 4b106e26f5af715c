"""``Query``: a question to held data as one frozen value, from which all its spellings follow."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_args,
    get_type_hints,
)

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_rational, rational_from_text
from sudare.guesses import QUESTIONS, Guessed
from sudare.ledger import Cost
from sudare.release.grid import exact
from sudare.release.matching import Match
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData
from sudare.release.released import BoundIn, PreparedQuery

REMEDY = (
    "write KIND:COLUMN such as mean:score, count:sex=f, quantile:score=0.9, "
    "histogram:region=north,south or mean:score@sex=f,m"
)


@dataclass(frozen=True, slots=True)
class Field:
    """What a field of a query holds, so that text and JSON can be read as it.

    Attributes:
        holds: the name of a column or of several, of others that go with one, a category, several,
            the keys of groups, a number, one of some words, or the name of a time zone.
        of: the field that names the column whose categories they are.
        low, high: of a number.
        words: that it may be.
    """

    holds: Literal[
        "column", "columns", "others", "category", "categories", "keys", "number", "word", "zone"
    ]
    of: str = "column"
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()


_PLAIN = ("column", "columns", "others", "word", "zone")
"""What is the same whatever the column holds."""

Name: TypeAlias = Annotated[str, Field("column")]
Category: TypeAlias = Annotated[Any, Field("category")]
Categories: TypeAlias = Annotated[Any, Field("categories")]
Names: TypeAlias = Annotated[Any, Field("columns")]
Others: TypeAlias = Annotated[Any, Field("others")]
Keys: TypeAlias = Annotated[Any, Field("keys", of="by")]
Share: TypeAlias = Annotated[Any, Field("number", low=0, high=1)]


@dataclass(frozen=True)
class Query(ABC):
    """A question to held data.

    A kind is a class with fields that :func:`register` makes a frozen data class; they are
    annotated with the types of this module. Its first paragraph describes it over HTTP, all of it
    as a method.

    Attributes:
        kind: its name in text; over HTTP too, after ``group_`` where it is about groups.
        method: name of the method; the kind if empty.
        noisy: ``rho`` pays for it too; else it is a choice, paid in ε alone.
        bound_in: what its bound counts, as :attr:`Released.bound_in` says.
        tabled: its answer is a table of its own, which no SELECT of numbers holds.
    """

    kind: ClassVar[str]
    method: ClassVar[str] = ""
    noisy: ClassVar[bool] = True
    bound_in: ClassVar[BoundIn] = "value"
    tabled: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[Any]:
        """Return the question to a data set, checked and priced; nothing is spent.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer it.
        """

    def contradicted(self, held: PrivateData, matches: Mapping[str, Match]) -> str | None:
        """Return a column of which a filter leaves none of the values that this is about.

        The answer is then known without the data, and not to be paid for; None for no such one.
        """
        for name, field in self.fields().items():
            given: Any = getattr(self, name)
            by: Any = getattr(self, field.of, None)
            if given is None or field.holds not in ("category", "categories", "keys"):
                continue
            if field.holds == "keys":
                by, keys = held.groups(by, given)
            else:
                keys = held.categories(by, [given] if field.holds == "category" else given)
            each = {by: keys} if isinstance(by, str) else dict(zip(by, keys, strict=True))
            for column, asked in each.items():
                if column in matches and not any(
                    matches[column].allows(held.columns[column], one) for one in asked
                ):
                    return str(column)
        return None

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of a whole number, and what 1 of it is worth in the answer.

        Nothing but scales and protection is looked at.

        Raises:
            DomainError: it is no whole number with noise, and says otherwise what is ``planned``.
        """
        raise DomainError("query", "has no bound before its answer", "ask about another kind")

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far its noise would reach at most, with probability ``1 - miss``.

        Args:
            held: a data set that is planned: its number of rows may be looked at.
            cost: the price.
            miss: the probability.

        Raises:
            DomainError: it has no bound before its answer.
        """
        noise, worth = self.noise(held, cost)
        return float(noise.reach(miss) * worth)

    def added(
        self,
        held: PrivateData,
        cost: Cost,
        query: dict[str, Any],
        found: list[int],
        of: str,
        keys: list[Any] | None = None,
        **told: Any,
    ) -> PreparedQuery[Any]:
        """Return the question for a whole number with noise, or for one of each key.

        Args:
            held, cost: as of :meth:`prepare`.
            query: what stands in the ledger.
            found: the numbers, before the noise.
            of: what they are, in a word.
            keys: whose they are; None for one number.
            told: what stands beside the answer: ``notes``, ``sampling_stderr``.
        """
        noise, worth = self.noise(held, cost)

        def draw() -> Any:
            if keys is None:
                return noise.noised(found[0], held.entropy)
            return noise.added(found, held.entropy)

        def read(answer: Any) -> dict[str, Any]:
            several = [answer] if keys is None else answer
            values = [float(one * worth) for one in several]
            return {
                "value": values[0] if keys is None else dict(zip(keys, values, strict=True)),
                "noise": (noise.law(of, worth),),
                "_reach": lambda miss: float(noise.reach(miss) * worth),
                **told,
            }

        return held.prepared(query, cost.for_noise, draw, read)

    def pure(self, cost: Cost) -> Fraction:
        """Return the ε that is paid.

        Raises:
            DomainError: ρ, for a choice.
        """
        if cost.unit == "rho":
            raise DomainError("rho", f"has no noise for a {self.kind}", "pay in epsilon")
        return cost.amount

    @classmethod
    @cache
    def fields(cls) -> Mapping[str, Field]:
        """Return what its fields hold."""
        hints = get_type_hints(cls, include_extras=True)
        found = {one.name: _marked(hints[one.name]) for one in fields(cls)}
        return {name: one for name, one in found.items() if one is not None}

    @classmethod
    def needs(cls, name: str) -> bool:
        """Tell whether a field must be given."""
        return any(one.name == name and one.default is MISSING for one in fields(cls))

    @classmethod
    def is_grouped(cls) -> bool:
        """Tell whether it is about groups: the rows of each key."""
        return "keys" in cls.fields()

    @classmethod
    def tag(cls) -> str:
        """Return its name over HTTP."""
        return f"group_{cls.kind}" if cls.is_grouped() else cls.kind

    @classmethod
    def spelling(cls) -> str:
        """Return how text asks it, such as ``quantile:COLUMN=SHARE``."""
        column = ":COLUMN" if "column" in cls.fields() else ""
        values = ""
        if compared := cls.compares_with():
            samples = {"category": "VALUE", "categories": "A,B", "others": "COLUMN,COLUMN"}
            values = f"={samples.get(cls.fields()[compared].holds, compared.upper())}"
        return f"{cls.kind}{column}{values}{'@GROUP=A,B' if cls.is_grouped() else ''}"

    @classmethod
    def compares_with(cls) -> str | None:
        """Return the field that text gives after ``=``, if any."""
        beside = ("column", "columns", "keys")
        return next((name for name, one in cls.fields().items() if one.holds not in beside), None)

    @classmethod
    def read(cls, held: PrivateData, given: Mapping[str, Any]) -> Query:
        """Return the query of fields as text or JSON have them.

        Numbers become exact, and text becomes a number or truth value where the column holds such.

        Raises:
            WrongTypeError, DomainError: unknown column, or no such number.
        """
        out = {}
        for name, field in cls.fields().items():
            value = given.get(name)
            if value is None and not cls.needs(name):
                continue
            if field.holds == "number":
                value = as_number(value)
            elif field.holds not in _PLAIN and field.of in given:
                value = _typed(held, given[field.of], value)
            out[name] = value
        return cls(**out)


def _marked(hint: Any) -> Field | None:
    """Return the mark of an annotation, which may be that of an optional field."""
    found = (one for arg in (hint, *get_args(hint)) for one in getattr(arg, "__metadata__", ()))
    return next((one for one in found if isinstance(one, Field)), None)


def _typed(held: PrivateData, column: Any, value: Any) -> Any:
    """Return a category, or a list of them, as a column holds such; of several a list for each."""
    if isinstance(value, list | tuple):
        columns = column if isinstance(column, list | tuple) else [column] * len(value)
        if len(columns) != len(value):  # refused where groups are checked
            return value
        return [_typed(held, of, one) for of, one in zip(columns, value, strict=True)]
    match held.kind_of(column):
        case "number":
            number = as_number(value)
            return int(number) if number.denominator == 1 else float(number)
        case "truth" if isinstance(value, str):
            return {"true": True, "false": False}.get(value.lower(), value)
    return value


def as_number(value: Any) -> Fraction:
    """Return a number of a question, exactly."""
    if isinstance(value, str):
        return rational_from_text(value, "ask", REMEDY)
    return as_rational(value, "ask") if isinstance(value, int) else exact(value, "ask")


_PAYING = """Args:
    {price}.
    reuse: take the same query's answer from the ledger's record, at no cost.

Raises:
    DomainError, WrongTypeError: unknown column, one without bounds that needs them, no such
        categories.
    BudgetExceeded: nothing was spent."""

KINDS: dict[str, type[Query]] = {}
"""All kinds, by their name over HTTP."""

Q = TypeVar("Q", bound=type[Query])


class Methods(Guessed, ABC):
    """A method for each kind of query."""

    @abstractmethod
    def _put(self, of: type[Query], asked: Any, named: Any, cost: Cost, reuse: bool) -> Any:
        """Answer a query and pay for it."""


class Questions(Methods):
    """The methods of a data set."""


class GroupQuestions(Methods):
    """The methods of groups, which know their column and keys."""


@dataclass_transform(frozen_default=True)
def register(kind: Q) -> Q:
    """Make a class a frozen data class and a kind: as text, over HTTP, and as a method.

    Raises:
        DomainError: another kind has the name.
    """
    kind = dataclass(frozen=True)(kind)  # type: ignore[assignment]
    if kind.tag() in KINDS:
        raise DomainError("kind", "must be a new one", "rename it", got=kind.tag())
    KINDS[kind.tag()] = kind
    owner = GroupQuestions if kind.is_grouped() else Questions
    setattr(owner, kind.method or kind.kind, _method(kind, owner))
    return kind


def unregister(kind: type[Query]) -> None:
    """Take a kind back, as a test does."""
    del KINDS[kind.tag()]
    delattr(GroupQuestions if kind.is_grouped() else Questions, kind.method or kind.kind)


def _method(kind: type[Query], owner: type[Methods]) -> Any:
    def noisy(
        self: Methods, *asked: Any, epsilon: Any = None, rho: Any = None, reuse: bool = False,
        **named: Any,
    ) -> Any:  # fmt: skip
        _check(method, self, *asked, **named)
        return self._put(kind, asked, named, Cost.of(epsilon=epsilon, rho=rho), reuse)

    def choice(
        self: Methods, *asked: Any, epsilon: Any = None, reuse: bool = False, **named: Any
    ) -> Any:
        _check(method, self, *asked, **named)
        return self._put(kind, asked, named, Cost.of(epsilon=epsilon), reuse)

    method: Any = noisy if kind.noisy else choice
    method.__name__ = kind.method or kind.kind
    method.__qualname__ = f"{owner.__name__}.{method.__name__}"
    method.__module__ = kind.__module__
    price = "epsilon, rho: what to pay, one of the two" if kind.noisy else "epsilon: what to pay"
    method.__doc__ = f"{inspect.getdoc(kind)}\n\n{_PAYING.format(price=price)}"
    given, own = inspect.signature(method), inspect.signature(kind).parameters
    known = ("by", "keys") if kind.is_grouped() else ()
    rest = [one for one in given.parameters.values() if one.kind is one.KEYWORD_ONLY]
    self = next(iter(given.parameters.values()))
    method.__signature__ = given.replace(
        parameters=[self, *(one for name, one in own.items() if name not in known), *rest]
    )
    return method


def _check(method: Any, *asked: Any, **named: Any) -> None:
    """Raise WrongTypeError unless a method takes what it is asked."""
    signature = inspect.signature(method)
    try:
        signature.bind(*asked, **named)
    except TypeError as wrong:
        foreign = next((name for name in named if name not in signature.parameters), "")
        rule = f"takes no {foreign!r}" if foreign else f"cannot be asked: {wrong}"
        own = [one.replace(annotation=one.empty) for one in signature.parameters.values()][1:]
        call = f"it is {method.__name__}{inspect.Signature(own)}"
        remedy = f"{QUESTIONS[foreign]}; {call}" if foreign in QUESTIONS else call
        raise WrongTypeError(method.__name__, rule, remedy) from None
