"""A file of shapes: GeoJSON in degrees, read within limits, and named by its digest."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, SudareError, WrongTypeError
from sudare.exact.parameters import is_list

MOST_BYTES = 64 << 20
"""Of a file, unpacked."""

MOST_POINTS = 2_000_000

DEGREES = ("CRS84", "4326", "4979", "6668", "4612", "6697")
"""What the names of systems end in whose degrees are those of WGS84 within two metres."""

CONVERT = "ogr2ogr -t_srs EPSG:4326 out.geojson in"
_CONVERTED = f"convert it: {CONVERT}"
_KINDS = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
_MOST_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Feature:
    """Something on the earth with its properties. Points are left out: they cover no surface.

    Attributes:
        properties: what the file says of it.
        lines: (m, 2) longitudes and latitudes of each.
        polygons: the rings of each, first its border, then its holes; each (m + 1, 2), the last
            point the first.
    """

    properties: Mapping[str, Any]
    lines: tuple[Floats, ...]
    polygons: tuple[tuple[Floats, ...], ...]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The features of a file, or of an object.

    Attributes:
        name: of the file; empty for an object.
        digest: SHA-256 of the file as it is, in hexadecimal; empty for an object.
        features: in their order.
    """

    name: str
    digest: str
    features: tuple[Feature, ...]

    @property
    def argument(self) -> str:
        """What an error calls it."""
        return "file" if self.name else "geojson"


def read_shapes(path: str | Path) -> Shapes:
    """Return the features of a GeoJSON file, ``.gz`` too.

    Whoever takes a file of shapes reads it here, so that it is refused everywhere or nowhere.

    Raises:
        DomainError, WrongTypeError: no such file; one that is too large, no GeoJSON, not in degrees
            of WGS84 (JGD2011 and JGD2000 are taken for it), or with open rings.
    """
    file = Path(path)
    raw = read_file(file)
    reader = _Reader(file.name)
    features = tuple(reader.features(_json(raw, file)))
    if reader.points > MOST_POINTS:
        remedy = "simplify it: npx mapshaper in.geojson -simplify 10% -o out.geojson"
        raise DomainError("file", f"must have at most {MOST_POINTS:,} points", remedy)
    return Shapes(file.name, hashlib.sha256(raw).hexdigest(), features)


def shapes_of(geojson: object) -> Shapes:
    """Return the features of GeoJSON data as ``json.load`` gives it, or of what has a
    ``__geo_interface__``.

    Raises:
        DomainError, WrongTypeError: as :func:`read_shapes`.
    """
    return Shapes("", "", tuple(_Reader().features(geojson)))


