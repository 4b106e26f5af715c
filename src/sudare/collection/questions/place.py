"""``place``: where, on a map of cells; the report is a cell near the true one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.collection import schema
from sudare.collection.questions import place_metric as metric
from sudare.collection.questions.asking import AskIf
from sudare.collection.questions.atlas import FIELDS as ATLAS, Atlas, read_base_map, read_map
from sudare.collection.questions.auto import named_mechanism
from sudare.collection.questions.base import Files, Options, Question
from sudare.collection.questions.chances import Chances, sharpest
from sudare.collection.questions.lattice import MOST_SIDE, Lattice
from sudare.collection.questions.place_results import (
    Figures,
    OnLand,
    level_figures,
    place_figures,
)
from sudare.collection.questions.place_two import At, named, spread
from sudare.collection.unit import PER_METRE, PrivacyUnit
from sudare.errors import CollectionError, SudareError
from sudare.estimation import Counts
from sudare.estimation.conditional import ConditionalShare
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text, exact_text, uniform_one
from sudare.exact.entropy import EntropySource
from sudare.exact.parameters import EPSILON_MAX
from sudare.mechanisms import Levels, from_json
from sudare.mechanisms.place import (
    ElasticExponential,
    Grid,
    GridExponential,
    Place as Mechanism,
    RoadExponential,
)
from sudare.mechanisms.place.offsets import Offsets
from sudare.samplers import Table

MOST_RATE = 1
"""Of an ε per metre: e^20 over twenty metres is the most that any ε may be."""

COVERS: dict[type, str] = {
    RoadExponential: "one report of a place, for each metre along the roads",
    ElasticExponential: "one report of a place, for each metre where ε is largest",
}
"""What an ε per metre is one for, where metres are not those as the crow flies."""

LAND, SEA = "#", "."
MOST_PLACES = 20

_FIELDS = (
    "id",
    "type",
    "text",
    "mesh",
    "level",
    "origin",
    "rows",
    "columns",
    "cell_height",
    "cell_width",
    "land",
    "places",
    *ATLAS,
    "epsilon_per_metre",
    "epsilon_per_metre_cap",
    "mechanism",
    "weights",
    "elastic",
    "roads",
    "at",
    "at_names",
)
_NEEDED = ("id", "text", "rows", "columns", "epsilon_per_metre")
_PLACE = ("at", "name")
_SIX = Context(prec=6, rounding=ROUND_FLOOR)


@dataclass(frozen=True)
class Place(Question):
    """Where, on a map: a cell is picked, or found from a position on the device.

    The guarantee is geo-indistinguishability: ``P(o | r1) <= exp(ε d(r1, r2)) P(o | r2)`` with d
    in metres between the middles of two cells. This ε is one per metre; it takes no part of the
    collection's.

    Attributes:
        lattice: where the cells lie.
        land: for each row from the north text of ``#`` (land) and ``.`` (sea: neither picked nor
            reported); None where all is land.
        epsilon: ε per metre of one report.
        epsilon_cap: ε per metre that one device spends on this question over time, at most.
        mechanism: what randomises cells.
        places: cells with their names, for orientation.
        at: which of a person's two places is asked about; None where there is one.
        atlas: the base map that is drawn, and the areas whose names cells have.
    """

    type: ClassVar[str] = "place"
    template: ClassVar[str] = """\
