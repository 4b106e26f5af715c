"""Where real data files are looked for: ``SUDARE_DATA``."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "SUDARE_DATA"


def find(name: str) -> Path | None:
    """Return the path of a data file in the folder named by ``SUDARE_DATA``, or None.

    Examples:
        >>> find("no-such-file.csv") is None
        True
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    path = Path(folder) / name
    return path if path.is_file() else None