def read_file(file: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        DomainError: no such file, or one that is too large.
    """
    try:
        raw = read_at_most(file, MOST_BYTES + 1)
    except (OSError, ValueError):
        raise DomainError("file", "cannot be read", "check its name", got=file.name) from None
    if len(raw) > MOST_BYTES:
        raise _too_large(file)
    return raw


def read_at_most(path: Path, most: int) -> bytes:
    """Return so many bytes of a regular file at most, whatever it says of its size.

    Raises:
        OSError, ValueError: no such file, or no regular one.
    """
    if not path.is_file():  # a device or a pipe may never end
        raise FileNotFoundError(path.name)
    with path.open("rb") as stream:
        return stream.read(most)


def _json(raw: bytes, file: Path) -> Any:
    if raw.startswith(b"PMTiles"):
        remedy = f"convert a layer of it: {CONVERT}.pmtiles LAYER"
        raise DomainError("file", "must be GeoJSON and not PMTiles", remedy, got=file.name)
    try:
        plain = raw
        if raw[:2] == b"\x1f\x8b":
            plain = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(MOST_BYTES + 1)
        if len(plain) > MOST_BYTES:
            raise _too_large(file)
        data = json.loads(plain.decode("utf-8-sig"))
    except DomainError:
        raise
    except (OSError, EOFError, ValueError, RecursionError):
        raise DomainError("file", "must be GeoJSON", _CONVERTED, got=file.name) from None
    return data


def _in_degrees(crs: Any) -> bool:
    """Tell whether a system is degrees of WGS84: one of GeoJSON of 2008, or of a data frame.

    None is that: GeoJSON of today (RFC 7946) knows no other.
    """
    if crs is None:
        return True
    if isinstance(crs, Mapping):
        own = crs.get("properties")
        name = own.get("name", own.get("code")) if isinstance(own, Mapping) else None
        names: list[object] = [name] if isinstance(name, str | int) else []
    else:
        names = [crs, crs.to_epsg() if hasattr(crs, "to_epsg") else None]
    return any(str(name).replace("/", ":").split(":")[-1] in DEGREES for name in names)


class _Reader:
    """Walks through GeoJSON data and checks all of it."""

    def __init__(self, name: str = "") -> None:
        self.name, self.points, self._rings = name, 0, 0

    def features(
        self, data: Any, properties: Mapping[str, Any] | None = None, depth: int = 0
    ) -> Iterator[Feature]:
        """Yield each feature; a geometry outside of one is a feature without properties."""
        self._check_system(data)
        data = getattr(data, "__geo_interface__", data)
        self._check_system(data)
        kind = data.get("type") if isinstance(data, Mapping) and depth < _MOST_DEPTH else None
        if kind == "FeatureCollection":
            for part in self._listed(data.get("features"), "features"):
                yield from self.features(part, None, depth + 1)
        elif kind == "Feature":
            own = data.get("properties")
            if data.get("geometry") is not None:
                named = own if isinstance(own, Mapping) else {}
                yield from self.features(data["geometry"], named, depth + 1)
        elif kind == "GeometryCollection":
            parts = [
                one
                for part in self._listed(data.get("geometries"), "geometries")
                for one in self.features(part, None, depth + 1)
            ]
            lines = tuple(line for one in parts for line in one.lines)
            yield Feature(
                properties or {}, lines, tuple(own for one in parts for own in one.polygons)
            )
        elif kind in _KINDS:
            yield Feature(properties or {}, *self._parts(kind, data.get("coordinates")))
        elif kind == "Topology":
            remedy = "convert it: npx mapshaper in.json -o format=geojson out.geojson"
            raise self._error("must be GeoJSON and not TopoJSON", remedy)
        else:
            raise self._error("must be GeoJSON", cls=DomainError if kind else WrongTypeError)

    def _parts(
        self, kind: str, own: Any
    ) -> tuple[tuple[Floats, ...], tuple[tuple[Floats, ...], ...]]:
        """Return the lines and the polygons of a geometry."""
        own = self._listed(own)
        if kind in ("Point", "MultiPoint"):
            self._degrees([own] if own and kind == "Point" else own)
            return (), ()
        if kind in ("LineString", "MultiLineString"):
            lines = [own] if kind == "LineString" else own
            return tuple(map(self._degrees, lines)), ()
        polygons = [own] if kind == "Polygon" else own
        rings = (tuple(map(self._ring, self._listed(polygon))) for polygon in polygons)
        return (), tuple(filter(None, rings))  # RFC 7946 lets a geometry be empty

    def _ring(self, points: Any) -> Floats:
        array = self._degrees(points)
        self._rings += 1
        place = f"mend ring {self._rings}"
        if len(array) < 4:
            raise self._error("must have rings of at least 4 points", place)
        if (array[0] != array[-1]).any():
            raise self._error("must have closed rings", f"{place}: its first point comes last too")
        return array

    def _degrees(self, points: Any) -> Floats:
        """Return (m, 2) longitudes and latitudes."""
        try:
            array = np.array([(_number(x), _number(y)) for x, y, *_ in points]).reshape(-1, 2)
        except (TypeError, ValueError, OverflowError):
            raise self._error("must have lists of coordinates", cls=WrongTypeError) from None
        self.points += len(array)
        if not (np.abs(array) <= (180.0, 90.0)).all():  # NaN fails too
            swapped = (np.abs(array) <= (90.0, 180.0)).all()
            raise self._elsewhere("put the longitude before the latitude, or " if swapped else "")
        return array

    def _listed(self, value: Any, what: str = "coordinates") -> Any:
        if not is_list(value):
            raise self._error(f"must have lists of {what}", cls=WrongTypeError)
        return value

    def _check_system(self, data: Any) -> None:
        """Refuse another system than degrees of WGS84, wherever it is named."""
        named = data.get("crs") if isinstance(data, Mapping) else None
        if not _in_degrees(named):
            raise self._elsewhere()
        if hasattr(data, "__geo_interface__") and not _in_degrees(getattr(data, "crs", None)):
            raise self._elsewhere('call .to_crs("EPSG:4326"), or ')

    def _elsewhere(self, remedy: str = "") -> SudareError:
        rule = "must be in longitudes and latitudes of WGS84"
        return self._error(rule, remedy + _CONVERTED)

    def _error(
        self, rule: str, remedy: str = _CONVERTED, cls: type[SudareError] = DomainError
    ) -> SudareError:
        if self.name:
            return cls("file", rule, remedy, got=self.name)
        return cls("geojson", rule, remedy)


def _number(value: Any) -> float:
    if isinstance(value, bool | str | bytes):
        raise TypeError
    return float(value)


def drawn(shapes: Shapes) -> Iterator[tuple[Floats, bool]]:
    """Yield each ring and each line, (m, 2), and whether it is a ring."""
    for one in shapes.features:
        yield from ((ring, True) for rings in one.polygons for ring in rings)
        yield from ((line, False) for line in one.lines)


def _too_large(file: Path) -> DomainError:
    return DomainError(
        "file",
        f"must be at most {MOST_BYTES >> 20} MiB",
        "cut it to the map: ogr2ogr -clipsrc WEST SOUTH EAST NORTH out.geojson in.geojson",
        got=file.name,
    )
