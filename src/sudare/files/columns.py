"""A column of a file as categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sudare.encodings import text_of
from sudare.errors import DomainError
from sudare.files.blocks import BLOCK_ROWS, place_of, read_blocks
from sudare.files.buffers import integers
from sudare.files.places import STANDARD, Progress, Where, no_progress

MISSING = "(missing)"

Missing = Literal["refuse", "category"]
Values = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a file, and the categories that its cells may be.

    Args:
        path: ``.csv``, ``.tsv``, both perhaps with ``.gz``, ``.jsonl`` or ``.parquet``; ``-`` for
            standard input.
        name: the column.
        categories: in the order of their indices.
        missing: what an empty cell is: ``"refuse"`` or ``"category"`` (the one named
            :data:`MISSING`).
        encoding: of text; None for UTF-8, or UTF-16 with a mark.

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
    encoding: str | None = None

    @classmethod
    def found(
        cls,
        path: Where,
        name: str,
        missing: Missing = "refuse",
        *,
        encoding: str | None = None,
        progress: Progress = no_progress,
    ) -> Column:
        """Read the categories from the file, sorted; one for empty cells where there are any.

        Raises:
            DomainError: no such file or column, a broken file, empty cells that are refused, or
                fewer than 2 categories.
        """
        seen: set[str] = set()
        empty = 0
        parts = read_blocks(path, name, encoded=True, encoding=encoding)
        for part in parts.shown("looking for categories", progress):
            kinds, codes = _kinds(part, name)
            held = np.bincount(codes, minlength=len(kinds) + 1).tolist()
            for text, many in zip([*kinds.to_pylist(), None], held, strict=True):
                if many and text is not None:
                    seen.add(text)
                elif many:
                    empty += many
        if empty and missing == "refuse":
            rule = f"must not have empty cells (there are {empty})"
            raise DomainError(f"column {name}", rule, 'or give missing="category"')
        categories = tuple(sorted(seen | {MISSING} if empty else seen))
        return cls(path, name, check_categories(categories, "column"), missing, encoding)

    def blocks(self, what: str = "reading", progress: Progress = no_progress) -> Iterator[Values]:
        """Yield the rows' categories as indices, :data:`BLOCK_ROWS` at a time.

        Raises:
            DomainError: a cell that is no category, or empty; the row is named, the cell is not.
        """
        parts = read_blocks(self.path, self.name, encoded=True, encoding=self.encoding)
        import pyarrow as pa

        known = pa.array(self.categories, type=pa.string())
        known_empty = self.missing == "category" and MISSING in self.categories
        empty = self.categories.index(MISSING) if known_empty else None
        held = np.empty(0, dtype=np.int64)
        row = 0
        for part in parts.shown(what, progress):
            index, rule = _indices(part, self.name, known, empty)
            if rule:
                wrong = row + int(np.argmax(index < 0))
                where = f"look at {place_of(self.path, wrong, self.encoding)}"
                if str(self.path) != STANDARD:
                    where += f" of {Path(self.path).name}"
                if "empty" in rule:
                    where += ', or give missing="category"'
                raise DomainError(f"column {self.name}", rule, where)
            held = np.concatenate([held, index])
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
    text = text_of(Path(path).read_bytes(), argument)
    lines = text.removesuffix("\n").split("\n")
    return check_categories(tuple(line.removesuffix("\r") for line in lines), argument)


def check_categories(categories: tuple[str, ...], argument: str) -> tuple[str, ...]:
    """Return at least 2 categories, no two alike, none without text; DomainError otherwise."""
    if len(categories) < 2:
        raise DomainError(argument, "must hold at least 2 categories", "one is no question")
    if len(set(categories)) < len(categories) or "" in categories:
        raise DomainError(argument, "must hold categories with text, no two alike")
    return categories


def _kinds(part: Any, name: str) -> tuple[Any, npt.NDArray[np.intp]]:
    """Return the different cells as text, null where there is none, and which of them each is.

    An empty cell may be one of them, or the one after the last.
    """
    import pyarrow as pa
    from pyarrow import compute

    try:
        if not pa.types.is_dictionary(part.type):
            part = part.dictionary_encode()
        kinds = part.dictionary
        if pa.types.is_floating(kinds.type):
            kinds = compute.if_else(compute.is_nan(kinds), pa.scalar(None, kinds.type), kinds)
        texts = kinds.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        rule = f"must hold text or numbers, and is of the type {part.type}"
        raise DomainError(f"column {name}", rule, "choose another column") from None
    codes = integers(part.indices.fill_null(len(kinds)))
    empty = compute.equal(texts, "")
    return compute.if_else(empty, pa.scalar(None, pa.string()), texts), codes.astype(np.intp)


def _indices(part: Any, name: str, known: Any, empty: int | None) -> tuple[Values, str]:
    """Return the category of each cell, -1 where there is none, and what the first one breaks."""
    from pyarrow import compute

    kinds, codes = _kinds(part, name)
    found = integers(compute.fill_null(compute.index_in(kinds, value_set=known), -1))
    table = np.append(found.astype(np.int64), -1)
    nulls = np.append(integers(compute.is_null(kinds).cast("uint8")).astype(np.bool_), True)
    if empty is not None:
        table[nulls] = empty
    index = table.take(codes)
    if not index.size or index.min() >= 0:
        return index, ""
    is_empty = nulls[codes[int(np.argmax(index < 0))]]
    return index, "must not have empty cells" if is_empty else "must hold the categories alone"
