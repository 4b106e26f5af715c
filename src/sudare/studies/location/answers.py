"""The results in a few sentences, in the numbers of a run."""

from __future__ import annotations

from sudare.studies.location.section_better import Outcome as Better
from sudare.studies.location.section_chaos import Tried
from sudare.studies.location.section_coast import ISLAND
from sudare.studies.location.section_coast import Outcome as Coasts
from sudare.studies.location.section_future import HOME, OUTSIDE, Local
from sudare.studies.location.section_people import Counted
from sudare.studies.location.toy import CORNER, MAIN, Point
from sudare.studies.words import Text


def findings(
    points: dict[float, Point],
    varied: list[Tried],
    better: Better,
    coasts: Coasts,
    places: tuple[Local, ...],
    people: dict[str, Counted],
) -> tuple[Text, ...]:
    """Return the results."""
    return (
        _edge(points[MAIN]),
        _algorithm(points[MAIN], varied),
        _better(better),
        _coast(coasts),
        _places(places[0], people),
        SLIPS,
    )


def _edge(main: Point) -> Text:
    before = main.before
    gap = before.kept_max - before.kept_min
    return Text(
        f"The boundary problem is real, and its numbers are right: at ε = {MAIN:g} gaps of "
        f"{gap:.4f} and {before.f1:.4f}, largest in the four corners. GridE leaves much of ε "
        f"unspent: {before.epsilon:.4f} of {MAIN:g}.",
        f"境界脆弱性は実在し、数値も正しい。ε = {MAIN:g} で差は {gap:.4f} と {before.f1:.4f}、"
        f"最大は四隅である。GridE は ε を使い残す（{MAIN:g} のうち {before.epsilon:.4f}）。",
    )


def _algorithm(main: Point, varied: list[Tried]) -> Text:
    before, after = main.before, main.after
    f1 = [one.found.f1 for one in varied]
    loss = 100 * (after.sql / before.sql - 1)
    kept = before.kept[CORNER], after.kept[CORNER]
    return Text(
        f"Algorithm 1 does come to the source's 0.18 ({after.f1:.4f}), but with {loss:.0f} % more "
        "expected distance, a least posterior that falls too, and a person in the corner guessed "
        f"right with {kept[1]:.2f} instead of {kept[0]:.2f}. What the source leaves open, ties and "
        f"step above all, decides between f1 {min(f1):.2f} and {max(f1):.2f}.",
        f"アルゴリズム1は原典の 0.18 に達する（{after.f1:.4f}）が、距離の期待値は {loss:.0f} % "
        f"増え、事後確率の最小値も下がり、角の人が当てられる確率は {kept[0]:.2f} から "
        f"{kept[1]:.2f} に上がる。原典に書かれていない同順位の判定とステップ幅により、f1 は "
        f"{min(f1):.2f}〜{max(f1):.2f} まで変わる。",
    )


def _better(found: Better) -> Text:
    (plain,) = found.of(MAIN, "plain")
    (equal,) = found.of(MAIN, "equal")
    (tight,) = found.of(MAIN, "tight")
    free = min(
        (one for one in found.of(MAIN, "optimal") if one.report.sql <= plain.report.sql),
        key=lambda one: one.f1,
        default=plain,
    )
    return Text(
        f"Better weights exist: the equaliser in closed form (f1 {equal.f1:.3f} at "
        f"{equal.report.sql:.0f} m), and optimised ones that bring f1 from {plain.f1:.2f} to "
        f"{free.f1:.2f} with no more distance than GridE ({free.report.sql:.1f} m, "
        f"{plain.report.sql:.1f} m). Spending all of ε gives {tight.report.sql:.0f} m, at a "
        f"largest posterior of {tight.most:.2f} instead of {plain.most:.2f}.",
        f"より良い重みがある。均等化は閉じた式で f1 {equal.f1:.3f}（{equal.report.sql:.0f} m）、"
        f"最適化は GridE 以下の距離のまま f1 を {plain.f1:.2f} から {free.f1:.2f} に下げる（"
        f"{free.report.sql:.1f} m、GridE は {plain.report.sql:.1f} m）。ε を使い切れば "
        f"{tight.report.sql:.0f} m になるが、事後確率の最大は {plain.most:.2f} から "
        f"{tight.most:.2f} に上がる。",
    )


def _coast(found: Coasts) -> Text:
    toy = found.coasts[0]
    plain, equal = (toy.of(kind).report.posterior[ISLAND] for kind in ("plain", "equal"))
    told = Text("", "")
    if len(found.coasts) > 1:
        census = found.coasts[-1]
        before = census.of("plain")
        best = min((one for one in census.shown if one.kind == "optimal"), key=lambda o: o.most)
        told = Text(
            f" On Tokyo Bay with census population the largest posterior falls from "
            f"{before.most:.2f} to {best.most:.2f} ({before.report.sql:.0f} m, "
            f"{best.report.sql:.0f} m).",
            f"国勢調査の人口による東京湾では、事後確率の最大が {before.most:.2f} から "
            f"{best.most:.2f} に下がる（{before.report.sql:.0f} m、{best.report.sql:.0f} m）。",
        )
    return Text(
        f"An island of one cell is given away by its report (posterior {plain:.3f}) unless weights "
        f"hide it (equaliser: {equal:.3f}).{told.en}",
        f"1セルの島は報告で居場所が分かる（事後確率 {plain:.3f}）。均等化すれば隠せる（"
        f"{equal:.3f}）。{told.ja}",
    )


def _places(first: Local, people: dict[str, Counted]) -> Text:
    hills = people["hills"]
    return Text(
        f"ε by place, put into GridE naively ({HOME:g} near home, {OUTSIDE:g} elsewhere), breaks "
        f"the guarantee {first.exceeded:.1f} times; the elastic metric keeps it. Counting people: "
        f"L1 {hills.error('raw'):.3f} of the reports as they are, {hills.error('unbiased'):.3f} of "
        f"the inversion, {hills.error('em'):.3f} of EM stopped early, on smooth hills.",
        f"場所別の ε を GridE にそのまま使うと（自宅付近 {HOME:g}、他 {OUTSIDE:g}）保証を "
        f"{first.exceeded:.1f} 倍破る。伸縮距離なら守られる。人数の推定の L1 誤差は、滑らかな山で"
        f"報告そのまま {hills.error('raw'):.3f}、逆行列 {hills.error('unbiased'):.3f}、早期終了の "
        f"EM {hills.error('em'):.3f}。",
    )


SLIPS = Text(
    "Slips of the source: exp() is missing in definition 3 and proposition 1, the denominator of "
    "equation (3), w in definition 4, e^ε for exp(ε d), no stop at weight 0 in Algorithm 1, a "
    "factor π(r) in the SQL of a cell. None changes its figures, but the stop.",
    "原典の誤記：定義3と命題1の exp() の抜け、式(3) の分母、定義4の w、exp(ε d) とすべき e^ε、"
    "アルゴリズム1で重みを0で止めていないこと、1つの領域の SQL の余分な π(r)。"
    "図の数値に影響するのは下限だけである。",
)
