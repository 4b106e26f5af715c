"""What γ of each attribute costs: ε of the submission, and the comparison at equal ε (ours)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sudare.mechanisms.joint import posterior_ceiling
from sudare.studies.joint import rules
from sudare.studies.joint.palette import COLOURS
from sudare.studies.joint.theory import expected, joint_marginal, single_marginal
from sudare.studies.judging import judged
from sudare.studies.parts import Claim, Column, Figure, Say, Section, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

GAMMA = 10
ATTRIBUTES = (1, 2, 3, 4, 6, 8, 12)
EPSILONS = tuple(round(0.5 * i, 1) for i in range(1, 25))
SHOWN = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0)
DOMAINS = {"16 × 5": ((16, 5), 45_222), "10 × 10 × 10 × 10": ((10,) * 4, 45_222)}
GROUPS = (5, 50)


def _full(method: str, sizes: tuple[int, ...], epsilon: float, n: int) -> float:
    share = epsilon if method == "Single-RR" else epsilon / len(sizes)
    return expected(method, sizes, math.exp(share), n, "respondents")


def section() -> Section:
    """Return what γ costs, and people with different γ."""
    ratio = {
        name: _full("Joint RR", sizes, len(sizes) * math.log(GAMMA), n)
        / _full("Single-RR", sizes, len(sizes) * math.log(GAMMA), n)
        for name, (sizes, n) in DOMAINS.items()
    }
    two, four = ratio.values()
    return Section(
        Text("What γ costs (ours)", "γ の代価（本報告）"),
        (
            Text(
                "The source compares at equal γ of each attribute. A whole submission of joint RR "
                "then spends ε = D·ln γ, one of Single-RR ln γ. What anybody may come to "
                "believe about a whole row goes with that ε.",
                "原典は属性ごとの γ を揃えて比べる。このとき回答全体の ε は Joint RR で D·ln γ、"
                "Single-RR で ln γ である。回答全体について推測しうることは、この ε で決まる。",
            ),
            Table(
                "cost",
                Text(
                    f"γ = {GAMMA} of each attribute: ε of the submission, and how far a belief of "
                    "5 % in a property of the whole row can rise.",
                    f"属性ごとに γ = {GAMMA}：回答全体の ε と、回答全体の性質に対する事前確率 5 % "
                    "が上がりうる上限。",
                ),
                (
                    Column("D", "g"),
                    Column(Text("ε of an attribute", "1属性の ε"), ".2f"),
                    Column(Text("ε of the submission", "回答全体の ε"), ".2f"),
                    Column(Text("γ of the submission", "回答全体の γ"), ".0e"),
                    Column(Text("belief, at most", "事後確率の上限"), ".4f"),
                ),
                tuple(
                    (
                        d,
                        math.log(GAMMA),
                        d * math.log(GAMMA),
                        float(GAMMA**d),
                        posterior_ceiling(GAMMA**d, 0.05),
                    )
                    for d in ATTRIBUTES
                ),
            ),
            judged(
                Text("§7, the comparison as a whole", "7章 比較の全体"),
                Text(
                    "Joint RR is more accurate than Single-RR at the same level of protection.",
                    "同じプライバシ保護レベルで、提案手法は Single-RR より正確である。",
                ),
                Text("Adult: 4.1e-6 against 2.8e-5", "Adult：4.1e-6 対 2.8e-5"),
                Text(
                    f"same ε of the submission (γ = {GAMMA} of each attribute): joint RR's MSE is "
                    f"{two:.1f} times Single-RR's on 16 × 5, {four:.0f} times on 10⁴",
                    f"回答全体の ε を同じにすると（属性ごとに γ = {GAMMA}）、Joint RR の MSE は "
                    f"Single-RR の {two:.1f} 倍（16 × 5）、{four:.0f} 倍（10⁴）",
                ),
                rules.smaller([two, four]),
                Verdict.FAILS,
                Text(
                    "smaller MSE at the same ε, in both domains; roughly: in most",
                    "同じ ε で両方の領域とも MSE が小さい、「ほぼ」は大部分",
                ),
                Text(
                    "The advantage is bought with D times the ε. For all cells at once "
                    "Single-RR is better at every ε shown. Joint RR is better where each "
                    "attribute's own shares are wanted at a moderate ε (table below).",
                    "優位は D 倍の ε によるものである。全セルの誤差では、示したすべての ε で "
                    "Single-RR が良い。Joint RR が良いのは、ε がほどほどで各属性の割合が欲しい"
                    "場合（次の表）である。",
                ),
            ),
            Figure(
                "equal-epsilon",
                Text(
                    "Exact MSE against ε of the submission. Solid: all cells; dashed: the shares "
                    "of the first attribute. N = 45,222.",
                    "正確な MSE と回答全体の ε。実線は全セル、破線は最初の属性の割合。N = 45,222。",
                ),
                Text(
                    "Solid: Single-RR is lower everywhere. Dashed: joint RR is lower up to an ε.",
                    "実線では常に Single-RR が低い。破線では、ある ε まで Joint RR が低い。",
                ),
                _draw,
                (8.8, 4.0),
            ),
            Table(
                "equal-epsilon",
                Text(
                    "The same: exact MSE at equal ε of the submission, N = 45,222.",
                    "同じ内容：回答全体の ε を揃えた正確な MSE、N = 45,222。",
                ),
                (
                    Column(Text("cells", "セル")),
                    Column("ε", "g"),
                    Column(Text("Single-RR, all cells", "Single-RR 全セル"), ".2e"),
                    Column(Text("Joint RR, all cells", "Joint RR 全セル"), ".2e"),
                    Column(Text("Single-RR, one attribute", "Single-RR 1属性"), ".2e"),
                    Column(Text("Joint RR, one attribute", "Joint RR 1属性"), ".2e"),
                ),
                tuple(
                    (
                        name,
                        epsilon,
                        _full("Single-RR", sizes, epsilon, n),
                        _full("Joint RR", sizes, epsilon, n),
                        single_marginal(sizes, 0, epsilon, n),
                        joint_marginal(sizes, 0, epsilon, n),
                    )
                    for name, (sizes, n) in DOMAINS.items()
                    for epsilon in SHOWN
                ),
            ),
            _different(),
        ),
    )


def _different() -> Claim:
    """Judge what the source says on people with different γ: half at 5, half at 50."""
    n = 45_222
    halves = [expected("Joint RR", (16, 5), gamma, n // 2, "respondents") for gamma in GROUPS]
    added = sum(halves) / 4
    population = [expected("Joint RR", (16, 5), gamma, n // 2) for gamma in GROUPS]
    weighted = 1 / sum(1 / e for e in population)
    return judged(
        Text("§8, different γ for different people", "8章 ユーザごとの γ"),
        Text(
            "Estimate for the users of each γ, then add.",
            "γ ごとに推測し、全ユーザについて足し合わせればよい。",
        ),
        "",
        Text(
            f"16 × 5, half at γ = {GROUPS[0]}, half at {GROUPS[1]}: added {added:.2e}; weighted "
            f"by inverse variance {weighted:.2e}",
            f"16 × 5、半数が γ = {GROUPS[0]}、半数が {GROUPS[1]}：足し合わせ {added:.2e}、"
            f"逆分散の重み {weighted:.2e}",
        ),
        rules.groups(added, weighted),
        Verdict.ROUGHLY,
        Text(
            "as good as weighting, up to 1 %; roughly: weighting is better",
            "重み付けと 1 % 以内、「ほぼ」は重み付けの方が良い",
        ),
        Text(
            "Right for the respondents. For the population weights by inverse variance are "
            "better, but only where the choice of γ does not depend on the answer.",
            "回答者に対しては正しい。母集団には逆分散の重みが良いが、γ の選択が回答と独立な場合に"
            "限る。",
        ),
    )


def _draw(canvas: Canvas, say: Say) -> None:
    panels = canvas.subplots(1, len(DOMAINS))
    for axes, (name, (sizes, n)) in zip(panels, DOMAINS.items(), strict=True):
        for method, marginal in (("Single-RR", single_marginal), ("Joint RR", joint_marginal)):
            label = f"{method}{say(Text(', all cells', '、全セル'))}"
            full = [_full(method, sizes, epsilon, n) for epsilon in EPSILONS]
            axes.plot(EPSILONS, full, color=COLOURS[method], label=label)
            label = f"{method}{say(Text(', one attribute', '、1属性'))}"
            one = [marginal(sizes, 0, epsilon, n) for epsilon in EPSILONS]
            axes.plot(EPSILONS, one, color=COLOURS[method], linestyle="--", label=label)
        axes.set_yscale("log")
        axes.set_title(name)
        axes.set_xlabel(say(Text("ε of the submission", "回答全体の ε")))
    panels[0].set_ylabel("MSE")
    panels[-1].legend(fontsize=8)
