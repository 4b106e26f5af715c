"""Sections 2 to 5.1 of the source: definitions, propositions, and the formulas as printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.location import boundary_report
from sudare.mechanisms import GridExponential
from sudare.studies.judging import BY_ARGUMENT, grade, judged
from sudare.studies.location import rules
from sudare.studies.location.proposition import Checked, drawn, enumerated, random_weights
from sudare.studies.location.toy import EPSILONS, GRID, MAIN
from sudare.studies.parts import Claim, Column, Section, Setting, Table, Verdict
from sudare.studies.words import Text, Words

Floats = npt.NDArray[np.float64]

SMALL = ((1, 6, (0, 0.25, 0.5, 0.75, 1)), (2, 3, (0, 0.25, 0.5, 0.75, 1)), (3, 3, (0, 0.5, 1)))
"""Grids and levels of weights that are enumerated."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was computed.

    Attributes:
        law: GridE at the main ε, ``[report, cell]``.
        spent: ε really spent over ε, for random weights.
        checked: Proposition 2.
        sums: column sums of definition 4 as printed, for random weights.
        falling: whether GridE's probabilities fall with the distance, at each ε.
    """

    law: Floats
    spent: tuple[float, ...]
    checked: tuple[Checked, ...]
    sums: tuple[float, ...]
    falling: tuple[bool, ...]


def run(setting: Setting) -> Outcome:
    """Enumerate, and draw weights."""
    vectors = random_weights(setting)
    many = vectors.shape[1]
    spent = []
    for i in setting.progress(range(many), many, "privacy of random weights"):
        epsilon = EPSILONS[i % len(EPSILONS)]
        spent.append(GridExponential(GRID, epsilon, weights=vectors[:, i]).epsilon / epsilon)
    kernel = np.exp(-MAIN / 2 * GRID.distances())
    sums = (kernel.sum(axis=0)[:, None] / (kernel @ vectors)).ravel()
    return Outcome(
        law=GridExponential(GRID, MAIN).matrix(),
        spent=tuple(spent),
        checked=(*(enumerated(*one) for one in SMALL), drawn(vectors)),
        sums=(float(sums.min()), float(sums.max())),
        falling=tuple(_falls(GridExponential(GRID, e).matrix()) for e in EPSILONS),
    )


def _falls(law: Floats) -> bool:
    """Tell whether each column falls as the distance from its cell grows."""
    order = np.argsort(GRID.distances(), axis=0, kind="stable")
    sorted_ = np.take_along_axis(law, order, axis=0)
    return bool((np.diff(sorted_, axis=0) <= sorted_[:-1] * 1e-9).all())


def section(found: Outcome) -> Section:
    """Return the section."""
    return Section(
        Text("Definitions and propositions (§2–5.1)", "定義と命題（2〜5.1節）"),
        (
            Text(
                "A person's place is one of 15 × 15 cells of 115.6 × 141.5 m, and the device "
                "reports a cell: o with a probability in proportion to w_o exp(−ε d(r, o)/2), "
                "where r is the true cell, d the distance of centres in metres and ε is per "
                "metre. GridE: all weights are 1; WGridE: any weights. Cells are numbered from "
                "the north-west.",
                "人の位置は 115.6 × 141.5 m のセル 15 × 15 個のいずれかで、"
                "端末がセルを1つ報告する。真のセルが r のとき o を報告する確率は w_o exp(−ε d(r, "
                "o)/2) に比例する。d は中心間の距離（m）、ε は1 m あたりの値。GridE "
                "は重みがすべて1、WGridE は任意の重みをもつ。",
            ),
            _exponential(found),
            _weights_in_gride(found),
            _nearest(found),
            _private(found),
            _never_reported(),
            _posterior(found),
            _diagonal(found),
            _table(found),
            _priors(),
        ),
    )


def _exponential(found: Outcome) -> Claim:
    below = GRID.columns
    ratio = float((found.law[:, 0] / found.law[:, below]).max())
    limit = MAIN * GRID.distance(0, below)
    return judged(
        Text("definition 3; proposition 1 and its proof", "定義3、命題1とその証明"),
        Text("K(x)(Z) / K(x′)(Z) ≤ ε d(x, x′).", "K(x)(Z) / K(x′)(Z) ≤ ε d(x, x′)。"),
        "ε d",
        Text(
            f"ε = {MAIN:g}, the corner and the cell south of it: largest ratio {ratio:.2f}, "
            f"ε d = {limit:.2f}, exp(ε d) = {np.exp(limit):.2f}",
            f"ε = {MAIN:g}、角のセルとその南隣：比の最大 {ratio:.2f}、ε d = {limit:.2f}、"
            f"exp(ε d) = {np.exp(limit):.2f}",
        ),
        rules.bounded([ratio / limit]),
        Verdict.FAILS,
        Text("GridE's largest ratio is at most ε d", "GridE の比の最大が ε d 以下"),
        Text(
            "exp() is missing: equation (1) has it. Without it x = x′ alone would ask for 1 ≤ 0.",
            "exp() が抜けている（式(1) にはある）。このままでは x = x′ で 1 ≤ 0 となる。",
        ),
    )


def _weights_in_gride(found: Outcome) -> Claim:
    low, high = found.sums
    return judged(
        Text("definition 4", "定義4"),
        Text(
            "GridE's probabilities are exp(−ε d/2) over a sum that carries w.",
            "GridE の確率は exp(−ε d/2) を w の付いた和で割ったもの。",
        ),
        "",
        Text(
            f"with random weights the probabilities of a cell add up to {low:.2f} to {high:.2f}",
            f"乱数の重みでは、1つのセルの確率の和が {low:.2f}〜{high:.2f} になる",
        ),
        rules.sums_to_one(found.sums),
        Verdict.FAILS,
        Text("they add up to 1 for all weights in [0, 1]", "[0, 1] のどの重みでも和が1"),
        Text(
            "GridE has no weights; the sum is definition 5's. The experiments are without.",
            "GridE に重みはない。分母は定義5のものである。実験には影響しない。",
        ),
    )


def _nearest(found: Outcome) -> Claim:
    held = sum(found.falling)
    return judged(
        Text("§4.1, after definition 4", "4.1節 定義4の後"),
        Text(
            "GridE reports the true cell most probably, others the less the farther they are.",
            "GridE が最も出しやすいのは真のセルで、遠いほど出にくい。",
        ),
        "",
        Text(
            f"all cells, {held} of {len(found.falling)} ε",
            f"全セル、{held}/{len(found.falling)} 個の ε",
        ),
        rules.every(found.falling),
        Verdict.HOLDS,
        Text(
            "every cell's probabilities fall with the distance, at every ε",
            "すべての ε・セルで確率が距離とともに下がる",
        ),
        Text(
            "For one true cell the denominator is fixed. Weights end it, as the source says.",
            "真のセルを決めれば分母は一定である。重みがあれば成り立たない（原典の通り）。",
        ),
    )


def _private(found: Outcome) -> Claim:
    return judged(
        Text("proposition 1", "命題1"),
        Text(
            "WGridE satisfies d-privacy with ε per metre for all weights.",
            "WGridE は任意の重みで ε d のプライバシーを満たす。",
        ),
        "",
        Text(
            f"{len(found.spent)} random weight vectors with zeros: {min(found.spent):.3f} to "
            f"{max(found.spent):.9f} of ε spent",
            f"0 を含む乱数の重み {len(found.spent)} 組：使われる ε は指定の {min(found.spent):.3f}"
            f"〜{max(found.spent):.9f} 倍",
        ),
        rules.bounded(found.spent),
        Verdict.HOLDS,
        Text(
            "none spends more than ε(1 + 1e-9), computed from the integers that are sampled",
            "標本抽出に使う整数から計算して、どれも ε(1 + 1e-9) を超えない",
        ),
        Text(
            "Half of ε bounds the change of exp(−ε d/2), half that of α. GridE itself leaves much "
            f"unspent: {GridExponential(GRID, MAIN).epsilon:.6f} at ε = {MAIN:g}.",
            "ε の半分は exp(−ε d/2) の変化、残る半分は α の変化に使われる。GridE 自体は使い残しが"
            f"多い（ε = {MAIN:g} で {GridExponential(GRID, MAIN).epsilon:.6f}）。",
        ),
    )


def _never_reported() -> Claim:
    return Claim(
        Text("proof of proposition 1, w = 0", "命題1の証明 w = 0 の場合"),
        Text("0/0 = 1 < e^ε.", "0/0 = 1 < e^ε。"),
        "e^ε",
        "exp(ε d)",
        Verdict.ROUGHLY,
        Text(
            "What has to be shown is 1 ≤ exp(ε d). Nothing hangs on it: such a cell is never "
            "reported.",
            "示すべきは 1 ≤ exp(ε d) である。そのセルは報告されないので、結論は変わらない。",
        ),
        BY_ARGUMENT,
    )


def _posterior(found: Outcome) -> Claim:
    law = found.law
    printed = law.sum(axis=1) / np.exp(np.diagonal(law)).sum()
    proper = (law / law.sum(axis=1, keepdims=True)).sum(axis=1)
    return judged(
        Text("equation (3) and the one after it", "式(3) とその次の式"),
        Text(
            "P(A=r|O=r′) has the denominator Σ exp(K(r″)(r″)) π(r″).",
            "P(A=r|O=r′) の分母は Σ exp(K(r″)(r″)) π(r″)。",
        ),
        "",
        Text(
            f"as printed, the posteriors of all cells add up to {printed.min():.4f} to "
            f"{printed.max():.4f} (ε = {MAIN:g}); with K(r″)(r′): {proper.min():.0f}",
            f"印刷の式では、全セルの事後確率の和が {printed.min():.4f}〜{printed.max():.4f}"
            f"（ε = {MAIN:g}）、K(r″)(r′) とすれば {proper.min():.0f}",
        ),
        rules.sums_to_one(printed.tolist()),
        Verdict.FAILS,
        Text("they add up to 1 after each report", "どの報告の後も和が1"),
        Text(
            "By Bayes' theorem the sum is of K(r″)(r′) π(r″). The printed numbers come from that.",
            "ベイズの定理では K(r″)(r′) π(r″) の和である。原典の数値もこの式から得られる。",
        ),
    )


def _diagonal(found: Outcome) -> Claim:
    vectors = sum(one.vectors for one in found.checked)
    most = max(one.excess for one in found.checked)
    return judged(
        Text("proposition 2", "命題2"),
        Text(
            "With a uniform prior and any weights the reported cell itself is the likeliest one.",
            "一様な事前分布では、重みによらず、報告されたセル自身が最も尤もらしい。",
        ),
        "",
        Text(
            f"{vectors:,} weight vectors, {len(EPSILONS)} ε, every report: another cell's log "
            f"posterior exceeds it by at most {max(most, 0):.0e}",
            f"重み {vectors:,} 組、ε {len(EPSILONS)} 個、全報告：他のセルの対数事後確率の超過は"
            f"最大 {max(most, 0):.0e}",
        ),
        grade(most <= rules.TINY),
        Verdict.HOLDS,
        Text(
            "no other cell is likelier beyond 1e-9, by enumeration of levels 0 to 1 on small grids "
            "and random weights on 15 × 15",
            "小さな格子の全列挙（0〜1 の段階）と 15 × 15 の乱数の重みで、1e-9 "
            "を超えて尤もらしい他のセルがない",
        ),
        Text(
            "The source leaves out the proof: α(s) k(s, r) ≤ α(r), since k(r, o) k(r, s) ≤ k(s, o) "
            "by the triangle inequality; w_r cancels. It is an equality where one cell alone has a "
            "weight. So the best guess of an observer is the report itself.",
            "原典は証明を省く。三角不等式 k(r, o) k(r, s) ≤ k(s, o) から α(s) k(s, r) ≤ α(r) "
            "となり、w_r は消える。重みをもつセルが1つだけのとき等号になる。"
            "観測者の最良の推測は報告されたセルそのものである。",
        ),
    )


def _table(found: Outcome) -> Table:
    return Table(
        "proposition-2",
        Text(
            f"Proposition 2: what was tried, at {len(EPSILONS)} ε. Excess: largest log posterior "
            "of another cell less that of the reported one.",
            f"命題2の確認（各 {len(EPSILONS)} 個の ε）。超過：他のセルの対数事後確率の最大から"
            "報告されたセルのものを引いた値。",
        ),
        (
            Column(Text("grid", "格子")),
            Column(Text("weights", "重み")),
            Column(Text("vectors", "組数"), ",d"),
            Column(Text("excess", "超過"), ".1e"),
        ),
        tuple(
            (
                f"{one.grid.rows} × {one.grid.columns}",
                ", ".join(f"{level:g}" for level in one.levels)
                or Text("random, some 0", "乱数（一部0）"),
                one.vectors,
                one.excess,
            )
            for one in found.checked
        ),
    )


def priors() -> dict[str, tuple[Words, Floats]]:
    """Return some populations of the source's map, and what they are called."""
    row, column = np.divmod(np.arange(GRID.cells), GRID.columns)
    far = np.maximum(abs(row - 7), abs(column - 7))
    hill = np.exp(-((row - 6) ** 2 + (column - 8) ** 2) / (2 * 1.5**2))
    return {
        "uniform": (Text("uniform", "一様"), np.ones(GRID.cells)),
        "halves": (
            Text("ten times as many people in the eight eastern columns", "東の8列に10倍の人"),
            np.where(column < 7, 1.0, 10.0),
        ),
        "station": (
            Text("ten times as many people in 3 × 3 cells", "中央 3 × 3 セルに10倍の人"),
            np.where(far <= 1, 10.0, 1.0),
        ),
        "tenth": (
            Text("every tenth person in one cell", "1つのセルに10人に1人"),
            np.where(far == 0, (GRID.cells - 1) / 9, 1.0),
        ),
        "hill": (Text("a hill, standard deviation 1.5 cells", "山型、標準偏差1.5セル"), hill),
    }


def _priors() -> Table:
    """Return where other priors break Proposition 2."""
    mechanism = GridExponential(GRID, MAIN)
    rows = []
    for name, prior in priors().values():
        report = boundary_report(mechanism, prior=prior)
        other = int((report.highest > report.posterior * (1 + rules.TINY)).sum())
        rows.append((name, other, report.posterior_max, float(report.highest.max())))
    return Table(
        "priors",
        Text(
            f"Other priors break proposition 2 (GridE, ε = {MAIN:g}): after how many of the "
            f"{GRID.cells} reports another cell than the reported one is the likeliest, the "
            "largest posterior of the reported cell, and of any cell.",
            f"他の事前分布では命題2は成り立たない（GridE、ε = {MAIN:g}）。{GRID.cells} "
            "通りの報告のうち報告されたセル以外が最も尤もらしいものの数、報告されたセルの事後確率の"
            "最大、全セルの事後確率の最大。",
        ),
        (
            Column(Text("prior", "事前分布")),
            Column(Text("reports", "報告の数"), "d"),
            Column(Text("largest, reported cell", "最大（報告されたセル）"), ".4f"),
            Column(Text("largest, any cell", "最大（全セル）"), ".4f"),
        ),
        tuple(rows),
    )
