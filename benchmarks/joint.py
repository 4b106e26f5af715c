"""Several attributes at once: 20 categories each, a million reports."""

from __future__ import annotations

import time
from functools import cache
from itertools import islice

import numpy as np
import numpy.typing as npt
from timing import Row, interleave

import sudare as sd
from sudare.arrays import Integers
from sudare.channels import Kronecker
from sudare.estimation.em import em, maximise
from sudare.mechanisms.joint.tables import table_count

K, ATTRIBUTES, N = 20, 4, 10**6
WIDE, ORDER = 20, 4
NEAR = 10.0  # nats
EM_MAPS = 3_000
_MAPS, _TABLES = 25, 17


@cache
def survey(epsilon: float) -> tuple[sd.JointRR, Integers]:
    """Return a mechanism and reports of a mixture of smooth populations."""
    random = np.random.default_rng(1)
    j = sd.JointRR([K] * ATTRIBUTES, epsilon=[epsilon] * ATTRIBUTES)
    law = np.zeros(j.sizes)
    for weight in random.dirichlet(np.ones(6)):
        part = np.ones(())
        for centre, width in zip(random.uniform(0, K, 4), random.uniform(1.5, 4, 4), strict=True):
            hump = np.exp(-(((np.arange(K) - centre) / width) ** 2) / 2)
            part = np.multiply.outer(part, hump / hump.sum())
        law += weight * part
    reported = j.channel.apply(law / law.sum()).ravel()
    counts = random.multinomial(N, reported / reported.sum()).reshape(j.sizes)
    return j, counts


@cache
def maps_to_come_near(epsilon: float) -> tuple[int, int]:
    """Return the maps that EM and its acceleration need to 10 nats below the maximum."""
    j, counts = survey(epsilon)
    start = j.independent(counts)
    paths: list[list[tuple[int, float]]] = [[], []]
    top = maximise(j.channel, counts, start, most_maps=1_500).log_likelihood
    maximise(j.channel, counts, start, most_maps=600, progress=lambda *at: paths[1].append(at))
    em(j.channel, counts, start, maps=EM_MAPS, progress=lambda *at: paths[0].append(at))
    plain, fast = (
        next((maps for maps, value in path if top - value < NEAR), EM_MAPS) for path in paths
    )
    return plain, fast


def dense(channel: Kronecker) -> npt.NDArray[np.float64]:
    return np.linalg.inv(channel.dense())


def rows(rounds: int) -> list[Row]:
    few = max(2, rounds // 4)
    j, counts = survey(2.0)
    channel, y = j.channel, counts / N
    flat = np.empty_like(y)
    times = interleave([lambda: np.multiply(y, 2, out=flat), lambda: channel.apply(y)], rounds)
    found = [Row("(x) apply, 20^4 cells", "one pass y = 2 x", 15, times=times)]

    small = sd.JointRR([8, 8, 8], gamma=10)
    inverse, z = dense(small.channel), np.random.default_rng(2).random(512)
    times = interleave([lambda: inverse @ z, lambda: small.channel.solve(z)], rounds)
    found.append(Row("(x) inverse, 8^3 cells", "dense inverse @ y, inverted before", times=times))

    tally = sd.Counts(counts, N, j.to_json())
    seconds = interleave([lambda: j.estimate(tally).stderr], rounds)
    found.append(_within("inversion with standard errors, 20^4", 0.1, seconds[0]))

    start = j.independent(counts)
    seconds = interleave([lambda: em(channel, counts, start, maps=_MAPS)], few)
    scaled = [s * 1_000 / (_MAPS + 1) for s in seconds[0]]
    found.append(_within("1,000 EM maps, 20^4", 4.0, scaled))

    for epsilon in (2.0, 3.0):
        plain, fast = maps_to_come_near(epsilon)
        kernel = f"ML to 10 nats, 20^4, ε={epsilon:g}: {fast} maps"
        limit = f"EM, {plain} maps or more"
        found.append(Row(kernel, limit, 5, faster=True, exact=plain / fast))

    wide = sd.JointRR([K] * WIDE, gamma=5)
    reports = np.random.default_rng(3).integers(0, K, (N, WIDE), dtype=np.uint8)

    def some(tables: int) -> None:
        for _ in islice(sd.joint_tables(wide, reports, ORDER), tables):
            pass

    jobs = [lambda: some(_TABLES), lambda: some(9 * _TABLES)]
    start_only, more = interleave(jobs, 2, clock=time.perf_counter)
    total = table_count(wide, ORDER)
    each = (min(more) - min(start_only)) / (8 * _TABLES)
    groups = (min(start_only) - _TABLES * each) * (WIDE - ORDER + 1)
    scaled = [groups + total * each]
    found.append(_within(f"{total:,} four-way tables with errors, 1e6 rows", 20.0, scaled))
    return found


def _within(kernel: str, limit: float, seconds: list[float]) -> Row:
    return Row(kernel, f"{limit:g} s", 1, times=[[limit] * len(seconds), seconds])
