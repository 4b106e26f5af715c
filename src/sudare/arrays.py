"""Names of the arrays that are used everywhere. An array of another type says so itself."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]


def is_masked(value: object) -> bool:
    """Tell whether that is a masked array; ``numpy.ma`` is a sixth of NumPy's time to load."""
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)  # while a thread loads it
    return masked is not None and isinstance(value, masked)


def is_missing(value: object) -> bool:
    """Tell whether a value, or a part of one, is None, NaN or what data frames have for it."""
    if isinstance(value, tuple):
        return any(map(is_missing, value))
    try:
        return value is None or not bool(value == value)  # NaN is not itself
    except Exception:  # noqa: BLE001 - pandas.NA says neither
        return True


def runs_of(values: object) -> Any:
    """Return a column of pandas that holds runs as Arrow has it; None for any other.

    pandas itself makes no array of such a column.
    """
    kind = getattr(getattr(values, "dtype", None), "pyarrow_dtype", None)
    if not str(kind).startswith("run_end_encoded"):
        return None
    column: Any = getattr(values, "array", values)
    return column.__arrow_array__()


def dot(a: Floats, b: Floats) -> float:
    """Return ``Σ a b`` in one thread: BLAS would take a second one, and gain nothing."""
    return float(np.einsum("i,i->", a.reshape(-1), b.reshape(-1)))
