"""What γ of each attribute costs: ε of the submission, and the comparison at equal ε (ours)."""

from __future__ import annotations

import math

import numpy as np

from sudare.data import adult_table
from sudare.mechanisms import JointRR
from sudare.mechanisms.joint import posterior_ceiling
from sudare.studies.joint.methods import STYLES
from sudare.studies.joint.theory import expected, joint_marginal, single_marginal
from sudare.studies.palette import Canvas
from sudare.studies.study_text import Facts, Label

GAMMA = 10
ATTRIBUTES = (1, 2, 3, 4, 6, 8, 12)
EPSILONS = tuple(round(0.5 * i, 1) for i in range(1, 25))
SHOWN = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0)
DOMAINS = {"16 × 5": ((16, 5), 45_222), "10 × 10 × 10 × 10": ((10,) * 4, 45_222)}
GROUPS = (5, 50)
MARGINALS = {"Single-RR": single_marginal, "Joint RR": joint_marginal}


def full(method: str, sizes: tuple[int, ...], epsilon: float, n: int) -> float:
    """Return the respondents' error of all cells where the submission spends ε."""
    share = epsilon if method == "Single-RR" else epsilon / len(sizes)
    return expected(method, sizes, math.exp(share), n, "respondents")


def groups() -> dict[str, float]:
    """Return the error of adding people with γ = 5 and γ = 50, half each, and of weighting them."""
    half = 45_222 // 2
    own = [expected("Joint RR", (16, 5), gamma, half, "respondents") for gamma in GROUPS]
    population = [expected("Joint RR", (16, 5), gamma, half) for gamma in GROUPS]
    return {"added": sum(own) / 4, "weighted": 1 / sum(1 / e for e in population)}


def by_attribute() -> dict[str, float]:
    """Return how far Adult is missed from reports of exact law, γ = 5 of age and 50 of race.

    By the inverse of these γ, and by that of one γ for both, their geometric mean.
    """
    shares = adult_table() / adult_table().sum()
    reported = JointRR(shares.shape, gamma=list(GROUPS)).channel.apply(shares)

    def missed(gamma: float | list[int]) -> float:
        inferred = JointRR(shares.shape, gamma=gamma).channel.solve(reported)
        return float(np.abs(inferred - shares).max())

    return {"known": missed(list(GROUPS)), "ignored": missed(math.sqrt(math.prod(GROUPS)))}


def compute() -> Facts:
    """Return what γ costs, and attributes and people with different γ."""
    spent = {name: len(sizes) * math.log(GAMMA) for name, (sizes, _) in DOMAINS.items()}
    ratios = [
        full("Joint RR", sizes, spent[name], n) / full("Single-RR", sizes, spent[name], n)
        for name, (sizes, n) in DOMAINS.items()
    ]
    return Facts.of(
        GAMMA=GAMMA,
        ratios=ratios,
        groups=list(GROUPS),
        **groups(),
        **by_attribute(),
        tables={
            "cost": [
                (d, *(k * math.log(GAMMA) for k in (1, d)), float(g), posterior_ceiling(g, 0.05))
                for d, g in ((d, GAMMA**d) for d in ATTRIBUTES)
            ],
            "equal-epsilon": [
                (
                    name,
                    epsilon,
                    *(full(method, sizes, epsilon, n) for method in MARGINALS),
                    *(marginal(sizes, 0, epsilon, n) for marginal in MARGINALS.values()),
                )
                for name, (sizes, n) in DOMAINS.items()
                for epsilon in SHOWN
            ],
        },
        figures={"equal-epsilon": _draw},
    )


def _draw(canvas: Canvas, label: Label) -> None:
    panels = canvas.subplots(1, len(DOMAINS))
    for axes, (name, (sizes, n)) in zip(panels, DOMAINS.items(), strict=True):
        for method, marginal in MARGINALS.items():
            for part, dash, y in (
                ("all", "-", [full(method, sizes, e, n) for e in EPSILONS]),
                ("single", "--", [marginal(sizes, 0, e, n) for e in EPSILONS]),
            ):
                words = f"{method}{label(part)}"
                axes.plot(EPSILONS, y, color=STYLES[method][0], linestyle=dash, label=words)
        axes.set(yscale="log", title=name, xlabel=label("submission"))
    panels[0].set_ylabel("MSE")
    panels[-1].legend(loc="best", fontsize=8)
