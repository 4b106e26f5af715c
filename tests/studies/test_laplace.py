"""The study laplace: printed numbers, exact laws, attacks, rules, verdicts, languages."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

import sudare as sd
from sudare.arrays import Integers
from sudare.studies import Report, Verdict, run
from sudare.studies.laplace import (
    BOOK,
    exam,
    quantiles,
    section_example,
    section_floats,
    section_maximum,
    section_neighbours,
    section_next,
    section_right,
    section_sensitivity,
)
from sudare.studies.laplace.setting import Grids
from sudare.studies.study_text import Facts, Page
from sudare.words import say

JAPANESE = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
H, R, F, N = Verdict.HOLDS, Verdict.ROUGHLY, Verdict.FAILS, Verdict.OPEN
TRIALS = 100_000


SMALL = Grids(TRIALS, "tests", quantiles=300, means=1_000, floats=5_000)
"""Fewer quantiles and float answers; a full run is a slow test."""


@pytest.fixture(scope="module")
def held() -> Integers:
    return exam.scores(SMALL)


@pytest.fixture
def built(small: Callable[[str], Report]) -> Report:
    return small("laplace")


# -- laws and bounds ---------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(10), Fraction(1000)])
@pytest.mark.parametrize("delta", [0.5, 0.05, 0.001])
def test_the_laplace_bound_is_the_least_one(scale: Fraction, delta: float) -> None:
    reach = math.ceil(40 * scale) + 5
    steps = np.arange(-reach, reach + 1)
    law = exam.laplace_law(steps, scale)
    assert law.sum() == pytest.approx(1)
    bound = exam.laplace_bound(scale, delta)
    above = law[np.abs(steps) > bound].sum()
    assert above == pytest.approx(exam.beyond(bound, scale))
    assert above <= delta
    assert bound == 0 or law[np.abs(steps) >= bound].sum() > delta


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(9), Fraction(10**6)])
def test_the_gaussian_bound_is_the_least_one(variance: Fraction) -> None:
    reach = math.ceil(10 * math.sqrt(variance))
    steps = np.arange(-reach, reach + 1)
    law = exam.gaussian_law(steps, variance)
    assert law.sum() == pytest.approx(1)
    bound = exam.gaussian_bound(variance)
    assert law[np.abs(steps) > bound].sum() <= 0.05 < law[np.abs(steps) >= bound].sum()


def test_the_numbers_that_must_come_out(held: Integers) -> None:
    stated, right = section_example.BOUND, float(exam.RIGHT) * math.log(20)
    assert stated == pytest.approx(2.9957e-4, rel=1e-4)
    assert right == pytest.approx(2995.73, abs=0.005)
    assert exam.laplace_bound(exam.RIGHT) == 2996
    assert exam.laplace_bound(exam.RIGHT) / exam.N == pytest.approx(2.9957e-2, rel=0.01)
    assert (held.size, held.min(), held.max()) == (100_000, 0, 100)


def test_coverage_by_exact_draws(held: Integers) -> None:
    """Within 0.2 percentage points: 2.9 standard errors of 100,000 draws, one seed."""
    found = section_right.compute(held, Grids(TRIALS, "coverage", means=1)).values
    assert found["share"] == pytest.approx(0.95, abs=0.002)


def test_the_product_gives_what_must_come_out(held: Integers) -> None:
    """Bound and law of ``Dataset`` against this study's own; 4 standard errors, doubled noise not.

    The Gaussian's bound is that of the continuous one: at most one step above.
    """
    db = exam.as_dataset(held, Grids(10, "x"), "product")
    mean = db.mean("score", epsilon=0.1)
    assert mean.bound(0.95) == pytest.approx(2.9957e-2, rel=0.01)
    assert round(mean.bound(0.95) * exam.N) == exam.laplace_bound(exam.RIGHT)
    rho = db.mean("score", rho=Fraction(1, 200)).bound(0.95) * exam.N
    assert 0 <= round(rho) - exam.gaussian_bound(Fraction(1000**2)) <= 1
    answers = [db.mean("score", epsilon=0.1).value for _ in range(500)]
    asked = np.abs(np.array(answers) * exam.N - held.sum())
    scale = float(exam.RIGHT)
    assert abs(asked.mean() - scale) < 4 * scale / math.sqrt(asked.size) < scale
    for n in section_maximum.SIZES:
        errors, _ = section_maximum.quantile_errors(held, n, Grids(400, "product"))
        quantile = quantiles.Quantile.of(held[:n], section_maximum.SHARE, exam.HIGH)
        law = quantile.law(0.1)
        away = np.abs(np.arange(law.size) - quantile.truth)
        deviation = math.sqrt(law @ away**2 - (law @ away) ** 2)
        assert abs(np.abs(errors).mean() - quantile.error(law)) < 4 * deviation / 20, n


# -- what an answer tells ----------------------------------------------------------------------


def test_the_ratio_is_that_of_all_answers() -> None:
    steps = np.arange(-500, 600)
    for scale, change in ((Fraction(10), 100), (Fraction(1000), 100), (Fraction(3), 7)):
        first = np.log(exam.laplace_law(steps, scale))
        second = np.log(exam.laplace_law(steps - change, scale))
        spent = section_sensitivity.spent(scale, change)
        assert float(spent) == pytest.approx(np.abs(first - second).max())
    assert section_sensitivity.spent(exam.STATED, 100) == 10
    assert section_sensitivity.spent(exam.RIGHT, 100) == Fraction(1, 10)
    assert section_sensitivity.spent(exam.STATED, 1) == Fraction(1, 10)


def test_telling_0_from_100_by_enumeration() -> None:
    steps = np.arange(-3000, 3001)
    for scale in (exam.STATED, Fraction(50)):
        law = exam.laplace_law(steps, scale)
        right = (law[steps <= 50].sum() + law[100 + steps > 50].sum()) / 2
        assert section_sensitivity.expected_told(scale) == pytest.approx(right)


def test_the_attacks(held: Integers) -> None:
    """Within 4 standard errors of the law; ε = 0.1 bounds what the right scale tells."""
    setting = Grids(20_000, "attacks")
    near = {}
    for name, scale in section_sensitivity.SCALES.items():
        told, near[name], _ = section_sensitivity.attacked(scale, name, setting)
        expected = section_sensitivity.expected_told(scale)
        assert abs(told - expected) < 4 * exam.standard_error(expected, 20_000)
    ceiling = math.exp(0.1) / (1 + math.exp(0.1))
    assert section_sensitivity.expected_told(exam.RIGHT) <= ceiling
    assert section_sensitivity.expected_told(exam.STATED) > ceiling
    blind = [(2 * d + 1) / 101 for d in section_sensitivity.NEAR]
    assert all(a > 1.5 * b for a, b in zip(near["stated"], blind, strict=True))
    assert near["right"] == pytest.approx(blind, abs=0.025)


def test_changes_by_enumeration() -> None:
    for n in (2, 3, 4):
        assert section_neighbours.changes(n) == (Fraction(4, n), Fraction(4, n))
    assert section_neighbours.changes(3, 2) == (Fraction(2, 3), Fraction(2, 3))
    assert section_neighbours.changes(3, 5, 3) == (Fraction(2, 3), Fraction(2, 3))


def test_errors_under_both_relations(held: Integers) -> None:
    """The noise of the count adds little to scores from the middle, much to scores from 0."""
    setting = Grids(20_000, "neighbours")
    found = section_neighbours.answers(int(held.sum()), setting)
    replaced, removed, centred = map(section_neighbours.half_width, found.values())
    assert replaced == pytest.approx(2996 / 1e5, rel=0.05)
    assert centred == pytest.approx(exam.laplace_bound(Fraction(50_000, 90)) / 1e5, rel=0.05)
    assert removed > 3 * replaced
    rows = section_neighbours.compute(held, setting).tables["neighbours"]
    assert [row[2] for row in rows] == pytest.approx([0.1, 0.09, 0.18])


# -- quantiles ---------------------------------------------------------------------------------


def test_losses_of_a_quantile() -> None:
    data = np.array([0, 1, 1, 3, 5])
    median = quantiles.Quantile.of(data, Fraction(1, 2), 6)
    assert (median.rank, median.truth) == (3, 1)
    assert median.losses.tolist() == [2, 0, 0, 0, 1, 1, 2]
    top = quantiles.Quantile.of(data, Fraction(1), 6)
    assert (top.rank, top.truth, top.losses.tolist()) == (5, 5, [4, 2, 2, 1, 1, 0, 0])


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(3, 4), Fraction(1)])
def test_no_replacement_moves_a_loss_by_more_than_1(share: Fraction) -> None:
    epsilon, worst = 0.7, 0.0
    for data in itertools.product(range(4), repeat=3):
        first = quantiles.Quantile.of(np.array(data), share, 3)
        found = 0.0
        for place, new in itertools.product(range(3), range(4)):
            other = np.array(data)
            other[place] = new
            second = quantiles.Quantile.of(other, share, 3)
            assert np.abs(first.losses - second.losses).max() <= 1
            ratio = np.abs(np.log(first.law(epsilon) / second.law(epsilon))).max()
            found = max(found, float(ratio))
        assert found == pytest.approx(quantiles.largest_ratio(first, epsilon), abs=1e-12)
        worst = max(worst, found)
    assert 0 < worst <= epsilon


@pytest.mark.parametrize("permute", [False, True])
def test_drawn_quantiles_follow_the_law(permute: bool) -> None:
    """Mean error against the law's, 4 standard errors; permute-and-flip is no worse."""
    data = np.repeat(np.arange(11), 7)
    median = quantiles.Quantile.of(data, Fraction(1, 2), 10)
    draws = median.draws(Fraction(1, 5), 3_000, sd.Entropy.seeded(b"q"), permute=permute)
    away = np.abs(draws - median.truth)
    law = median.law(0.2)
    error = 4 * away.std() / math.sqrt(away.size)
    if permute:
        assert away.mean() <= median.error(law) + error
    else:
        assert abs(away.mean() - median.error(law)) <= error
        assert abs(away.mean() - median.error(median.law(0.4))) > error
    bound = median.bound(law, 0.05)
    far = np.abs(np.arange(11) - median.truth)
    assert law[far > bound].sum() <= 0.05 < law[far >= bound].sum()


