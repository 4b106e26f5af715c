"""What EM computes: the maximum of the likelihood, and what a fourth state would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.arrays import Floats
from sudare.estimation.keyvalue.iterate import CERTIFICATE, em
from sudare.estimation.keyvalue.triangle import likelihood, maximise
from sudare.mechanisms.keyvalue.base import states_of
from sudare.studies.judging import judged
from sudare.studies.key_value import four_states, rules
from sudare.studies.key_value.palette import COLOURS, INK
from sudare.studies.key_value.populations import Population, synthetic
from sudare.studies.key_value.schemes import EARLY, SCHEMES, estimates, supports
from sudare.studies.parts import Cell, Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
TRIALS = 40
"""Most trials."""
STEPS, STARTS = 1_000, 200
LONG = 10_000
TRUE = (0.3, -0.6)
"""Frequency and mean of the key with known report shares."""
AT = 2.0


@dataclass(frozen=True, slots=True)
class Converged:
    """EM up to its certificate, beside the closed form.

    Attributes:
        steps: of the key that took longest, accelerated; then those of the early stop.
        gap: largest log-likelihood a report that EM still lacks.
        published: the same of PrivKV's estimates, brought into their ranges.
        errors: mean-MSE of EM and of the closed form.
    """

    epsilon: float
    steps: tuple[int, int]
    gap: float
    published: float
    errors: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of EM.

    Attributes:
        converged: at each ε, Gaussian data.
        ratios: (populations, ε) mean-MSE of four-state EM in parts of PrivKV's.
        ends: means to which four-state EM comes from random starts, the report shares being known
            exactly.
        middle: the same from the uniform start.
    """

    populations: tuple[Population, ...]
    converged: tuple[Converged, ...]
    ratios: Floats
    ends: Floats
    middle: float


def run(setting: Setting) -> Outcome:
    """Run EM with three and with four states."""
    populations = synthetic()
    converged = tuple(
        _converge(populations[0], epsilon, setting)
        for epsilon in setting.progress(EPSILONS, len(EPSILONS), "EM")
    )
    jobs = [(population, epsilon) for population in populations for epsilon in EPSILONS]
    ratios = [
        _against(population, epsilon, setting)
        for population, epsilon in setting.progress(jobs, len(jobs), "four states")
    ]
    shape = (len(populations), len(EPSILONS))
    return Outcome(populations, converged, np.array(ratios).reshape(shape), *_starts(setting))


def _converge(population: Population, epsilon: float, setting: Setting) -> Converged:
    mechanism = SCHEMES[0].make(population.d, epsilon, 1)
    rng = setting.rng(f"em/{epsilon}")
    trials = min(TRIALS, setting.repetitions)
    drawn = supports(mechanism, population, population.n, trials, rng)
    counts = drawn.reshape(-1, 3).astype(np.float64)
    law = mechanism.channel.dense()
    found, steps = em(counts, law)
    best = maximise(counts, law)
    f, m = estimates(SCHEMES[0], mechanism, drawn, population.n, "PrivKV")
    stated = states_of(f.clip(0, 1).ravel(), m.ravel())
    gap, published = (
        float(
            (
                (likelihood(counts, law, best) - likelihood(counts, law, states))
                / counts.sum(axis=1)
            ).max()
        )
        for states in (found, stated)
    )
    truth = np.tile(population.mean, trials)
    errors = [float(((_mean(states) - truth) ** 2).mean()) for states in (found, best)]
    early = em(counts, law, EARLY)[1]
    return Converged(epsilon, (steps, early), gap, published, (errors[0], errors[1]))


def _mean(states: Floats) -> Floats:
    """Return the means, 0 where nobody holds the key."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(four_states.mean(states), nan=0.0)


def _against(population: Population, epsilon: float, setting: Setting) -> float:
    """Return the mean-MSE of four-state EM from the uniform start in parts of PrivKV's."""
    half = SCHEMES[0]
    mechanism = half.make(population.d, epsilon, 1)
    trials = min(TRIALS, setting.repetitions)
    rng = setting.rng(f"four/{population.label}/{epsilon}")
    drawn = supports(mechanism, population, population.n, trials, rng)
    shares = drawn.reshape(-1, 3) / drawn.reshape(-1, 3).sum(axis=1, keepdims=True)
    states = four_states.fit(shares, four_states.channel(epsilon), np.full(4, 0.25), STEPS)
    truth = np.tile(population.mean, trials)
    published = estimates(half, mechanism, drawn, population.n, "PrivKV")[1].ravel()
    return float(
        ((four_states.mean(states) - truth) ** 2).mean() / ((published - truth) ** 2).mean()
    )


