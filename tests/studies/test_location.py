"""The study location: the notes' numbers, rules, sections, verdicts, languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import make_golden
import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

import sudare as sd
from sudare.data.tokyo import SQUARES
from sudare.studies import Claim, Report, Setting, Text, Verdict, run
from sudare.studies.location import (
    BOOK,
    candidates,
    printed,
    section_coast,
    section_definitions,
    section_edge,
    section_future,
    section_people,
    section_weights,
    toy,
)
from sudare.studies.location.setting import Grids
from sudare.studies.study_text import Facts, Page
from sudare.words import say

JAPANESE = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
H, R, F = Verdict.HOLDS, Verdict.ROUGHLY, Verdict.FAILS


SMALL = make_golden.GRIDS["location"]


@pytest.fixture(scope="module")
def points() -> dict[float, toy.Point]:
    return toy.points(Setting(2, "points"))


@pytest.fixture
def built(small: Callable[[str], Report]) -> Report:
    return small("location")


@pytest.mark.parametrize(
    ("epsilon", "kept", "posterior", "sql", "spent"),
    [
        (0.01, (0.1739, 0.0667), (0.2539, 0.0624, 0.1915), (330.312, 317.793), 0.007489),
        (0.02, (0.4603, 0.2423), (0.5394, 0.2391, 0.3003), (161.124, 116.972), 0.012416),
        (0.03, (0.6871, 0.4715), (0.7263, 0.4686, 0.2578), (87.472, 52.921), 0.016681),
        (0.05, (0.9082, 0.8153), (0.9129, 0.8150, 0.0979), (24.590, 12.728), 0.025566),
        (0.09, (0.9925, 0.9846), (0.9926, 0.9846, 0.0079), (1.805, 0.931), 0.045052),
    ],
)
def test_the_reference_table(
    points: dict[float, toy.Point],
    epsilon: float,
    kept: tuple[float, ...],
    posterior: tuple[float, ...],
    sql: tuple[float, ...],
    spent: float,
) -> None:
    found = points[epsilon].before
    assert (found.kept_max, found.kept_min) == pytest.approx(kept, abs=2e-4)
    assert (found.posterior_max, found.posterior_min, found.f1) == pytest.approx(
        posterior, abs=2e-4
    )
    assert (found.sql, found.sql_cell[toy.CORNER]) == pytest.approx(sql, abs=0.01)
    assert found.epsilon == pytest.approx(spent, abs=1e-6)
    assert found.most_exposed == toy.CORNERS


def test_algorithm_1(points: dict[float, toy.Point]) -> None:
    main = points[0.02]
    assert main.found.f1 == pytest.approx(0.1821, abs=5e-4)
    assert main.found.sql == pytest.approx(188.37, abs=0.05)
    assert (main.found.evaluations, main.found.accepted) == (5860, 451)
    assert main.after.f1 == pytest.approx(main.found.f1, abs=1e-6)  # weights of 32 bits
    assert main.after.kept[toy.CORNER] == pytest.approx(0.84, abs=0.005)
    assert main.after.sql_cell[toy.CORNER] == pytest.approx(37, abs=1)
    assert points[0.03].found.f1 == pytest.approx(0.2118, abs=5e-4)
    assert points[0.03].found.sql == pytest.approx(90.73, abs=0.05)


def test_what_is_open_decides(built: Report) -> None:
    rows = next(table for table in built.tables if table.name == "algorithm-1-modes").rows
    found = {(row[0], row[1]): row for row in rows}
    assert found[0.02, "limit"][4] == pytest.approx(0.2628, abs=5e-4)
    assert found[0.02, "limit"][5] == pytest.approx(175.61, abs=0.05)
    varied = next(table for table in built.tables if table.name == "algorithm-1-variations").rows
    f1 = [row[1] for row in varied]
    assert min(f1) < 0.03
    assert max(f1) > 0.29


def test_orders_of_trial() -> None:
    posterior = np.array([0.5, 0.3, 0.5 + 1e-12, 0.3 + 1e-6])

    def groups(order: printed.Order) -> list[list[int]]:
        return [sorted(group.tolist()) for group in order(posterior)]

    assert groups(printed.grouped(1e-9)) == [[0, 2], [3], [1]]
    assert groups(printed.grouped(1e-3)) == [[0, 2], [1, 3]]
    assert groups(printed.grouped(0.0)) == [[2], [0], [3], [1]]
    assert groups(printed.grouped(-np.inf)) == [[2], [0], [3], [1]]
    assert groups(printed.grouped(1e-9, np.positive)) == [[1], [3], [0, 2]]
    (equal,) = printed.grouped(0.0)(np.full(3, 0.5))
    assert equal.tolist() == [0, 1, 2]
    tied = printed.grouped(-np.inf)(np.full(3, 0.5))
    assert [group.tolist() for group in tied] == [[0], [1], [2]]


def test_the_printed_algorithm_makes_weights_negative() -> None:
    found = printed.reduce_unstopped(0.02)
    assert found.first > 0
    assert found.weight < 0
    assert found.probability < 0
    harmless = printed.reduce_unstopped(0.05)
    assert (harmless.first, harmless.weight > 0, harmless.probability > 0) == (0, True, True)


def test_proposition_2_by_enumeration() -> None:
    grid, every = section_definitions.every_vector(2, 2, (0, 0.5, 1))
    assert every.shape == (4, 3**4 - 1)
    assert section_definitions.excess(grid, every) <= 1e-12
    weights = section_definitions.random_weights(Setting(20, "weights"))
    assert weights.any(axis=0).all()
    assert (weights == 0).any()
    assert section_definitions.excess(toy.GRID, weights) <= 1e-12


def test_proposition_2_needs_the_triangle_inequality() -> None:
    """Negative control: squares of distances are no metric."""
    line = sd.Grid(1, 3, 100.0, 100.0)
    bent = SimpleNamespace(cells=3, distances=lambda: line.distances() ** 2 / 100)
    weights = np.array([[0.0], [0.0], [1.0]])
    assert section_definitions.excess(line, weights) <= 1e-12
    assert section_definitions.excess(bent, weights) > 0.1


def test_excess_is_that_of_the_full_posterior() -> None:
    grid = sd.Grid(3, 4, 115.6, 141.5)
    rng = np.random.default_rng(8)
    weights = rng.random((12, 1)) + 0.01
    largest = -np.inf
    for epsilon in toy.EPSILONS:
        law = sd.GridExponential(grid, epsilon, weights=weights[:, 0]).matrix()
        logs = np.log(law / law.sum(axis=1, keepdims=True))
        off = logs - np.diagonal(logs)[:, None]
        np.fill_diagonal(off, -np.inf)
        largest = max(largest, float(off.max()))
    assert section_definitions.excess(grid, weights) == pytest.approx(largest, abs=1e-6)


def test_other_priors_break_it(built: Report) -> None:
    rows = next(table for table in built.tables if table.name == "priors").rows
    reports = [row[1] for row in rows]
    assert reports[0] == 0
    assert all(number > 0 for number in reports[1:])


def test_naive_epsilon_by_place_breaks_the_guarantee() -> None:
    exceeded, elastic, *_ = section_future.local(section_future.PATTERNS["home"])
    assert exceeded == pytest.approx(6.8, abs=0.05)
    assert elastic <= 1
    even = section_future.naive_law(np.full(225, 0.02))
    np.testing.assert_allclose(even, sd.GridExponential(toy.GRID, 0.02).log_matrix(), atol=1e-6)
    with pytest.raises(sd.WrongTypeError):
        sd.GridExponential(toy.GRID, [0.02] * 225)


def test_roads_keep_to_the_bank() -> None:
    (_, plane, across, _), (_, road, over, _) = section_future.roads()
    assert across > 0.2
    assert over < 0.05
    assert max(plane, road) <= toy.MAIN


def test_both_levels_are_better_than_each() -> None:
    low, high, both = section_future.leveled(Setting(6, "levels"))
    assert both[1] == low[1] + high[1]
    assert both[2] < min(low[2], high[2])


def test_people() -> None:
    shares = np.array([0.5, 0.25, 0.25 + 1e-9])
    assert section_people.as_people(shares).sum() == section_people.N
    setting = Setting(12, "people")
    hills = section_people.populations(setting)["hills"]
    found = section_people.counted("hills", hills, setting)
    # the mean of 12 trials scatters by about 2 %
    error = found.error
    assert error["unbiased"] == pytest.approx(found.expected, rel=0.15)
    assert error["em"] < error["smoothed"] < error["raw"] < error["unbiased"]
    assert 0.93 < found.coverage[0] < 0.97  # standard error about 0.005


def test_the_expected_error_is_that_of_the_law() -> None:
    """Against multinomial draws of two cells: E|error| of a normal one."""
    law = np.array([[0.8, 0.3], [0.2, 0.7]])
    truth = np.array([30_000, 70_000])
    rng = np.random.default_rng(4)
    drawn = sum(rng.multinomial(n, law[:, i], 4_000) for i, n in enumerate(truth))
    errors = np.abs(drawn / 1e5 @ np.linalg.inv(law).T - truth / 1e5).sum(axis=1)
    found = section_people.expected_error(law, truth)
    assert found == pytest.approx(errors.mean(), rel=0.06)  # standard error 1.2 %


def test_sides_of_a_coast() -> None:
    grid = sd.Grid(5, 6, 100.0, 100.0)
    land = np.ones((5, 6), dtype=bool)
    land[:, 4:] = False
    coast, inland = section_coast.sides(candidates.Map(grid, 0.02, None, land.ravel()))
    assert np.flatnonzero(coast).tolist() == [9, 15, 21]
    assert np.flatnonzero(inland).tolist() == [7, 8, 13, 14, 19, 20]


def test_the_island() -> None:
    map_ = candidates.Map(toy.GRID, toy.MAIN, None, section_coast.toy_mask())
    plain, equal = map_.plain(), map_.equalised()
    island = section_coast.ISLAND
    assert plain.report.posterior[island] == pytest.approx(0.998, abs=5e-4)
    assert equal.report.posterior[island] < 0.3
    assert any("90%" in one for one in plain.report.warnings)
    assert equal.report.warnings == ()
    assert np.isnan(plain.report.posterior[14])


def place(report: Report, start: str) -> Claim:
    (found,) = [c for c in report.claims if say(c.place, "en").startswith(start)]
    return found


CLAIMS = (
    ("definition 3", "ε d = 2.31", F),
    ("definition 4", "add up to", F),
    ("§4.1", "9 of 9", H),
    ("§4.2, after", "under 4 of 4", H),
    ("proposition 1", "4 random weight vectors", H),
    ("proof of proposition 1", "exp(ε d)", R),
    ("equation (3)", "0.0036", F),
    ("proposition 2", "50,934 weight vectors", H),
    ("§5.1, size of a cell", "at Tokyo station 115.58 by 141.45 m", H),
    ("§5.1, figure 1(a)", "0.2180", H),
    ("§5.1, figure 1(b)", "0.3003", H),
    ("§5.1, where", "0, 14, 210, 224", H),
    ("§5.1, for most ε", "8 of 9", H),
    ("§5.1, inside", "98 %", H),
    ("Algorithm 1, line 8", "move 11", F),
    ("§5.2, why weights", "0.5394 to 0.5494", F),
    ("§5.3.2, figure 2(a)", "0.1821", H),
    ("§5.3.2, figure 3, which", "most at 0.01, 0.02", F),
    ("§5.3.2, upper lines", "9 of 9", H),
    ("§5.3.2, lower lines", "−0.086", F),
    ("§5.3.2, P(O=r|A=r)", "0.840", H),
    ("§5.3.2, what an observer", "0.840", F),
    ("§5.3.1, SQL of one cell", "0.52 m", F),
    ("§5.3.2, utility of the whole", "+16.9", R),
    ("§5.3.2, how many cells", "98, 82, 45", R),
    ("§5.3.2, the corner's weight", "1, 0.9, 1", F),
    ("§5.3.2, the corner's utility", "117.0 m → 37.4 m", F),
    ("§5.3.2, figure 3, for all", "100", R),
    ("§5.3.2, cost", "3,351, 5,860", F),
    ("§5.3.2, order of trial", "0.3003", H),
    ("§5.3.2, other start", "1/2 everywhere 0.3003 → 0.0163", R),
    ("§5.2, an exact solution", "at ε = 0.03, 0.04", F),
    ("§5.3.2, the trade-off", "f1 0.120: 160.", F),
    ("§5.1, the boundary problem", "toy coast", H),
)


def test_claims(built: Report) -> None:
    """All in one test: every worker that sees the report has to build it."""
    for start, ours, verdict in CLAIMS:
        found = place(built, start)
        assert ours in say(found.ours, "en"), start
        assert found.verdict is verdict, start
        assert "another verdict" not in say(found.reason, "en"), start


def test_every_claim_is_tested_and_states_its_rule(built: Report) -> None:
    assert len(built.claims) == len(CLAIMS) == 34
    assert all(claim.rule for claim in built.claims)


def verdicts(name: str, facts: Facts) -> dict[str, Verdict]:
    page = Page(BOOK, name, facts)
    page.section()
    return {name: claim.verdict for name, claim in page.claims.items()}


def test_a_map_that_changed_nothing_turns_the_verdicts(
    points: dict[float, toy.Point], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if Algorithm 1 had left everything as it was, and the printed loop stopped at 0."""
    idle = {
        e: replace(p, after=p.before, found=replace(p.found, weights=np.ones(225)))
        for e, p in points.items()
    }
    usual = verdicts("section_weights", section_weights.compute(points))
    stopped = printed.Unstopped(0, 0.3, 0.0, 0.0)
    monkeypatch.setattr(section_weights, "reduce_unstopped", lambda _: stopped)
    found = verdicts("section_weights", section_weights.compute(idle))
    assert {name for name in found if found[name] is not usual[name]} == {
        *("line-8", "gap", "largest", "least", "kept-gap", "observer"),
        *("map-loss", "cells", "edges"),
    }
    even = {e: replace(p, before=p.after) for e, p in points.items()}
    assert F in verdicts("section_edge", section_edge.compute(even)).values()


