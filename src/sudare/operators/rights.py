"""What an operator may do: scopes, and the collections that they are for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from sudare.definitions import as_slug
from sudare.errors import DomainError, WrongTypeError, as_one_of

Scope: TypeAlias = Literal["read", "run", "export", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""``read``: see what is stored, counts and alarms; it is in every token. ``run``: publish, open,
close, extend, edit, invite. ``export``: the reports themselves. ``admin``: tokens, the record of
acts, deletion.
"""


@dataclass(frozen=True, slots=True)
class Rights:
    """Who somebody is, and what they may do.

    Attributes:
        name: of the token, or of the person as another service knows them; not a secret.
        scopes: some of :data:`SCOPES`, in their order.
        collections: the only ones that exist for them; None for all.
        expires: when it ends, in UTC; None for never.
        token: the token's id; None for a person that another service vouches for.

    Examples:
        >>> ann = Rights("ann", ("read", "run"), ("tea",))
        >>> ann.may("run", "tea"), ann.may("run", "coffee"), ann.may("admin", "tea")
        (True, False, False)
    """

    name: str
    scopes: tuple[Scope, ...]
    collections: tuple[str, ...] | None = None
    expires: datetime | None = None
    token: str | None = None

    def covers(self, collection: str) -> bool:
        """Tell whether a collection exists for them."""
        return self.collections is None or collection in self.collections

    def may(self, scope: Scope, collection: str | None = None) -> bool:
        """Tell whether an act of a scope is allowed, with a collection or without one."""
        return scope in self.scopes and (collection is None or self.covers(collection))

    def contain(self, other: Rights) -> bool:
        """Tell whether the other's rights go nowhere beyond these."""
        return (
            set(other.scopes) <= set(self.scopes)
            and self.contain_collections(other.collections)
            and (
                self.expires is None
                or (other.expires is not None and other.expires <= self.expires)
            )
        )

    def contain_collections(self, others: tuple[str, ...] | None) -> bool:
        """Tell whether so many collections are all theirs."""
        return self.collections is None or (
            others is not None and set(others) <= set(self.collections)
        )


def as_scopes(scopes: object) -> tuple[Scope, ...]:
    """Return scopes in their order, each once; ``read`` is always among them.

    Raises:
        WrongTypeError, DomainError: not a list of scopes.

    Examples:
        >>> as_scopes(["run"])
        ('read', 'run')
    """
    if not isinstance(scopes, list | tuple) or not scopes:
        raise WrongTypeError("scopes", "must be a list", 'such as ["read", "run"]')
    given = {as_one_of(one, "scopes", SCOPES) for one in scopes} | {"read"}
    return tuple(one for one in SCOPES if one in given)


def as_collections(names: object) -> tuple[str, ...] | None:
    """Return names of collections, each once; None for all.

    Raises:
        WrongTypeError, DomainError: not a list of names.
    """
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable) or not (given := list(names)):
        raise WrongTypeError("collections", "must be a list of names", "leave it out for all")
    return tuple(sorted({_name(one) for one in given}))


def _name(value: object) -> str:
    return as_slug(value, "collections", "such as tea-2026", DomainError)
