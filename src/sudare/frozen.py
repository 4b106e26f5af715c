"""Frozen values: the one place where what has been checked becomes a field."""

from __future__ import annotations


def set_fields(value: object, **fields: object) -> None:
    """Set fields of a frozen value, while it is being made.

    Examples:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Even:
        ...     number: int
        ...     def __post_init__(self):
        ...         set_fields(self, number=self.number + self.number % 2)
        >>> Even(3)
        Even(number=4)
    """
    for name, field in fields.items():
        object.__setattr__(value, name, field)
