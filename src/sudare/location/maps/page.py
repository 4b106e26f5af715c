"""A map as one HTML file: layers to choose from, values by pointer and keyboard, tables."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_list
from sudare.location.globe import degrees
from sudare.location.land import SURROUNDINGS, surroundings
from sudare.location.maps import words
from sudare.location.maps.colours import STOPS, Scale, png, rgba
from sudare.location.maps.layer import Layer, as_numbers, checked, number
from sudare.location.maps.shore import runs, shore
from sudare.mechanisms.place.grid import Grid, as_mask
from sudare.page import standalone_page
from sudare.shapes.outline import Outline
from sudare.words import Language, Text, Words, check_language, say

Mask = npt.NDArray[np.bool_]
Drawn = tuple[Layer, Floats, Scale]

_LONG = 1000
"""Units of the longer side of a map."""


def map_page(
    grid: Grid,
    layers: Sequence[Layer],
    *,
    title: Words,
    mask: npt.ArrayLike | None = None,
    facts: Mapping[Words, Words] | None = None,
    notes: Sequence[Words] = (),
    credits: Sequence[Words] = (),
    base: Outline | None = None,
    names: Mapping[int, str] | None = None,
    language: Language = "en",
) -> str:
    """Return a page that shows numbers of cells on a map; it loads nothing and works offline.

    Args:
        grid: the map; with an origin a cell's place is told in degrees.
        layers: what to show, the first one at first.
        title: of the page.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None: everywhere.
        facts: name to value, above the map.
        notes: sentences that a reader should know.
        credits: of the data.
        base: outlines to draw upon the cells.
        names: of cells, beside their rows and columns.
        language: of the page: ``"en"`` or ``"ja"``.

    Returns:
        the text of an HTML file. Without JavaScript all layers are shown below one another.

    Raises:
        WrongTypeError, DomainError: no layers, or ones that do not fit the grid; no such mask,
            language or text.

    Examples:
        >>> page = map_page(Grid(2, 2, 100, 100), [Layer("people", [1, 2, 3, 4])], title="Town")
        >>> "<h1>Town</h1>" in page, "https://" in page
        (True, False)
    """
    if not is_list(layers) or not len(layers):
        raise DomainError("layers", "must be at least one", "such as [Layer(title, values)]")
    told = {} if facts is None else facts
    for argument, texts in (("notes", notes), ("credits", credits)):
        if not is_list(texts):
            raise WrongTypeError(argument, "must be a list of texts")
    if not isinstance(told, Mapping):
        raise WrongTypeError("facts", "must be names and values", 'such as {"ε": "0.002"}')
    for text in (title, *told.keys(), *told.values(), *notes, *credits):
        if not isinstance(text, str | Text):
            raise WrongTypeError("title", "and facts, notes and credits must be text")
    as_numbers(grid, getattr(layers[0], "values", None))
    tongue = check_language(language)
    land = as_mask(mask, grid.cells, grid)
    drawn = [checked(grid, layer, land) for layer in layers]
    frame = _Frame(grid, land, tongue, base, names or {})
    body = [
        *frame.head(say(title, tongue), told, notes),
        *frame.maps(drawn),
        *frame.tables(drawn),
        *frame.foot(credits),
        f'<script type="application/json" id="data">{frame.data(drawn)}</script>',
    ]
    here = files("sudare.location.maps")
    return standalone_page(
        body,
        title=say(title, tongue),
        language=tongue,
        style=here.joinpath("map.css").read_text(encoding="utf-8")
        + f".bar {{ background: linear-gradient(to right, {', '.join(STOPS)}); }}\n",
        script=here.joinpath("map.js").read_text(encoding="utf-8"),
    )


class _Frame:
    """What all parts of a page know: the grid, its land, the language."""

    def __init__(
        self,
        grid: Grid,
        land: Mask,
        language: Language,
        base: Outline | None,
        names: Mapping[int, str],
    ) -> None:
        self.base = base
        self.names = names
        self.grid = grid
        self.land = land
        self.language = language
        self.around = surroundings(grid, land)
        tall, wide = grid.rows * grid.cell_height, grid.columns * grid.cell_width
        self.height = _LONG * grid.cell_height / max(tall, wide)
        self.width = _LONG * grid.cell_width / max(tall, wide)

    def say(self, text: Words) -> str:
        return escape(say(text, self.language))

    def head(
        self, title: str, facts: Mapping[Words, Words], notes: Sequence[Words]
    ) -> Iterator[str]:
        yield f"<header><h1>{escape(title)}</h1></header>"
        yield "<main>"
        for note in notes:
            yield f'<p class="note">{self.say(note)}</p>'
        if facts:
            yield f'<section><h2>{self.say(words.GLANCE)}</h2><dl class="facts">'
            for name, value in facts.items():
                yield f"<div><dt>{self.say(name)}</dt><dd>{self.say(value)}</dd></div>"
            yield "</dl></section>"

    def maps(self, drawn: Sequence[Drawn]) -> Iterator[str]:
        wide = f"{self.grid.columns * self.width:.6g}"
        tall = f"{self.grid.rows * self.height:.6g}"
        yield f"<section><h2>{self.say(words.MAP)}</h2>"
        yield _DEFINITIONS
        yield '<p class="chooser script hidden">'
        yield f'<label for="layer">{self.say(words.LAYER)}</label><select id="layer">'
        yield from (f"<option>{self.say(layer.title)}</option>" for layer, _, _ in drawn)
        yield "</select></p>"
        yield f'<noscript><p id="no-script">{self.say(words.SCRIPT)}</p></noscript>'
        yield f'<p id="help" class="script hidden">{self.say(words.HELP)}</p>'
        sea = runs(~self.land.reshape(self.grid.shape), self.width, self.height)
        coast = shore(self.land.reshape(self.grid.shape), self.width, self.height)
        for i, (layer, numbers, scale) in enumerate(drawn):
            name = self.say(layer.title)
            yield f'<figure data-layer="{i}"><figcaption id="name-{i}">{name}</figcaption>'
            yield (
                f'<svg class="map" viewBox="0 0 {wide} {tall}" role="img" tabindex="0" '
                f'aria-labelledby="name-{i}" aria-describedby="help">'
            )
            yield f'<rect class="ground" width="{wide}" height="{tall}"/>'
            picture = png(rgba(scale.place(numbers)).reshape(*self.grid.shape, 4))
            yield (
                f'<image width="{wide}" height="{tall}" preserveAspectRatio="none" '
                f'href="data:image/png;base64,{base64.b64encode(picture).decode()}"/>'
            )
            yield f'<path class="sea" d="{sea}"/><path class="shore" d="{coast}"/>'
            if self.base is not None:
                box = f'viewBox="0 0 {self.base.width} {self.base.height}"'
                yield f'<svg class="base" {box} width="{wide}" height="{tall}" '
                yield f'preserveAspectRatio="none"><path d="{self.base.shapes}"/>'
                yield f'<path d="{self.base.lines}"/></svg>'
            for mark in layer.marks:
                row, column = divmod(mark, self.grid.columns)
                x, y = (column + 0.5) * self.width, (row + 0.5) * self.height
                radius = max(self.width, self.height, 12)
                yield f'<circle class="mark" cx="{x:.6g}" cy="{y:.6g}" r="{radius:.4g}"/>'
            box = f'width="{self.width:.6g}" height="{self.height:.6g}"'
            yield f'<rect class="cursor off" {box}/><rect class="cursor off" {box}/></svg>'
            yield from self._legend(layer, numbers, scale)
            yield "</figure>"
        yield '<p id="reading" class="reading script hidden"></p></section>'

    def _legend(self, layer: Layer, numbers: Floats, scale: Scale) -> Iterator[str]:
        unit = say(layer.unit, self.language)
        low, middle, high = (escape(f"{number(t)} {unit}".strip()) for t in scale.ticks())
        yield f'<div class="legend" role="group" aria-label="{self.say(words.LEGEND)}">'
        yield f'<span class="bar"></span><span>{low}</span><span>{middle}</span>'
        yield f"<span>{high}</span></div>"
        keys = []
        if not self.land.all():
            keys.append((_swatch('<rect class="sea" width="20" height="14"/>'), words.SEA))
        if np.isnan(numbers[self.land]).any():
            keys.append((_swatch('<rect class="ground" width="20" height="14"/>'), words.NONE))
        if layer.marks:
            circle = '<circle class="mark" cx="10" cy="7" r="5"/>'
            keys.append((_swatch(circle), words.MARKED))
        if keys:
            yield '<ul class="keys">'
            yield from (f"<li>{picture} {self.say(text)}</li>" for picture, text in keys)
            yield "</ul>"

    def tables(self, drawn: Sequence[Drawn]) -> Iterator[str]:
        say_ = self.say
        yield f'<section><h2 id="figures">{say_(words.FIGURES)}</h2>'
        yield '<div class="wide" role="region" tabindex="0" aria-labelledby="figures"><table>'
        yield f"<caption>{say_(words.TABLE)}</caption><thead><tr>"
        yield f'<th scope="col">{say_(words.LAYER)}</th>'
        for head in (words.LOWEST, words.MEAN, words.HIGHEST):
            yield f'<th scope="col" class="number">{say_(head)}</th>'
        yield f'<th scope="col">{say_(words.WHERE)}</th></tr></thead><tbody>'
        for layer, numbers, _ in drawn:
            known = numbers[~np.isnan(numbers)]
            unit = say(layer.unit, self.language)
            title = say_(layer.title) + (f" ({escape(unit)})" if unit else "")
            yield f'<tr><th scope="row">{title}</th>'
            for found in (known.min(), known.mean(), known.max()) if known.size else [np.nan] * 3:
                yield f'<td class="number">{number(float(found))}</td>'
            where = self._place(int(np.nanargmax(numbers))) if known.size else "–"
            yield f"<td>{where}</td></tr>"
        yield "</tbody></table></div>"
        yield f'<div class="script hidden"><h3 id="cells">{say_(words.CELLS)}</h3>'
        yield '<div class="wide cells" role="region" tabindex="0" aria-labelledby="cells">'
        yield '<table><thead><tr><th scope="col" id="cells-value"></th>'
        yield f'<th scope="col">{say_(words.CELL)}</th></tr></thead>'
        yield '<tbody id="cells-body"></tbody></table></div>'
        yield f'<p class="chooser"><button id="earlier">{say_(words.EARLIER)}</button>'
        yield '<span id="cells-where" role="status"></span>'
        yield f'<button id="later">{say_(words.LATER)}</button></p></div></section>'

    def _place(self, cell: int) -> str:
        row, column = divmod(cell, self.grid.columns)
        around = self.say(words.SURROUNDINGS[self.around[cell]])
        named = f", {escape(self.names[cell])}" if cell in self.names else ""
        return (
            f"{self.say(words.CELL)} {cell} ({self.say(words.ROW)} {row}, "
            f"{self.say(words.COLUMN)} {column}){named}, {around}"
        )

    def foot(self, credits: Sequence[Words]) -> Iterator[str]:
        if credits:
            yield f"<section><h2>{self.say(words.DATA)}</h2><ul>"
            yield from (f"<li>{self.say(credit)}</li>" for credit in credits)
            yield "</ul></section>"
        yield "</main>"

    def data(self, drawn: Sequence[Drawn]) -> str:
        """Return what the script needs as JSON that cannot end its element."""
        borders: dict[str, float] | None = None
        if self.grid.origin is not None:
            found = degrees(self.grid)
            _, west, north, _ = found.bounds
            borders = {"north": north, "west": west, "height": found.height, "width": found.width}
        kinds = {kind: i for i, kind in enumerate(SURROUNDINGS)}
        data: dict[str, Any] = {
            "rows": self.grid.rows,
            "columns": self.grid.columns,
            "height": self.height,
            "width": self.width,
            "borders": borders,
            "kinds": "".join(str(kinds[kind]) for kind in self.around),
            "names": {str(cell): name for cell, name in self.names.items()},
            "words": {
                "cell": say(words.CELL, self.language),
                "row": say(words.ROW, self.language),
                "column": say(words.COLUMN, self.language),
                "kinds": [say(words.SURROUNDINGS[kind], self.language) for kind in SURROUNDINGS],
            },
            "layers": [
                {
                    "title": say(layer.title, self.language),
                    "unit": say(layer.unit, self.language),
                    "values": [None if np.isnan(x) else float(f"{x:.4g}") for x in numbers],
                }
                for layer, numbers, _ in drawn
            ],
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return text.replace("<", "\\u003c")


_DEFINITIONS = (
    '<svg class="defs" aria-hidden="true"><defs>'
    '<pattern id="hatch" width="14" height="14" patternUnits="userSpaceOnUse">'
    '<rect class="hatch-ground" width="14" height="14"/>'
    '<path class="hatching" d="M-2 16L16 -2" stroke-width="1.5"/></pattern></defs></svg>'
)


def _swatch(shape: str) -> str:
    return f'<svg viewBox="0 0 20 14" aria-hidden="true">{shape}</svg>'
