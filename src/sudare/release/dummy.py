"""Made-up rows with the columns and types that a definition states: to write a program against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.exact import Entropy, as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.exact.uniform import uniform_one
from sudare.release.grid import Scale, exact
from sudare.release.kinds import Kind, as_time, kind_of, kind_of_time, ticks_of
from sudare.release.private_data import as_categories, as_unit
from sudare.release.types import TYPES

if TYPE_CHECKING:
    from sudare.release.definition import Definition

MOST_ROWS = 1_000_000
_YEAR = (date(2020, 1, 1), date(2020, 12, 31))
_BOUNDS: dict[str, tuple[Any, Any]] = {
    "whole": (0, 100),
    "number": (0.0, 1.0),
    "date": _YEAR,
    "datetime": (datetime.combine(_YEAR[0], time()), datetime.combine(_YEAR[1], time())),
    "time": (time(0), time(23, 59, 59)),
}
"""Between which a column is made up that has no bounds."""


def dummy(
    definition: Definition,
    rows: object = 1000,
    rng: Randomness = None,
    table: str | None = None,
) -> dict[str, list[Any]]:
    """Return made-up rows: columns and types are the definition's, values say nothing of the data.

    Numbers and times are even between the bounds, categories even, ids have as many rows as count.
    No data is read.

    Args:
        definition: that names the columns by ``columns``, ``bounds``, ``categories`` and ``unit``.
        rows: 1 to 1,000,000.
        rng: a seed, a NumPy generator or an ``Entropy``; None for the same ones each time.
        table: another of its tables; None for the first.

    Raises:
        WrongTypeError, DomainError: no such number or table, the definition names no column, or
            could not be used with any data.

    Examples:
        >>> from sudare.release import Definition
        >>> told = Definition.from_toml('''
        ... name = "scores"
        ... file = "scores.parquet"
        ... [budget]
        ... epsilon = 1
        ... [bounds]
        ... score = [0, 100]
        ... [categories]
        ... school = ["east", "west"]
        ... ''')
        >>> table = dummy(told, 3)
        >>> [type(one).__name__ for one in table["score"]], set(table["school"]) <= {"east", "west"}
        (['int', 'int', 'int'], True)
    """
    size = as_integer(rows, "rows", low=1, high=MOST_ROWS)
    _check(definition)
    source = as_entropy(Entropy.seeded(b"sudare dummy") if rng is None else rng)
    types = types_of(definition, table)
    if not types:
        remedy = 'such as [columns] score = "whole"'
        raise DomainError("columns", "must be named by the definition", remedy)
    key = key_of(definition, table)
    return {name: _column(definition, name, of, size, source, key) for name, of in types.items()}


def key_of(definition: Definition, table: str | None) -> str | None:
    """Return the column that says whose a row of a table is, if any."""
    own = None if table is None else definition.tables[table].person
    return own or (definition.options.get("unit") or [None])[0]


def types_of(definition: Definition, table: str | None = None) -> dict[str, str]:
    """Return the columns of a table that a definition names, with their types.

    Those of other tables are named by ``columns`` there; all that are left are of the first.

    Raises:
        DomainError: no such table.
    """
    found, first = _named(definition), key_of(definition, None)
    others = definition.tables
    if table is None:
        beside = {name for one in others.values() for name in (*one.columns, one.person)}
        return {name: of for name, of in found.items() if name == first or name not in beside}
    own = others[as_one_of(table, "table", sorted(others))]
    key = str(key_of(definition, table))
    types = {key: found.get(key, found.get(str(first), "text"))}
    return types | {name: found[name] for name in own.columns if name != key}


def check_named(definition: Definition) -> None:
    """Refuse a further table that names a column of which nothing says what it holds.

    Raises:
        DomainError: the column is named.
    """
    for table, one in definition.tables.items():
        known = [key_of(definition, table), *_said(definition)]
        for name in one.columns:
            if name not in known:
                rule = f"must be of a type that is said: {name} has none"
                remedy = f'such as [columns] {name} = "text"'
                raise DomainError(f"tables.{table}.columns", rule, remedy)


def _said(definition: Definition) -> list[str]:
    """Return the columns of all tables of which a definition says what they hold."""
    bounds = definition.options.get("bounds", {})
    return [*definition.categories, *bounds, *definition.columns]


def _named(definition: Definition) -> dict[str, str]:
    """Return each column that a definition names, with its type: as said, or as its bounds are."""
    found: dict[str, str] = {}
    unit = definition.options.get("unit")
    if unit:
        found[str(unit[0])] = "text"
    for name, categories in definition.categories.items():
        found[name] = _type_of(categories)
    grids = definition.options.get("grids", {})
    for name, bounds in definition.options.get("bounds", {}).items():
        found[name] = _type_of([*bounds, *([grids[name]] if name in grids else [])])
    return found | definition.columns


def check_columns(definition: Definition, tables: Mapping[str, Sequence[str]]) -> None:
    """Refuse data with other columns than the definition says of its further tables; names alone.

    Args:
        definition: that says so.
        tables: the columns of each table.

    Raises:
        DomainError: a column is not there, or is of another table.
    """
    for table, one in definition.tables.items():
        known = tables[table]
        for name in one.columns:
            as_one_of(name, f"tables.{table}.columns", known, remedy="correct the definition")
        own = {key_of(definition, table), *one.columns}
        for name in _said(definition):
            if name in known and name not in own:
                rule = f"must name {name}, which the table has"
                raise DomainError(f"tables.{table}.columns", rule, "add it")


def _check(definition: Definition) -> None:
    """Refuse what no data could be opened with, as opening does."""
    options = definition.options
    if (unit := options.get("unit")) is not None:
        as_unit(unit)
    for categories in definition.categories.values():
        as_categories(categories)
    grids = options.get("grids", {})
    for name, bounds in options.get("bounds", {}).items():
        low = bounds[0] if isinstance(bounds, list | tuple) and bounds else None
        kind = kind_of_time(low)
        said = definition.columns.get(name)
        if said not in (None, "text") and (TYPES[said] in _MAKERS) != (kind in _MAKERS):
            raise WrongTypeError(f"bounds.{name}", f"must be of the kind {said}", "as columns say")
        if said == "truth" or (said == "text" and kind not in _MAKERS):
            raise WrongTypeError(f"column {name}", "must be numbers", "bounds are for numbers")
        Scale.of(bounds, grids.get(name), None, f"bounds.{name}", _AMOUNTS.get(kind, exact))
        if kind in _MAKERS:
            ticks_of(kind, [as_time(kind, one, f"bounds.{name}") for one in bounds])


def _type_of(values: Sequence[Any]) -> str:
    """Return the type of bounds or categories."""
    if all(isinstance(one, str) for one in values):
        # dates in text are bounds of dates; the text of categories stays text
        return "text"
    kinds = {kind_of(type(one)) for one in values}
    if kinds == {"number"}:
        return "whole" if all(isinstance(one, int) for one in values) else "number"
    return next(iter(kinds & set(TYPES)), "number")


def _column(
    definition: Definition, name: str, of: str, size: int, rng: Entropy, key: str | None
) -> list[Any]:
    bounds = definition.options.get("bounds", {}).get(name)
    if name == key:
        most = int(definition.options["unit"][1])
        numbers = (i // most + 1 for i in range(size))
        return list(numbers) if of == "whole" else [f"person {one}" for one in numbers]
    categories = definition.categories.get(name)
    if categories is None and of in ("text", "truth") and bounds is None:
        categories = [True, False] if of == "truth" else [f"{name} {i}" for i in range(1, 11)]
    if categories is not None:
        if TYPES[of] in _MAKERS:
            categories = [as_time(TYPES[of], one, f"categories.{name}") for one in categories]
        return [categories[uniform_one(len(categories), rng)] for _ in range(size)]
    low, high = _BOUNDS.get(of, ("", "")) if bounds is None else bounds
    kind = kind_of_time(low) if isinstance(low, str) else TYPES[of]
    drawn = _MAKERS.get(kind, _number)(low, high, definition.options.get("grids", {}).get(name))
    return [drawn(rng, of) for _ in range(size)]


Draw = Callable[[Entropy, str], Any]


def _number(low: Any, high: Any, grid: Any) -> Draw:
    first, last = exact(low, "bounds"), exact(high, "bounds")

    def draw(rng: Entropy, of: str) -> Any:
        fine = Fraction(1) if of == "whole" else (last - first) / 10_000
        step = fine if grid is None else exact(grid, "grid")
        value = first + step * _upto(int((last - first) / step), rng)
        return int(value) if of == "whole" else float(value)

    return draw


def _time(kind: Kind) -> Callable[[Any, Any, Any], Draw]:
    def made(low: Any, high: Any, grid: Any) -> Draw:
        first, last = (as_time(kind, one, "bounds") for one in (low, high))
        if kind == "time":
            first, last = (datetime.combine(_YEAR[0], one) for one in (first, last))
        span = last - first
        parts = span.days if kind == "date" else int(span.total_seconds())

        def draw(rng: Entropy, of: str) -> Any:
            own = _upto(parts, rng)
            value = first + (timedelta(days=own) if kind == "date" else timedelta(seconds=own))
            value = value.time() if kind == "time" else value
            return value.isoformat() if of == "text" else value

        return draw

    return made


def _upto(most: int, rng: Entropy) -> int:
    return uniform_one(min(most, (1 << 31) - 1) + 1, rng)


def _seconds(kind: Kind) -> Callable[[object, str], Fraction]:
    def amount(value: object, where: str) -> Fraction:
        (ticks,), unit = ticks_of(kind, [as_time(kind, value, where)])
        return ticks * unit

    return amount


_AMOUNTS = {kind: _seconds(kind) for kind in ("date", "datetime", "time")}
_MAKERS: Mapping[Kind, Callable[[Any, Any, Any], Draw]] = {
    "date": _time("date"),
    "datetime": _time("datetime"),
    "time": _time("time"),
}
