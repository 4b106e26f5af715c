import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize

import sudare as sd
from sudare.estimation import clip_and_normalise, project
from tests.cases import cases

LINES = st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=1, max_size=12)


@given(LINES)
def test_projection_is_on_the_simplex_and_keeps_the_order(line: list[float]) -> None:
    x = project(line)
    assert abs(x.sum() - 1) < 1e-12
    assert (x >= 0).all()
    assert (np.diff(x[np.argsort(line)]) >= 0).all()


@given(LINES, st.randoms(use_true_random=False))
def test_projection_is_the_nearest_point(line: list[float], random: object) -> None:
    # a projection y of x on a convex set: (x - y)·(z - y) <= 0 for all corners z
    scale = np.array([random.uniform(0.1, 3) for _ in line])
    for weights in (None, scale):
        w = np.ones(len(line)) if weights is None else weights
        y = project(line, weights)
        slope = (np.array(line) - y) / w
        assert (slope - slope @ y <= 1e-9).all()


def test_projection_agrees_with_a_solver() -> None:
    raw, w = np.array([0.6, 0.55, -0.2, 0.1]), np.array([1.0, 2.0, 0.5, 1.5])
    best = minimize(
        lambda x: float(((x - raw) ** 2 / w).sum()),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        tol=1e-14,
    )
    assert project(raw, w) == pytest.approx(best.x, abs=1e-6)


def test_lines_are_projected_one_by_one() -> None:
    raw = np.array([[0.7, 0.5, -0.1], [3.0, -1.0, -1.0]])
    assert np.array_equal(project(raw), [project(line) for line in raw])
    assert np.array_equal(clip_and_normalise(raw), [clip_and_normalise(line) for line in raw])


def test_nothing_positive_becomes_equal_shares() -> None:
    assert clip_and_normalise([-1.0, -2.0, 0.0, -0.5]).tolist() == [0.25] * 4


@cases("bad", [[np.nan, 1], [], 0.5, ["a"], [True, False], None, [[1], [1, 2]]])
def test_bad_shares(bad: object) -> None:
    for act in (project, clip_and_normalise):
        with pytest.raises(sd.SudareError):
            act(bad)


@cases("bad", [[0, 1], [1, 1, 1], [np.inf, 1], "ab"])
def test_bad_weights(bad: object) -> None:
    with pytest.raises(sd.SudareError):
        project([0.5, 0.5], bad)
