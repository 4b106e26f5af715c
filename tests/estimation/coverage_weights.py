"""Coverage of weighted estimates: few respondents who weigh much, and what is rare among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from coverage_entries import LEVEL, RUNS, Entry, entry, holds

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
SECOND = np.array([0.2, 0.8, 0.8])
"""Of each category the share who hold the first of another question."""
POINTS = np.array([0.0, 0.3, 2.0])


def weighted() -> Iterator[Entry]:
    """Shares, means and crossed tables, post-stratified and raked."""
    for kind in ("poststratified", "raked"):
        for name in SHARES:
            for n, epsilon in ((60, 3), (100, 3), (200, 3), (600, 3), (100, 1), (100, 6)):
                yield _weighted((sd.GRR(3, epsilon),), kind, name, n)
            yield _weighted((sd.GRR(3, 3), sd.GRR(2, 3)), kind, name, 100)
            for number in (sd.Duchi, sd.Piecewise, sd.Hybrid):
                yield _weighted((number(4, 0, 2),), kind, name, 100)


def _weighted(each: tuple[Any, ...], kind: str, name: str, n: int) -> Entry:
    m, runs = each[0], RUNS // 4
    names = " x ".join(one.name for one in each)
    case = f"{names} ε={m.requested_epsilon} n={n} {kind} {name}"
    rng = sd.Entropy.seeded(case.encode())
    dice, both = rng.generator(), SHARES[name]
    laws, people = both, np.array([0.3, 0.7])
    if kind == "raked":
        laws, people = ((both[:, None] + both[::-1]) / 2).reshape(4, 3), PEOPLE.ravel()
    shares, truth = people @ laws, None
    held, flagged = [], []
    for _ in range(runs):
        codes, w = _weights(kind, n, dice)
        answers = (dice.random((n, 1)) > laws[codes].cumsum(axis=1)).sum(axis=1).clip(max=2)
        if len(each) > 1:
            other = (dice.random(n) > SECOND[answers]).astype(int)
            sent = [m.perturb(answers, rng=rng), each[1].perturb(other, rng=rng)]
            est: Any = w.cross(each, sent)
            truth = shares[:, None] * np.stack([SECOND, 1 - SECOND], axis=1)
        elif isinstance(m, sd.GRR):
            est, truth = w.estimate(m, m.perturb(answers, rng=rng)), shares
        else:
            est, truth = w.estimate(m, m.perturb(POINTS[answers], rng=rng)), shares @ POINTS
        ends = est.interval(LEVEL) if hasattr(est, "shares") else est.mean.interval(LEVEL)
        held.append(np.ravel(holds(*ends, truth)))
        flagged.append(np.full(held[-1].shape, bool(est.warnings)))
    what = "table" if len(each) > 1 else "share" if isinstance(m, sd.GRR) else "number"
    chances = np.full(runs, 1 / runs)
    return entry(f"weighted {what}", case, np.array(held), chances, np.array(flagged), runs)


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
