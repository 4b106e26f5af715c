"""Which mechanism made a file of reports, and what its categories are called."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from sudare.collection.canonical import fingerprint
from sudare.errors import DomainError, ReportError, SudareError
from sudare.files.places import STANDARD, Where, existing, kind_of
from sudare.files.replacing import replacing
from sudare.manifest import digest_of, sidecar, sidecars, write_manifest
from sudare.mechanisms import FrequencyOracle, JointRR, Mechanism, from_json

T = TypeVar("T")

METADATA = b"sudare"
"""The key of the manifest in a Parquet or Arrow file's own metadata."""

FINGERPRINT = b"sudare-fingerprint"
"""The key of the SHA-256 of its mechanism's canonical JSON."""

SUBMISSIONS = b"sudare-collection"
"""The key of the compiled collection, as JSON, in a file of whole submissions."""


@dataclass(frozen=True)
class ReportsManifest:
    """A mechanism and the names of its categories, if it has some."""

    mechanism: Mechanism
    categories: tuple[str, ...]


def read_manifests(paths: Sequence[Where]) -> ReportsManifest:
    """Return what the manifests of all files say; they must say the same.

    A file's manifest stands beside it, or in the metadata of a Parquet file.

    Raises:
        ReportError: a file without a manifest, one that is broken, or two that differ.
        DomainError: no such file.
    """
    return _common(paths, lambda path: described_by(_manifest(path, "mechanism="), path))


def _common(paths: Sequence[Where], described: Callable[[Where], T]) -> T:
    """Return what all manifests say; ReportError where two differ."""
    return common(paths, [described(path) for path in paths])


def common(paths: Sequence[Where], found: Sequence[T]) -> T:
    """Return what the manifests of some files say.

    Raises:
        ReportError: two of them differ.
    """
    for path, other in zip(paths, found, strict=True):
        if other != found[0]:
            raise ReportError(
                "reports",
                "must all be of one mechanism and the same categories",
                f"{path} differs from {paths[0]}: estimate each on its own",
            )
    return found[0]


Columns: TypeAlias = tuple[JointRR, tuple[str, ...], tuple[tuple[str, ...], ...]]
"""Mechanism, columns, and the categories of each."""


def read_column_manifest(path: Where, *others: Where) -> Columns:
    """Return mechanism, columns and their categories of files of several randomised columns.

    Raises:
        ReportError: no manifest, one of another kind, or two that differ.
        DomainError: no such file.
    """
    return _common([path, *others], _columns)


def _columns(path: Where) -> Columns:
    text = _manifest(path, "mechanism= and columns=")
    try:
        parameters = json.loads(text)["parameters"]
        mechanism = from_json(parameters["mechanism"], JointRR)
        columns = tuple(map(str, parameters["columns"]))
        categories = tuple(tuple(map(str, some)) for some in parameters["categories"])
        if len(columns) != len(mechanism.sizes) or tuple(map(len, categories)) != mechanism.sizes:
            raise ValueError
    except (SudareError, ValueError, LookupError, TypeError, RecursionError):
        rule = f"of {path} is not one of several columns"
        raise ReportError("manifest", rule, "estimate a single column by read_reports") from None
    return mechanism, columns, categories


def manifested(path: Path) -> tuple[Path, ...]:
    """Return the files that a table is written to: with a manifest, unless it has that within."""
    return (path,) if kind_of(path) == ".parquet" else (path, sidecar(path))


@contextmanager
def replacing_manifested(path: Path, argument: str = "path") -> Iterator[list[Path]]:
    """Yield temporary paths of :func:`manifested`, as :func:`~sudare.files.replacing` does.

    What an earlier version has put beside the file is removed: it would speak for this one.
    """
    files = manifested(path)
    with replacing(*files, argument=argument) as parts:
        yield parts
    for other in set(sidecars(path)).difference(files):
        other.unlink(missing_ok=True)


def write_beside(
    files: Sequence[Path], command: str, parameters: Mapping[str, Any], entropy: str
) -> None:
    """Write the manifest of a file, of :func:`replacing_manifested`, that has it not within.

    The file is whole by now: its digest tells a manifest that was left beside another one.
    """
    table, *beside = files
    for place in beside:
        write_manifest(place, command, parameters, entropy, {"sha256": digest_of(table)})


def has_manifest(path: Where) -> bool:
    """Tell whether a file exists and something says which mechanism made it."""
    if path != STANDARD and not Path(path).is_file():
        return False
    file = existing(path)
    return _beside(file) is not None or METADATA in metadata(file)


