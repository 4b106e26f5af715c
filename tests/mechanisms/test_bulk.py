"""Large arrays: blocks over threads give what one thread gives, and refuse what it refuses."""

from __future__ import annotations

import threading
import tracemalloc
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import sudare as sd
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.exact.entropy import Entropy, Substreams
from sudare.files.wire import tally_cells
from sudare.mechanisms import bulk
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.picked import OneOfParts
from sudare.mechanisms.registry import registered
from sudare.threads import in_threads, threads
from tests.cases import cases

N = 5000
_RNG = np.random.default_rng(17)
_HELD = (_RNG.random((N, 4)) < 0.4, _RNG.random((N, 4)) * 2 - 1)
_GRID = sd.Grid(rows=3, columns=4, cell_height=100.0, cell_width=100.0)

CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "grr": (sd.GRR(5, 1.0), (_RNG.integers(0, 5, N),)),
    "unary": (sd.DyadicUnary(20, 1.0), (_RNG.integers(0, 20, N),)),
    "subset": (sd.SubsetSelection(20, 1.0), (_RNG.integers(0, 20, N),)),
    "hash": (sd.OLH(20, 1.0), (_RNG.integers(0, 20, N),)),
    "joint": (sd.JointRR([3, 4], gamma=10), (_RNG.integers(0, 3, (N, 2)),)),
    "one of several": (
        sd.MarginalRR([3, 4], 1.0, strategy="sample"),
        (_RNG.integers(0, 3, (N, 2)),),
    ),
    "sets": (sd.SetUnary(6, 1.0, most=6), (_RNG.random((N, 6)) < 0.3,)),
    "number": (sd.Piecewise(1.0, -1, 1), (_RNG.random(N) * 2 - 1,)),
    "place": (sd.GridExponential(_GRID, epsilon=0.02), (_RNG.integers(0, 12, N),)),
    "key and value": (sd.PrivKV(d=4, epsilon=1.0), _HELD),
    "padded": (sd.PCKVUE(d=4, epsilon=1.0, padding=2), _HELD),
    "rounds": (sd.PrivKVM(d=4, epsilon=1.0, rounds=2), _HELD),
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_ROWS", 1 << 10)
    monkeypatch.setattr(bulk, "_LEAST_BYTES", 1 << 10)


