"""Tallies: column sums of packed bits, and the histogram of one-byte reports."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from timing import Row, interleave

from sudare.estimation import histogram, packed_sums

_INCREMENT = """
#include <stddef.h>
#include <stdint.h>
/* Four tables: without them two equal neighbours would wait for each other. */
void increment(const uint8_t *report, size_t n, uint32_t *count) {
    for (size_t i = 0; i + 4 <= n; i += 4) {
        count[report[i]]++;
        count[256 + report[i + 1]]++;
        count[512 + report[i + 2]]++;
        count[768 + report[i + 3]]++;
    }
}
"""


_BINCOUNT = 2.9  # increments that np.bincount of intp is worth, where no compiler is found


def increments() -> Callable[[npt.NDArray[Any]], object] | None:
    """Return a compiled C loop that increments once a report, or None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "increment.c"), Path(folder, "increment.so")
        source.write_text(_INCREMENT)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        increment = ctypes.CDLL(str(library)).increment
    count = np.zeros(1024, dtype=np.uint32)

    def run(reports: npt.NDArray[Any]) -> None:
        increment(
            ctypes.c_void_p(reports.ctypes.data),
            ctypes.c_size_t(reports.size),
            ctypes.c_void_p(count.ctypes.data),
        )

    return run


def rows(rounds: int) -> list[Row]:
    rng = np.random.default_rng()
    found = []
    for k in (128, 100):
        packed = rng.integers(0, 256, (1 << 20, -(-k // 8)), dtype=np.uint8)
        flat = packed.reshape(-1).view(np.uint64)
        times = interleave(
            [
                lambda flat=flat: np.add.reduce(flat),
                lambda packed=packed, k=k: packed_sums(packed, k),
            ],
            max(2, rounds // 2),
        )
        kernel = f"packed column sums, k={k}"
        found.append(Row(kernel, "reading the matrix once", 16, n=packed.size * 8, times=times))

    reports = rng.integers(0, 100, 1 << 20).astype(np.uint8)
    increment = increments()
    if increment is None:
        name, index = f"np.bincount / {_BINCOUNT:g} (no cc)", reports.astype(np.intp)
        times = interleave([lambda: np.bincount(index), lambda: histogram(reports, 100)], rounds)
        times[0] = [seconds / _BINCOUNT for seconds in times[0]]
    else:
        name = "C increments (cc -O2)"
        times = interleave([lambda: increment(reports), lambda: histogram(reports, 100)], rounds)
    found.append(Row("histogram of u8 reports, k=100", name, 4.5, n=reports.size, times=times))
    return found
