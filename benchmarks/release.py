"""Releases: noise in bulk and one by one, choices among 1,000, a payment of the ledger.

Beside limits of the machine, NumPy's floats, and OpenDP where it is installed (extra ``oracle``).
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from randomness import words
from timing import Job, Row, Times, interleave

from sudare.exact.entropy import Entropy
from sudare.exact.noise import (
    discrete_gaussian,
    discrete_gaussian_one,
    discrete_laplace,
    discrete_laplace_one,
)
from sudare.exact.selection import exponential, permute_and_flip
from sudare.ledger import Cost, Ledger

try:
    import opendp.prelude as dp
except ImportError:
    dp = None
else:
    dp.enable_features("contrib")

SCALES = (1, 10, 1000)
DRAWS, PEER_DRAWS = 1 << 16, 1 << 12
CALLS, PEER_CALLS = 200, 50
CANDIDATES = 1000
PAYMENTS = 20
BULK, SCALAR = 1e-6, 50e-6
"""Most seconds of a draw."""


def rows(rounds: int) -> list[Row]:
    few = max(2, rounds // 4)
    found = []
    for scale in SCALES:
        found += _bulk("discrete_laplace", scale, few)
        found += _bulk("discrete_gaussian", scale, few)
    for scale in SCALES:
        found += _single("discrete_laplace", scale, few)
        found += _single("discrete_gaussian", scale, few)
    return [*found, *_choices(few), *_payments(few)]


# -- noise -----------------------------------------------------------------------------------------


class Metered(Entropy):
    """Entropy that counts the bytes it gives."""

    drawn = 0

    def take(self, n: int) -> bytes:
        self.drawn += n
        return super().take(n)

    def block(self, n: int, dtype: Any) -> Any:
        self.drawn += n * np.dtype(dtype).itemsize
        return super().block(n, dtype)


def _bulk(name: str, scale: int, rounds: int) -> list[Row]:
    rng, toy, of = Entropy.system(), np.random.Generator(np.random.PCG64()), Fraction(scale)
    kernel = f"{name}, scale {scale}"
    if name == "discrete_laplace":
        q = -np.expm1(-1 / scale)
        ours = lambda source: discrete_laplace(DRAWS, of, source)  # noqa: E731
        usual: dict[str, Job] = {
            "NumPy laplace, rounded": lambda: np.rint(toy.laplace(0, scale, DRAWS)).astype(int),
            "NumPy geometric - geometric": lambda: (
                toy.geometric(q, DRAWS) - toy.geometric(q, DRAWS)
            ),
        }
    else:
        ours = lambda source: discrete_gaussian(DRAWS, of * of, source)  # noqa: E731
        usual = {"NumPy normal, rounded": lambda: np.rint(toy.normal(0, scale, DRAWS)).astype(int)}
    meter = Metered.seeded(b"meter")
    ours(meter)
    size = meter.drawn / DRAWS
    limits = {f"its entropy alone, {size:.0f} bytes": words(meter.drawn // 8), **usual}
    times = interleave([*limits.values(), *_peers(name, scale), lambda: ours(rng)], rounds)
    found = [Row(kernel, f"{BULK * 1e6:g} µs", 1, n=DRAWS, times=_fixed(BULK * DRAWS, times[-1]))]
    for limit, spent in zip(limits, times, strict=False):
        found.append(Row(kernel, limit, n=DRAWS, times=[spent, times[-1]]))
    if dp:
        peer = [seconds * DRAWS / PEER_DRAWS for seconds in times[-2]]
        found.append(Row(kernel, "OpenDP", 1, True, DRAWS, [peer, times[-1]]))
    return found


def _peers(name: str, scale: int) -> list[Job]:
    if not dp:
        return []
    vector = dp.vector_domain(dp.atom_domain(T=int))
    make, metric = _opendp(name, dp.l1_distance, dp.l2_distance)
    measurement, zeros = make(vector, metric(T=int), scale=float(scale)), [0] * PEER_DRAWS
    return [lambda: measurement(zeros)]


def _single(name: str, scale: int, rounds: int) -> list[Row]:
    rng, of = Entropy.system(), Fraction(scale)
    one = discrete_laplace_one if name == "discrete_laplace" else discrete_gaussian_one
    spread = of if one is discrete_laplace_one else of * of

    def ours() -> None:
        for _ in range(CALLS):
            one(spread, rng)

    peers: list[Job] = []
    if dp:
        make, _ = _opendp(name, None, None)
        atom = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        peers = [_repeated(make(*atom, scale=float(scale)), 0)]
    times = interleave([*peers, ours], rounds)
    return _calls(f"{name}_one, scale {scale}", times, SCALAR)


def _opendp(name: str, laplace: Any, gaussian: Any) -> tuple[Any, Any]:
    if name == "discrete_laplace":
        return dp.m.make_laplace, laplace
    return dp.m.make_gaussian, gaussian


def _repeated(measurement: Any, data: Any) -> Job:
    def call() -> None:
        for _ in range(PEER_CALLS):
            measurement(data)

    return call


def _calls(kernel: str, times: Times, limit: float | None) -> list[Row]:
    """Return the rows of single calls: the peer's times, if any, come first."""
    found = []
    if limit is not None:
        fixed = _fixed(limit * CALLS, times[-1])
        found.append(Row(kernel, f"{limit * 1e6:g} µs", 1, n=CALLS, times=fixed))
    if dp:
        peer = [seconds * CALLS / PEER_CALLS for seconds in times[0]]
        found.append(Row(kernel, "OpenDP", 1, True, CALLS, [peer, times[-1]]))
    return found or [Row(kernel, n=CALLS, times=times)]


