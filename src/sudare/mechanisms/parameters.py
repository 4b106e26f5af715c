"""A mechanism's parameters, declared once; whatever is the same for all mechanisms follows.

A :class:`Parameter` says how one is checked, shown and written, which values are examples, and
which are wrong. :class:`~sudare.mechanisms.Mechanism` derives from ``parameters`` the way to and
from JSON and pickles, equality, the text it shows, and what tests try.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sudare.errors import (
    CollectionError,
    DomainError,
    PrivacyError,
    SudareError,
    WrongTypeError,
    as_one_of,
)
from sudare.exact import as_epsilon, as_integer, exact_text, read_exact

Bad = tuple[tuple[Any, type[SudareError]], ...]
NAN = float("nan")


def unchanged(value: Any) -> Any:
    """Return the value: JSON can hold it."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a mechanism.

    Attributes:
        name: of the constructor's argument, of the attribute, and of the field in JSON.
        read: from a value, and the mechanism with all parameters before this one, to the value that
            is kept; raises a typed error that names the argument.
        write: from the value kept to JSON data; None leaves an optional parameter out.
        parse: from JSON data to what ``read`` takes; None where it is of another form.
        show: from the value kept to its part of ``repr``; empty to leave it out.
        attribute, field: where they are called otherwise than the argument.
        optional: JSON may lack it.
        examples: values of a small mechanism; none for what is no argument of the constructor.
        bad: values that are refused, with the error.
    """

    name: str
    read: Callable[[Any, Any], Any] = lambda value, _: value
    write: Callable[[Any], Any] = unchanged
    parse: Callable[[Any], Any] = unchanged
    show: Callable[[Any], str] | None = None
    attribute: str = ""
    field: str = ""
    optional: bool = False
    examples: tuple[Any, ...] = ()
    bad: Bad = ()

    @property
    def kept_as(self) -> str:
        """Name of the attribute."""
        return self.attribute or self.name

    @property
    def written_as(self) -> str:
        """Name of the field in JSON."""
        return self.field or self.name

    def shown(self, value: Any) -> str:
        """Return the parameter's part of ``repr``."""
        return f"{self.name}={value!r}" if self.show is None else self.show(value)


class BadValue(NamedTuple):
    """Arguments that a constructor must refuse: one of them is wrong."""

    arguments: dict[str, Any]
    wrong: str
    """The parameter that is wrong, which the error names."""
    error: type[SudareError]


def whole(name: str, low: int, high: int, examples: tuple[int, ...]) -> Parameter:
    """Declare a whole number from ``low`` to ``high``."""
    others: tuple[Any, ...] = (low + 0.5, NAN, str(low), None, True, [low])
    return Parameter(
        name=name,
        read=lambda value, _: as_integer(value, name, low=low, high=high),
        examples=examples,
        bad=(
            (low - 1, DomainError),
            (high + 1, DomainError),
            *((value, WrongTypeError) for value in others),
        ),
    )


def choice(name: str, options: Sequence[str]) -> Parameter:
    """Declare one of some words."""

    def read(value: Any, _: Any) -> str:
        return as_one_of(value, name, options)

    others = ("", options[0].upper(), None, 3, True, [options[0]], options[0].encode())
    bad: Bad = tuple((value, DomainError) for value in others)
    return Parameter(name=name, read=read, examples=tuple(options), bad=bad)


WRONG_RATES: Bad = (
    *((value, PrivacyError) for value in (-1.0, 0, 0.0, NAN, float("inf"), 10**400)),
    *((value, WrongTypeError) for value in ("1", None, True, [1], 1j)),
)
EPSILON = Parameter(
    name="epsilon",
    read=lambda value, _: as_epsilon(value),
    write=exact_text,
    parse=read_exact,
    show=lambda epsilon: f"epsilon={float(epsilon)}",
    attribute="requested_epsilon",
    examples=(1.0, 0.5, 2.5),
    bad=(*WRONG_RATES, (0.0009, PrivacyError), (21, PrivacyError)),
)
"""ε asked for, 0.001 to 20, exactly."""


def parsed(mechanism: str, parameters: Sequence[Parameter], data: object) -> list[Any]:
    """Return the values of parameters from the JSON data of that mechanism, yet to be checked.

    Raises:
        CollectionError: another name, or a field is missing, of another form, or not one of them.
    """
    fields = {parameter.written_as: parameter for parameter in parameters}
    form = f"must have the name {mechanism}, {', '.join(fields)} and nothing else"
    known = {"name", *fields}
    if not (isinstance(data, Mapping) and data.keys() <= known and data.get("name") == mechanism):
        raise CollectionError("mechanism", form)
    values = []
    for name, parameter in fields.items():
        given = data.get(name)
        value = None if given is None else parameter.parse(given)
        if value is None and not (parameter.optional and given is None):
            raise CollectionError("mechanism", form, f"look at {name}")
        values.append(value)
    return values
