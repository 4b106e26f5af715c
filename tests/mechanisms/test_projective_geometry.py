"""Projective geometry: its draws, its law and its error, beside what all are tested for."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd
from sudare.errors import CollectionError, OutOfReachError
from sudare.exact.projective import Geometry
from sudare.mechanisms.frequency import projective
from sudare.samplers import Hyperplane
from tests.cases import cases


class Tape:
    """Hands out these words of 32 bits."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def take(self, n: int) -> bytes:
        return self.words.pop(0).to_bytes(n, "little")


@cases("q, t", [(2, 3), (3, 3), (4, 3), (5, 3), (2, 5), (3, 4), (4, 4)])
def test_every_point_of_a_plane_and_beside_it_is_drawn_once(q: int, t: int) -> None:
    g = Geometry(q, t)
    program = Hyperplane(k=g.points, q=q, t=t, width=32, own=(1 << 32) - 1)
    rest = q ** (t - 1)
    for value in range(g.points):
        on = g.on(np.array([value]), np.arange(g.points))[0]
        for kept, many, places in ((True, g.on_plane, on), (False, rest, ~on)):
            first = 0 if kept else (1 << 32) - 1
            drawn = [program.draw_one(value, Tape(first, u)) for u in range(many)]
            assert sorted(drawn) == np.flatnonzero(places).tolist()
            values, numbers = np.full(many, value), np.arange(many)
            assert program.points_of(values, np.full(many, kept), numbers).tolist() == drawn


@cases("k, epsilon", [(2, 1.0), (5, 0.5), (7, 1.0), (8, 1.0), (9, 3.0)])
def test_the_law_is_that_of_the_written_out_program(k: int, epsilon: float) -> None:
    m = sd.ProjectiveGeometry(k, epsilon)
    law, reports = m.law, np.array(m.program.laws(range(k)), dtype=object)
    on = projective.table(m.program.geometry, k) > 0
    for value in range(k):
        for i in range(k):
            supports = reports[value][on[i]].sum()
            assert supports == (law.p if i == value else law.q)
            for j in set(range(k)) - {i}:
                together = float(reports[value][on[i] & on[j]].sum())
                assert law.pair_probability(i, j, value) == pytest.approx(together, rel=1e-12)
    assert law.p - law.q > 0
    right = sum(max(reports[:, r]) for r in range(m.program.outputs)) / k
    assert m.program.guess_probability == pytest.approx(float(right), rel=1e-12)


@cases("k, epsilon", [(5, 1.0), (43, 2.0), (30, 0.3)])
def test_noise_by_transform_and_by_table_agree(
    k: int, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    law, rng = sd.ProjectiveGeometry(k, epsilon).law, np.random.default_rng(k)
    weights, shares = rng.normal(size=k), rng.dirichlet(np.ones(k))
    by_table = law.noise(weights, shares)
    monkeypatch.setattr(projective, "_MOST_CELLS", 0)
    assert law.noise(weights, shares) == pytest.approx(by_table, rel=1e-9)
    assert law.noise(np.eye(k)[1], shares) == pytest.approx(law.cells(shares)[1], rel=1e-9)


@cases("epsilon", [0.25, 0.5, 1.0, 2.0, 4.0])
@cases("k", [3000, 4096])
def test_the_error_is_that_of_subset_selection(k: int, epsilon: float) -> None:
    own, best = (m(k, epsilon) for m in (sd.ProjectiveGeometry, sd.SubsetSelection))
    assert own.expected_mse(10**4) <= 1.02 * best.expected_mse(10**4)
    assert own.report_bytes <= 2 + (epsilon > 2)


def test_many_categories_in_three_bytes() -> None:
    m, unary = sd.ProjectiveGeometry(65_536, 1.0), sd.OUE(65_536, 1.0)
    assert (m.report_bytes, unary.report_bytes) == (3, 8192)
    assert m.expected_mse(1000) <= 1.005 * unary.expected_mse(1000)
    assert sd.plan(65_536, 1000, 2.5).best == sd.ProjectiveGeometry(65_536, 2.5)
    truth = np.zeros(m.k, dtype=np.int64)
    truth[[0, 7, 65_535]] = 20_000, 1, 9_999
    values = np.repeat(np.arange(m.k), truth)
    for counts in (m.aggregate(m.perturb(values)), m.simulate(truth)):
        assert counts.n == 30_000
        z = (m.estimate(counts, target="respondents").counts - truth) / np.sqrt(
            30_000**2 * m.variance(truth / 30_000, 30_000, "respondents")
        )
        assert np.abs(z).max() < 8  # by chance less than once in 10**9 times
        assert 0.9 < z.std() < 1.1


@cases("cells", [1 << 18, 0])
def test_simulated_crowds_and_single_people_are_of_one_law(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projective, "_MOST_CELLS", cells)
    m, truth = sd.ProjectiveGeometry(9, 1.0), np.array([10**12, 0, 1, 3, 10**6, 0, 2, 0, 40])
    counts = m.simulate(truth)
    estimate = m.estimate(counts, target="respondents")
    assert np.abs((estimate.counts - truth) / (counts.n * estimate.stderr)).max() < 7


@cases(
    "wrong",
    [{"q": 6}, {"q": 8}, {"t": 2}, {"t": 29}, {"k": 8}, {"own": 109}, {"own": 256}, {"width": 9}],
)
def test_a_program_of_no_law_is_refused(wrong: dict[str, int]) -> None:
    good = {"k": 7, "q": 2, "t": 3, "width": 8, "own": 110}
    data = Hyperplane(**good).to_json()
    with pytest.raises(CollectionError):
        Hyperplane(**{**good, **wrong})
    with pytest.raises(CollectionError):
        Hyperplane.from_json({**data, **wrong, "own": f"{wrong.get('own', 110):x}"})


def test_how_many_categories() -> None:
    assert sd.ProjectiveGeometry(1 << 20, 1.0).report_bytes == 3
    with pytest.raises(OutOfReachError, match="at most 1048576 for ProjectiveGeometry"):
        sd.ProjectiveGeometry((1 << 20) + 1, 1.0)


def test_a_survey_takes_it_where_its_reports_are_shorter() -> None:
    names = ", ".join(f'"c{i}"' for i in range(900))
    survey = sd.Collection.from_toml(
        '[collection]\nname = "t"\nepsilon = 1\nauto = 2\n[[question]]\nid = "q"\n'
        f'type = "choice"\ntext = "?"\nchoices = [{names}]\n'
    )
    assert survey.questions[0].mechanism.name == "ProjectiveGeometry"
    assert sd.Collection.from_compiled(survey.compiled()) == survey
    assert len(sd.Client(survey).answer({"q": "c3"}).payload) == 2


@cases("k, epsilon", [(7, 0.5), (40, 1.0), (300, 4.0), (900, 1.5)])
def test_few_reports_are_counted_one_by_one(k: int, epsilon: float) -> None:
    m = sd.ProjectiveGeometry(k, epsilon)
    reports = np.arange(0, m.program.outputs, 1 + m.program.outputs // 40)[:30]
    tally = np.bincount(reports, minlength=m.program.outputs)
    few = m.aggregate(reports)
    assert few.n == reports.size
    assert np.array_equal(few.support, m._support(tally))
    each = sum(m.aggregate([one]).support for one in reports.tolist())
    assert np.array_equal(few.support, each)