def _starts(setting: Setting) -> tuple[Floats, float]:
    f, m = TRUE
    law = four_states.channel(AT)
    shares = law @ np.array([f * (1 + m) / 2, f * (1 - m) / 2, (1 - f) / 2, (1 - f) / 2])
    starts = setting.rng("starts").generator().dirichlet(np.ones(4), STARTS)
    starts = np.concatenate([starts, np.full((1, 4), 0.25)])
    states = four_states.fit(np.tile(shares, (STARTS + 1, 1)), law, starts, LONG)
    ends = four_states.mean(states)
    return ends[:-1], float(ends[-1])


def section(found: Outcome) -> Section:
    """Return the section."""
    gap, published = (
        max(getattr(one, what) for one in found.converged) for what in ("gap", "published")
    )
    apart = max(abs(a / b - 1) for a, b in (one.errors for one in found.converged))
    largest = float(found.ratios.max())
    f, m = TRUE
    low, high = float(found.ends.min()), float(found.ends.max())
    rows: list[tuple[Cell, ...]] = [
        (one.epsilon, *one.steps, one.gap, *one.errors) for one in found.converged
    ]
    return Section(
        Text("What EM computes (slides 10 and 16)", "EM が計算するもの（スライド10・16）"),
        (
            judged(
                Text("slides 10 and 16, the table of methods", "スライド10・16 手法の表"),
                Text(
                    "PrivKV estimates by maximum likelihood, and has large errors for that reason; "
                    "the proposal estimates by EM.",
                    "PrivKV は最尤推定法を用いるため誤差が大きい。提案手法は EM を用いる。",
                ),
                "",
                Text(
                    f"EM up to its certificate and the closed form of the MLE: log-likelihoods a "
                    f"report at most {gap:.1e} apart, mean-MSE at most {100 * apart:.1f} % apart; "
                    f"PrivKV's estimates lack up to {published:.1e}",
                    "収束した EM と最尤推定の閉じた式：1報告あたりの対数尤度の差は最大 "
                    f"{gap:.1e}、平均値の MSE の差は {100 * apart:.1f} %。PrivKV "
                    f"の推定値に不足する対数尤度は最大 {published:.1e}",
                ),
                rules.likelihoods(published, gap, CERTIFICATE),
                Verdict.FAILS,
                Text(
                    f"PrivKV's estimates lack at most {CERTIFICATE:g} of the largest "
                    "log-likelihood a report, and EM's more; approximately: both lack no more, or "
                    "both more",
                    f"PrivKV の推定値の対数尤度が最大値から1報告あたり {CERTIFICATE:g} 以内で、EM "
                    "はそうでない、「ほぼ」は両方が以内か、どちらも以内でない",
                ),
                Text(
                    "It is the other way round: EM ends at the maximum of the likelihood, which "
                    "has a closed form here; PrivKV's estimator is no maximum likelihood but a "
                    "ratio that leaves the false reports of non-holders in. The mean-MSE "
                    "differs where EM "
                    "comes near f = 0 without reaching it, and still names a mean.",
                    "逆である。EM が行き着くのが尤度の最大点であり、ここでは閉じた式がある。"
                    "PrivKV の推定は最尤推定ではなく、非保有者の偽の報告を含んだままの比である。"
                    "MSE の差は、EM が f = 0 に近づいても達せず、平均値を出すことによる。",
                ),
            ),
            Table(
                "em",
                Text(
                    f"EM on Gaussian data, n = 1e5, half split, at most {TRIALS} trials of 50 "
                    "keys: steps (accelerated) to the certificate 1e-8, plain steps to a tolerance "
                    f"of {EARLY:g}, and errors.",
                    f"ガウス分布での EM（n = 1e5、50 key × 最大{TRIALS}試行）：証明書 1e-8 "
                    f"までの反復数、許容差 {EARLY:g} までの反復数、誤差。",
                ),
                (
                    Column("ε", "g"),
                    Column(Text("most steps", "最大反復数"), ",d"),
                    Column(Text("stopped early", "早い停止"), ",d"),
                    Column(Text("log-likelihood lacking", "対数尤度の不足"), ".1e"),
                    Column(Text("mean-MSE, EM", "平均値の MSE（EM）"), ".3e"),
                    Column(Text("mean-MSE, closed form", "平均値の MSE（閉じた式）"), ".3e"),
                ),
                tuple(rows),
            ),
            Text(
                "The source does not print its EM. One with four states, <1,±1> and <0,±1>, "
                "because a person without a key draws a sign too, comes near the source's claim: "
                f"mean-MSE at most {largest:.2f} of PrivKV's at every ε of the table below. But "
                "three reports cannot tell four states apart. With report shares known exactly "
                f"(ε = {AT:g}, f = {f}, m = {m}) it ends anywhere from {low:.2f} to {high:.2f}, as "
                f"the start has it, and at {found.middle:.2f} from the uniform one. Its accuracy "
                "is that of its start. Sudare does not offer it.",
                "原典は EM の式を示していない。key を持たない人も符号を引くので <1,±1> と <0,±1> "
                "の4状態で EM を作ると、原典の主張に近くなる：平均値の MSE は下の表のどの ε でも "
                f"PrivKV の {largest:.2f} 倍以下である。しかし3種の報告から4状態は識別できない。"
                f"報告の割合が正確に分かっていても（ε = {AT:g}、f = {f}、m = {m}）、初期値により "
                f"{low:.2f} から {high:.2f} までのどこにでも行き着き、一様な初期値からは "
                f"{found.middle:.2f} になる。精度は初期値のものである。Sudare では提供しない。",
            ),
            Figure(
                "starts",
                Text(
                    f"Where four-state EM ends after {LONG:,} steps from {STARTS} random starts, "
                    "all report shares known: every one fits them perfectly.",
                    f"4状態 EM が {STARTS} 個の乱数の初期値から {LONG:,} "
                    "回の反復で行き着く平均値。報告の割合は既知で、どれも完全に適合する。",
                ),
                Text(
                    f"The means spread from {low:.2f} to {high:.2f}; the truth is {m}.",
                    f"平均値は {low:.2f} から {high:.2f} に散らばる。真値は {m}。",
                ),
                lambda canvas, say: _draw(canvas, say, found),
                (7.2, 3.2),
            ),
            Table(
                "four-states",
                Text(
                    f"Mean-MSE of four-state EM ({STEPS:,} steps, uniform start) over PrivKV's.",
                    f"平均値の MSE：4状態 EM（一様な初期値、{STEPS:,} 回）÷ PrivKV。",
                ),
                (
                    Column("ε", "g"),
                    *(Column(population.name, ".2f") for population in found.populations),
                ),
                tuple(
                    (epsilon, *(float(one) for one in found.ratios[:, i]))
                    for i, epsilon in enumerate(EPSILONS)
                ),
            ),
        ),
    )


def _draw(canvas: Canvas, say: Say, found: Outcome) -> None:
    axes = canvas.subplots()
    axes.hist(found.ends, bins=40, range=(-1, 1), color=COLOURS["MLE"], alpha=0.75)
    uniform = Text("uniform start", "一様な初期値")
    for value, colour, dash, words in (
        (TRUE[1], INK, "-", Text("true", "真値")),
        (found.middle, COLOURS["PrivKV"], "--", uniform),
    ):
        label = f"{say(words)}: {value:.2f}"
        axes.axvline(value, color=colour, linewidth=1.2, linestyle=dash, label=label)
    axes.set_xlim(-1, 1)
    axes.set_xlabel(say(Text("mean to which EM comes", "EM が行き着く平均値")))
    axes.set_ylabel(say(Text("starts", "初期値の数")))
    axes.legend()
