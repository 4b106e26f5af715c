"""EM, its acceleration and early stopping, against a plain loop on dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.channels import Dense, Kronecker
from sudare.estimation import em as module
from sudare.estimation.em import em, maximise, stop_early
from tests.cases import cases

COUNTS = st.lists(st.integers(0, 300), min_size=4, max_size=4).filter(any)


def _channel(k: int = 4, epsilon: float = 1.0) -> Dense:
    return Dense.from_matrix(sd.GRR(k, epsilon).program.matrix())


def _plain(law: np.ndarray, counts: np.ndarray, maps: int) -> np.ndarray:
    x = np.full(law.shape[1], 1 / law.shape[1])
    for _ in range(maps):
        x = x * (law.T @ (counts / counts.sum() / (law @ x)))
    return x


def _value(law: np.ndarray, counts: np.ndarray, x: np.ndarray) -> float:
    seen = counts > 0
    return float(counts[seen] @ np.log((law @ x)[seen]))


@given(COUNTS)
def test_em_is_the_plain_loop(counts: list[int]) -> None:
    channel, c = _channel(), np.array(counts)
    fit = em(channel, c, np.full(4, 0.25), maps=37)
    assert fit.shares == pytest.approx(_plain(channel.dense(), c, 37), abs=1e-12)
    assert fit.log_likelihood == pytest.approx(_value(channel.dense(), c, fit.shares), abs=1e-9)
    assert fit.maps == 37


@settings(max_examples=40)
@given(COUNTS)
def test_maximise_reaches_what_a_long_em_reaches(counts: list[int]) -> None:
    channel, c = _channel(), np.array(counts)
    fit = maximise(channel, c, np.full(4, 0.25), gap=1e-7)
    assert fit.gap <= 1e-7
    assert fit.shares.min() >= 0
    assert fit.shares.sum() == pytest.approx(1, abs=1e-12)
    long = _value(channel.dense(), c, _plain(channel.dense(), c, 3_000))
    assert fit.log_likelihood >= long - 1e-7


@given(COUNTS, st.lists(st.floats(0.01, 1), min_size=4, max_size=4))
def test_the_gap_bounds_the_distance_to_the_maximum(counts: list[int], raw: list[float]) -> None:
    channel, c = _channel(), np.array(counts)
    start = np.array(raw) / sum(raw)
    here = em(channel, c, start, maps=0)
    top = maximise(channel, c, np.full(4, 0.25), gap=1e-6)
    assert top.log_likelihood - here.log_likelihood <= here.gap + 1e-6


@cases("seed", range(6))
def test_the_accelerated_likelihood_never_falls(seed: int) -> None:
    random = np.random.default_rng(seed)
    channel = Kronecker((sd.GRR(6, 0.7).channel, sd.GRR(7, 1.5).channel))
    counts = random.multinomial(3_000, random.dirichlet(np.full(42, 0.1))).reshape(6, 7)
    path: list[float] = []
    start = np.full((6, 7), 1 / 42)
    maximise(channel, counts, start, most_maps=400, progress=lambda _, value: path.append(value))
    assert len(path) > 5
    assert (np.diff(path) >= -1e-9).all()


def test_it_would_fall_without_the_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = _channel(4, 0.3)
    counts = np.array([900, 0, 0, 3])
    wild = np.array([1e-9, 0.5, 0.5 - 2e-9, 1e-9])
    monkeypatch.setattr(module, "_extrapolate", lambda *_: (wild, 1.0))
    path: list[float] = []
    keep = maximise(
        channel, counts, np.full(4, 0.25), most_maps=60, progress=lambda _, v: path.append(v)
    )
    assert (np.diff(path) >= 0).all()
    assert keep.log_likelihood > path[0]


def test_a_long_search_tells_of_itself_and_a_short_one_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    told: list[tuple[int, float]] = []

    def slow(*_: object) -> np.ndarray:  # a quarter of a second a map
        now[0] += 0.25
        return np.full((3, 4), 1 / 12)

    j = sd.JointRR([3, 4], epsilon=[0.2, 0.2])
    counts = j.simulate(np.arange(12).reshape(3, 4) * 300, rng=sd.Entropy.seeded(b"told"))
    j.estimate(counts, "mle", progress=lambda *at: told.append(at))
    assert told == []
    watch = module.Seldom(lambda *at: told.append(at))
    channel = Kronecker(tuple(part.channel for part in j.parts))
    monkeypatch.setattr(Kronecker, "apply", slow)
    fit = em(channel, counts.support, np.full((3, 4), 1 / 12), maps=18, progress=watch)
    assert [maps for maps, _ in told] == [8, 12, 16]
    assert {value for _, value in told} == {fit.log_likelihood}


def test_it_stops_at_the_most_maps_and_says_how_far_it_came() -> None:
    random = np.random.default_rng(1)
    channel = Kronecker((sd.GRR(6, 0.3).channel, sd.GRR(7, 0.3).channel))
    counts = random.multinomial(50_000, random.dirichlet(np.full(42, 0.5))).reshape(6, 7)

    def watch(maps: int, _: float) -> None:
        assert maps <= 40

    fit = maximise(channel, counts, np.full((6, 7), 1 / 42), gap=0, most_maps=40, progress=watch)
    assert 36 < fit.maps <= 40
    assert fit.gap > 1
    assert f"at most {fit.gap:.2g} nats" in fit.rule


def test_acceleration_needs_fewer_maps() -> None:
    random = np.random.default_rng(3)
    part = sd.GRR(8, 2.0).channel
    channel = Kronecker((part, part, part))
    law = random.dirichlet(np.full(512, 0.3)).reshape(8, 8, 8)
    counts = random.multinomial(100_000, channel.apply(law).ravel()).reshape(8, 8, 8)
    start = np.full((8, 8, 8), 1 / 512)
    top = maximise(channel, counts, start, gap=1e-2).log_likelihood
    paths: dict[str, list[tuple[int, float]]] = {"em": [], "fast": []}
    em(channel, counts, start, maps=2_000, progress=lambda *at: paths["em"].append(at))
    maximise(channel, counts, start, most_maps=2_000, progress=lambda *at: paths["fast"].append(at))
    reached = {
        name: next(maps for maps, value in path if top - value < 10) for name, path in paths.items()
    }
    assert reached["em"] >= 5 * reached["fast"], reached


def test_independent_attributes_are_left_alone_and_dependent_ones_are_fitted() -> None:
    random = np.random.default_rng(5)
    part = sd.GRR(10, 2.0).channel
    channel = Kronecker((part, part))
    a, b = random.dirichlet(np.ones(10)), random.dirichlet(np.ones(10))
    apart, together = np.multiply.outer(a, b), np.diag(a)
    errors = {}
    for name, law in (("apart", apart), ("together", together)):
        y = channel.apply(law)
        counts = random.multinomial(50_000, (y / y.sum()).ravel()).reshape(10, 10)
        fit = stop_early(channel, counts, lambda _: apart)
        errors[name] = (fit.maps, np.abs(fit.shares - law).sum() / 2)
    assert errors["apart"] == (0, 0.0)
    assert errors["together"][0] > 5
    assert errors["together"][1] < 0.06


def test_a_true_start_is_left_only_against_strong_evidence() -> None:
    part = sd.GRR(6, 2.0).channel
    channel, left = Kronecker((part, part)), 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        law = np.multiply.outer(random.dirichlet(np.ones(6)), random.dirichlet(np.ones(6)))
        y = channel.apply(law)
        counts = random.multinomial(5_000, (y / y.sum()).ravel()).reshape(6, 6)
        fit = stop_early(channel, counts, lambda _, law=law: law)
        left += fit.maps > 0
    assert left <= 3  # without the two standard errors: 14


def test_the_number_of_maps_is_found_on_nine_in_ten_and_taken_for_all() -> None:
    channel, counts = _channel(), np.array([4_000, 300, 200, 5_500])
    fitted = []

    def start(some: np.ndarray) -> np.ndarray:
        fitted.append(some)
        return np.full(4, 0.25)

    fit = stop_early(channel, counts, start)
    assert fit.maps > 3
    taken = fitted[0]
    assert (fitted[0] <= counts).all()
    assert fitted[0].sum() == pytest.approx(9_000, abs=5 * 30)
    assert np.array_equal(fitted[1], counts)
    assert np.array_equal(fit.shares, em(channel, counts, start(counts), maps=fit.maps).shares)
    assert stop_early(channel, counts, start, most_maps=2).maps == 2
    fitted.clear()
    other = stop_early(channel, counts, start, rng=sd.Entropy.seeded(b"others"))
    assert not np.array_equal(fitted[0], taken)
    assert other.maps > 3


def test_it_looks_past_a_few_worse_predictions() -> None:
    """The prediction of those left out falls, then rises far above the start's."""

    class Dipping:
        """At x = i/100 the report shares of a mechanism whose first maps lead astray."""

        def apply(self, x: np.ndarray) -> np.ndarray:
            way = [0.5, 0.45, 0.42, 0.41, 0.45, 0.6, 0.8, 0.9, 0.9, 0.85]
            first = way[min(round(x[0] * 100), len(way) - 1)]
            return np.array([first, 1 - first])

    class Walk(module.Likelihood):
        def step(self, x: np.ndarray) -> module.Step:
            self.maps += 1
            return module.Step(self, x, x + np.array([0.01, 0.0]), 1.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "Likelihood", Walk)
        counts = np.array([900, 100])
        maps = module._best_maps(
            Dipping(),
            counts,
            counts // 10,
            lambda _: np.zeros(2),
            50,
            None,
        )
    assert maps == 7