@dataclass(frozen=True)
class Stated:
    """What a source says of its reports.

    Attributes:
        mechanism: that made them, of any family; None where nothing says it.
        collection: compiled, the one whose submissions they are; None likewise.
        text: the manifest that says so.
        fingerprint: of the mechanism, which may stand there without it.
        categories: what those of one answer are called; None where nothing says it.
    """

    mechanism: Mechanism | None = None
    collection: Mapping[str, Any] | None = None
    text: bytes | None = None
    fingerprint: str | None = None
    categories: tuple[str, ...] | None = None

    @classmethod
    def of(cls, metadata: Mapping[bytes, bytes], name: str, beside: bytes | None = None) -> Stated:
        """Read the metadata of a table, and the manifest beside its file.

        Args:
            metadata: of the schema.
            name: of the source, for messages.
            beside: the manifest; None where none stands there.

        Raises:
            ReportError: the manifest or the collection is broken, or the fingerprint is of another
                mechanism than the manifest's.
        """
        collection = None
        if SUBMISSIONS in metadata:
            try:
                collection = json.loads(metadata[SUBMISSIONS])
                collection["fingerprint"]
            except (ValueError, LookupError, TypeError, RecursionError):
                rule = f"of {name} must be a compiled one"
                raise ReportError("collection", rule, "write the submissions anew") from None
        of = metadata.get(FINGERPRINT)
        stated = None if of is None else of.decode("ascii", "replace")
        text = metadata.get(METADATA) if beside is None else beside
        if text is None:
            return cls(None, collection, fingerprint=stated)
        try:
            parameters = json.loads(text)["parameters"]
            data = parameters["mechanism"]
            mechanism: Mechanism = from_json(data, Mechanism)
        except SudareError as error:
            raise ReportError("manifest", f"of {name} is not valid ({error})") from None
        except (ValueError, LookupError, TypeError, RecursionError):
            raise ReportError("manifest", f"of {name} is not one of reports") from None
        if stated not in (None, fingerprint(data)):
            raise ReportError("manifest", f"of {name} has another mechanism than its fingerprint")
        named = parameters.get("categories")
        if not isinstance(named, list) or not isinstance(mechanism, FrequencyOracle):
            return cls(mechanism, collection, text, stated)
        fits = len(named) == mechanism.k and all(isinstance(one, str) for one in named)
        return cls(mechanism, collection, text, stated, tuple(named) if fits else None)

    def is_of(self, mechanism: Mechanism) -> bool:
        """Tell whether reports of a mechanism agree with manifest and fingerprint, if any."""
        if self.mechanism is not None:
            return self.mechanism == mechanism
        return self.fingerprint in (None, fingerprint(mechanism.to_json()))


def common_categories(stated: Iterable[tuple[Stated, str]]) -> tuple[str, ...] | None:
    """Return what the parts of a source call the categories; None where none says it.

    Raises:
        ReportError: two of them differ.
    """
    each = [(name, one.categories) for one, name in stated if one.categories is not None]
    return common([name for name, _ in each], [one for _, one in each]) if each else None


def stated_in_file(path: Where) -> Stated:
    """Return what a file's metadata and the manifest beside it say of its reports.

    Raises:
        ReportError: as :meth:`Stated.of`.
        DomainError: no such file, or a broken one.
    """
    file = existing(path)
    return Stated.of(metadata(file), str(path), _checked(file))


def described_by(text: str | bytes | None, path: Where) -> ReportsManifest:
    """Return what the manifest of a file says.

    Raises:
        ReportError: it is missing or broken, or one of several columns.
    """
    if text is None:
        raise _missing(path, "mechanism=")
    try:
        parameters = json.loads(text)["parameters"]
        if "columns" in parameters:
            remedy = "estimate them by read_report_rows"
            raise ReportError("reports", f"of {path} have several columns", remedy)
        mechanism: Mechanism = from_json(parameters["mechanism"], Mechanism)
        is_oracle = isinstance(mechanism, FrequencyOracle)
        categories = parameters["categories"] if is_oracle else parameters.get("categories", [])
        if not (isinstance(categories, list) and all(isinstance(c, str) for c in categories)):
            raise TypeError
        if isinstance(mechanism, FrequencyOracle) and len(categories) != mechanism.k:
            raise ValueError
    except ReportError:
        raise
    except SudareError as error:
        raise ReportError("manifest", f"of {path} is not valid ({error})") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ReportError("manifest", f"of {path} is not one of reports") from None
    return ReportsManifest(mechanism, tuple(categories))


