"""Section 3.2 of the source: the data sets."""

from __future__ import annotations

from sudare.data import clickstream, trousers
from sudare.data.clickstream import EXTRACT, ORIGINAL
from sudare.data.files import is_here
from sudare.errors import StorageError
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts

SESSIONS = 13_082
FIGURE_31 = ("Oi Ocha", "Iyemon", "Ayataka", "Nama-cha", "Meidai-cha")
"""What the axis of the source's figure 3.1 counts."""


def compute(checked: bool) -> Facts:
    """Return what the data sets are; ``checked``: compared with the provider's rows."""
    table = trousers()
    return Facts.of(
        n=table.n,
        models=len(table.counts),
        least=min(table.counts),
        most=max(table.counts),
        sessions=SESSIONS,
        checked=checked,
        categories=FIGURE_31,
    )


def compare(setting: Setting) -> bool:
    """Compare the table that ships with the data set's rows, where they are here or may come.

    Raises:
        StorageError: they differ, a file is damaged, or a download that was allowed failed.
    """
    table = trousers()
    if not (setting.download or is_here(EXTRACT, ORIGINAL)):
        return False
    real = clickstream(download=setting.download, progress=setting.progress)
    if (real.categories, real.counts) != (table.categories, table.counts):
        raise StorageError(
            "the clickstream data", "must give the counts that ship with Sudare", "get them again"
        )
    return True