def _fixed(limit: float, spent: list[float]) -> Times:
    return [[limit] * len(spent), spent]


# -- choices ---------------------------------------------------------------------------------------


def _choices(rounds: int) -> list[Row]:
    losses = np.random.default_rng(5).integers(0, 1000, CANDIDATES)
    listed, rate, rng = losses.tolist(), Fraction(1, 20), Entropy.system()
    found = []
    for mechanism in (permute_and_flip, exponential):

        def ours(mechanism: Any = mechanism) -> None:
            for _ in range(CALLS):
                mechanism(losses, rate, rng)

        peers = []
        if dp:  # exponential noise: permute-and-flip; Gumbel noise: the exponential mechanism
            pure = mechanism is permute_and_flip
            measure = dp.max_divergence() if pure else dp.zero_concentrated_divergence()
            space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
            select = dp.m.make_noisy_max(*space, measure, scale=float(1 / rate), negate=True)
            peers = [_repeated(select, listed)]
        times = interleave([*peers, ours], rounds)
        found += _calls(f"{mechanism.__name__}, {CANDIDATES:,} candidates", times, None)
    return found


# -- payments --------------------------------------------------------------------------------------


def _payments(rounds: int) -> list[Row]:
    """A payment against a commit of one row, both in SQLite with a log that is synced each time.

    By the wall clock, as most of a commit is waiting for the disk, and by the processor's time.
    """
    with _folder() as folder, Ledger(folder / "ledger.db") as ledger:
        ledger.open("survey", epsilon=1_000)
        cost, numbers = Cost.of(epsilon=Fraction(1, 1000)), count()
        bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode=WAL")
        bare.execute("PRAGMA synchronous=FULL")
        bare.execute("CREATE TABLE event (number INTEGER PRIMARY KEY, body TEXT)")

        def commit() -> None:
            for _ in range(PAYMENTS):
                bare.execute("BEGIN IMMEDIATE")
                bare.execute("INSERT INTO event (body) VALUES ('one')")
                bare.execute("COMMIT")

        def pay() -> None:
            for _ in range(PAYMENTS):
                ledger.pay(["survey"], cost, {"q": next(numbers)}, lambda: 0)

        waited = interleave([commit, pay], 2 * rounds, time.perf_counter)
        worked = interleave([commit, pay], rounds)
        bare.close()
    limit = "a synced commit of one row"
    return [
        Row("Ledger.pay, SQLite, with the disk", limit, n=PAYMENTS, times=waited),
        Row("Ledger.pay, SQLite, without it", limit, n=PAYMENTS, times=worked),
    ]


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """Yield a folder beside this file: a temporary one may lie in memory, where syncs are free."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent, prefix=".ledger-") as folder:
        yield Path(folder)
