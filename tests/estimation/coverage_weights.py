"""Coverage of weighted estimates: few respondents who weigh much, and what is rare among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from coverage_entries import LEVEL, RUNS, Entry, entry, holds
from coverage_laws import binomial

import sudare as sd

PEOPLE = np.array([[0.2, 0.3], [0.4, 0.1]])
ASKED = PEOPLE * np.outer([1, 0.4], [0.5, 1])
SHARES = {
    "rare": np.array([[0.3, 0.3, 0.4], [0.02, 0.28, 0.7]]),
    "even": np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3]]),
    "at the ends": np.array([[0.0, 0.1, 0.9], [0.9, 0.1, 0.0]]),
}
"""Of three categories in two strata, the second 30 % of the sample, 70 % of the people; raked are
people of four cells, whose shares are means of both in one order and the other."""
KINDS = ("poststratified", "raked")
SECOND = np.array([0.2, 0.8, 0.8])
"""Of each category the share who hold the first of another question."""
POINTS = np.array([0.0, 0.3, 2.0])


def weighted() -> Iterator[Entry]:
    """Shares by the law of their counts, given who answered; the first raked sample of each size.

    Of tables and numbers whole samples are drawn, who answers too.
    """
    for kind in KINDS:
        for name in SHARES:
            for n in (60, 100, 200, 600):
                for m in (sd.GRR(3, 1.0), sd.GRR(3, 3.0), sd.OUE(3, 6.0)):
                    for category in range(3):
                        yield share(m, kind, name, n, category)
        for each in (
            (sd.GRR(3, 3.0), sd.GRR(2, 3.0)),
            (sd.Duchi(4.0, 0, 2),), (sd.Piecewise(4.0, 0, 2),), (sd.Hybrid(4.0, 0, 2),),
        ):  # fmt: skip
            yield _drawn(each, kind, "rare", 100)
        for name in SHARES:
            for m in (sd.GRR(3, 3.0), sd.OUE(3, 6.0)):
                yield sums(m, kind, name, 60)


def laws_of(kind: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The shares of each stratum or cell, and how many of the people are there."""
    both = SHARES[name]
    if kind == "poststratified":
        return both, np.array([0.3, 0.7])
    return ((both[:, None] + both[::-1]) / 2).reshape(4, 3), PEOPLE.ravel()


def share(m: Any, kind: str, name: str, n: int, category: int, law: Any = None) -> Entry:
    """One category, of one sample's strata; with another ``law`` of its interval: a control."""
    case = f"{m.name} k=3 ε={float(m.requested_epsilon):g} n={n} {kind} {name} {category}"
    dice = sd.Entropy.seeded(f"{kind} {n}".encode()).generator()
    codes, w = _weights(kind, n, dice)
    laws, people = laws_of(kind, name)
    x = laws[:, category]
    p, q = map(float, m.support_probabilities)
    sizes = np.bincount(codes)
    if kind == "poststratified":
        each = [binomial(some, q + (p - q) * one) for some, one in zip(sizes, x, strict=True)]
        chances = np.outer(*each).ravel()
        likely = np.flatnonzero(chances > 1e-9)
        counts, chances = np.stack(np.unravel_index(likely, sizes + 1)), chances[likely]
    else:
        counts = dice.binomial(sizes, q + (p - q) * x, (10 * RUNS, sizes.size)).T
        chances = np.full(counts.shape[1], 1 / counts.shape[1])
    part = counts / sizes[:, None]
    fit, leverage, _ = w._fitted(np.eye(sizes.size)[codes])  # linear in the means of the cells
    first = np.unique(codes, return_index=True)[1]
    fits, left = fit[first] @ ((part - q) / (p - q)), 1 / (1 - leverage[first])
    v = w.values[first] / w.values.sum()
    said = (1 - q) / (p - q) - fits, -q / (p - q) - fits
    mean = [part * said[0] ** power + (1 - part) * said[1] ** power for power in (2, 3)]
    now, third = (sizes * v**2 * left) @ mean[0], (sizes * v**3 * left**1.5) @ mean[1]
    # what a sample has whose reports are these: its own in the place of those of even answers
    est = w.estimate(m, m.perturb(np.arange(n) % 3, rng=sd.Entropy.seeded(b"even")))
    spread = est._law.spread()
    own, other = spread.own[:, :1], spread.other[:, :1]
    tested = replace(spread, now=now, third=third, fits=fits, own=own, other=other)
    ends = (tested if law is None else law(tested)).interval((sizes * v) @ fits, 1 - LEVEL)
    runs = 0 if kind == "poststratified" else counts.shape[1]
    flagged = np.full(chances.size, bool(est.warnings))
    return entry("weighted share", case, holds(*ends, people @ x), chances, flagged, runs)