def with_threads(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setenv("SUDARE_THREADS", str(many))


@cases("case", CASES)
def test_reports_and_counts_are_those_of_one_thread(
    monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    m, given = CASES[case]
    seen, tallies = [], []
    for many in (1, 2, 3):
        with_threads(monkeypatch, many)
        seen.append(m.perturb(*given, rng=Entropy.seeded(b"s")))
        tallies.append(m.aggregate(seen[0]))
    assert all(np.array_equal(one, seen[0]) for one in seen)
    assert all(one == tallies[0] for one in tallies)
    assert len(seen[0]) == tallies[0].n == N
    monkeypatch.setattr(bulk, "_LEAST_BYTES", 1 << 30)  # tallied as a whole
    assert m.aggregate(seen[0]) == tallies[0]


def is_report(program: Any, wire: bytes) -> bool:
    try:
        program.check_wire(wire)
    except ReportError:
        return False
    return True


def many_reports(m: Mechanism, n: int) -> np.ndarray:
    """Return n reports as aggregate takes them: the first one, again and again."""
    few = next(filter(partial(is_report, m.program), m.program.wires()))
    rows: list[Any] = [np.frombuffer(few, dtype=np.uint8)[None]]
    if not isinstance(m, OneOfParts):
        tally_cells(cast(Any, SimpleNamespace(program=m.program, aggregate=rows.append)), few)
    return np.resize(rows[-1], (n, *rows[-1].shape[1:]))


def test_memory_of_a_tally_does_not_grow_with_the_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every mechanism that keeps no report, in parts of 4 kB."""
    monkeypatch.setattr(bulk, "_MOST_BYTES", 1 << 12)
    monkeypatch.setattr(bulk, "_MOST_ROWS", 1 << 9)
    with_threads(monkeypatch, 1)

    def peak(m: Mechanism, n: int) -> int:
        reports = many_reports(m, n)
        tracemalloc.start()
        counts = m.aggregate(reports)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert counts.n == n
        return found

    asked = [cls.examples()[0] for cls in registered(Mechanism) if not cls.studies_only]
    asked = [m for m in asked if m.methods and not isinstance(m, sd.PEM)]
    asked.append(sd.HierarchicalHistogram(1.0, bins=64))
    assert len(asked) > 20
    for m in asked:
        peak(m, 100)  # what is worked out once
        assert peak(m, 8_000) < 1.2 * peak(m, 1_000) + 20_000, m


def test_a_list_a_frame_s_column_and_an_array_give_the_same_reports() -> None:
    m, (values,) = CASES["grr"]

    class Column:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return values

    forms = (values, values.tolist(), values.astype(np.uint8), Column(), np.repeat(values, 2)[::2])
    first, *others = [m.perturb(form, rng=Entropy.seeded(b"s")) for form in forms]
    assert all(np.array_equal(first, other) for other in others)


def test_few_rows_are_drawn_from_the_stream_itself() -> None:
    m, (values,) = CASES["grr"]
    few = values[: bulk._ROWS]
    expected = m.program.draw(few, Entropy.seeded(b"s"))
    assert np.array_equal(m.perturb(few, rng=Entropy.seeded(b"s")), expected)


def test_each_block_and_each_call_has_its_own_noise() -> None:
    m = sd.GRR(100, 0.1)
    rng = Entropy.seeded(b"s")
    calls = [m.perturb(np.zeros(4 << 10, dtype=np.int64), rng=rng) for _ in range(2)]
    calls.append(m.perturb(np.zeros(4 << 10, dtype=np.int64)))
    calls.append(m.perturb(np.zeros(4 << 10, dtype=np.int64)))
    blocks = {call[i : i + 1024].tobytes() for call in calls for i in range(0, 4096, 1024)}
    assert len(blocks) == 16


def misfits(reports: np.ndarray, m: sd.GRR) -> list[float]:
    """Return how many standard errors counts lie off: own reports, and equal ones a block apart."""
    p, q = (float(one) for one in m.support_probabilities)
    same = p * p + (m.k - 1) * q * q
    later = reports[bulk._ROWS :] == reports[: -bulk._ROWS]
    seen = ((reports == 0, p), (reports[bulk._ROWS :] == 0, p), (later, same))
    return [
        float((one.sum() - one.size * chance) / np.sqrt(one.size * chance * (1 - chance)))
        for one, chance in seen
    ]


def test_blocks_follow_the_law_and_are_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    m, values = sd.GRR(5, 1.0), np.zeros(1 << 18, dtype=np.uint8)
    found = misfits(m.perturb(values, rng=Entropy.seeded(b"law")), m)
    assert max(map(abs, found)) < 4  # of one seed: it never changes
    stream = Substreams.stream
    monkeypatch.setattr(Substreams, "stream", lambda self, number: stream(self, 0))
    assert misfits(m.perturb(values, rng=Entropy.seeded(b"law")), m)[2] > 100


def test_blocks_of_wide_reports_have_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    m = sd.OUE(8 << 10, 1.0)  # 1 kB a report
    draw = type(m.program).draw

    def watched(program: Any, values: Any, rng: Entropy) -> Any:
        sizes.append(len(values))
        return draw(program, values, rng)

    monkeypatch.setattr(bulk, "_REPORT_BYTES", 1 << 14)
    monkeypatch.setattr(type(m.program), "draw", watched)
    m.perturb(np.zeros(100, dtype=np.int64))
    assert max(sizes) <= 16
    assert sum(sizes) == 100


def test_several_threads_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(monkeypatch, 2)
    both = threading.Barrier(2, timeout=60)

    def meet(item: int) -> tuple[int, int]:
        both.wait()  # passed by two threads at a time alone
        return threads(), item

    assert in_threads(meet, range(4)) == [(1, i) for i in range(4)]
    assert threads() == 2


def test_the_first_error_is_raised_and_what_follows_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_threads(monkeypatch, 2)
    begun: list[int] = []

    def fail(item: int) -> None:
        begun.append(item)
        raise LookupError(str(item))

    with pytest.raises(LookupError, match="0"):
        in_threads(fail, range(1_000))
    assert len(begun) < 1_000


@cases("many", [1, 2])
def test_a_value_is_refused_by_its_place_in_the_whole(
    monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    with_threads(monkeypatch, many)
    m, (values,) = CASES["grr"]
    wrong = values.copy()
    wrong[[4321, 4999]] = 5
    for given in (wrong, wrong.tolist()):
        with pytest.raises(DomainError, match="position 4321"):
            m.perturb(given)
    with pytest.raises(ReportError, match="reports"):
        m.aggregate(wrong)
    rows = np.zeros((N, 2), dtype=np.int64)
    rows[3210, 1] = 4
    with pytest.raises(ReportError, match="position 3210"):
        CASES["joint"][0].aggregate(rows)
    held, numbers = (one.copy() for one in CASES["key and value"][1])
    held[4000], numbers[4000] = True, 3.0
    with pytest.raises(DomainError, match="row 4000"):
        CASES["key and value"][0].perturb(held, numbers)


@cases(
    "given",
    [
        np.zeros((N, 2), dtype=np.int64),
        np.zeros(N),
        [*[0] * N, True],
        np.ma.masked_array(np.zeros(N, dtype=np.int64)),
        dict.fromkeys(range(N), 0),
        ["0"] * N,
        [[0]] * N,
    ],
)
def test_what_is_no_array_of_values_is_refused_whatever_its_length(given: Any) -> None:
    m: Mechanism = CASES["grr"][0]
    with pytest.raises((DomainError, WrongTypeError), match="values"):
        m.perturb(given)


def test_held_and_values_of_different_lengths_are_refused() -> None:
    m, (held, values) = CASES["key and value"]
    with pytest.raises(DomainError, match="shape of held"):
        m.perturb(held, values[:-1])


@cases("text", ["0", "-1", "two", "1.5", "1025", "²"])
def test_a_wrong_setting_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SUDARE_THREADS", text)
    with pytest.raises(DomainError, match="SUDARE_THREADS"):
        threads()
    monkeypatch.setenv("SUDARE_THREADS", "")
    assert threads() >= 1
