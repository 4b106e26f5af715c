"""Names of the arrays that are used everywhere. An array of another type says so itself."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