def test_every_word_is_there_in_both_languages(built: Report, texts: Any) -> None:
    found = texts(built)
    assert len(found) > 200
    for text in found:
        assert text.en
        assert not JAPANESE.search(text.en), text.en
        assert JAPANESE.search(text.ja) or text.ja == text.en or len(text.ja) < 20, text.ja


def test_the_same_numbers_in_both_languages(built: Report) -> None:
    number = re.compile(r"\d+\.\d+")
    for claim in built.claims:
        if isinstance(claim.ours, Text):
            assert sorted(number.findall(claim.ours.en)) == sorted(number.findall(claim.ours.ja)), (
                claim.ours.en
            )


def test_every_figure_can_be_drawn(built: Report) -> None:
    names = {figure.name for figure in built.figures}
    assert {"figure-1", "figure-2", "figure-3", "chaos", "pareto", "tokyo", "people"} <= names
    for figure in built.figures:
        canvas = Canvas()
        figure.draw(canvas, lambda words: say(words, "en"))
        assert all(axes.has_data() for axes in canvas.axes)


def test_without_the_data_the_study_says_so() -> None:
    setting = Grids(2, "none", coast_bounds=(0.3,), squares=lambda _: None)
    page = Page(BOOK, "section_coast", section_coast.compute(setting.squares(setting), setting))
    told = page.section().blocks[-1]
    assert isinstance(told, Text)
    assert SQUARES.name in told.en
    assert "省いた" in told.ja


@pytest.mark.slow
def test_the_report(tmp_path: Path, built_once: Any) -> None:
    """The page in Japanese; what does better has its values tested beside each function."""
    built_once("location")
    result = run("location", tmp_path, language="ja", repetitions=2)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count('<article class="claim"') == len(result.report.claims) == 34
    assert {f"figures/{figure.name}.svg" for figure in result.report.figures} <= set(result.files)
    assert "nan" not in page
