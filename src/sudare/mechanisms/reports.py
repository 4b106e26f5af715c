"""The other border: reports are checked to be of the mechanism's alphabet."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import ReportError, WrongTypeError
from sudare.mechanisms.values import as_array, listed


def as_indices(reports: object, outputs: int) -> npt.NDArray[Any]:
    """Return reports as a (n,) integer array after checking each to be in ``[0, outputs)``."""
    array = as_array(reports)
    if array is not None and array.shape == (0,):
        return array.astype(np.uint8)
    if array is None or array.dtype.kind not in "iu":
        raise WrongTypeError("reports", f"must be whole numbers in [0, {outputs})")
    if array.ndim != 1:
        raise ReportError("reports", "must be a one-dimensional array", "one report a respondent")
    if int(array.view(f"u{array.dtype.itemsize}").max()) >= outputs:
        raise ReportError("reports", f"must lie in [0, {outputs})", "use this mechanism's reports")
    return array


def _joined(reports: object, size: int) -> npt.NDArray[np.uint8] | None:
    """Return a column of bytes as rows; None where it is none, or has others than of this size."""
    each = None if isinstance(reports, np.ndarray) else listed(reports)
    if not each or not all(isinstance(one, bytes) and len(one) == size for one in each):
        return None
    return np.frombuffer(b"".join(each), dtype=np.uint8).reshape(-1, size)


def as_packed(reports: object, k: int) -> npt.NDArray[np.uint8]:
    """Return packed bits as a (n, ceil(k / 8)) uint8 array with checked padding."""
    array, size = as_array(reports), (k + 7) // 8
    if array is None or array.dtype.kind in "OS":
        array = _joined(reports, size)
    if array is None or array.dtype != np.uint8:
        raise WrongTypeError(
            "reports", "must be packed bits of dtype uint8", "use perturb's output"
        )
    if array.ndim != 2 or array.shape[1] != size:
        raise ReportError("reports", f"must have the shape (n, {size})", "use perturb's output")
    if k % 8 and array.size and int(array[:, -1].max()) >> k % 8:
        raise ReportError("reports", "must have zero padding bits", "use perturb's output")
    return array
