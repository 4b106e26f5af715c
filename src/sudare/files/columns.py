"""A column of a file as categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError
from sudare.files.blocks import BLOCK_ROWS, read_blocks
from sudare.files.places import Progress, Where, no_progress

MISSING = "(missing)"

Missing = Literal["refuse", "category"]
Values = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a file, and the categories that its cells may be.

    Args:
        path: ``.csv``, ``.csv.gz``, ``.jsonl`` or ``.parquet``; ``-`` for standard input.
        name: the column.
        categories: in the order of their indices.
        missing: what an empty cell is: ``"refuse"`` or ``"category"`` (the one named
            :data:`MISSING`).

    Examples:
        >>> from pathlib import Path
        >>> path = Path("people.csv")
        >>> _ = path.write_text("region\\nnorth\\nsouth\\nnorth\\n")
        >>> column = Column.found(path, "region")
        >>> column.categories, [block.tolist() for block in column.blocks()]
        (('north', 'south'), [[0, 1, 0]])
    """

    path: Where
    name: str
    categories: tuple[str, ...]
    missing: Missing = "refuse"

    @classmethod
    def found(
        cls,
        path: Where,
        name: str,
        missing: Missing = "refuse",
        *,
        progress: Progress = no_progress,
    ) -> Column:
        """Read the categories from the file, sorted; one for empty cells where there are any.

        Raises:
            DomainError: no such file or column, a broken file, empty cells that are refused, or
                fewer than 2 categories.
        """
        seen: set[str] = set()
        empty = 0
        for part in read_blocks(path, name).shown("looking for categories", progress):
            texts = _texts(part)
            empty += texts.null_count
            seen.update(text for text in texts.unique().to_pylist() if text is not None)
        if empty and missing == "refuse":
            rule = f"must not have empty cells (there are {empty})"
            raise DomainError("column", rule, 'or give missing="category"')
        categories = tuple(sorted(seen | {MISSING} if empty else seen))
        return cls(path, name, check_categories(categories, "column"), missing)

    def blocks(self, what: str = "reading", progress: Progress = no_progress) -> Iterator[Values]:
        """Yield the rows' categories as indices, :data:`BLOCK_ROWS` at a time.

        Raises:
            DomainError: a cell that is no category, or empty; the row is named, the cell is not.
        """
        parts = read_blocks(self.path, self.name)  # says so if PyArrow is missing
        import pyarrow as pa

        known = pa.array(self.categories, type=pa.string())
        empty = self.categories.index(MISSING) if self.missing == "category" else None
        held = np.empty(0, dtype=np.int64)
        row = 0
        for part in parts.shown(what, progress):
            held = np.concatenate([held, _indices(_texts(part), known, empty, row)])
            row += len(part)
            while held.size >= BLOCK_ROWS:
                yield held[:BLOCK_ROWS]
                held = held[BLOCK_ROWS:]
        if held.size:
            yield held
        if row == 0:
            raise DomainError("column", "must have at least one row", "choose another file")


def categories_from_file(path: str, argument: str = "path") -> tuple[str, ...]:
    """Return the categories of a text file, one a line."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except ValueError:
        raise DomainError(argument, "must be UTF-8 text", got=path) from None
    lines = text.removesuffix("\n").split("\n")
    return check_categories(tuple(line.removesuffix("\r") for line in lines), argument)


def check_categories(categories: tuple[str, ...], argument: str) -> tuple[str, ...]:
    """Return at least 2 categories, no two alike, none without text; DomainError otherwise."""
    if len(categories) < 2:
        raise DomainError(argument, "must hold at least 2 categories", "one is no question")
    if len(set(categories)) < len(categories) or "" in categories:
        raise DomainError(argument, "must hold categories with text, no two alike")
    return categories


def _texts(part: Any) -> Any:
    """Return cells as text; null where there is none."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_floating(part.type):
        part = compute.if_else(compute.is_nan(part), pa.scalar(None, part.type), part)
    try:
        texts = part.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DomainError("column", "must hold text or numbers", "choose another column") from None
    return compute.if_else(compute.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def _indices(texts: Any, known: Any, empty: int | None, before: int) -> Values:
    from pyarrow import compute

    index = compute.fill_null(compute.index_in(texts, value_set=known), -1).to_numpy()
    nulls = compute.is_null(texts).to_numpy(zero_copy_only=False)
    outside = index < 0
    if empty is not None:
        outside &= ~nulls
    if outside.any():
        first = int(np.argmax(outside))
        remedy = f"look at row {before + first + 1}"
        if nulls[first]:
            remedy += ', or give missing="category"'
            raise DomainError("column", "must not have empty cells", remedy)
        raise DomainError("column", "must hold the categories alone", remedy)
    return np.where(nulls, -1 if empty is None else empty, index).astype(np.int64)