def _manifest(path: Where, otherwise: str) -> str | bytes:
    text = _text(path)
    if text is None:
        raise _missing(path, otherwise)
    return text


def _missing(path: Where, otherwise: str) -> ReportError:
    beside = f"put it beside the file as {sidecar(Path(path)).name}"
    return ReportError("manifest", f"of {path} is missing", f"{beside}, or give {otherwise}")


def _text(path: Where) -> str | bytes | None:
    """Return the manifest beside a file, or in a Parquet file's metadata; None without one."""
    file = existing(path)
    beside = _checked(file)
    return metadata(file).get(METADATA) if beside is None else beside


def check_is_of(
    text: bytes, name: str, digest: Callable[[], str], opened: Callable[[], Any]
) -> None:
    """Refuse a manifest that was written beside another file of the same name.

    Copying by ``*`` leaves hidden files out, so that an earlier manifest stays beside new reports.

    Args:
        text: the manifest.
        name: of the file that it stands beside.
        digest: gives the SHA-256 of the file's bytes.
        opened: gives the bytes, for a manifest of a version that wrote no digest: it says how many
            rows there were.

    Raises:
        ReportError: the digest or the number of rows is another one.
    """
    try:
        described = json.loads(text)
        written, parameters = described.get("sha256"), described["parameters"]
        n = parameters.get("n") if described.get("command") == "perturb" else None
        columns = parameters.get("columns", [""])
        head = (
            0
            if (kind := kind_of(name) or "").startswith(".jsonl")
            else 1 + "".join(columns).count("\n")
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return  # whoever reads it says what is wrong
    if written is not None:
        if written == digest():
            return
        differs = "SHA-256"
    else:
        if not isinstance(n, int) or (rows := _rows(opened, kind, head)) in (None, n):
            return
        differs = f"number of rows ({n}, and the file has {rows})"
    raise ReportError(
        "manifest",
        f"of {name} is of another file: it states another {differs}",
        f"put {sidecar(Path(name)).name} beside it that was written with it, or remove that file "
        "and give mechanism=",
    )


def _rows(opened: Callable[[], Any], kind: str, head: int) -> int | None:
    """Return how many rows a file of reports has; None where it cannot be read.

    Lines are counted in any encoding: of UTF-16 each has a zero byte about its end.
    """
    try:
        with opened() as raw:
            if kind == ".parquet":
                from pyarrow import parquet

                return int(parquet.read_metadata(raw).num_rows)
            stream = gzip.GzipFile(fileobj=raw) if kind.endswith(".gz") else raw
            with io.TextIOWrapper(stream, "latin-1") as text:
                return sum(1 for line in text if line.strip("\0 \n")) - head
    except (OSError, EOFError, ValueError, zlib.error):
        return None


def _checked(file: Path) -> bytes | None:
    """Return the manifest beside a file; None without one.

    Raises:
        ReportError: as :func:`check_is_of`.
    """
    text, stamp = _beside(file), file.stat()
    if text is not None:
        digest = partial(_digest, file, stamp.st_ino, stamp.st_size, stamp.st_mtime_ns)
        check_is_of(text, str(file), digest, partial(file.open, "rb"))
    return text


@lru_cache(maxsize=1024)
def _digest(file: Path, *stamp: int) -> str:
    """Return the digest of a file, which is asked for by whoever names and whoever counts."""
    return digest_of(file)


def _beside(file: Path) -> bytes | None:
    return next((place.read_bytes() for place in sidecars(file) if place.is_file()), None)


def metadata(path: Path) -> dict[bytes, bytes]:
    """Return the metadata within a Parquet or Arrow file; nothing of others.

    Raises:
        DomainError: the file is broken.
    """
    kind = kind_of(path)
    if kind not in (".parquet", ".arrow"):
        return {}
    import pyarrow as pa
    from pyarrow import parquet

    try:
        if kind == ".parquet":
            return parquet.read_schema(path).metadata or {}
        with pa.OSFile(str(path)) as data:
            return pa.ipc.open_file(data).schema.metadata or {}
    except (pa.ArrowInvalid, OSError):
        rule = "cannot be read as a table"
        raise DomainError("file", rule, "check the file", got=str(path)) from None
