"""``write_synthetic``: made-up rows as files, with their report and what they protect."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from sudare.errors import StorageError, WrongTypeError
from sudare.estimation.confidence import check_confidence
from sudare.manifest import as_text
from sudare.release.dataset import Dataset
from sudare.release.publication import as_folder
from sudare.release.released import Released
from sudare.release.statement import price, statement
from sudare.release.synthetic.synthesis import Synthesis


def write_synthetic(
    db: Dataset,
    answer: Released[Synthesis],
    folder: str | os.PathLike[str],
    *,
    confidence: float = 0.95,
    delta: float | None = None,
) -> list[Path]:
    """Write ``synthetic.csv``, ``tables.csv`` (the report) and ``privacy.json`` to a folder.

    Where PyArrow is installed, ``synthetic.parquet`` too.

    Args:
        db: the data set that answered.
        answer: of :meth:`Dataset.synthetic`.
        folder: made if it is not there.
        confidence: of the bound of measured counts.
        delta: for a price in ρ: states the ε of (ε, δ)-differential privacy too.

    Raises:
        WrongTypeError, DomainError: no such answer, confidence or δ.
        StorageError: files that cannot be written.
    """
    if not isinstance(answer, Released) or not isinstance(answer.value, Synthesis):
        raise WrongTypeError("answer", "must be made-up rows", "such as db.synthetic(epsilon=1)")
    from sudare.files.tables import write_table

    level, guarantee = check_confidence(confidence), price(answer.cost, delta)
    target, made = as_folder(folder), answer.value
    text = f"synthetic: {', '.join(made.columns)}"
    told = statement(db, [text], [answer], guarantee, level)
    paths = [target / name for name in ("synthetic.csv", "tables.csv", "privacy.json")]
    try:
        write_table(paths[0], made.records(), data=True)
        write_table(paths[1], made.report())
        paths[2].write_text(as_text(told), encoding="utf-8", errors="backslashreplace")
        if importlib.util.find_spec("pyarrow") is not None:
            paths.insert(1, target / "synthetic.parquet")
            write_table(paths[1], made.records(), data=True)
    except OSError:
        raise StorageError("folder", "cannot be written", "choose another") from None
    return paths
