"""``publish``: answers as a CSV file with a privacy statement and figures beside it."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sudare.errors import StorageError, WrongTypeError
from sudare.estimation.confidence import check_confidence
from sudare.files.tables import as_cell
from sudare.ledger import Cost
from sudare.manifest import as_text
from sudare.release.ask import Ask, batch, quoted
from sudare.release.consistency import consistent, holds_counts
from sudare.release.crosstabs import agreeing
from sudare.release.dataset import Dataset
from sudare.release.released import Released, finite
from sudare.release.statement import price, statement

MOST_BARS = 60
"""Groups of a table that is drawn."""

OTHERS = "(others)"
COLUMNS = (
    "table",
    "question",
    "group",
    "value",
    "raw",
    "bound",
    "bound_in",
    "sampling_stderr",
    "price",
    "reused",
)


@dataclass(frozen=True, eq=False)
class Publication:
    """Answers that go out together.

    Attributes:
        asks: the questions, in words.
        answers: one each, counts made :func:`consistent`.
        statement: the privacy statement, as JSON data (``docs/release.md``).
        files: that were written.
    """

    asks: tuple[str, ...]
    answers: tuple[Released[Any], ...]
    statement: dict[str, Any]
    files: tuple[Path, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each number, with the fields of the CSV file: :data:`COLUMNS`."""
        return [
            dict(zip(COLUMNS, (table, text, *fields), strict=True))
            for table, (text, answer) in enumerate(
                zip(self.asks, self.answers, strict=True), start=1
            )
            for fields in _numbers(answer, self.statement["confidence"])
        ]

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write ``release.csv``, ``privacy.json`` and, where matplotlib is installed, a figure of
        each table with groups (``table-1.png``, ``table-1.svg``).

        Raises:
            StorageError: the folder cannot be written.
        """
        target = as_folder(folder)
        try:
            with _open(target / "release.csv") as stream:
                writer = csv.DictWriter(stream, fieldnames=COLUMNS)
                writer.writeheader()
                for record in self.records():
                    writer.writerow({name: as_cell(value) for name, value in record.items()})
            with _open(target / "privacy.json") as stream:
                stream.write(as_text(self.statement))
            drawn = self._draw(target) if importlib.util.find_spec("matplotlib") else []
        except OSError:
            raise StorageError("folder", "cannot be written", "choose another") from None
        return [target / "release.csv", target / "privacy.json", *drawn]

    def _draw(self, folder: Path) -> list[Path]:
        from sudare.plots import compare_counts

        out = []
        confidence = self.statement["confidence"]
        for i, (text, one) in enumerate(zip(self.asks, self.answers, strict=True), start=1):
            if not isinstance(one.value, Mapping) or len(one.value) > MOST_BARS:
                continue
            drawn = one if one.raw is None else one.raw
            groups = list(map(_group_text, one.value))
            values, raw = list(one.value.values()), list(drawn.value.values())
            bound = list(drawn.bounds(confidence).values())
            if not all(map(math.isfinite, bound)):
                continue
            said = {"confidence": confidence, "title": text}
            for kind in ("png", "svg"):
                path = folder / f"table-{i}.{kind}"
                out.append(compare_counts(path, groups, values, raw, bound, **said))
        return out


def publish(
    db: Dataset,
    asks: Sequence[Ask | str],
    cost: Cost,
    folder: str | os.PathLike[str] | None = None,
    *,
    split: Sequence[Any] | None = None,
    reuse: bool = False,
    confidence: float = 0.95,
    delta: float | None = None,
    agree: bool = False,
) -> Publication:
    """Ask several questions for one price and publish the answers: a table and what it protects.

    Counts are made :func:`consistent`; what was drawn stands beside them.

    Args:
        db, asks, cost, split, reuse: as of :func:`batch`.
        folder: where the files go (:meth:`Publication.write`); made before anything is spent, and
            taken away again where the questions are refused. None for no files.
        confidence: of the bounds.
        delta: for a price in ρ: states the ε of (ε, δ)-differential privacy too.
        agree: make counts :func:`agreeing` instead: given keys are all that there are.

    Raises:
        WrongTypeError, DomainError, PrivacyError: as of :func:`batch`; nothing was spent.
        BudgetExceeded: nothing was spent.
        StorageError: no such folder; nothing was spent.

    Examples:
        >>> db = Dataset({"tea": ["black"] * 700 + ["green"] * 300}, budget=1)
        >>> done = publish(db, ["histogram:tea=black,green"], Cost.of(epsilon=1))
        >>> sum(row["value"] for row in done.records()), done.statement["cost"]["amount"]
        (1000, '1.0')
    """
    if not isinstance(db, Dataset):
        raise WrongTypeError("db", "must be a Dataset", "such as sudare.release.Dataset(frame)")
    if not isinstance(cost, Cost):
        raise WrongTypeError("cost", "must be a Cost", "such as Cost.of(epsilon=1)")
    level, guarantee = check_confidence(confidence), price(cost, delta)
    made = agreeing if agree else consistent
    with contextlib.nullcontext() if folder is None else _kept_if_done(folder):
        answers = made(db, batch(db, asks, cost, split=split, reuse=reuse))
    said = tuple(one if isinstance(one, str) else question_text(one) for one in asks)
    told = statement(db, said, answers, guarantee, level)
    out = Publication(said, tuple(answers), told)
    return out if folder is None else replace(out, files=tuple(out.write(folder)))


def question_text(ask: Ask) -> str:
    """Return a question as its text says it.

    Examples:
        >>> question_text(Ask.parse("mean:score@sex=f,m"))
        'mean:score@sex=f,m'
    """
    column = "" if ask.column is None else f":{ask.column}"
    values = "=" + ",".join(map(quoted, ask.values)) if ask.values else ""
    groups: list[Any] = [] if ask.by is None else [(ask.by, ask.keys)]
    if isinstance(ask.by, tuple):
        groups = list(zip(ask.by, ask.keys, strict=True))
    keys = "".join(f"@{by}=" + ",".join(map(quoted, own)) for by, own in groups)
    where = "" if ask.where is None else f" where {ask.where}"
    return f"{ask.kind}{column}{values}{keys}{where}"


def as_folder(folder: object) -> Path:
    """Return a folder that is there, made if it was not."""
    path = _as_path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError):  # a path that no file can have
        raise StorageError("folder", "cannot be made", "choose another") from None
    return path


def _as_path(folder: object) -> Path:
    path = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(path, str):
        raise WrongTypeError("folder", "must be a path")
    return Path(path)


@contextlib.contextmanager
def _kept_if_done(folder: object) -> Iterator[None]:
    """Make a folder, and take away what was made if the work in between is refused."""
    path = _as_path(folder)
    new = [one for one in (path, *path.parents) if not os.path.lexists(one)]
    try:
        as_folder(path)
        yield
    except BaseException:
        # something else is in it by now, or no file can have such a path
        with contextlib.suppress(OSError, ValueError):
            for one in new:
                one.rmdir()
        raise


def _group_text(group: Any) -> str:
    """Return a group as files and figures show it: of several columns as a line of CSV."""
    if isinstance(group, tuple):
        return ",".join(map(quoted, group))
    return OTHERS if group is None else str(group)


def _open(path: Path) -> Any:
    """Open a file for text, also for letters that have no code in UTF-8: what is paid is kept."""
    return path.open("w", newline="", encoding="utf-8", errors="backslashreplace")


def _numbers(answer: Released[Any], confidence: float) -> list[tuple[Any, ...]]:
    """Return for each number of an answer the fields from its group on."""
    drawn = answer if answer.raw is None else answer.raw
    price, grouped = float(answer.cost.amount), isinstance(answer.value, Mapping)
    after = (answer.bound_in, answer.sampling_stderr, price, answer.reused)
    bounds = drawn.bounds(confidence) if grouped else {"": drawn.bound(confidence)}
    values, raw = (one.value if grouped else {"": one.value} for one in (answer, drawn))
    if holds_counts(answer):
        values, raw = ({key: _whole(one) for key, one in some.items()} for some in (values, raw))
    return [
        (_group_text(group), value, raw[group], finite(bounds[group]), *after)
        for group, value in values.items()
    ]


def _whole(count: float) -> float:
    """Return a count without a point, where it is whole."""
    return int(count) if count.is_integer() else count
