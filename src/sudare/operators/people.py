"""People whom another service vouches for: what it says of them, and what that allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import DomainError, SudareError
from sudare.operators.rights import Rights, Scope, as_collections, as_scopes
from sudare.operators.tokens import as_name

MOST_NAME = 254
"""Characters of a person's name: an address of e-mail has no more."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What one value of a claim allows.

    Attributes:
        value: of the claim, or one of its values: exactly this.
        scopes: what it allows.
        collections: with which; None for all.
    """

    value: str
    scopes: tuple[Scope, ...]
    collections: tuple[str, ...] | None = None

    @classmethod
    def read(cls, text: str) -> Grant:
        """Return the grant that a text is; the value may have colons itself.

        Raises:
            DomainError, WrongTypeError: it is none.

        Examples:
            >>> Grant.read("/staff/surveys: run export for tea coffee")
            Grant(value='/staff/surveys', scopes=('read', 'run', 'export'), \
collections=('coffee', 'tea'))
        """
        value, _, rest = text.rpartition(":")
        scopes, limited, names = rest.partition(" for ")
        if not value.strip():
            raise DomainError("grant", "must begin with a value and a colon", "as in staff: read")
        collections = as_collections(names.split()) if limited else None
        return cls(value.strip(), as_scopes(scopes.split()), collections)


@dataclass(frozen=True, slots=True)
class People:
    """Which people are operators, by the claims of a provider.

    Attributes:
        named_by: the claim that is a person's name in the record of acts.
        claim: the claim that the grants are about.
        grants: the first whose value a person has counts, alone: two of them together could allow
            what neither does. Nobody else may do anything.

    Examples:
        >>> people = People("sub", "realm_access.roles", (Grant.read("survey: run for tea"),))
        >>> people.rights({"sub": "7", "realm_access": {"roles": ["mail", "survey"]}})
        Rights(name='7', scopes=('read', 'run'), collections=('tea',), expires=None, token=None)
        >>> people.rights({"sub": "7", "realm_access": {"roles": ["mail"]}}).scopes
        ()
    """

    named_by: str
    claim: str
    grants: tuple[Grant, ...]

    def rights(self, claims: Mapping[str, Any]) -> Rights | None:
        """Return who somebody is, with what they may do: perhaps nothing; None without a name."""
        name = self._name(claims)
        if name is None:
            return None
        held = _values(claims, self.claim)
        grant = next((one for one in self.grants if one.value in held), None)
        return Rights(name, ()) if grant is None else Rights(name, grant.scopes, grant.collections)

    def lack(self, claims: Mapping[str, Any]) -> bool:
        """Tell whether a claim is not there that is looked at."""
        return not (_values(claims, self.named_by) and _values(claims, self.claim))

    def _name(self, claims: Mapping[str, Any]) -> str | None:
        found = _values(claims, self.named_by)
        try:
            return as_name(found[0] if len(found) == 1 else None, MOST_NAME)
        except SudareError:
            return None


def _values(claims: Mapping[str, Any], claim: str) -> tuple[str, ...]:
    """Return the texts of a claim: of its name, or of a path with dots into it.

    An address of e-mail that the provider has not verified is none: anybody may have typed it.
    """
    if claim == "email" and claims.get("email_verified") is not True:
        return ()
    found: Any = claims.get(claim)
    if found is None:
        found = claims
        for part in claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    several = found if isinstance(found, list) else [found]
    return tuple(one for one in several if isinstance(one, str))
