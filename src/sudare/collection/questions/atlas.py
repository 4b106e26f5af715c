"""What a map of cells is shown with: an outline of the land, and the names of areas.

Both are wordings: they say where a cell lies, and change nothing of what is randomised. They come
from files of the owner's and travel in the compiled document, so that a page needs no other host.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.collection import schema
from sudare.collection.questions.lattice import Lattice
from sudare.errors import CollectionError, SudareError, as_one_of

if TYPE_CHECKING:
    from sudare.shapes.areas import Areas
    from sudare.shapes.outline import Outline
    from sudare.shapes.window import Window

FIELDS = ("base_map", "areas")
_BASE = ("file", "layers", "credit")
_AREAS = ("file", "name", "rule", "credit")


@dataclass(frozen=True)
class BaseMap:
    """The outline that a map is drawn on.

    Attributes:
        digest: SHA-256 of the owner's file.
        outline: what of it lies on the map.
        credit: whose data it is, by language.
    """

    digest: str
    outline: Outline
    credit: schema.Texts = field(default_factory=dict)


@dataclass(frozen=True)
class NamedAreas:
    """The areas whose names cells have.

    Attributes:
        digest: SHA-256 of the owner's file.
        areas: those on the map.
        credit: whose data it is, by language.
    """

    digest: str
    areas: Areas
    credit: schema.Texts = field(default_factory=dict)


@dataclass(frozen=True)
class Atlas:
    """A base map and named areas, each None where there is none."""

    base: BaseMap | None = None
    named: NamedAreas | None = None

    @classmethod
    def read(
        cls, table: Mapping[str, Any], where: str, lattice: Lattice, known: tuple[str, ...]
    ) -> Atlas:
        """Read ``base_map`` and ``areas`` of a place question.

        Raises:
            CollectionError: a file that is no such map, or lies elsewhere.
        """
        tables = {name: table[name] for name in FIELDS if name in table}
        if not tables:
            return cls()
        from sudare.shapes.areas import RULES, find_areas, read_names
        from sudare.shapes.outline import outline
        from sudare.shapes.reading import Shapes
        from sudare.shapes.tiles import Tiles, lines_of

        window = window_of(lattice)
        base, named = None, None
        for name, own in tables.items():
            spot = f"{where}.{name}"
            if not isinstance(own, Mapping):
                raise CollectionError(spot, "must be a table", f'{name} = {{ file = "..." }}')
            schema.check_fields(own, _AREAS if name == "areas" else _BASE, ("file",), spot, "")
            shapes = own["file"]
            if not isinstance(shapes, Shapes if name == "areas" else Shapes | Tiles):
                raise CollectionError(f"{spot}.file", "must be the name of a file of shapes")
            layers = own.get("layers", [])
            if not isinstance(layers, list) or not all(isinstance(one, str) for one in layers):
                raise CollectionError(f"{spot}.layers", "must be names of layers of PMTiles")
            credit = schema.texts(own.get("credit", {}), f"{spot}.credit", known, optional=True)
            try:
                if name == "base_map":
                    drawing = outline(lines_of(shapes, window, layers), window)
                    base = BaseMap(shapes.digest, drawing, credit)
                    continue
                names = read_names(own["name"], known) if "name" in own else None
                rule = as_one_of(own.get("rule", RULES[0]), "rule", RULES)
                areas = find_areas(shapes, window, known, names, rule)
                named = NamedAreas(shapes.digest, areas, credit)
            except SudareError as error:
                raise error_within(error, spot) from None
        return cls(base, named)

    @classmethod
    def restore(cls, texts: Mapping[str, Any], cells: int) -> Atlas:
        """Rebuild them from a compiled document's wordings, whose form was checked."""
        if not any(name in texts for name in FIELDS):
            return cls()
        from sudare.shapes.areas import UNSEEN, Areas, has_unseen
        from sudare.shapes.outline import Outline

        base = named = None
        if "base_map" in texts:
            own = texts["base_map"]
            drawing = Outline(own["width"], own["height"], own["shapes"], own["lines"])
            base = BaseMap(own["digest"], drawing, dict(own.get("credit", {})))
        if "areas" in texts:
            own = texts["areas"]
            if any(cell >= cells for one in own["list"] for cell, _ in one["cells"]):
                raise CollectionError("areas", "must lie on the map")
            if any(map(has_unseen, (name for one in own["list"] for name in one["name"].values()))):
                raise CollectionError("areas.name", *UNSEEN)
            areas = Areas(
                tuple(dict(one["name"]) for one in own["list"]),
                tuple(tuple((cell, part) for cell, part in one["cells"]) for one in own["list"]),
                cells,
                own["rule"],
            )
            named = NamedAreas(own["digest"], areas, dict(own.get("credit", {})))
        return cls(base, named)

    def texts(self) -> dict[str, Any]:
        """Return them as wordings; nothing where there is nothing."""
        out: dict[str, Any] = {}
        if self.base is not None:
            drawing = self.base.outline
            out["base_map"] = {
                "digest": self.base.digest,
                "width": drawing.width,
                "height": drawing.height,
                "shapes": drawing.shapes,
                "lines": drawing.lines,
                **_credited(self.base.credit),
            }
        if self.named is not None:
            areas = self.named.areas
            out["areas"] = {
                "digest": self.named.digest,
                "rule": areas.rule,
                "list": [
                    {"name": dict(name), "cells": [list(part) for part in parts]}
                    for name, parts in zip(areas.names, areas.parts, strict=True)
                ],
                **_credited(self.named.credit),
            }
        return out

    @cached_property
    def areas(self) -> Areas | None:
        """The named areas, or None."""
        return None if self.named is None else self.named.areas


def read_base_map(path: Path) -> Any:
    """Return the file of a base map that a survey file names: GeoJSON or PMTiles.

    Raises:
        DomainError, WrongTypeError: as :func:`read_map`.
    """
    from sudare.shapes.tiles import read_base

    return read_base(path)


def read_map(path: Path) -> Any:
    """Return the shapes of a file that a survey file names.

    Raises:
        DomainError, WrongTypeError: no such file, or no GeoJSON in degrees.
    """
    from sudare.shapes.reading import read_shapes

    return read_shapes(path)


def window_of(lattice: Lattice) -> Window:
    """Return where a map's cells lie, in degrees."""
    from sudare.shapes.window import Window

    unit = lattice.per_degree
    tall, wide = lattice.metres
    return Window(
        lattice.south / unit,
        lattice.west / unit,
        lattice.height / unit,
        lattice.width / unit,
        lattice.rows,
        lattice.columns,
        tall / wide,
    )


def error_within(error: SudareError, spot: str) -> CollectionError:
    """Return an error about a file as one about the field that names it; it tells the file."""
    out = CollectionError(f"{spot}.{error.argument}", error.rule, error.remedy)
    out.args = (f"{spot}.{error.args[0]}",)
    return out


def _credited(credit: Mapping[str, str]) -> dict[str, Any]:
    return {"credit": dict(credit)} if credit else {}
