"""Measure Sudare beside other libraries: ``python benchmarks/peers.py``.

GRR, OUE, SUE and OLH, from values to reports and from reports to estimated shares. The libraries
take turns in one process, so that all meet the same machine; memory is measured in a process each.
Sudare draws from the operating system's secure source; the others use NumPy's or Python's
Mersenne Twister, which gives its state away.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from libraries import LIBRARIES, Jobs, Task
from timing import interleave

import sudare as sd

TASKS = {"GRR": 100, "OUE": 128, "SUE": 128, "OLH": 128}
TARGETS = {"GRR": 5.0, "OUE": 3.0, "SUE": 3.0, "OLH": 60.0}
"""How many times faster than every peer, both for reports and for estimates."""

EPSILON = 1.0
N = 50_000
ROUNDS = 5
OURS = "Sudare"
_REFERENCE_BYTES = 8
_HEADER = (
    "mechanism", "library", "reports", "estimate", "slower: reports", "estimate", "both",
    "verdict", "bytes a report", "peak memory", "error",
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    """One line: a library at one mechanism.

    Attributes:
        perturb_us, estimate_us: least microseconds a report.
        perturb_ratio, estimate_ratio, ratio: median over the rounds of this library's time over
            Sudare's in the same round: reports, estimate, both together.
        report_bytes: size of the data of one report as it is held.
        peak_mb: growth of the process's resident memory at its highest, or None.
        error: mean squared error over the expected one of the unbiased estimate.
    """

    mechanism: str
    k: int
    library: str
    perturb_us: float
    estimate_us: float
    perturb_ratio: float
    estimate_ratio: float
    ratio: float
    report_bytes: float
    peak_mb: float | None
    error: float

    @property
    def verdict(self) -> str:
        """Whether the target holds for reports and for estimates; nothing for Sudare itself."""
        if self.library.startswith(OURS):
            return "—"
        least = min(self.perturb_ratio, self.estimate_ratio)
        target = TARGETS[self.mechanism]
        return f"{'met' if least >= target else 'MISSED'} (≥ {target:g})"


def task(mechanism: str, n: int) -> Task:
    """Return the task: shares that fall from the first category to the last."""
    k = TASKS[mechanism]
    weights = 1 / np.arange(1, k + 1)
    values = np.random.default_rng(7).choice(k, size=n, p=weights / weights.sum())
    return Task(mechanism, k, EPSILON, values.astype(np.int64))


def start(library: str, of: Task) -> Jobs:
    """Prepare a library and let it compile what it compiles, on few values."""
    few = LIBRARIES[library].start(Task(of.mechanism, of.k, of.epsilon, of.values[:50]))
    few.estimate(few.perturb())
    jobs = LIBRARIES[library].start(of)
    if library.endswith("loop compiled"):
        jobs.perturb()  # its loop is compiled anew
    return jobs


def installed(libraries: list[str]) -> list[str]:
    """Return those that can be imported; say how to install the others."""
    found = []
    for library in libraries:
        try:
            start(library, task("GRR", 50))
        except ImportError as error:
            remedy = 'pip install "sudare[bench]"'
            print(f"{library} is left out ({error}): {remedy}", file=sys.stderr)
        else:
            found.append(library)
    return found


def measure(mechanism: str, libraries: list[str], n: int, rounds: int) -> list[Result]:
    """Measure one mechanism in all libraries, in turns."""
    what = task(mechanism, n)
    libraries = [one for one in libraries if mechanism not in LIBRARIES[one].without]
    jobs = [start(library, what) for library in libraries]
    perturb = interleave([job.perturb for job in jobs], rounds)
    reports = [job.perturb() for job in jobs]
    pairs = zip(jobs, reports, strict=True)
    estimate = interleave([partial(job.estimate, held) for job, held in pairs], rounds)
    both = [[*map(sum, zip(a, b, strict=True))] for a, b in zip(perturb, estimate, strict=True)]
    return [
        Result(
            mechanism,
            what.k,
            library,
            min(perturb[i]) / n * 1e6,
            min(estimate[i]) / n * 1e6,
            _ratio(perturb, i),
            _ratio(estimate, i),
            _ratio(both, i),
            _report_bytes(reports[i]),
            _peak_mb(library, mechanism, n),
            _error(what, jobs[i].estimate(reports[i])),
        )
        for i, library in enumerate(libraries)
    ]


def _ratio(times: list[list[float]], i: int) -> float:
    return statistics.median(a / b for a, b in zip(times[i], times[0], strict=True))


def _report_bytes(reports: Any) -> float:
    if isinstance(reports, np.ndarray):
        return reports.nbytes / len(reports)
    first = reports[0]
    if isinstance(first, bytes):
        return len(first)
    if isinstance(first, tuple):
        return len(first) * _REFERENCE_BYTES
    return first.nbytes if isinstance(first, np.ndarray) else _REFERENCE_BYTES


def _error(what: Task, shares: Any) -> float:
    true = np.bincount(what.values, minlength=what.k) / what.values.size
    m = getattr(sd, what.mechanism)(what.k, what.epsilon)
    expected = m.expected_mse(what.values.size, true, "respondents")
    return float(np.mean((np.asarray(shares) - true) ** 2)) / expected


def _peak_mb(library: str, mechanism: str, n: int) -> float | None:
    if not Path("/proc/self/clear_refs").exists():
        return None
    code = f"import peers; print(peers.grown({library!r}, {mechanism!r}, {n}))"
    here = Path(__file__).parent
    return float(subprocess.check_output([sys.executable, "-c", code], text=True, cwd=here))


def grown(library: str, mechanism: str, n: int) -> float:
    """Return by how many MB the highest resident memory of this process grows (Linux)."""
    what = task(mechanism, n)
    jobs = start(library, what)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts afresh
    before = _status("VmRSS")
    jobs.estimate(jobs.perturb())
    return (_status("VmHWM") - before) / 1024


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def cells(result: Result) -> tuple[str, ...]:
    """Return a line as text."""
    ratios = [result.perturb_ratio, result.estimate_ratio, result.ratio]
    return (
        f"{result.mechanism}, k = {result.k}",
        result.library,
        _duration(result.perturb_us),
        _duration(result.estimate_us),
        *("1" if result.library == OURS else f"{ratio:.3g}" for ratio in ratios),
        result.verdict,
        f"{result.report_bytes:g}",
        _megabytes(result.peak_mb),
        f"{result.error:.2g}",
    )


def _megabytes(peak: float | None) -> str:
    if peak is None:
        return "—"
    return f"{peak:.3g} MB" if peak >= 1 else "< 1 MB"  # less is lost in what was freed before


def _duration(us: float) -> str:
    return f"{us * 1000:.3g} ns" if us < 1 else f"{us:.3g} µs"


def table(results: list[Result]) -> str:
    """Return the results as a Markdown table that also reads well in a terminal."""
    lines = [_HEADER, *map(cells, results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEADER))]
    lines.insert(1, tuple("-" * width for width in widths))
    padded = [[c.ljust(w) for c, w in zip(line, widths, strict=True)] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


def versions(libraries: list[str]) -> dict[str, str]:
    """Return the versions of what was measured."""
    packages = dict.fromkeys(LIBRARIES[library].package for library in libraries)
    packages.pop("sudare", None)
    return {
        "sudare": sd.__version__,
        **{name: importlib.metadata.version(name) for name in packages},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--only", choices=TASKS, action="append", help="measure this mechanism")
    parser.add_argument("-n", type=int, default=N, help="respondents (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="default: %(default)s")
    options = parser.parse_args()
    libraries = installed(list(LIBRARIES))
    results = [
        result
        for mechanism in options.only or TASKS
        for result in measure(mechanism, libraries, options.n, options.rounds)
    ]
    about = {
        "machine": f"{platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        **versions(libraries),
        "n": options.n,
        "epsilon": EPSILON,
        "rounds": options.rounds,
    }
    if options.json:
        print(json.dumps({**about, "results": [asdict(result) for result in results]}, indent=2))
    else:
        print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n")
        print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
