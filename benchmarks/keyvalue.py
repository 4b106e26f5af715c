"""Keys and values: 100,000 keys estimated, reports tallied, a million cells randomised."""

from __future__ import annotations

import numpy as np
from timing import Row, interleave

import sudare as sd
from sudare.estimation.keyvalue.bayes import FITTED, FREQUENCIES as SHARES, MEANS, posterior
from sudare.estimation.keyvalue.iterate import em
from sudare.estimation.keyvalue.triangle import maximise

KEYS, REPORTS = 100_000, 10**6
D = 50


def rows(rounds: int) -> list[Row]:
    few = max(2, rounds // 4)
    random = np.random.default_rng(1)
    found = []

    m = sd.PrivKV(D, 1.0)
    reports = np.stack([random.integers(0, D, REPORTS), random.integers(0, 3, REPORTS)], axis=1)
    reports = reports.astype(np.uint8)
    cells = (reports[:, 0].astype(np.intp) * 3 + reports[:, 1]).copy()
    jobs = [lambda: np.bincount(cells, minlength=3 * D), lambda: m.aggregate(reports)]
    times = interleave(jobs, rounds)
    found.append(Row("PrivKV tally, d=50", "np.bincount of cells", 6, n=REPORTS, times=times))

    wide = sd.PrivKV(KEYS, 1.0)
    counts = wide.simulate(
        1_000 * KEYS, random.random(KEYS) ** 2, 2 * random.random(KEYS) - 1,
        rng=sd.Entropy.seeded(b"benchmark"),
    )  # fmt: skip
    support, channel = counts.support.astype(np.float64), wide.channel.dense()
    logs = random.random((3, KEYS))
    jobs = [lambda: np.log(logs), lambda: maximise(support, channel)]
    times = interleave(jobs, rounds)
    found.append(Row("closed-form ML", "np.log of three numbers a key", n=KEYS, times=times))
    found.append(_within("closed-form ML, 100,000 keys", 0.5, times[1]))
    found.append(
        _within("ML estimate with errors, 100,000 keys", 0.5,
                interleave([lambda: wide.estimate(counts, "mle")], rounds)[0])
    )  # fmt: skip
    found.append(
        _within("EM to its certificate, 100,000 keys", 5.0,
                interleave([lambda: em(support, channel)], few)[0])
    )  # fmt: skip

    block = -random.random((128, SHARES.size * MEANS.size))
    passes = KEYS + FITTED
    jobs = [lambda: np.exp(block), lambda: posterior(support, channel, 1)]
    exponentials, bayes = interleave(jobs, few)
    limit = [s * passes / len(block) for s in exponentials]
    kernel = "empirical Bayes, 100,000 keys"
    found.append(Row(kernel, "one exp a key and grid point", 8, times=[limit, bayes]))

    for d, people, most in ((100, 50_000, 0.15), (1_000, 10_000, 0.5)):
        found += _perturbed(d, people, most, few)
    return found


def _perturbed(d: int, people: int, most: float, rounds: int) -> list[Row]:
    """Reports against one pass over the values: all of them are checked, one is looked at."""
    random = np.random.default_rng(2)
    held = random.random((people, d)) < 0.3
    values = 2 * random.random((people, d)) - 1
    kinds = [
        sd.PrivKV(d, 1.0), sd.StateRR(d, 1.0), sd.PCKVGRR(d, 1.0, 5), sd.PCKVUE(d, 1.0, 5),
        sd.PrivKVM(d, 1.0, 2),
    ]  # fmt: skip
    jobs = [lambda: values.max(), lambda: values[held].min()]
    jobs += [lambda one=one: one.perturb(held, values) for one in kinds]
    largest, checked, *spent = interleave(jobs, rounds)
    found = []
    for mechanism, own in zip(kinds, spent, strict=True):
        name, rest = f"{mechanism.name}.perturb d={d:,}", {"n": people}
        limit = [[most * 1e-6 * people] * rounds, own]
        asked = None if isinstance(mechanism, sd.PrivKVM) else 1
        found.append(Row(name, f"{most} µs a person", asked, times=limit, **rest))
        found.append(Row(name, "one pass over the values", times=[largest, own], **rest))
        found.append(Row(name, "NumPy, the least value held", times=[checked, own], **rest))
    return found


def _within(kernel: str, limit: float, seconds: list[float]) -> Row:
    return Row(kernel, f"{limit:g} s", 1, times=[[limit] * len(seconds), seconds])
