"""Where real data files are looked for: ``SUDARE_DATA``, then a cache folder."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "SUDARE_DATA"
CACHE_VARIABLE = "SUDARE_CACHE"


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


def cache_folder() -> Path:
    """Return where downloads are kept: ``SUDARE_CACHE``, or ``sudare`` in the user's cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sudare"
