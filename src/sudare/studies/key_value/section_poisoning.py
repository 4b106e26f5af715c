"""The source's third question: is EM safe from poisoning?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare import poisoning
from sudare.mechanisms import PrivKV
from sudare.studies.judging import judged
from sudare.studies.key_value import attacks, rules
from sudare.studies.key_value.attacks import BASE, SWEEPS, VICTIMS, Gained, Varied
from sudare.studies.key_value.palette import COLOURS, MARKS
from sudare.studies.key_value.populations import D, Population
from sudare.studies.key_value.rules import CLEAR
from sudare.studies.key_value.section_protocol import pull
from sudare.studies.parts import Cell, Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NOTED = (0.3, 0.2)
"""Frequency and mean of all keys where gains are told to three digits."""
FAKES = (0, 50, 180, 300, 1_000)
"""Fake reports on one key, for the alarm."""
ROBUST = 0.1
"""Most that fakes may add to a target's frequency for an estimate to be called robust."""

NOTHING = 1e-9
"""Gaps of rounding."""

STYLES = {
    "PrivKV": "PrivKV",
    "MLE": "MLE",
    "PrivKVM": "PrivKVM c=2",
    "PCKV-UE": "PCKV-UE",
    "PCKV-GRR": "PCKV-GRR",
    "PrivKV drawn": "PrivKV",
    "MLE drawn": "MLE",
}
"""Victims to the colours and marks of the methods."""
GAINS = (Text("gain in frequency", "度数の利得"), Text("gain in mean", "平均値の利得"))
AXES: dict[Varied, Words] = {
    "beta": Text("share b of fakes", "偽ユーザの割合 b"),
    "epsilon": "ε",
    "targets": Text("targets r", "ターゲット数 r"),
}


TOLD = {
    "M2GA": Text(
        "Frequencies with a drawn key lie far below those with a chosen one; means come down "
        "less, and only with a small b or a large ε.",
        "key を抽選すると度数の利得ははるかに低い。平均値の利得は、b が小さいか ε "
        "が大きいときに下がる。",
    ),
    "RMA": Text(
        "A random message has no target, and moves little, whoever draws the key; only PCKV-UE "
        "with its large padding is moved far.",
        "でたらめな報告は、誰が key を選んでもほとんど影響しない。パディング長の大きい PCKV-UE "
        "だけが大きく動く。",
    ),
    "RKVA": Text("As M2GA, with smaller gains.", "M2GA と同様だが、利得は小さい。"),
}


