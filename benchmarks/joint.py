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
    found = [Row("(x) apply, 20^4 cells", "one pass y = 2 x", 5, times=times)]
    z, large = _wide()
    out = np.empty_like(z)
    times = interleave([lambda: np.multiply(z, 2, out=out), lambda: large.channel.apply(z)], few)
    found.append(Row("(x) apply, 30^4 cells", "one pass y = 2 x", 5, times=times))
    found += [*_rows(rounds), *_searches()]

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

    jobs, total = [lambda: some(_TABLES), lambda: some(9 * _TABLES)], table_count(wide, ORDER)
    for clock, of in ((time.process_time, "processor"), (time.perf_counter, "clock")):
        start_only, more = interleave(jobs, 2, clock=clock)
        each = (min(more) - min(start_only)) / (8 * _TABLES)
        groups = (min(start_only) - _TABLES * each) * (WIDE - ORDER + 1)
        scaled = [groups + total * each]
        found.append(_within(f"{total:,} four-way tables, 1e6 rows: {of}", 15.0, scaled))
    return found


@cache
def _wide() -> tuple[npt.NDArray[np.float64], sd.JointRR]:
    """Return expected shares of the reports on 30^4 cells, and the mechanism."""
    j = sd.JointRR([30] * ATTRIBUTES, epsilon=[2.0] * ATTRIBUTES)
    random, law = np.random.default_rng(1), np.zeros(j.sizes)
    for weight in random.dirichlet(np.ones(6)):
        part = np.ones(())
        for centre, width in zip(random.uniform(0, 30, 4), random.uniform(2, 6, 4), strict=True):
            hump = np.exp(-(((np.arange(30) - centre) / width) ** 2) / 2)
            part = np.multiply.outer(part, hump / hump.sum())
        law += weight * part
    return j.channel.apply(law / law.sum()), j


@cache
def _searches() -> list[Row]:
    """Return rows of both searches on 30^4 cells, a million reports; once, and not again a pass."""
    y, j = _wide()
    flat = np.maximum(y, 0).ravel()
    support = np.random.default_rng(2).multinomial(N, flat / flat.sum()).reshape(j.sizes)
    found = []
    for method, limit in (("em", 8.0), ("mle", 20.0)):
        start = time.thread_time()
        j.estimate(sd.Counts(support, N), method)
        found.append(_within(f"{method}, 30^4 cells", limit, [time.thread_time() - start]))
    return found


def _within(kernel: str, limit: float, seconds: list[float]) -> Row:
    return Row(kernel, f"{limit:g} s", 1, times=[[limit] * len(seconds), seconds])


def _rows(rounds: int) -> list[Row]:
    """Rows of four attributes: reports and their tally, beside secure words and float code."""
    sizes, n = (16, 5, 8, 12), 1 << 18
    random, rng = np.random.default_rng(4), sd.Entropy.system()
    wide = random.integers(0, sizes, (n, len(sizes)))
    rows, buffer = wide.astype(np.uint8), np.empty(1 << 15, dtype=np.uint32)
    picked, joint = sd.MarginalRR(sizes, 1.0, "sample"), sd.JointRR(sizes, gamma=5)
    kept = [float(part.support_probabilities[0]) for part in picked.parts]

    def words() -> None:
        for _ in range(n // buffer.size):
            rng.fill(buffer)

    def one() -> npt.NDArray[np.int64]:
        drawn = random.integers(0, len(sizes), n)
        own, k = wide[np.arange(n), drawn], np.array(sizes)[drawn]
        other = (own + random.integers(1, k)) % k
        told = np.where(random.random(n) < np.array(kept)[drawn], own, other)
        return np.stack([drawn, told], axis=1)

    def every() -> npt.NDArray[np.int64]:
        columns = []
        for own, k, part in zip(wide.T, sizes, joint.parts, strict=True):
            other = (own + random.integers(1, k, n)) % k
            p = float(part.support_probabilities[0])
            columns.append(np.where(random.random(n) < p, own, other))
        return np.stack(columns, axis=1)

    found = []
    for mechanism, usual, most, least in ((picked, one, 8, 4), (joint, every, 8, 6)):
        name, sent, ends = f"{mechanism.name} D=4", mechanism.perturb(rows), {"n": n}
        jobs = [words, usual, lambda m=mechanism: m.perturb(rows)]
        jobs += [lambda m=mechanism: m.perturb(wide), lambda m=mechanism, s=sent: m.aggregate(s)]
        needed, floats, narrow, long, tally = interleave(jobs, rounds)
        limits = [[limit * 1e-9 * n] * rounds for limit in (most, least)]
        found += [
            Row(f"{name}: perturb", f"{most} ns a person", 1, times=[limits[0], narrow], **ends),
            Row(f"{name}: perturb", "one secure u32 word a person", times=[needed, narrow], **ends),
            Row(f"{name}: perturb", "float code", times=[floats, narrow], **ends),
            Row(
                f"{name}: perturb, int64", f"{most} ns a person", 1, times=[limits[0], long], **ends
            ),
            Row(f"{name}: aggregate", f"{least} ns a person", 1, times=[limits[1], tally], **ends),
        ]
    return found
