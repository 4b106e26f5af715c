"""Named areas over the cells of a map: which area covers which part of which cell."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.exact.parameters import is_list
from sudare.shapes.polygons import check_polygons, covered, rings
from sudare.shapes.reading import Feature, Shapes
from sudare.shapes.window import Window

RULES = ("greatest", "split")
MOST_AREAS = 256
MOST_NAME = 80
WHOLE = 1000
"""A part of a cell is told in thousandths of its surface."""

UNSEEN = ("must hold no control, format or other unseen characters", "correct the name")
"""What is refused of a name, and what helps: it would turn or hide what stands around it."""

_UNSPACED = ("ja", "zh")

Names = Mapping[str, Sequence[str]]
"""By language the properties that make up a name."""


@dataclass(frozen=True)
class Areas:
    """Areas with their names, and the cells that they cover.

    Attributes:
        names: of each area by language.
        parts: of each area (cell, thousandths of its surface), by cell; at least one.
        cells: of the map.
        rule: ``"greatest"``: a cell belongs whole to the area that covers most of it, the first of
            those that cover as much; ``"split"``: by the parts of its surface that areas cover, as
            if its people stood evenly on these.

    Examples:
        >>> two = Areas(({"en": "East"}, {"en": "West"}), (((0, 300), (1, 900)), ((0, 600),)), 3)
        >>> two.of_cell
        (1, 0, None)
        >>> two.weights().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """

    names: tuple[Mapping[str, str], ...]
    parts: tuple[tuple[tuple[int, int], ...], ...]
    cells: int
    rule: str = "greatest"

    def __post_init__(self) -> None:
        as_one_of(self.rule, "rule", RULES)

    @property
    def of_cell(self) -> tuple[int | None, ...]:
        """For each cell the area that covers most of it; None where there is none."""
        table = self._table()
        most = table.argmax(axis=0)
        known = table.max(axis=0, initial=0) > 0
        return tuple(int(area) if some else None for area, some in zip(most, known, strict=True))

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The name of each area in its first language, numbered where two have the same."""
        first = [next(iter(name.values())) for name in self.names]
        before = [first[:i].count(name) for i, name in enumerate(first)]
        return tuple(
            f"{name} ({some + 1})" if some else name
            for name, some in zip(first, before, strict=True)
        )

    def weights(self) -> Floats:
        """Return (areas, cells) how much of each cell's share counts for each area, by the rule.

        The columns of cells that some area covers sum to 1.
        """
        table = self._table()
        if self.rule == "greatest":
            out = np.zeros(table.shape)
            for cell, area in enumerate(self.of_cell):
                if area is not None:
                    out[area, cell] = 1.0
            return out
        whole: Floats = table / np.maximum(table.sum(axis=0), 1)
        return whole

    def labels(self, land: Sequence[bool], languages: Sequence[str]) -> dict[int, str]:
        """Return a name for each land cell that an area covers, such as ``"Kōtō 3"``.

        Where an area has several, they are numbered row by row from the north-west.

        Args:
            land: (cells,) which are named.
            languages: in which a name is looked for, the first that has one.
        """
        cells: dict[int, list[int]] = {}
        for cell, area in enumerate(self.of_cell):
            if area is not None and land[cell]:
                cells.setdefault(area, []).append(cell)
        return {
            cell: self.name(area, languages) + (f" {i}" if len(own) > 1 else "")
            for area, own in cells.items()
            for i, cell in enumerate(own, 1)
        }

    def name(self, area: int, languages: Sequence[str]) -> str:
        """Return the name of an area in the first of these languages that it has."""
        names = self.names[area]
        return next((names[one] for one in languages if one in names), next(iter(names.values())))

    def _table(self) -> Floats:
        out = np.zeros((len(self.names), self.cells))
        for area, parts in enumerate(self.parts):
            for cell, part in parts:
                out[area, cell] = part
        return out


