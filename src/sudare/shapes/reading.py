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
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_list

MOST_BYTES = 64 << 20
"""Of a file, unpacked."""

MOST_POINTS = 2_000_000

DEGREES = ("CRS84", "4326", "4979", "6668", "4612", "6697")
"""What the names of systems end in whose degrees are those of WGS84 within two metres."""

CONVERT = "ogr2ogr -t_srs EPSG:4326 out.geojson in"
_CONVERTED = f"convert it: {CONVERT}"
_KINDS = ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"]
_MOST_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Shapes:
    """The features of a file.

    Attributes:
        name: of the file.
        digest: SHA-256 of the file as it is, in hexadecimal.
        features: properties and geometry of each.
    """

    name: str
    digest: str
    features: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...]


def read_shapes(path: str | Path) -> Shapes:
    """Return the features of a GeoJSON file, ``.gz`` too.

    Raises:
        DomainError, WrongTypeError: no such file; one that is too large, no GeoJSON, or not in
            degrees of WGS84 (JGD2011 and JGD2000 are taken for it).
    """
    file = Path(path)
    raw = read_file(file)
    return Shapes(
        file.name, hashlib.sha256(raw).hexdigest(), tuple(_features(_json(raw, file), file, 0))
    )


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
    if isinstance(data, dict) and data.get("type") == "Topology":
        remedy = "convert it: npx mapshaper in.json -o format=geojson out.geojson"
        raise DomainError("file", "must be GeoJSON and not TopoJSON", remedy, got=file.name)
    if isinstance(data, dict) and not _in_degrees(data.get("crs")):
        raise _elsewhere(file)
    return data


def _in_degrees(crs: Any) -> bool:
    """Tell whether an old-style ``crs`` names degrees of WGS84; none is that by RFC 7946."""
    if crs is None:
        return True
    own = crs.get("properties") if isinstance(crs, dict) else None
    named = own.get("name") if isinstance(own, dict) else None
    return isinstance(named, str) and named.replace("/", ":").split(":")[-1] in DEGREES


def _features(
    data: Any, file: Path, depth: int
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    kind = data.get("type") if isinstance(data, dict) else None
    parts = data.get("features") if kind == "FeatureCollection" else None
    if is_list(parts) and depth < _MOST_DEPTH:
        for part in parts:
            yield from _features(part, file, depth + 1)
    elif kind == "Feature":
        geometry, properties = data.get("geometry"), data.get("properties")
        if geometry is not None:
            yield properties if isinstance(properties, dict) else {}, geometry
    elif kind in (*_KINDS, "GeometryCollection"):
        yield {}, data
    else:
        raise DomainError("file", "must be GeoJSON", _CONVERTED, got=file.name)


def drawn(shapes: Shapes) -> Iterator[tuple[Floats, bool]]:
    """Yield each ring and each line as (m, 2) longitudes and latitudes, and whether it is a ring.

    Points are left out.

    Raises:
        DomainError: a geometry that is none of GeoJSON's, coordinates that are no degrees, or too
            many of them.
    """
    count = 0
    for _, geometry in shapes.features:
        for points, ring in _lines(geometry, shapes.name, 0):
            count += len(points)
            if count > MOST_POINTS:
                remedy = "simplify it: npx mapshaper in.geojson -simplify 10% -o out.geojson"
                raise DomainError("file", f"must have at most {MOST_POINTS:,} points", remedy)
            yield points, ring


def _lines(geometry: Any, name: str, depth: int) -> Iterator[tuple[Floats, bool]]:
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    own = geometry.get("coordinates") if isinstance(geometry, dict) else None
    if kind == "GeometryCollection" and depth < _MOST_DEPTH:
        for part in _listed(geometry.get("geometries"), name):
            yield from _lines(part, name, depth + 1)
    elif kind not in _KINDS:
        raise DomainError("file", "must be GeoJSON", _CONVERTED, got=name)
    elif kind == "LineString":
        yield degrees(own, name), False
    elif kind == "MultiLineString":
        yield from ((degrees(line, name), False) for line in _listed(own, name))
    elif kind in ("Polygon", "MultiPolygon"):
        for polygon in _listed(own, name) if kind == "MultiPolygon" else [own]:
            yield from ((degrees(ring, name), True) for ring in _listed(polygon, name))


def _listed(value: Any, name: str) -> Any:
    if not is_list(value):
        raise WrongTypeError("file", "must have lists of coordinates", _CONVERTED, got=name)
    return value


def degrees(points: Any, name: str) -> Floats:
    """Return (m, 2) longitudes and latitudes.

    Raises:
        WrongTypeError, DomainError: something else, or metres of some projection.
    """
    try:
        array = np.array([(float(x), float(y)) for x, y, *_ in points]).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):
        raise WrongTypeError("file", "must have lists of coordinates", _CONVERTED, got=name) from (
            None
        )
    if not (np.abs(array) <= (180.0, 90.0)).all():  # NaN fails too
        raise _elsewhere(Path(name))
    return array


def _too_large(file: Path) -> DomainError:
    return DomainError(
        "file",
        f"must be at most {MOST_BYTES >> 20} MiB",
        "cut it to the map: ogr2ogr -clipsrc WEST SOUTH EAST NORTH out.geojson in.geojson",
        got=file.name,
    )


def _elsewhere(file: Path) -> DomainError:
    return DomainError(
        "file", "must be in longitudes and latitudes of WGS84", _CONVERTED, got=file.name
    )
