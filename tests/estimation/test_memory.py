"""What does not fit into the memory is refused before it is begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sudare as sd
from sudare.estimation import memory


def test_the_least_of_what_is_left_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   4000000 kB\n", "ascii")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(memory, "_of_process", lambda: None)
    assert memory.free_bytes() == 4_096_000_000
    (tmp_path / "memory.max").write_text("3000000000\n", "ascii")
    (tmp_path / "memory.current").write_text("1000000000\n", "ascii")
    assert memory.free_bytes() == 2_000_000_000
    (tmp_path / "memory.max").write_text("max\n", "ascii")
    assert memory.free_bytes() == 4_096_000_000
    memory.require_memory(4_000_000_000, "counts", "take less")
    with pytest.raises(sd.EstimationError, match=r"about 5\.0 GB to be estimated, and 4\.1 GB"):
        memory.require_memory(5_000_000_000, "counts", "take less")


def test_nothing_is_refused_where_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "none")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path / "none")
    monkeypatch.setattr(memory, "_of_process", lambda: None)
    assert memory.free_bytes() is None
    memory.require_memory(10**15, "counts", "take less")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of Linux")
def test_freed_memory_is_kept() -> None:
    code = (
        "import resource, numpy as np\n"
        "from sudare.estimation.memory import keep_freed\n"
        "{}\n"
        "now = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "some = lambda: [np.zeros(1 << 18) + 1 for _ in range(3)]\n"
        "some(); start = now()\n"
        "for _ in range(20): some()\n"
        "print(now() - start)\n"
    )
    runs = [[sys.executable, "-c", code.format(line)] for line in ("", "keep_freed(1 << 21)")]
    done = [subprocess.run(run, capture_output=True, text=True, check=True) for run in runs]
    faults = [int(one.stdout) for one in done]
    assert faults[1] <= 0.2 * faults[0] or faults[0] < 2000  # where it was kept before


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_a_joint_table_that_does_not_fit_is_a_typed_error() -> None:
    code = (
        "import resource, numpy as np, sudare as sd\n"
        "from sudare.estimation import Counts\n"
        "j = sd.JointRR([100] * 4, gamma=10)\n"
        "support = np.zeros(j.sizes, dtype=np.int64); support[0, 0, 0, 0] = 5\n"
        "counts = Counts(support, 5, j.to_json())\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 10**9, used + 10**9))\n"
        "try:\n"
        "    j.estimate(counts)\n"
        "except sd.EstimationError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "to be estimated, and 1.0 GB are free" in done.stdout