def test_the_same_counts_give_the_same_estimate() -> None:
    channel, counts = _channel(), np.array([400, 30, 20, 550])
    fits = [stop_early(channel, counts, lambda _: np.full(4, 0.25)) for _ in range(2)]
    assert np.array_equal(fits[0].shares, fits[1].shares)
    assert "left out" in fits[0].rule


def test_a_start_that_rules_a_report_out_is_infinitely_far_from_the_maximum() -> None:
    channel, start = sd.NegativeSurvey(3).channel, np.array([1.0, 0.0, 0.0])
    fit = em(channel, np.array([5, 5, 5]), start, maps=0)
    assert (fit.log_likelihood, fit.gap) == (-np.inf, np.inf)
    assert em(channel, np.array([0, 5, 5]), start, maps=0).gap < 1e-9


def test_nothing_to_fit() -> None:
    channel, start = _channel(), np.full(4, 0.25)
    for act in (
        lambda: em(channel, np.zeros(4, dtype=int), start, maps=1),
        lambda: maximise(channel, np.zeros(4, dtype=int), start),
        lambda: stop_early(channel, np.array([1, 2, 3, 4]), lambda _: start),
    ):
        with pytest.raises(sd.EstimationError):
            act()


def test_a_search_that_gains_nothing_any_more_ends_and_says_what_is_certain() -> None:
    joint = sd.JointRR([12, 12, 12], epsilon=[0.5] * 3)
    rng = np.random.default_rng(3)
    support = joint.simulate(rng.multinomial(2_000, np.full(1728, 1 / 1728)).reshape(12, 12, 12))
    est = joint.estimate(support, "mle")
    start = joint.independent(support.support)
    stopped = maximise(joint.channel, support.support, start, most_maps=100)
    assert stopped.gap > 1e-3
    assert stopped.maps <= 100
    ended = [one for one in est.warnings if one.code == "not-certain"]
    certain = float(est.method.split("at most ")[1].split(" ")[0])
    assert bool(ended) == (certain > 1e-3)