def _drawn(each: tuple[Any, ...], kind: str, name: str, n: int) -> Entry:
    m, runs = each[0], RUNS // 2
    names = " x ".join(one.name for one in each)
    case = f"{names} ε={float(m.requested_epsilon):g} n={n} {kind} {name}"
    rng = sd.Entropy.seeded(case.encode())
    dice, (laws, people) = rng.generator(), laws_of(kind, name)
    shares = people @ laws
    held, flagged = [], []
    for _ in range(runs):
        codes, w = _weights(kind, n, dice)
        answers = (dice.random((n, 1)) > laws[codes].cumsum(axis=1)).sum(axis=1).clip(max=2)
        if len(each) > 1:
            other = (dice.random(n) > SECOND[answers]).astype(int)
            sent = [m.perturb(answers, rng=rng), each[1].perturb(other, rng=rng)]
            est: Any = w.cross(each, sent)
            truth = shares[:, None] * np.stack([SECOND, 1 - SECOND], axis=1)
        else:
            est, truth = w.estimate(m, m.perturb(POINTS[answers], rng=rng)), shares @ POINTS
        ends = est.interval(LEVEL) if hasattr(est, "shares") else est.mean.interval(LEVEL)
        held.append(np.ravel(holds(*ends, truth)))
        flagged.append(np.full(held[-1].shape, bool(est.warnings)))
    what = "table" if len(each) > 1 else "number"
    chances = np.full(runs, 1 / runs)
    return entry(f"weighted {what}", case, np.array(held), chances, np.array(flagged), runs)


SUMS = np.array([1.0, 1, 0]), np.array([1.0, -1, 0])
SCALES = (1, 2, 5), (1, 2, None)


def sums(
    m: Any, kind: str, name: str, n: int, runs: int = RUNS // 10, scales: Any = SCALES
) -> Entry:
    """Sums, differences and mean scores of the shares of whole samples."""
    case = f"{m.name} k=3 ε={float(m.requested_epsilon):g} n={n} {kind} {name}"
    rng = sd.Entropy.seeded(case.encode())
    dice, (laws, people) = rng.generator(), laws_of(kind, name)
    x = people @ laws
    held, flagged = [], []
    for _ in range(runs):
        codes, w = _weights(kind, n, dice)
        answers = (dice.random((n, 1)) > laws[codes].cumsum(axis=1)).sum(axis=1).clip(max=2)
        est = w.estimate(m, m.perturb(answers, rng=rng))
        own = [holds(*est.linear(one).interval(LEVEL), x @ one) for one in SUMS]
        told = [bool(est.warnings)] * len(own)
        for scores in scales:
            known = [i for i, one in enumerate(scores) if one is not None]
            missing = [i for i in range(3) if i not in known]
            answered = (
                est.shares[missing].sum() < 1
            )  # else a mean is refused: nothing false is said
            truth = x[known] @ [scores[i] for i in known] / x[known].sum()
            own.append(not answered or holds(*est.mean(scores).interval(LEVEL), truth))
            told.append(not answered or told[0])
        held.append(own)
        flagged.append(told)
    chances = np.full(runs, 1 / runs)
    return entry("weighted sum", case, np.array(held), chances, np.array(flagged), runs)


def _weights(kind: str, n: int, dice: np.random.Generator) -> tuple[Any, Any]:
    """The strata of a sample with at least two in each, and the weights."""
    while True:
        if kind == "poststratified":
            codes = (dice.random(n) < 0.3).astype(int)
            if np.bincount(codes, minlength=2).min() > 1:
                return codes, sd.weights.poststratify(codes, {0: 0.3, 1: 0.7})
        else:
            codes = dice.choice(4, n, p=ASKED.ravel() / ASKED.sum())
            if np.bincount(codes, minlength=4).min() > 1:
                labels = {"i": codes // 2, "j": codes % 2}
                margins = {"i": PEOPLE.sum(axis=1), "j": PEOPLE.sum(axis=0)}
                known = {name: dict(enumerate(one.tolist())) for name, one in margins.items()}
                return codes, sd.weights.rake(labels, known)
