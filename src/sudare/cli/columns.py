"""A column of a CSV or Parquet file as categories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, MissingExtraError

MISSING = "(missing)"


@dataclass(frozen=True, slots=True)
class Column:
    """Category names, and each row's category as an index."""

    categories: tuple[str, ...]
    values: npt.NDArray[np.int64]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """True count of each category."""
        return np.bincount(self.values, minlength=len(self.categories))


def read_column(path: str, name: str, *, missing: str = "refuse") -> Column:
    """Read a column; categories are sorted by name.

    Args:
        path: ``.csv``, ``.csv.gz`` or ``.parquet``.
        name: the column.
        missing: what an empty cell is: ``"refuse"`` or ``"category"``.

    Raises:
        DomainError: no such file or column, another format, empty cells, fewer than 2 categories.
        MissingExtraError: PyArrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import csv, parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "to read files") from None
    if not Path(path).is_file():
        raise DomainError("file", "does not exist", "check the path", got=path)
    try:
        if path.endswith((".parquet", ".pq")):
            known = parquet.read_schema(path).names
            table = parquet.read_table(path, columns=[name]) if name in known else None
        elif path.endswith((".csv", ".csv.gz")):
            text = csv.ConvertOptions(column_types={name: pa.string()}, strings_can_be_null=True)
            table = csv.read_csv(path, convert_options=text)
            known = table.column_names
        else:
            raise DomainError("file", "must end in .csv, .csv.gz or .parquet", got=path)
    except (pa.ArrowInvalid, OSError):
        raise DomainError("file", "cannot be read as a table", "check the file", got=path) from None
    if table is None or name not in known:
        raise DomainError("column", f"must be one of {list(known)}", got=name)
    if list(known).count(name) > 1:
        raise DomainError("column", "must be the name of one column", "rename one", got=name)
    return _categories(table.column(name).to_pylist(), missing)


def _categories(cells: list[Any], missing: str) -> Column:
    empty = sum(cell is None or cell != cell for cell in cells)
    if empty and missing == "refuse":
        raise DomainError(
            "column", f"must not have empty cells (there are {empty})", "or pass --missing category"
        )
    texts = [MISSING if cell is None or cell != cell else str(cell) for cell in cells]
    categories = tuple(sorted(set(texts)))
    if len(categories) < 2:
        raise DomainError("column", "must hold at least 2 categories", "choose another column")
    index = {category: i for i, category in enumerate(categories)}
    return Column(categories, np.array([index[text] for text in texts], dtype=np.int64))
