"""Data frames of whichever library the user has, through narwhals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sudare.errors import MissingExtraError, as_one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

LIBRARIES = ("pandas", "polars", "pyarrow")


def build(columns: Mapping[str, Any], library: str) -> Any:
    """Return the columns as a native frame of ``library``.

    Raises:
        DomainError: unknown library.
        MissingExtraError: the library is not installed.
    """
    as_one_of(library, "library", LIBRARIES)
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=cast("Any", library)).to_native()
    except ImportError:
        raise MissingExtraError(
            f"narwhals with {library}", "frames", "for data frames", also=library
        ) from None
