"""Numbers that no map has, wherever one is asked for: typed errors alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.place import mesh
from tests.cases import cases

GRID = sd.Grid(2, 3, 100.0, 100.0, origin=(35.0, 139.0))
HUGE = 10**400
FLAT = [1.0] * 6
ESTIMATE = sd.GridExponential(GRID, 0.02).estimate(sd.Counts([50] * 6, 300))


@cases(
    "call",
    [
        lambda: sd.location.count_in(ESTIMATE, [True] * 6, people=HUGE),
        lambda: sd.location.count_in(ESTIMATE, [[True, False], [True]]),
        lambda: sd.location.count_in(ESTIMATE, np.ma.array([True] * 6, mask=[True] + [False] * 5)),
        lambda: sd.location.optimise_weights(GRID, 0.02, f1=HUGE),
        lambda: sd.location.cap_posterior(GRID, 0.02, HUGE),
        lambda: sd.location.reduce_weights(GRID, 0.02, start=[1e308] * 6),
        lambda: sd.location.reduce_weights(GRID, 0.02, objective=3),
        lambda: sd.location.reduce_weights(GRID, 0.02, constraint="f1"),
        lambda: sd.location.reduce_weights(GRID, 0.02, order=[]),
        lambda: sd.ElasticExponential(GRID, [1e308] * 6),
        lambda: mesh.encode(1e308, 139.0),
        *(lambda x=x: mesh.cell_metres(x) for x in (None, "35", True, HUGE, np.nan, 91)),
        *(lambda x=x: mesh.cell_metres(35.0, "1/8", x) for x in (None, 0, HUGE, np.nan)),
        *(lambda x=x: mesh.degree_metres(x) for x in (None, np.inf, [35.0])),
    ],
)
def test_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(sd.SudareError):
        call()


def test_a_prior_of_huge_numbers_is_what_its_ratios_are() -> None:
    m = sd.GridExponential(GRID, 0.02)
    found = sd.location.boundary_report(m, prior=[1e308] * 6)
    assert found.sql == pytest.approx(sd.location.boundary_report(m).sql)


def test_marks_in_an_array() -> None:
    layer = sd.location.Layer("x", FLAT, marks=np.array([1, 4]))
    page = sd.location.map_page(GRID, [layer], title="x")
    assert page.count('class="mark"') == 3  # two cells, one in the legend