@pytest.mark.slow
def test_small_tables_end_at_the_maximum_also_on_a_border() -> None:
    """Nine of sixty such tables ended more than 0.01 nats below it, one with a share off by .15."""
    generator = np.random.default_rng(3)
    for case in range(24):
        sizes = [(3, 4), (2, 2), (5, 4), (4, 4, 4)][case % 4]
        epsilon, n = [0.13, 0.3, 2.0][case % 3], [1_000, 20_000][case % 2]
        m = sd.JointRR(list(sizes), epsilon=[epsilon] * len(sizes))
        cells = int(np.prod(sizes))
        truth = generator.multinomial(n, generator.dirichlet(np.full(cells, 0.3)))
        entropy = sd.Entropy.seeded(b"border %d" % case)
        support = m.simulate(truth.reshape(sizes), rng=entropy).support
        fit = maximise(m.channel, support, m.independent(support))
        law, c = m.channel.dense(), support.reshape(-1)
        gradient = law.T @ (c / (law @ fit.shares.reshape(-1)))
        assert gradient.max() - n <= 1e-3  # the certificate, computed anew: nats to the maximum
        assert fit.shares.min() >= 0
        assert fit.shares.sum() == pytest.approx(1, abs=1e-9)


def test_a_step_that_was_refused_is_tried_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the bound, one refusal follows the other, and a cycle is three plain maps of four."""
    random = np.random.default_rng(3)
    j = sd.JointRR([12, 12, 12], epsilon=[1.0] * 3)
    truth = random.dirichlet(np.full(12**3, 0.02)).reshape(j.sizes)
    counts = random.multinomial(10**6, j.channel.apply(truth).ravel()).reshape(j.sizes)
    bounded = maximise(j.channel, counts, j.independent(counts), most_maps=120)
    step = module._extrapolate
    monkeypatch.setattr(module, "_extrapolate", lambda *at: step(*at[:3], np.inf))
    free = maximise(j.channel, counts, j.independent(counts), most_maps=120)
    assert bounded.log_likelihood > free.log_likelihood + 5
