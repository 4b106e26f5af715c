"""People whom another service vouches for: what it says of them, and what that allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import DomainError, SudareError
from sudare.operators.names import one_spelling
from sudare.operators.rights import Rights, Scope, as_collections, as_scopes
from sudare.operators.tokens import as_name

MOST_NAME = 254
"""Characters of a person's name: an address of e-mail has no more."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What one value of a claim allows.

    Attributes:
        value: of the claim, or one of its values: exactly this, but for the spelling of an
            address of e-mail.
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
        return cls(one_spelling(value.strip()), as_scopes(scopes.split()), collections)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom a provider vouches for.

    Attributes:
        name: in the record of acts; None where the provider states none.
        issuer: who vouches for them.
        subject: what the issuer knows them by, whatever their name becomes.
        claim: the claim that grants are about.
        held: the values of it that they have.
    """

    name: str | None
    issuer: str
    subject: str
    claim: str
    held: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class People:
    """Which people are operators, by the claims of a provider.

    Attributes:
        issuer: the provider.
        named_by: the claim that is a person's name in the record of acts.
        claim: the claim that the grants are about.
        grants: the first whose value a person has counts, alone: two of them together could allow
            what neither does. Nobody else may do anything.

    Examples:
        >>> grants = (Grant.read("survey: run for tea"),)
        >>> people = People("https://id.example", "sub", "realm_access.roles", grants)
        >>> ann = people.person({"sub": "7", "realm_access": {"roles": ["mail", "survey"]}})
        >>> people.rights(ann)
        Rights(name='7', scopes=('read', 'run'), collections=('tea',), expires=None, token=None)
        >>> people.rights(people.person({"sub": "7", "realm_access": {"roles": ["mail"]}})).scopes
        ()
    """

    issuer: str
    named_by: str
    claim: str
    grants: tuple[Grant, ...]

    def person(self, claims: Mapping[str, Any]) -> Person:
        """Return whom the claims of a provider are about."""
        held = tuple(map(one_spelling, _values(claims, self.claim)))
        return Person(self._name(claims), self.issuer, claims["sub"], self.claim, held)

    def rights(self, person: Person) -> Rights:
        """Return what somebody may do: nothing without a name, or by another provider's word."""
        name, same = person.name or "", (self.issuer, self.claim) == (person.issuer, person.claim)
        fits = (one for one in self.grants if one.value in person.held)
        grant = next(fits, None) if name and same else None
        return Rights(name, ()) if grant is None else Rights(name, grant.scopes, grant.collections)

    def lack(self, claims: Mapping[str, Any]) -> bool:
        """Tell whether a claim is not there that is looked at."""
        return not (_values(claims, self.named_by) and _values(claims, self.claim))

    def _name(self, claims: Mapping[str, Any]) -> str | None:
        found = _values(claims, self.named_by)
        try:
            return as_name(one_spelling(found[0]) if len(found) == 1 else None, MOST_NAME)
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
