"""``at = "home,work"``: two places of one person, asked one after the other and paid together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.collection import schema
from sudare.errors import CollectionError

NAMES: dict[str, dict[str, str]] = {
    "home": {"en": "Home", "ja": "自宅", "de": "Zuhause"},
    "work": {"en": "Work", "ja": "職場", "de": "Arbeit"},
    "school": {"en": "School", "ja": "学校", "de": "Schule"},
}
"""How places are called that need no name of their own."""


@dataclass(frozen=True, slots=True)
class At:
    """Which of a person's two places is asked about.

    Attributes:
        question: id under which the two share an account.
        place: ``"home"``.
    """

    question: str
    place: str

    @property
    def id(self) -> str:
        """Id of the question about this place."""
        return f"{self.question}-{self.place}"

    @classmethod
    def read(cls, data: Any, name: str, where: str) -> At | None:
        """Read the field of a table that :func:`spread` has written, or of a definition."""
        if data is None:
            return None
        own = cls(*(schema.slug(data[field], f"{where}.at") for field in ("question", "place")))
        if own.id != name:
            raise CollectionError(f"{where}.at", "must belong to the id of its question")
        return own

    def to_json(self) -> dict[str, str]:
        """Return it as data."""
        return {"question": self.question, "place": self.place}


def spread(table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return a ``[[question]]`` table for each place that ``at`` names; one as it is without.

    Raises:
        CollectionError: not two places, or one without a name.
    """
    if "sequence" in table:
        raise CollectionError(
            f"{where}.sequence",
            "is not for collections: no page asks for a trip",
            'ask for one place, or for two by at = "home,work"; to simulate and study trips there '
            "is sudare.Trajectories",
        )
    plain = {name: value for name, value in table.items() if name not in ("at", "at_names")}
    if "at" not in table:
        if "at_names" in table:
            raise CollectionError(f"{where}.at_names", "must stand beside at")
        return [dict(table)]
    given = table["at"]
    places = [one.strip() for one in given.split(",")] if isinstance(given, str) else given
    if not isinstance(places, list) or len(places) != 2 or places[0] == places[1]:
        raise CollectionError(f"{where}.at", 'must name two places, such as "home,work"')
    question = schema.slug(table.get("id"), f"{where}.id")
    named = table.get("at_names", {})
    if not isinstance(named, dict) or not set(named) <= set(map(str, places)):
        raise CollectionError(f"{where}.at_names", "must be a table of the places in at")
    out = []
    for place in places:
        at = At(question, schema.slug(place, f"{where}.at"))
        schema.slug(at.id, f"{where}.id")
        name = named.get(place, NAMES.get(place))
        if name is None:
            rule = f"must name {place}: only {', '.join(NAMES)} have names"
            raise CollectionError(f"{where}.at_names", rule, "write its name in each language")
        out.append({**plain, "id": at.id, "at": at.to_json(), "at_names": name})
    return out


def named(text: Mapping[str, str], name: Any, where: str, known: tuple[str, ...]) -> dict[str, str]:
    """Return the question's text in each language with the place's name behind it."""
    if isinstance(name, dict):
        name = {language: name[language] for language in name if language in known}
    names = schema.texts(name or NAMES["home"]["en"], f"{where}.at_names", known)
    other = next(iter(names.values()))
    return {language: f"{own} – {names.get(language, other)}" for language, own in text.items()}