def find_areas(
    shapes: Shapes,
    window: Window,
    languages: Sequence[str],
    properties: Mapping[str, Sequence[str]] | None = None,
    rule: str = "greatest",
) -> Areas:
    """Return the areas of a file that lie on a map.

    Features of one name are one area. Features without a name are left out.

    Args:
        shapes: polygons with names.
        window: of the map's cells.
        languages: in which names are looked for.
        properties: by language those that make up a name, joined by a blank (in Japanese and
            Chinese by nothing); a language that is left out has ``name:LANGUAGE``,
            ``name_LANGUAGE`` or, where no language has one, ``name``.
        rule: of cells in several areas.

    Raises:
        DomainError, WrongTypeError: no such polygons, names or rule; too many; none on the map.
    """
    as_one_of(rule, "rule", RULES)
    found: dict[tuple[tuple[str, str], ...], list[Feature]] = {}
    check_polygons(shapes)
    for one in shapes.features:
        name = _named(one.properties, languages, properties or {})
        if name and one.polygons:
            found.setdefault(tuple(name.items()), []).append(one)
    if not found:
        raise DomainError(
            "name",
            "must be a property of the file's polygons",
            'say which it is: name = { en = "PROPERTY" }',
        )
    names, parts = [], []
    for key, features in found.items():
        cells = _covered(features, window)
        if cells:
            names.append(dict(key))
            parts.append(cells)
    if not names:
        raise DomainError(
            "file",
            "must have areas on the map",
            "compare their places; latitude and longitude may be swapped",
        )
    if len(names) > MOST_AREAS:
        raise DomainError("file", f"must have at most {MOST_AREAS} areas on the map", "join some")
    return Areas(tuple(names), tuple(parts), window.rows * window.columns, rule)


def _covered(features: list[Feature], window: Window) -> tuple[tuple[int, int], ...]:
    """Return the cells that polygons cover, and how much of each in thousandths."""
    cells = [(window.in_cells(ring), hole) for ring, hole in rings(features)]
    limits = (window.columns, window.rows)
    near = [
        (ring, hole)
        for ring, hole in cells
        if (ring.max(axis=0) > 0).all() and (ring.min(axis=0) < limits).all()
    ]
    if not near:
        return ()
    shares = covered(near, window.rows, window.columns)[::-1].ravel()  # the north first
    thousandths = np.rint(shares * WHOLE).astype(int)
    return tuple((int(cell), int(thousandths[cell])) for cell in np.flatnonzero(thousandths))


def _named(
    own: Mapping[str, Any], languages: Sequence[str], properties: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    out = {}
    for language in languages:
        if language in properties:
            said = [own.get(one) for one in properties[language]]
            joint = "" if language.split("-")[0] in _UNSPACED else " "
            text = joint.join(one.strip() for one in said if isinstance(one, str))
        else:
            text = own.get(f"name:{language}") or own.get(f"name_{language}") or ""
        if isinstance(text, str) and text.strip():
            out[language] = text.strip()
    plain = own.get("name")
    if not out and isinstance(plain, str) and plain.strip():
        out[languages[0]] = plain.strip()
    if any(len(name) > MOST_NAME for name in out.values()):
        raise DomainError(
            "name", f"must be at most {MOST_NAME} characters", "take another property"
        )
    if any(map(has_unseen, out.values())):
        raise DomainError("name", *UNSEEN)
    return out


def has_unseen(name: str) -> bool:
    """Tell whether a name has characters of the Unicode categories C*, Zl or Zp."""
    return any(kind[0] == "C" or kind in ("Zl", "Zp") for kind in map(unicodedata.category, name))


def read_names(value: Any, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read which properties hold names: one or several for all languages, or for each its own.

    Raises:
        WrongTypeError, DomainError: something else, or another language.

    Examples:
        >>> read_names({"ja": ["N03_003", "N03_004"], "en": "name_en"}, ("en", "ja"))
        {'ja': ('N03_003', 'N03_004'), 'en': ('name_en',)}
    """
    if not isinstance(value, Mapping):
        value = dict.fromkeys(languages[:1], value)
    out = {}
    for language, some in value.items():
        if language not in languages:
            raise DomainError("name", f"must be by language: {', '.join(languages)}", got=language)
        listed = [some] if isinstance(some, str) else some
        if not is_list(listed) or not listed or not all(isinstance(x, str) for x in listed):
            raise WrongTypeError(
                "name", "must be properties of the file", 'such as { en = "name_en" }'
            )
        out[language] = tuple(listed)
    return out
