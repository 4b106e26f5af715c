"""Run a study and write its folder: report, figures, tables, manifest."""

from __future__ import annotations

import csv
import hashlib
import json
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.exact import as_integer
from sudare.files.replacing import check_folder_can_be_made, filling
from sudare.manifest import write_manifest
from sudare.progress import Progress, no_progress
from sudare.studies import catalogue
from sudare.studies.frame import Frame
from sudare.studies.parts import Cell, Report, Table
from sudare.studies.repetitions import MOST
from sudare.words import Language, check_language, say

_REPORTED = re.compile(r"report\.(html|md)|(figures|tables)/[\w-]+\.(png|svg|csv)")


@dataclass(frozen=True, slots=True)
class Results:
    """What a run left behind.

    Attributes:
        report: claims, tables and figures.
        folder: where everything was written.
        files: every file, relative to the folder.
    """

    report: Report
    folder: Path
    files: tuple[str, ...]


def run(
    name: str,
    out: str | Path,
    *,
    language: Language = "en",
    repetitions: int | None = None,
    seed: str = "sudare",
    short: bool = False,
    download: bool = False,
    progress: Progress = no_progress,
) -> Results:
    """Run a study and write its report into a folder.

    Written are ``report.html`` (self-contained), ``report.md``, ``figures/`` (PNG and SVG),
    ``tables/`` (CSV) and ``manifest.json``. The same arguments give the same report.

    Args:
        name: one of :func:`names`.
        out: the folder; made where there is none. It is there whole or not at all, whatever
            interrupts the run. A report that it holds already is replaced at the end, and files of
            the same names are; others stay.
        language: of titles, claims, captions and axes: ``"en"`` or ``"ja"``.
        repetitions: of each experiment; default the study's own, which ``study(name)`` has beside
            the source's.
        seed: text; it labels all randomness.
        short: fewer and coarser grids, for a first look.
        download: whether data that are not here may be fetched from their provider.
        progress: shows how far long work has come.

    Raises:
        DomainError, WrongTypeError: an unknown study or language, bad repetitions or seed.
        MissingExtraError: matplotlib is not installed.
        StorageError: data are missing; the folder cannot be written.
    """
    chosen = catalogue.study(name)
    tongue = check_language(language)
    often = chosen.repetitions if repetitions is None else repetitions
    often = as_integer(often, "repetitions", low=2, high=MOST)
    if not isinstance(seed, str):
        raise WrongTypeError("seed", "must be text", "any word will do", got=seed)
    from sudare.studies import drawing, pages  # refuse here where matplotlib or Jinja2 is missing

    folder = _as_folder(out)
    grids = chosen.setting.SHORT if short else {}
    setting = chosen.setting(often, seed, bool(download), progress, **grids)
    report = chosen.build(setting)
    report = replace(report, missing=tuple(setting.missing))
    same_letters = drawing.drawn_language(tongue) == tongue
    frame = Frame(chosen, report, setting, tongue, same_letters, bool(short))
    with _writing(folder), filling(folder, _files_of_report(folder)) as part:
        _write(frame, part)
        (part / "report.md").write_text(pages.markdown(frame), encoding="utf-8")
        (part / "report.html").write_text(pages.html(frame, part), encoding="utf-8")
        files = _manifest(frame, part)
    return Results(report, folder, files)


def _as_folder(out: object) -> Path:
    """Return the path of a folder that can be made and written into."""
    if not isinstance(out, str | Path):
        raise WrongTypeError("out", "must be a path", "name a folder", got=out)
    if "\0" in str(out):
        raise DomainError("out", "must be a path without null characters", "name a folder")
    folder = Path(out)
    with _writing(folder):
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError
        check_folder_can_be_made(folder)
    return folder


def _write(frame: Frame, folder: Path) -> None:
    """Write figures and tables."""
    from sudare.studies import drawing

    report, tongue = frame.report, frame.language
    for name in ("figures", "tables"):
        (folder / name).mkdir()
    for figure in frame.setting.progress(report.figures, len(report.figures), "drawing"):
        drawing.save(figure, folder / "figures", tongue)
    for table in report.tables:
        _save(table, folder / "tables", tongue)


def _files_of_report(folder: Path) -> list[str]:
    """Return the files of the report that a folder holds; none where it holds no study's."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        names = list(manifest["sha256"]) if "study" in manifest["parameters"] else []
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if _REPORTED.fullmatch(name)]


def _save(table: Table, folder: Path, language: Language) -> None:
    """Write ``NAME.csv``: full precision, in the report's language."""

    def plain(cell: Cell) -> str:
        if cell is None:
            return ""
        return repr(cell) if isinstance(cell, int | float) else say(cell, language)

    with (folder / f"{table.name}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([say(column.title, language) for column in table.columns])
        writer.writerows(map(plain, row) for row in table.rows)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or folder
        raise StorageError(f"out {where}", "cannot be written", "choose another folder") from None


def _manifest(frame: Frame, folder: Path) -> tuple[str, ...]:
    """Write the manifest with the checksum of every file; return the files' names."""
    report = frame.report
    names = [
        "report.html",
        "report.md",
        *(f"figures/{f.name}.{kind}" for f in report.figures for kind in ("png", "svg")),
        *(f"tables/{table.name}.csv" for table in report.tables),
    ]
    write_manifest(
        folder / "manifest.json",
        "study",
        {
            "study": frame.study.name,
            "language": frame.language,
            "repetitions": frame.setting.repetitions,
            "grids": "short" if frame.short else "full",
        },
        f"seeded({frame.setting.seed!a})",
        {
            "data": list(report.data),
            "left out": [[form.provenance() for form in forms] for forms in report.missing],
            "software": {
                "python": platform.python_version(),
                "numpy": version("numpy"),
                "matplotlib": version("matplotlib"),
            },
            "sha256": {
                name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names
            },
        },
    )
    return (*names, "manifest.json")
