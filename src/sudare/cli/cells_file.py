"""The cells of many tables in one Parquet file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sudare.errors import MissingExtraError
from sudare.mechanisms.joint.tables import Table

Categories = Sequence[Sequence[str]]
"""The names of each column's categories."""


@contextmanager
def cells_file(
    path: Path, order: int, categories: Categories | None
) -> Iterator[Callable[[int, Table], None]]:
    """Yield what appends a numbered table to the file, a row a cell.

    Args:
        path: of the file.
        order: columns a table: ``category_1`` to ``category_order`` hold a cell's categories.
        categories: their names; None for their indices.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "to write Parquet") from None
    kind = pa.int32() if categories is None else pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            ("table", pa.int32()),
            ("cell", pa.int32()),
            *((f"category_{i + 1}", kind) for i in range(order)),
            ("reports", pa.int64()),
            *((name, pa.float64()) for name in ("share", "stderr", "low", "high")),
        ]
    )
    with parquet.ParquetWriter(path, schema) as writer:

        def append(number: int, table: Table) -> None:
            shares = table.estimate.shares
            cells = np.arange(shares.size, dtype=np.int32)
            codes = [pa.array(code, pa.int32()) for code in np.unravel_index(cells, shares.shape)]
            if categories is not None:
                codes = [
                    pa.DictionaryArray.from_arrays(code, pa.array(categories[axis], pa.string()))
                    for axis, code in zip(table.axes, codes, strict=True)
                ]
            figures = (table.counts.support, shares, table.estimate.stderr)
            columns = [
                pa.array(np.full(shares.size, number, dtype=np.int32)),
                pa.array(cells),
                *codes,
                *(pa.array(one.ravel()) for one in (*figures, *table.estimate.interval(0.95))),
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))

        yield append
