"""EM, its acceleration and early stopping, against a plain loop on dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.channels import Dense, Kronecker
from sudare.estimation import em as module
from sudare.estimation.em import em, maximise, stop_early

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


@pytest.mark.parametrize("seed", range(6))
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
    monkeypatch.setattr(module, "_extrapolate", lambda *_: wild)
    path: list[float] = []
    keep = maximise(
        channel, counts, np.full(4, 0.25), most_maps=60, progress=lambda _, v: path.append(v)
    )
    assert (np.diff(path) >= 0).all()
    assert keep.log_likelihood > path[0]


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


def test_the_same_counts_give_the_same_estimate() -> None:
    channel, counts = _channel(), np.array([400, 30, 20, 550])
    fits = [stop_early(channel, counts, lambda _: np.full(4, 0.25)) for _ in range(2)]
    assert np.array_equal(fits[0].shares, fits[1].shares)
    assert "left out" in fits[0].rule


def test_nothing_to_fit() -> None:
    channel, start = _channel(), np.full(4, 0.25)
    for act in (
        lambda: em(channel, np.zeros(4, dtype=int), start, maps=1),
        lambda: maximise(channel, np.zeros(4, dtype=int), start),
        lambda: stop_early(channel, np.array([1, 2, 3, 4]), lambda _: start),
    ):
        with pytest.raises(sd.EstimationError):
            act()
