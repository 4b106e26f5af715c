"""Reading and writing files of rows: columns, reports, manifests, tables.

What a command can do with a file, Python can do. A path ends in ``.csv``, ``.csv.gz``, ``.jsonl``
or ``.parquet``, or is ``-``: standard input, told by its first bytes, or CSV to standard output.
No error shows a cell: rows are named. ``progress=`` takes what shows how far a long work is.
"""

from typing import TYPE_CHECKING

from sudare.files.blocks import Blocks, read_blocks
from sudare.files.cells import read_cells
from sudare.files.columns import Column, categories_from_file
from sudare.files.manifests import (
    ReportsManifest,
    has_manifest,
    read_column_manifest,
    read_manifests,
)
from sudare.files.people import read_people
from sudare.files.places import read_text
from sudare.files.replacing import creating, replacing
from sudare.files.reports import (
    ReportRows,
    Reports,
    Written,
    read_report_rows,
    read_reports,
    write_reports,
)
from sudare.files.shares import records, write_shares
from sudare.files.tables import write_cells, write_csv, write_table
from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.files.submissions import (
        read_submissions as read_submissions,
        write_submissions as write_submissions,
    )

__getattr__ = attach(__name__, {"submissions": ("read_submissions", "write_submissions")})[1]

__all__ = [
    "Blocks",
    "Column",
    "ReportRows",
    "Reports",
    "ReportsManifest",
    "Written",
    "categories_from_file",
    "creating",
    "has_manifest",
    "read_blocks",
    "read_cells",
    "read_column_manifest",
    "read_manifests",
    "read_people",
    "read_report_rows",
    "read_reports",
    "read_submissions",
    "read_text",
    "records",
    "replacing",
    "write_cells",
    "write_csv",
    "write_reports",
    "write_shares",
    "write_submissions",
    "write_table",
]
