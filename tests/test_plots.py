"""Figures are drawn for every estimate, also where a share lies outside its interval."""

from __future__ import annotations

from pathlib import Path

import pytest

import sudare as sd


def test_few_reports_can_be_drawn(tmp_path: Path) -> None:
    from sudare.plots import compare_shares

    estimate = sd.GRR(k=3, epsilon=2.0).estimate(sd.Counts((12, 2, 0), 14))
    low, _ = estimate.interval(0.95)
    assert estimate.shares[2] < low[2]
    drawn = compare_shares(tmp_path / "few.svg", ["a", "b", "c"], estimate, [0.8, 0.1, 0.1])
    assert "95 % interval" in drawn.read_text(encoding="utf-8")


def test_the_legend_of_errors_lies_beside_the_curves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure

    from sudare.plots import compare_errors

    saved, drawn = Figure.savefig, []
    monkeypatch.setattr(
        Figure, "savefig", lambda figure, *a, **kw: (drawn.append(figure), saved(figure, *a, **kw))
    )
    lines = {f"Mechanism{i}": [0.1 / (i + 1), 0.01 / (i + 1)] for i in range(9)}
    compare_errors(tmp_path / "compare.png", [1.0, 4.0], lines, lines, title="errors")
    (axes,) = drawn[0].axes
    legend, inside = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert legend.x0 >= inside.x1
    assert legend.x1 <= drawn[0].bbox.x1
    assert inside.y0 <= legend.y0 < legend.y1 <= drawn[0].bbox.y1


def test_a_chart_of_nothing_or_of_too_much_is_refused(tmp_path: Path) -> None:
    from sudare.plots import compare_counts, results

    row = {"question": "q", "unit": "share", "label": "a", "n": 9, "low": 0.1, "high": 0.3}
    for ending in (".svg", ".png"):
        path = tmp_path / f"x{ending}"
        for draw in (
            lambda path=path: results(path, [], {"q": "Q?"}),
            lambda path=path: results(path, [{**row, "value": None}], {"q": "Q?"}),
            lambda path=path: results(path, [{**row, "value": 0.2}], {}),
            lambda path=path: compare_counts(path, [], [], [], 1.0),
        ):
            with pytest.raises(sd.DomainError, match="must show a figure at least"):
                draw()
        assert not path.exists()
    with pytest.raises(sd.DomainError, match="too many figures for a PNG"):
        results(tmp_path / "x.png", [{**row, "value": 0.2}] * 1900, {"q": "Q?"})
    assert results(tmp_path / "one.png", [{**row, "value": 0.2}], {"q": "Q?"}).exists()