def test_the_maximum_by_rank_does_not_see_where_data_end(held: Integers) -> None:
    found = quantiles.Quantile.of(held, Fraction(1), 1000)
    assert found.law(0.1)[:101].sum() < 0.01
    assert section_maximum.enumerated(1) == 1
    assert section_maximum.enumerated(4) == 4


# -- Gaussian noise ----------------------------------------------------------------------------


def test_gaussian_costs() -> None:
    spent = section_next.rhos(Fraction(1, 10))
    assert spent["rho"] == Fraction(1, 200)
    assert section_next.variance(spent["rho"]) == 1000**2
    once = section_next.bounds(Fraction(1, 10))
    assert once["rho"] < once["laplace"] == 2996 < once["approximate"]
    assert exam.gaussian_epsilon(spent["approximate"], 1e-6) == pytest.approx(0.1)
    assert spent["approximate"] > sd.ledger.rho_of(0.1, 1e-6)  # the exact curve allows less noise


def test_the_gaussian_curve_is_that_of_the_law() -> None:
    """δ by the formula, and by summing the discrete noise's law over all steps."""
    steps = np.arange(-20_000, 20_001)
    law = exam.gaussian_law(steps, Fraction(1000**2))
    moved = exam.gaussian_law(steps + exam.WIDTH, Fraction(1000**2))
    for epsilon in (0.1, 0.2, 0.4):
        excess = np.maximum(law - math.exp(epsilon) * moved, 0.0).sum()
        assert exam.gaussian_delta(0.005, epsilon) == pytest.approx(excess, rel=1e-4)