id = "where"
type = "place"
text.en = "Where do you walk most?"
text.ja = "いちばんよく歩くのはどこですか？"
origin = [35.65, 139.70]  # the map's south-west corner, in degrees
cell_height = 250  # in metres
cell_width = 250
rows = 8
columns = 8
epsilon_per_metre = "0.01"  # its own: positions 100 m apart are told apart as at an epsilon of 1
"""
    unit: ClassVar[PrivacyUnit] = PER_METRE
    located: ClassVar[bool] = True
    offers_levels: ClassVar[str] = "epsilon_per_metre"
    files: ClassVar[Files] = {
        "elastic": metric.read_shares,
        "roads": metric.read_roads,
        "base_map": read_base_map,
        "areas": read_map,
    }
    id: str
    lattice: Lattice
    land: tuple[str, ...] | None
    epsilon: Fraction
    epsilon_cap: Fraction
    mechanism: metric.PlaceMechanism
    text: Mapping[str, str] = field(default_factory=dict)
    places: tuple[tuple[int, Mapping[str, str]], ...] = ()
    at: At | None = None
    atlas: Atlas = field(default_factory=Atlas)
    ask_if: AskIf | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        where = f"question.{self.id}"
        grid = self.grid
        if grid.shape != (self.lattice.rows, self.lattice.columns):
            raise CollectionError(f"{where}.mechanism", "must have the map's rows and columns")
        stated = (grid.cell_height, grid.cell_width)
        if not all(
            math.isclose(a, b, rel_tol=1e-3)
            for a, b in zip(stated, self.lattice.metres, strict=True)
        ):
            raise CollectionError(f"{where}.mechanism", "must have the metres of the map's cells")
        if self.mechanism.cells != self.cells_of_values.size:
            raise CollectionError(f"{where}.mechanism", "must have a place for each cell of roads")
        if not metric.fits_roads(self.mechanism, self.cells_of_values, grid):
            raise CollectionError(
                f"{where}.mechanism", "must join cells that touch, as far as their middles are"
            )
        if self.mechanism.reported[~self.on_land[self.cells_of_values]].any():
            raise CollectionError(f"{where}.mechanism", "must never report a cell of the sea")
        if self.epsilon_cap < self.epsilon * (1 if self.at is None else 2):
            raise CollectionError(
                f"{where}.epsilon_per_metre_cap",
                "must cover one report" if self.at is None else "must cover both reports",
                "raise it or leave it out",
            )

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Place:
        """Read the table of a place question."""
        schema.check_fields(table, _FIELDS, _NEEDED, where, "every place has it")
        rows, columns = (
            schema.whole(table[name], f"{where}.{name}", 1, MOST_SIDE)
            for name in ("rows", "columns")
        )
        own = rate(table["epsilon_per_metre"], f"{where}.epsilon_per_metre")
        at = At.read(table.get("at"), table["id"], where)
        all_own = own if at is None else 2 * own
        cap = rate(table.get("epsilon_per_metre_cap", all_own), f"{where}.epsilon_per_metre_cap")
        text = schema.texts(table["text"], f"{where}.text", known)
        try:
            lattice, grid = _map(table, where, rows, columns)
            land = _land(table["land"], rows, columns) if "land" in table else None
            mechanism, land = _mechanism(table, lattice, grid, own, land)
        except SudareError as error:
            raise _under(error, where) from None
        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            lattice=lattice,
            land=land,
            epsilon=own,
            epsilon_cap=cap,
            mechanism=mechanism,
            text=text if at is None else named(text, table.get("at_names"), where, known),
            at=at,
            places=_places(table.get("places", []), lattice, f"{where}.places", known),
            atlas=Atlas.read(table, where, lattice, known),
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Place:
        """Rebuild the question from its part of a definition."""
        try:
            rows, columns = (
                schema.whole(data[name], f"{where}.{name}", 1, MOST_SIDE)
                for name in ("rows", "columns")
            )
            land, mechanism = data["land"], data["mechanism"]
            sides = [rows, columns]  # looked at before a huge map is built
            if mechanism["name"] != RoadExponential.name and mechanism["grid"][:2] != sides:
                raise CollectionError(f"{where}.mechanism", "must have the map's rows and columns")
            return cls(
                id=data["id"],
                lattice=Lattice.from_json(data["corner"], rows, columns, f"{where}.corner"),
                land=None if land is None else _land(list(land), rows, columns),
                epsilon=rate_text(data["epsilon_per_metre"], f"{where}.epsilon_per_metre"),
                epsilon_cap=rate_text(data["epsilon_per_metre_cap"], f"{where}.cap"),
                mechanism=_restored(mechanism, data["program"], f"{where}.mechanism"),
                text=dict(texts.get("text", {})),
                at=At.read(data.get("at"), data["id"], where),
                places=tuple(
                    (schema.whole(one["cell"], f"{where}.places", 0, rows * columns - 1),
                     dict(one["name"]))
                    for one in texts.get("places", [])
                ),
                atlas=Atlas.restore(texts, rows * columns),
            )  # fmt: skip
        except CollectionError:
            raise
        except SudareError as error:
            raise _under(error, where) from None

    @classmethod
    def spread(cls, table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
        """Return a table for each of the places that ``at`` names."""
        return spread(table, where)

    @classmethod
    def read_level(cls, value: Any, where: str) -> Fraction:
        """Read an ε per metre of ``levels``."""
        return rate(value, where)

    @classmethod
    def at_levels(cls, table: dict[str, Any], most: Fraction, where: str) -> dict[str, Any]:
        """Return a table with the cap that all levels share: unless stated, the largest ε."""
        for other in ("elastic", "at"):
            if other in table:
                rule = f"must not stand beside {other}"
                raise CollectionError(f"{where}.levels", rule, "leave out one of the two")
        return {"epsilon_per_metre_cap": most, **table}

    @property
    def payer(self) -> str:
        """Two places of one person are paid together."""
        return self.id if self.at is None else self.at.question

    def check_spending(self) -> None:
        """Raise CollectionError unless the mechanism spends at most the question's ε per metre."""
        if not metric.is_within(self.mechanism, self.epsilon):
            raise CollectionError(
                f"question.{self.id}.mechanism",
                f"must spend at most epsilon_per_metre = {decimal_text(self.epsilon)}",
                "fetch the collection again from its owner",
            )
        if self.local_epsilon > EPSILON_MAX:
            raise CollectionError(
                f"question.{self.id}.epsilon_per_metre_cap",
                f"must be at most {EPSILON_MAX} over the shorter side of a cell",
                "lower it, or make the cells smaller",
                got=round(self.local_epsilon, 3),
            )

    @property
    def nearest_epsilon(self) -> float:
        """ε between the nearest cells: where it is large, hardly more than the cell is hidden."""
        return float(self.epsilon) * self._side

    @property
    def local_epsilon(self) -> float:
        """The same of all that one device may report over time."""
        return float(self.epsilon_cap) * self._side

    @property
    def _side(self) -> float:
        return min(self.grid.cell_height, self.grid.cell_width)

    @cached_property
    def grid(self) -> Grid:
        """The map's cells in metres."""
        own = self.mechanism.grid
        return own or Grid(self.lattice.rows, self.lattice.columns, *self.lattice.metres)

    def options(self) -> Iterator[Options]:
        """Yield the places that the map names for orientation."""
        yield Options("places", {f"places[{i}]": own for i, (_, own) in enumerate(self.places)})

    def chances(self) -> Chances:
        """Return the most that a report makes of a cell, all of the land equally likely before.

        Laws are rounded to 2^-192: those of a map have no common denominator worth the name.
        """
        masses = metric.masses_of(self.mechanism, np.flatnonzero(self.people))
        totals = [sum(own) for own in masses]
        return {
            "cell": sharpest(
                [[(mass << 192) // total for mass in own]
                 for own, total in zip(masses, totals, strict=True)]
            )
        }  # fmt: skip

    # -- the respondent's side ---------------------------------------------------------------

    @cached_property
    def on_land(self) -> npt.NDArray[np.bool_]:
        """(cells,) which cells can be picked and reported."""
        if self.land is None:
            return np.ones(self.lattice.rows * self.lattice.columns, dtype=np.bool_)
        return np.array([mark == LAND for mark in "".join(self.land)])

    @cached_property
    def cells_of_values(self) -> npt.NDArray[np.intp]:
        """The cell of each value of the mechanism: all of them, or those that roads pass."""
        return metric.places_of(self.mechanism, self.on_land)

    @cached_property
    def people(self) -> npt.NDArray[np.bool_]:
        """(values,) where people can be."""
        out: npt.NDArray[np.bool_] = self.on_land[self.cells_of_values]
        return out

    def encode(self, answer: object) -> int:
        """Return the number of the cell; along roads that among the cells which they pass.

        Args:
            answer: the number of a cell of the land, row by row from the north-west, or a position
                ``(latitude, longitude)`` in degrees.
        """
        where = f"answers.{self.id}"
        cell = answer
        if isinstance(answer, tuple | list):
            cell = self._cell(answer, where)
        if isinstance(cell, bool) or not isinstance(cell, int | np.integer):
            raise CollectionError(
                where, "must be the number of a cell, or (latitude, longitude) in degrees"
            )
        if not (0 <= cell < self.on_land.size and self.on_land[cell]):
            raise CollectionError(where, "must be a cell of the map's land", "pick one nearby")
        return int(np.searchsorted(self.cells_of_values, cell))

    def _cell(self, position: tuple[Any, ...] | list[Any], where: str) -> int:
        if len(position) != 2 or not all(
            isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= 360
            for x in position
        ):
            raise CollectionError(where, "must be (latitude, longitude) in degrees")
        cell = self.lattice.cell(*position)
        if cell is None:
            raise CollectionError(where, "must lie on the map", "pick a cell nearby")
        return cell

    def unasked(self, entropy: EntropySource) -> int:
        """Return one of all cells of the land, uniformly."""
        cells = np.flatnonzero(self.people)
        return int(cells[uniform_one(cells.size, entropy)])

    # -- as data -----------------------------------------------------------------------------

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: the map, its land, ε and the kernel's integers."""
        return self._defined(
            rows=self.lattice.rows,
            columns=self.lattice.columns,
            corner=self.lattice.to_json(),
            land=None if self.land is None else list(self.land),
            epsilon_per_metre=decimal_text(self.epsilon),
            epsilon_per_metre_cap=decimal_text(self.epsilon_cap),
            **({} if self.at is None else {"at": self.at.to_json()}),
        )

    def texts(self) -> dict[str, Any]:
        """Return the question's text and the names of its places."""
        return {
            "text": dict(self.text),
            "places": [{"cell": cell, "name": dict(name)} for cell, name in self.places],
            **self.atlas.texts(),
        }

    # -- results -----------------------------------------------------------------------------

    @property
    def planned(self) -> OnLand:
        """The mechanism among the cells of the land."""
        return OnLand(self.mechanism, self.people)

    def guarantee(self) -> dict[str, Any]:
        """Return ε per metre, and what one report tells at most between the farthest cells."""
        own = self.mechanism
        least = {}
        if isinstance(own, ElasticExponential):
            least = {"epsilon_per_metre_least": float(own.epsilons.min())}
        return {
            "epsilon_per_metre": float(self.epsilon),
            **least,
            "epsilon_farthest": metric.farthest(own, self.epsilon, self.grid),
            "covers": COVERS.get(type(own), own.covers),
        }

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return each land cell's share with its standard error and interval, and the map's.

        ``share`` is unbiased; ``map`` is the estimate to draw, under ``map_method``.
        """
        return self._published(
            place_figures(
                self.mechanism, self.people, counts, target, confidence, areas=self._weights
            )
        )

    def results_of_levels(
        self, mechanism: Levels, counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        """Return the same of the counts of all levels: each counts by how many picked it."""
        return self._published(
            level_figures(mechanism, self.people, counts, target, confidence, self._weights)
        )

    def results_among(
        self, counts: Counts, asked: ConditionalShare, confidence: float
    ) -> dict[str, Any]:
        """Return the same among those asked."""
        return self._published(
            place_figures(
                self.mechanism,
                self.people,
                counts,
                asked.target,
                confidence,
                asked,
                areas=self._weights,
            )
        )

    def _published(self, figures: Figures) -> dict[str, Any]:
        cells = [int(cell) for cell in np.flatnonzero(self.on_land)]
        return {
            "method": "unbiased",
            "map_method": figures.map_method,
            "cells": [
                {
                    "cell": cell,
                    "code": self.lattice.code(cell),
                    "centre": [round(x, 7) for x in self.lattice.centre(cell)],
                    **row,
                }
                for cell, row in zip(cells, figures.rows, strict=True)
            ],
            **self._of_areas(figures),
            "warnings": [self._of_cells(warning) for warning in figures.warnings],
        }

    @property
    def _weights(self) -> npt.NDArray[np.float64] | None:
        """(areas, values) how the cells make up the areas; None without areas."""
        areas = self.atlas.areas
        return None if areas is None else areas.weights()[:, self.cells_of_values] * self.people

    def _of_areas(self, figures: Figures) -> dict[str, Any]:
        areas = self.atlas.areas
        if areas is None:
            return {}
        return {
            "area_rule": areas.rule,
            "areas": [
                {"area": name, **row}
                for name, row in zip(areas.identifiers, figures.areas, strict=True)
            ],
        }

    def named(self, languages: Sequence[str]) -> dict[str, str]:
        """Return the names of cells and of areas, by what stands for them in files of results: in
        quotation marks, as a table could run a foreign file's name."""
        areas = self.atlas.areas
        if areas is None:
            return {}
        cells = areas.labels(self.on_land.tolist(), languages)
        return {address(self.lattice, cell): f"“{label}”" for cell, label in cells.items()} | {
            f"“{own}”": f"“{areas.name(i, languages)}”" for i, own in enumerate(areas.identifiers)
        }

    def _of_cells(self, warning: dict[str, Any]) -> dict[str, Any]:
        """Return a warning about values of the mechanism as one about cells."""
        return {**warning, "cells": self.cells_of_values[warning["cells"]].tolist()}


def address(lattice: Lattice, cell: int) -> str:
    """Return how results name a cell: by its mesh code, or the degrees of its centre."""
    code = lattice.code(cell)
    if code is not None:
        return str(code)
    return ", ".join(f"{round(degrees, 7):.4f}" for degrees in lattice.centre(cell))


def rate(value: Any, where: str) -> Fraction:
    """Read an ε per metre of at most 12 decimal places: a number, or decimal text."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        return rate_text(value, where)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise CollectionError(where, "must be a number per metre, such as 0.005", got=value)
    exact = schema.score(value, where)
    if exact <= 0:
        raise CollectionError(where, "must be > 0", "write it per metre, such as 0.005", got=value)
    if exact > MOST_RATE:
        raise CollectionError(
            where, f"must be at most {MOST_RATE} per metre", "lower it", got=value
        )
    return exact


def rate_text(value: Any, where: str) -> Fraction:
    """Read an ε per metre as decimal text."""
    if not isinstance(value, str) or not schema.is_decimal(value):
        raise CollectionError(where, "must be a decimal per metre, such as 0.005", got=value)
    return rate(Decimal(value), where)


def _map(table: Mapping[str, Any], where: str, rows: int, columns: int) -> tuple[Lattice, Grid]:
    """Read where the cells lie: on a mesh, or north and east of a corner."""
    other = ("origin", "cell_height", "cell_width")
    if "mesh" in table:
        for name in other:
            if name in table:
                raise CollectionError(name, "must be left out beside mesh")
        lattice = Lattice.from_mesh(table["mesh"], table.get("level", "1/8"), rows, columns)
        return lattice, Grid(rows, columns, *lattice.metres)
    if "level" in table:
        raise CollectionError("level", "must stand beside mesh")
    for name in other:
        if name not in table:
            raise CollectionError(name, "is missing", f"give mesh, or {', '.join(other)}")
    origin = table["origin"]
    if not isinstance(origin, list) or len(origin) != 2:
        raise CollectionError("origin", "must be [south, west] in degrees")
    south, west = (float(schema.score(x, f"origin[{i}]")) for i, x in enumerate(origin))
    if not (-85 <= south <= 85 and -180 <= west <= 180):
        raise CollectionError("origin", "must be [south, west] in degrees, at most 85 from 0")
    height, width = (float(schema.score(table[name], name)) for name in other[1:])
    grid = Grid(rows, columns, height, width)
    return Lattice.from_origin((south, west), grid), grid


def _land(value: Any, rows: int, columns: int) -> tuple[str, ...]:
    """Read ``land``, a text for each row from the north."""
    if (
        not isinstance(value, list)
        or not all(
            isinstance(row, str) and len(row) == columns and not row.strip(LAND + SEA)
            for row in value
        )
        or len(value) != rows
    ):
        raise CollectionError(
            "land", f"must be {rows} rows of {columns} marks, # for land and . for the sea"
        )
    if "".join(value).count(LAND) < 2:
        raise CollectionError("land", "must hold at least two cells of land", "mark them by #")
    return tuple(value)


def _weights(
    table: Mapping[str, Any], land: tuple[str, ...] | None, grid: Grid
) -> npt.NDArray[np.float64] | None:
    """Return the weights of the cells, 0 on the sea; None where all are equal."""
    if "weights" not in table:
        if land is None:
            return None
        return np.array([float(mark == LAND) for mark in "".join(land)])
    given = table["weights"]
    rows = given if isinstance(given, list) else []
    flat = [x for row in rows if isinstance(row, list) for x in row]
    if [len(row) if isinstance(row, list) else 0 for row in rows] != [grid.columns] * grid.rows:
        raise CollectionError("weights", f"must be {grid.rows} rows of {grid.columns} numbers")
    weights = np.array([float(schema.score(x, "weights")) for x in flat])
    if land is not None:
        weights *= np.array([mark == LAND for mark in "".join(land)])
    return weights


def _mechanism(
    table: Mapping[str, Any],
    lattice: Lattice,
    grid: Grid,
    epsilon: Fraction,
    land: tuple[str, ...] | None,
) -> tuple[metric.PlaceMechanism, tuple[str, ...] | None]:
    """Return the mechanism, and where people can be: roads leave the cells that they pass."""
    own = [name for name in ("elastic", "roads", "mechanism") if name in table]
    if len(own) > 1:
        raise CollectionError(own[1], f"must be left out beside {own[0]}")
    if "roads" in table:
        if "weights" in table:
            raise CollectionError("weights", "must be left out beside roads")
        return metric.roads(table["roads"], lattice, grid, land, epsilon)
    weights = _weights(table, land, grid)
    if "elastic" in table:
        return metric.elastic(table["elastic"], grid, epsilon, weights), land
    return _of_metres(table, grid, epsilon, weights), land


def _restored(data: Mapping[str, Any], program: Mapping[str, Any], where: str) -> Any:
    """Return the mechanism of a definition; a table is taken as it is written, and checked."""
    made: Mechanism = from_json(data, Mechanism)
    if isinstance(made, metric.TABLED):
        metric.check_tabled(made.cells, where)
        return made.running(Table.from_json(program))
    if not isinstance(made, Offsets):
        raise CollectionError(where, "must be one that questions about places take")
    return made


def _of_metres(
    table: Mapping[str, Any],
    grid: Grid,
    epsilon: Fraction,
    weights: npt.NDArray[np.float64] | None,
) -> Offsets:
    """Return the mechanism of that name; GridExponential spends all that is allowed."""

    def make(kind: type[Offsets]) -> Offsets:
        if kind is GridExponential:
            return _calibrated(grid, epsilon, weights)
        if weights is not None:
            raise CollectionError(
                "mechanism", "must be GridExponential on a map with land or weights", "leave it out"
            )
        return kind(grid, epsilon)  # type: ignore[call-arg] # those without weights take these two

    name = table.get("mechanism", GridExponential.name)
    return named_mechanism(name, Offsets, make, "mechanism", "or leave it out")


def _calibrated(
    grid: Grid, epsilon: Fraction, weights: npt.NDArray[np.float64] | None
) -> GridExponential:
    """Return the mechanism that spends all of ε, its inner ε rounded down to six digits.

    The last digits come from a machine's logarithms: without them a survey file has one
    fingerprint everywhere.
    """
    found = GridExponential(grid, epsilon, weights, calibrated=True).to_json()
    if "inner" in found:
        inner = _SIX.create_decimal(Decimal(found["inner"]))
        found["inner"] = exact_text(max(epsilon, Fraction(inner)))
    return GridExponential.from_json(found)


def _places(
    value: Any, lattice: Lattice, where: str, known: tuple[str, ...]
) -> tuple[tuple[int, Mapping[str, str]], ...]:
    """Read ``[[question.places]]``: positions on the map with their names."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise CollectionError(where, "must be tables", "write [[question.places]] for each")
    if len(value) > MOST_PLACES:
        raise CollectionError(where, f"must be at most {MOST_PLACES}", "leave some out")
    out = []
    for i, one in enumerate(value):
        spot = f"{where}[{i}]"
        schema.refuse_unknown(one, _PLACE, spot)
        at = one.get("at")
        if not isinstance(at, list) or len(at) != 2:
            raise CollectionError(f"{spot}.at", "must be [latitude, longitude] in degrees")
        cell = lattice.cell(*(float(schema.score(x, f"{spot}.at")) for x in at))
        if cell is None:
            raise CollectionError(f"{spot}.at", "must lie on the map")
        out.append((cell, schema.texts(one.get("name"), f"{spot}.name", known)))
    return tuple(out)


def _under(error: SudareError, where: str) -> CollectionError:
    """Return an error about one of the question's fields."""
    fields = {"epsilon": "epsilon_per_metre", "epsilons": "elastic", "graph": "roads"}
    argument = fields.get(error.argument, error.argument)
    return CollectionError(f"{where}.{argument}", error.rule, error.remedy)