@dataclass(frozen=True, slots=True)
class Noted:
    """Gains of M2GA where all keys are alike: (limit, simulated, standard error) of each."""

    gains: dict[str, tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What attacks gain.

    Attributes:
        population: who is attacked.
        gained: at all places.
        noted: at the setting told to three digits.
        alarms: fakes on one key to the share of trials with an alarm at that key, by counts, and
            the share of the other keys with one.
    """

    population: Population
    gained: list[Gained]
    noted: Noted
    alarms: dict[int, tuple[float, float]]


def run(population: Population, setting: Setting) -> Outcome:
    """Attack."""
    return Outcome(population, attacks.run(population, setting), _noted(setting), _alarms(setting))


CASES: dict[str, dict[str, Any]] = {
    "G_f, PrivKV, raw": {"method": "privkv"},
    "G_f, PrivKV": {"method": "privkv", "clipped": True},
    "G_f, PrivKV, drawn": {"method": "privkv", "index_control": True},
    "G_m, PrivKV": {"method": "privkv", "clipped": True},
    "G_m, PrivKV, drawn": {"method": "privkv", "clipped": True, "index_control": True},
    "G_m, EM": {"method": "mle"},
    "G_m, EM, drawn": {"method": "mle", "index_control": True},
}


def _noted(setting: Setting) -> Noted:
    mechanism, attack = PrivKV(D, BASE.epsilon, "half"), poisoning.M2GA([0])
    trials = min(attacks.TRIALS, setting.repetitions)
    gains = {}
    for case, options in CASES.items():
        limit = poisoning.gain(mechanism, attack, BASE.beta, *NOTED, **options)
        found = poisoning.simulate_gain(
            mechanism,
            attack,
            BASE.beta,
            *NOTED,
            n=attacks.PEOPLE,
            trials=trials,
            rng=setting.rng(f"noted/{case}"),
            **options,
        )
        if case.startswith("G_f"):
            error = found.stderr_total_frequency
            numbers = (limit.total_frequency, found.total_frequency, error)
        else:
            numbers = (limit.total_mean or 0.0, found.total_mean or 0.0, found.stderr_total_mean)
        gains[case] = (numbers[0], numbers[1], numbers[2] or 0.0)
    return Noted(gains)


def _alarms(setting: Setting) -> dict[int, tuple[float, float]]:
    mechanism, attack = PrivKV(D, BASE.epsilon, "half"), poisoning.M2GA([0])
    f, m = (np.full(D, value) for value in NOTED)
    out = {}
    for fakes in setting.progress(FAKES, len(FAKES), "alarms"):
        rng = setting.rng(f"alarm/{fakes}")
        found = []
        for _ in range(setting.repetitions):
            counts = mechanism.simulate(attacks.PEOPLE, f, m, rng=rng)
            if fakes:
                counts += attack.simulate(mechanism, fakes, rng=rng)
            raised = poisoning.alarms(mechanism, counts)
            found.append(np.isin(np.arange(D), raised["many"] if raised else []))
        rate = np.array(found).mean(axis=0)
        out[fakes] = (float(rate[0]), float(rate[1:].mean()))
    return out


def section(found: Outcome) -> Section:
    """Return the section."""
    by = {(one.attack, one.victim, one.place): one for one in found.gained}
    here = {victim: by["M2GA", victim, BASE] for victim in VICTIMS}
    rarest = int(np.argmin(found.population.frequency))
    f, m = (float(x[rarest]) for x in (found.population.frequency, found.population.mean))
    before = {"PrivKV": (f, pull(BASE.epsilon, f) * m), "MLE": (f, m)}
    ends = {
        victim: [
            start + gain for start, gain in zip(before[victim], here[victim].limit, strict=True)
        ]
        for victim in before
    }
    phi = poisoning.targeted_share(BASE.beta, found.population.d, BASE.targets)
    told = found.noted.gains
    places = {one.place for one in found.gained}
    gains = [
        (by["M2GA", "MLE", place].limit, by["M2GA", "PrivKV", place].limit) for place in places
    ]
    frequency, mean = (
        max(by["M2GA", "MLE", place].limit[i] / place.targets for place in places) for i in (0, 1)
    )
    name = found.population.name
    en = name if isinstance(name, str) else name.en
    ja = name if isinstance(name, str) else name.ja
    return Section(
        Text("RQ3: poisoning (slides 6 to 8 and 15)", "RQ3：ポイズニング攻撃（スライド6〜8・15）"),
        (
            Text(
                f"Population: {en}; n = 1e5 people together, {100 * BASE.beta:.0f} % of them "
                "fake unless "
                f"varied, ε = {BASE.epsilon:g}, r = {BASE.targets} target: the rarest key "
                f"(f = {f:.3f}, m = {m:.2f}). M2GA: report <1,+1> of a random target. RMA: a "
                "random "
                "report. RKVA: hold a random target with the value +1, and report honestly. Gain: "
                "the estimate with fakes minus that without, summed over the targets; estimates "
                f"are brought into [0, 1] and [−1, 1]. Marks: at most {attacks.TRIALS} trials; "
                "lines: the limit for many people, computed from exact laws.",
                f"対象：{ja}。全体で n = 1e5 人、変化させない限り偽ユーザ {100 * BASE.beta:.0f} "
                f"%、ε = {BASE.epsilon:g}、ターゲット r = {BASE.targets}（最も度数の小さい key、f "
                f"= {f:.3f}、m = {m:.2f}）。M2GA：ターゲットの <1,+1> を報告。RMA："
                "でたらめな報告。RKVA：ターゲットを値 +1 で持つことにして正直に報告。利得："
                "偽ユーザありとなしの推定値の差のターゲットについての和。推定値は [0, 1]、[−1, "
                f"1] に丸める。印は最大 {attacks.TRIALS} 試行、線は厳密な分布から計算した人数の多い"
                "極限。",
            ),
            _figure(found, "M2GA"),
            judged(
                Text("RQ3, figure of result 3 (slide 15)", "RQ3 実験結果3の図（スライド15）"),
                Text(
                    "EM is safe against M2GA: its gains are smaller than PrivKV's.",
                    "提案手法は M2GA に対して PrivKV より操作利得が小さく、安全である。",
                ),
                Text("picture only", "図のみ"),
                Text(
                    f"the target's f rises from {f:.3f} to {ends['PrivKV'][0]:.3f} under "
                    "PrivKV and "
                    f"{ends['MLE'][0]:.3f} under EM, its m ends at {ends['PrivKV'][1]:.3f} and "
                    f"{ends['MLE'][1]:.3f}; G_f {here['PrivKV'].limit[0]:.3f}, "
                    f"{here['MLE'].limit[0]:.3f}, G_m {here['PrivKV'].limit[1]:.3f}, "
                    f"{here['MLE'].limit[1]:.3f}",
                    f"ターゲットの f は {f:.3f} から PrivKV で {ends['PrivKV'][0]:.3f}、EM で "
                    f"{ends['MLE'][0]:.3f} に上がり、m は {ends['PrivKV'][1]:.3f}、"
                    f"{ends['MLE'][1]:.3f} になる。G_f {here['PrivKV'].limit[0]:.3f}、"
                    f"{here['MLE'].limit[0]:.3f}、G_m {here['PrivKV'].limit[1]:.3f}、"
                    f"{here['MLE'].limit[1]:.3f}",
                ),
                rules.smaller_gains(gains),
                Verdict.FAILS,
                Text(
                    "computed gains in frequency and mean at most nine tenths of PrivKV's at every "
                    "b, ε and r; approximately: at three places of four",
                    "計算した度数と平均値の利得が、どの b、ε、r でも PrivKV の10分の9以下、"
                    "「ほぼ」は4分の3の所で",
                ),
                Text(
                    f"Where the device chooses the key, {100 * BASE.beta:.0f} % of the people are "
                    f"{100 * phi:.0f} % of those who report on the target, and no estimator "
                    "can undo what "
                    "the protocol lets in: both end at the same place. Where EM's G_m is the "
                    "smaller one, it is because EM starts from the truth, PrivKV from a mean drawn "
                    "to 0.",
                    f"key を端末が選ぶ限り、全体の {100 * BASE.beta:.0f} % "
                    f"がターゲットについての報告の {100 * phi:.0f} % を占める。"
                    "プロトコルが許すものを推定法で取り除くことはできず、行き着く先は同じである。"
                    "EM の G_m の方が小さく見えるのは、攻撃前の推定が EM では真値、PrivKV では 0 "
                    "に寄った値だからである。",
                ),
            ),
            judged(
                Text("slide 16, conclusion", "スライド16 まとめ"),
                Text(
                    "EM is accurate and robust against poisoning whichever parameter is moved.",
                    "どのパラメータを操作しても、提案手法は精度がよく、"
                    "攻撃に対しても頑強であった。",
                ),
                "",
                Text(
                    f"M2GA moves a target under EM by up to {frequency:.3f} in frequency and "
                    f"{mean:.3f} in mean; all keys f = {NOTED[0]}, m = {NOTED[1]}, d = 50: "
                    f"{_told(told, 'en')}",
                    f"M2GA が EM で動かすのはターゲットあたり度数で最大 {frequency:.3f}、平均値で "
                    f"{mean:.3f}。全 key が f = {NOTED[0]}、m = {NOTED[1]}、d = 50："
                    f"{_told(told, 'ja')}",
                ),
                rules.robust(frequency, mean, ROBUST),
                Verdict.FAILS,
                Text(
                    f"M2GA adds at most {ROBUST:g} to a target's frequency and mean under EM, at "
                    "every b, ε and r (computed); approximately: to its frequency. Accuracy is "
                    "judged above.",
                    f"M2GA が EM で加えるのは、どの b、ε、r でもターゲットの度数・平均値とも "
                    f"{ROBUST:g} 以下（計算値）、「ほぼ」は度数だけ。精度は上で判定した。",
                ),
                Text(
                    "What helps is to take the choice of the key away from the client: the "
                    "collector draws it, one admission one key. It does not depend on the data and "
                    "costs no privacy. Frequencies are then hard to move; means less so, as a "
                    "rare key has few holders beside the fakes.",
                    "有効なのは、key の選択を端末に任せないことである。サーバが1人に1つ抽選する。"
                    "抽選はデータに依存しないので、プライバシーの損失はない。"
                    "度数は動かしにくくなるが、平均値への効果は小さい。低頻度の key "
                    "では偽ユーザに比べ保有者が少ないからである。",
                ),
            ),
            Table(
                "noted",
                Text(
                    f"M2GA at b = {BASE.beta}, ε = {BASE.epsilon:g}, r = 1, d = 50, f = "
                    f"{NOTED[0]}, "
                    f"m = {NOTED[1]}; drawn: the collector draws the key.",
                    f"M2GA（b = {BASE.beta}、ε = {BASE.epsilon:g}、r = 1、d = 50、f = {NOTED[0]}、"
                    f"m = {NOTED[1]}）。drawn：サーバが key を抽選。",
                ),
                (
                    Column(Text("gain", "利得")),
                    Column(Text("limit", "極限"), ".3f"),
                    Column(Text("simulated", "模擬"), ".3f"),
                    Column(Text("standard error", "標準誤差"), ".4f"),
                ),
                tuple((case, *numbers) for case, numbers in told.items()),
            ),
            _figure(found, "RMA"),
            _figure(found, "RKVA"),
            _table(found.gained),
            _against_limit(found),
            Text(
                "Fakes that choose their key show in the number of reports about it, which honest "
                "devices make binomial with 1/d. The alarm of sudare.poisoning.alarms is exact: at "
                "most 3.2e-5 a key without fakes.",
                "key を選ぶ偽ユーザは、その key の報告数に現れる。正直な端末なら報告数は確率 1/d "
                "の二項分布に従う。sudare.poisoning.alarms の警報は厳密で、"
                "偽ユーザがいないときの誤報は key あたり 3.2e-5 以下である。",
            ),
            Table(
                "alarm",
                Text(
                    "How often the alarm is raised, n = 1e5, d = 50, M2GA on one key.",
                    "警報の出る割合（n = 1e5、d = 50、1つの key への M2GA）。",
                ),
                (
                    Column(Text("fake reports", "偽の報告"), ",d"),
                    Column(Text("at the target", "ターゲット"), ".3f"),
                    Column(Text("at another key", "他の key"), ".5f"),
                ),
                tuple((fakes, *rates) for fakes, rates in found.alarms.items()),
            ),
        ),
    )


def _against_limit(found: Outcome) -> Text:
    """Say how far the simulated gains are from the limits, at all points of both tables."""
    points = [
        (one.victim, abs(one.simulated[i] - one.limit[i]), one.errors[i])
        for one in found.gained
        for i in (0, 1)
    ]
    beyond = [
        (victim, gap, error) for victim, gap, error in points if gap > CLEAR * error + NOTHING
    ]
    unary = sum(victim == "PCKV-UE" for victim, *_ in beyond)
    most = max((gap / error for _, gap, error in points if error), default=0.0)
    noted = max((abs(a - b) / c for a, b, c in found.noted.gains.values() if c), default=0.0)
    part = 100 * len(beyond) / len(points)
    return Text(
        "Marks and lines are not the same quantity: a mark is the average gain over trials of "
        f"n = 1e5 people, a line the gain of the average counts. Of the {len(points)} simulated "
        f"gains in gains.csv {len(beyond)} ({part:.0f} %) lie more than {CLEAR} standard errors "
        f"from the limit, {unary} of them PCKV-UE's, at most {most:.1f}; by chance alone one of "
        f"370 would with many trials. In the table of f = {NOTED[0]}, m = {NOTED[1]} the largest "
        f"distance is {noted:.1f}. The limit brings an estimate into [0, 1] or [−1, 1] after "
        "averaging, a trial before: where estimates scatter across a border the two differ. "
        "PCKV-UE's scatter most, as the padding multiplies them. A mean is besides a quotient, "
        "biased while holders are few, under every estimator here. Frequencies not brought into "
        "[0, 1] have the limit as their expectation, and the rest come to it as n grows.",
        "図の印と線は同じ量ではない。印は n = 1e5 人の試行での利得の平均、"
        "線は平均の集計値から求めた利得である。"
        f"gains.csv にある模擬の利得 {len(points)} 個のうち {len(beyond)} 個（{part:.0f} %）"
        f"が極限から標準誤差の{CLEAR}倍を超えて離れ、うち {unary} 個が PCKV-UE "
        f"で、最大 {most:.1f} 倍である（試行が多ければ偶然だけでは370個に1個）。"
        f"f = {NOTED[0]}、m = {NOTED[1]} の表では最大 {noted:.1f} 倍である。"
        "極限は平均した後の推定値を [0, 1]、[−1, 1] に丸め、試行は1回ごとに丸める。"
        "推定値が境界をまたいで散らばる所では、両者は異なる。PCKV-UE "
        "の推定値はパディング長の分だけ拡大されるので、最も散らばる。"
        "平均値はさらに比であり、保有者が少ないうちはここにあるどの推定法でも偏る。[0, 1] "
        "に丸めない度数の期待値は極限に等しく、他も n が大きくなれば極限に近づく。",
    )


def _told(gains: dict[str, tuple[float, float, float]], language: str) -> str:
    both = ", ".join if language == "en" else "、".join
    return both(f"{case} {numbers[0]:.3f}" for case, numbers in gains.items())


def _figure(found: Outcome, attack: str) -> Figure:
    return Figure(
        f"gain-{attack.lower()}",
        Text(
            f"{attack}: gains in frequency (above) and mean (below) against b, ε, r. Hollow marks "
            "and dashes: the collector draws the key.",
            f"{attack}：度数（上）と平均値（下）の操作利得と b、ε、r。白抜きの印と破線は、"
            "サーバが key を抽選する場合。",
        ),
        TOLD[attack],
        lambda canvas, say: _draw(canvas, say, found, attack),
        (9.6, 6.2),
    )


def _draw(canvas: Canvas, say: Say, found: Outcome, attack: str) -> None:
    by = {(one.victim, one.place): one for one in found.gained if one.attack == attack}
    grid = canvas.subplots(2, len(SWEEPS), sharex="col", squeeze=False)
    for row, panels in enumerate(grid):
        for axes, (varied, values) in zip(panels, SWEEPS.items(), strict=True):
            for victim, kind in VICTIMS.items():
                cells = [by[victim, attacks.at(varied, value)] for value in values]
                colour, mark = COLOURS[STYLES[victim]], MARKS[STYLES[victim]]
                face = "white" if kind.controlled else colour
                axes.plot(
                    values,
                    [cell.limit[row] for cell in cells],
                    color=colour,
                    linewidth=1.1,
                    linestyle="--" if kind.controlled else "-",
                )
                axes.errorbar(
                    values,
                    [cell.simulated[row] for cell in cells],
                    [2 * cell.errors[row] for cell in cells],
                    color=colour,
                    marker=mark,
                    markerfacecolor=face,
                    markersize=4.5,
                    linestyle="",
                    linewidth=0.8,
                    label=say(kind.name),
                )
            if row:
                axes.set_xlabel(say(AXES[varied]))
        title = (
            Text("gain in frequency", "度数の利得")
            if not row
            else Text("gain in mean", "平均値の利得")
        )
        panels[0].set_ylabel(say(title))
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)


def _table(gained: list[Gained]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.attack,
            VICTIMS[one.victim].name,
            one.place.beta,
            one.place.epsilon,
            one.place.targets,
            one.limit[0],
            one.simulated[0],
            one.errors[0],
            one.limit[1],
            one.simulated[1],
            one.errors[1],
        )
        for one in gained
    ]
    error = Text("standard error", "標準誤差")
    return Table(
        "gains",
        Text("All gains.", "すべての利得。"),
        (
            Column(Text("attack", "攻撃")),
            Column(Text("victim", "対象")),
            Column("b", "g"),
            Column("ε", "g"),
            Column("r", "d"),
            Column(Text("G_f, limit", "G_f 極限"), ".4f"),
            Column(Text("G_f, simulated", "G_f 模擬"), ".4f"),
            Column(error, ".4f"),
            Column(Text("G_m, limit", "G_m 極限"), ".4f"),
            Column(Text("G_m, simulated", "G_m 模擬"), ".4f"),
            Column(error, ".4f"),
        ),
        tuple(rows),
        in_report=False,
    )