def test_where_the_gaussian_gets_better() -> None:
    k = section_next.first_better()
    assert section_next.shared(k - 1)[0] < section_next.shared(k - 1)[1]
    assert section_next.shared(k)[0] > section_next.shared(k)[1]
    assert k == 8
    exact = exam.gaussian_bound(section_next.variance(exam.gaussian_rho(Fraction(1), 1e-6)))
    assert section_next.shared(1)[1] == pytest.approx(exact, rel=0.01)


# -- floats ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("truth", "other"), [(0.0, 1.0), (50.0, 50.001), (49.95641, 49.95722)])
def test_possible_answers_by_enumeration(truth: float, other: float) -> None:
    bits, scale = 11, 0.01
    words = np.arange(1, 1 << bits)
    answers = truth + section_floats.noise(words, bits, scale)
    theirs = other + section_floats.noise(words, bits, scale)
    found = section_floats.possible(np.append(answers, theirs), other, bits, scale)
    assert found.tolist() == np.isin(np.append(answers, theirs), theirs).tolist()
    assert found[words.size :].all()
    assert not section_floats.possible(np.nextafter(theirs, np.inf), other, bits, scale)[::2].all()


def test_float_noise_is_laplace() -> None:
    """Quantiles of the inverse: exact halves and the tail at ln 20."""
    words = np.arange(1, 1 << 16)
    noise = section_floats.noise(words, 16, 2.0)
    assert np.median(noise) == 0
    assert (np.abs(noise) > 2 * math.log(20)).mean() == pytest.approx(0.05, abs=1e-4)


def test_discrete_answers_are_possible_for_all(held: Integers) -> None:
    found = section_floats.compute(held, Grids(3_000, "floats"))
    assert found.values["ratio"] <= 0.1
    mean, count, _ = found.tables["floats"]
    assert mean[2] > 0.99
    assert count[2] > 0.5
    assert mean[3] == count[3] == 0


# -- claims ------------------------------------------------------------------------------------

CLAIMS = (
    ("the script, mean(score)", ".", H),
    ("the script, R and qD", "1e-04", H),
    ("accuracy, prob.mean", "2.9957323e-04", H),
    ("accuracy, the theorem", "0.050000", H),
    ("the check, 100,000 trials", "0.9", H),
    ("sensitivity of the mean", "100/n = 0.001", F),
    ("l1.mean.sensitivity", "1/n", F),
    ("privacy parameter ε", "ε = 10, a factor of 22,026", F),
    ("aim and closing", "100,000 answers", R),
    ("accuracy, the theorem", "2,996 points, 2.9960e-02", R),
    ("the check, with the right", "0.9", H),
    ("the check, asked of a data set", "of 1,000 answers of Dataset.mean", H),
    ("privacy parameter ε", "29,957 to 30", H),
    ("accuracy, its use", "0.0300 points, sampling error 0.18", H),
    ("neighbours", "0.50, 0.33, 0.25 for n = 2, 3, 4", R),
    ("sensitivity of the maximum", "[0, 1]: 1; [0, 100]: 100", R),
    ("the maximum, with care", "2,996 points on a range of 100", H),
    ("closing, Gaussian", "from k = 8 on", R),
    ("closing, exponential", "log-ratio 0.0", H),
    ("the script, rlaplace", "99.", F),
)


def test_claims(built: Report) -> None:
    assert len(built.claims) == len(CLAIMS)
    for claim, (start, ours, verdict) in zip(built.claims, CLAIMS, strict=True):
        assert say(claim.place, "en").startswith(start)
        assert ours in say(claim.ours, "en"), start
        assert claim.verdict is verdict, start
        assert claim.rule, start
        assert "another verdict" not in say(claim.reason, "en"), start


def test_few_trials_leave_the_checks_open(held: Integers) -> None:
    setting = Grids(10, "few")

    def judged(name: str, facts: Facts, claim: str) -> Verdict:
        page = Page(BOOK, name, facts)
        page.section()
        return page.claims[claim].verdict

    example = section_example.compute(held, setting)
    right = section_right.compute(held, setting)
    assert judged("section_example", example, "check") is N
    assert judged("section_right", right, "check") is N
    assert judged("section_right", right, "asked") is N


# -- words and pictures ------------------------------------------------------------------------


def test_every_word_is_there_in_both_languages(built: Report, texts: Any) -> None:
    found = texts(built)
    assert len(found) > 120
    number = re.compile(r"\d+\.\d+")
    for text in found:
        assert text.en
        assert not JAPANESE.search(text.en), text.en
        assert JAPANESE.search(text.ja) or text.ja == text.en or len(text.ja) < 20, text.ja
        assert sorted(number.findall(text.en)) == sorted(number.findall(text.ja)), text.en


def test_expected_errors_of_the_maximum(built: Report) -> None:
    """E|noise| by summing the law, for both declared bounds."""
    found = next(table for table in built.tables if table.name == "maximum")
    for row, scale in zip(found.rows[-2:], (1_000, 10_000), strict=True):
        steps = np.arange(-40 * scale, 40 * scale + 1)
        law = exam.laplace_law(steps, Fraction(scale))
        assert row[3] == pytest.approx(law @ np.abs(steps))


def test_every_figure_can_be_drawn(built: Report) -> None:
    names = {figure.name for figure in built.figures}
    assert {"source-errors", "right-errors", "neighbours", "maximum", "errors", "accuracy"} <= names
    for figure in built.figures:
        canvas = Canvas()
        figure.draw(canvas, lambda words: say(words, "en"))
        assert all(axes.has_data() for axes in canvas.axes)


@pytest.mark.slow
def test_the_full_run(tmp_path: Path) -> None:
    """As the command runs it: 100,000 answers, 20,000 quantiles."""
    result = run("laplace", tmp_path, language="ja")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count('<article class="claim"') == len(result.report.claims) == 20
    assert {f"figures/{figure.name}.svg" for figure in result.report.figures} <= set(result.files)
    assert "nan" not in page
    assert "<ul></ul>" not in page
    for name in ("report.html", "report.md"):
        assert "シードから抽出して作ったものです" in (tmp_path / name).read_text("utf-8")
    assert [claim.verdict for claim in result.report.claims] == [claim[2] for claim in CLAIMS]
    found = next(table for table in result.report.tables if table.name == "maximum")
    for row in found.rows:
        if isinstance(row[4], float) and isinstance(row[3], float):
            assert row[4] == pytest.approx(row[3], rel=0.25)
    mechanisms = next(table for table in result.report.tables if table.name == "mechanisms")
    for row in mechanisms.rows[:3]:
        assert row[-1] == pytest.approx(0.95, abs=0.003)
