"""What analysts expect of results: figures on their axes, tables in notebooks, JSON and back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sudare as sd
from sudare import plots
from sudare.location import MapSummary, People, land_fraction, plot_map
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import registered
from sudare.release import Dataset, Released
from tests.cases import cases

EVIL = "<script>alert(1)</script>"
LABELS = ["tea", EVIL, "緑茶 & $x$"]
SURVEY = """
[collection]
name = "tea"
epsilon = 2.0
expected_respondents = 100
languages = ["en"]
title = { en = "Tea" }
[[question]]
id = "drink"
type = "choice"
text = { en = "Which?" }
choices = ["secret", "tea"]
"""
GROUPS = ["a", EVIL]
HELD = Dataset(
    {"score": [80, 65, 90, 70] * 50, "age": [20, 30, 40, 50] * 50, "group": GROUPS * 100},
    bounds={"score": (0, 100), "age": (0, 100)},
    rng=sd.Entropy.seeded(7),
)
ANSWERS: dict[str, Callable[[], Released[Any]]] = {
    "mean": lambda: HELD.mean("score", epsilon=1),
    "gaussian": lambda: HELD.mean("score", rho=Fraction(1, 7)),
    "median": lambda: HELD.median("score", epsilon=1),
    "mode": lambda: HELD.mode("group", GROUPS, epsilon=1),
    "groups": lambda: HELD.group_by("group", GROUPS).mean("score", epsilon=1),
    "histogram": lambda: HELD.histogram("group", GROUPS, epsilon=1),
    "regression": lambda: HELD.linear("score", ["age"], epsilon=5),
}


def estimate(labels: Any = LABELS, method: str = "unbiased") -> sd.Estimate:
    return sd.GRR(labels, 2.0).estimate(sd.Counts((600, 250, 150), 1000), method)


@pytest.fixture
def axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot()


# Figures


def test_an_estimate_is_drawn_on_the_axes_given(axes: Any) -> None:
    one = estimate()
    assert one.plot(axes, true_shares=[0.5, 0.3, 0.2]) is axes
    names = [text.get_text() for text in axes.get_xticklabels()]
    assert names == ["tea", EVIL, r"緑茶 & \$x\$"]
    (points,) = (line for line in axes.lines if line.get_marker() == "o")
    assert points.get_ydata().tolist() == one.shares.tolist()
    (bars,) = (box for box in axes.containers if not hasattr(box, "has_yerr"))
    assert [bar.get_height() for bar in bars] == [0.5, 0.3, 0.2]
    (around,) = (box for box in axes.containers if hasattr(box, "has_yerr"))
    ends = np.array(around.lines[2][0].get_segments())[:, :, 1]
    np.testing.assert_allclose(ends.T, one.interval())


def test_without_axes_there_is_a_new_figure() -> None:
    from matplotlib import pyplot

    many = sd.GRR(130, 2.0).estimate(sd.Counts((10,) * 130, 1300))
    try:
        drawn = many.plot()
        assert drawn.figure.number in pyplot.get_fignums()
        assert drawn.figure.get_figwidth() == 14
        assert [text.get_text() for text in drawn.get_xticklabels()][:3] == ["0", "3", "6"]
    finally:
        pyplot.close("all")


def test_a_table_of_attributes_is_drawn_cell_by_cell(axes: Any) -> None:
    joint = sd.JointRR([2, 2], epsilon=[2.0, 2.0])
    joint.estimate(sd.Counts([[400, 100], [200, 300]], 1000)).plot(axes)
    names = [text.get_text() for text in axes.get_xticklabels()]
    assert names == ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]


def test_a_plan_is_drawn_widest_last(axes: Any) -> None:
    plan = sd.plan(8, 1000, 2.0)
    assert plan.plot(axes) is axes
    (bars,) = axes.containers
    assert [bar.get_width() for bar in bars] == [one.half_width for one in plan.options]
    assert axes.get_yticklabels()[0].get_text() == plan.best.name
    pale = {bar.get_facecolor() for bar in bars}
    assert len(pale) == 2
    assert "pale" in axes.get_xlabel()


def test_a_comparison_is_drawn_by_lines_and_points(axes: Any) -> None:
    found = sd.planning.compare(
        ["GRR", "OUE"], [300, 700], epsilons=[1, 2], repetitions=2, rng=sd.Entropy.seeded(7)
    )
    assert found.plot(axes) is axes
    lines = found.lines()["expected_mse"]
    assert [list(line.get_ydata()) for line in axes.lines][::2] == list(lines.values())
    assert sorted(error for name in lines for error in lines[name]) == sorted(
        row.expected_mse for row in found.rows
    )
    assert {line.get_label() for line in axes.lines} >= {"GRR", "OUE"}


def test_a_map_is_drawn(axes: Any) -> None:
    found = summary()
    assert found.plot(axes) is axes
    np.testing.assert_array_equal(axes.images[0].get_array().ravel()[1:], found.posterior[1:])
    with pytest.raises(sd.DomainError, match="values"):
        plot_map(found.grid, [1.0, 2.0], axes)


@cases("ax", ["axes", 3, [None]])
def test_what_is_no_axes_is_refused(ax: object) -> None:
    for one in (estimate(), sd.plan(3, 100, 1.0), summary()):
        with pytest.raises(sd.WrongTypeError, match="ax must be axes of matplotlib"):
            one.plot(ax)
    with pytest.raises(sd.DomainError, match="confidence"):
        estimate().plot(confidence=1.0)


def test_long_labels_are_turned(axes: Any) -> None:
    estimate([f"{one} which is a long answer to read" for one in "abc"]).plot(axes)
    assert axes.get_xticklabels()[0].get_rotation() == 60


# Notebooks


def shown() -> dict[str, Any]:
    collection = sd.Collection.from_toml(SURVEY)
    return {
        "estimate": estimate(),
        "weak": estimate(method="projected"),
        "plan": sd.plan(3, 100, 1.0),
        "comparison": sd.planning.compare(["GRR"], [3, 7], repetitions=2),
        "collection": collection,
        "client": sd.Client(collection),
        **{name: ask() for name, ask in ANSWERS.items()},
    }


def test_tables_of_notebooks_are_whole_escaped_and_fetch_nothing() -> None:
    from html.parser import HTMLParser

    for name, one in shown().items():
        html = one._repr_html_()
        opened: list[str] = []

        class Nested(HTMLParser):
            def handle_starttag(self, tag: str, attrs: Any) -> None:
                opened.append(tag)  # noqa: B023 - used within the loop

            def handle_endtag(self, tag: str) -> None:
                assert opened.pop() == tag, name  # noqa: B023

        reader = Nested()
        reader.feed(html)
        reader.close()
        assert not opened, name
        assert set(re.findall(r"<(\w+)", html)) <= {
            "div", "b", "table", "thead", "tbody", "tr", "th", "td", "span",
        }, name  # fmt: skip
        assert "http" not in html
        assert "url(" not in html
    assert "&lt;script&gt;" in shown()["estimate"]._repr_html_()
    assert "&lt;script&gt;" in shown()["groups"]._repr_html_()


def test_a_table_says_what_the_result_says() -> None:
    html = estimate()._repr_html_()
    one = estimate()
    low, high = one.interval()
    for share in (one.shares[0], low[0], high[0]):
        assert f"{100 * share:.2f} %" in html
    assert "n = 1,000" in html
    many = sd.GRR(100, 2.0).estimate(sd.Counts((10,) * 100, 1000))
    assert many._repr_html_().count("<tr>") == 61
    assert "… and 40 more" in many._repr_html_()
    assert "± ranks (95 %)" in ANSWERS["median"]()._repr_html_()


def test_a_client_shows_what_was_spent_and_never_an_answer() -> None:
    client = sd.Client(sd.Collection.from_toml(SURVEY))
    client.answer({"drink": "secret"})
    html = client._repr_html_()
    assert "secret" not in html
    assert "of 2" in html


# JSON


@cases("cls", [cls for cls in registered(FrequencyOracle) if not cls.studies_only])
def test_estimates_of_every_oracle_come_back_the_same(cls: type[FrequencyOracle]) -> None:
    m = cls(["a", "b", EVIL, "d"], 2.0)
    reports = m.perturb([0, 1, 2, 3] * 20, rng=sd.Entropy.seeded(7))
    one = m.estimate(m.aggregate(reports))
    again = sd.Estimate.from_json(one.to_json())
    assert same(again, one)
    assert again.to_json() == one.to_json()
    for kind in ("normal", "score"):
        for ours, theirs in zip(one.interval(kind=kind), again.interval(kind=kind), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert again.difference("a", EVIL).interval() == one.difference("a", EVIL).interval()


def same(again: sd.Estimate, one: sd.Estimate) -> bool:
    np.testing.assert_array_equal(again.shares, one.shares)
    np.testing.assert_array_equal(again.stderr, one.stderr)
    fields = ("n", "epsilon", "covers", "method", "target", "labels", "warnings")
    codes = [[(w.code, w.cells) for w in two.warnings] for two in (again, one)]
    return codes[0] == codes[1] and all(getattr(again, f) == getattr(one, f) for f in fields)


def test_an_estimate_by_another_method_comes_back() -> None:
    one = estimate(method="projected")
    assert same(sd.Estimate.from_json(one.to_json()), one)
    people = sd.GRR(3, 2.0).estimate(sd.Counts((6, 3, 1), 10), target="respondents")
    assert same(sd.Estimate.from_json(people.to_json()), people)


def test_an_estimate_of_several_attributes_keeps_numbers_and_errors() -> None:
    joint = sd.JointRR([2, 2], epsilon=[2.0, 2.0])
    one = joint.estimate(sd.Counts([[400, 100], [200, 300]], 1000))
    again = sd.Estimate.from_json(one.to_json())
    assert same(again, one)
    for ours, theirs in zip(
        one.interval(kind="normal"), again.interval(kind="normal"), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    with pytest.raises(sd.EstimationError, match="JSON keeps the standard errors alone"):
        again.interval(kind="score")
    with pytest.raises(sd.EstimationError, match="read from JSON"):
        again.difference((0, 0), (1, 1))


def broken(text: str) -> list[str]:
    """Return texts that are almost the one given: a field lacks, or is of another kind."""
    data = json.loads(text)
    out = ["", "[]", "7", "null", "{", '{"format": "sudare-else/1"}', "[" * 100_000]
    for name in data:
        out.append(json.dumps({key: value for key, value in data.items() if key != name}))
        out += [json.dumps({**data, name: bad}) for bad in ([[]], {"a": 1}, [{"b": []}])]
    return out


def test_what_is_no_estimate_is_refused() -> None:
    plain = sd.JointRR([2, 2], epsilon=[2.0, 2.0])
    other = plain.estimate(sd.Counts([[400, 100], [200, 300]], 1000)).to_json()
    refused = 0
    for text in (estimate().to_json(), other):
        for bad in broken(text):
            try:
                sd.Estimate.from_json(bad)
            except sd.SudareError:
                refused += 1
    assert refused > 40
    data = json.loads(estimate().to_json())
    far = {"shares": [10**400, 0, 0]}
    for change in ({"shares": [0.5, 0.3, 0.2]}, {"format": "x"}, {"stderr": [0, 0, -1]}, far):
        with pytest.raises(sd.ReportError, match="estimate must be"):
            sd.Estimate.from_json(json.dumps({**data, **change}))
    for bad in (None, 7, b"\xff", [1]):
        with pytest.raises(sd.ReportError, match="must be JSON of the format"):
            sd.Estimate.from_json(bad)


@cases("name", ANSWERS)
def test_answers_come_back_the_same(name: str) -> None:
    one = ANSWERS[name]()
    again = Released.from_json(one.to_json())
    for field in (
        "value", "cost", "neighbours", "sampling_stderr", "query", "notes", "bound_in", "event",
        "reused", "noise", "remaining", "rows", "epsilon", "rho", "delta", "of_population",
    ):  # fmt: skip
        assert getattr(again, field) == getattr(one, field), field
    assert again.to_json() == one.to_json()
    for level in (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999):
        assert again.bound(level) == one.bound(level)
        if isinstance(one.value, dict):
            assert again.bounds(level) == one.bounds(level)
        if one.of_population:
            assert again.intervals(level) == one.intervals(level)
    assert again.bound(0.85) == one.bound(0.9) >= one.bound(0.85)
    with pytest.raises(sd.DomainError, match=r"must be at most 0\.999"):
        again.bound(0.9999)


def test_the_answer_before_it_was_made_consistent_comes_along() -> None:
    one = ANSWERS["histogram"]()
    (whole,) = sd.release.consistent(HELD, [one])
    again = Released.from_json(whole.to_json())
    assert again.raw is not None
    assert again.raw.value == one.value
    assert again.value == whole.value


def test_what_is_no_answer_is_refused() -> None:
    refused = 0
    for name in ("median", "groups", "regression"):
        for bad in broken(ANSWERS[name]().to_json()):
            try:
                Released.from_json(bad).bound()
            except sd.SudareError:
                refused += 1
    assert refused > 100
    data = json.loads(ANSWERS["groups"]().to_json())
    twice = {"groups": [data["value"]["groups"][0]] * len(data["value"]["groups"])}
    for change in ({"bounds": [10**400] * 7}, {"group_bounds": [[1.0]] * 7}, {"value": twice}):
        with pytest.raises(sd.ReportError, match="answer must be JSON"):
            Released.from_json(json.dumps({**data, **change}))
    with pytest.raises(sd.ReportError, match="answer must be JSON"):
        Released.from_json(7)
    rows = HELD.synthetic({"group": GROUPS}, epsilon=1)
    with pytest.raises(sd.WrongTypeError, match="made-up rows have write_synthetic"):
        rows.to_json()


# Maps of other libraries


def summary() -> MapSummary:
    grid = sd.Grid.from_mesh(533936, "3rd", rows=2, columns=3)
    land = np.arange(6) > 0
    return MapSummary.of(grid, 0.002, np.ones(6), People(mask=land))


def test_a_map_goes_out_as_geojson() -> None:
    found = summary()
    data = found.__geo_interface__
    assert data["type"] == "FeatureCollection"
    assert [one["properties"]["cell"] for one in data["features"]] == [1, 2, 3, 4, 5]
    assert data["features"][0]["properties"]["posterior"] == found.posterior[1]
    json.dumps(data, allow_nan=False)
    flat = MapSummary.of(sd.Grid(1, 2, 100, 100), 0.01, np.ones(2), People())
    with pytest.raises(sd.DomainError, match="origin"):
        _ = flat.__geo_interface__


def test_what_has_a_geo_interface_comes_in() -> None:
    class Frame:
        def __init__(self, data: dict[str, Any]) -> None:
            self.__geo_interface__ = data

    found = summary()
    data = found.__geo_interface__
    within = land_fraction(found.grid, Frame(data))
    np.testing.assert_allclose(within, found.land, atol=1e-6)
    np.testing.assert_array_equal(within, land_fraction(found.grid, found))
    one = Frame({"type": "GeometryCollection", "geometries": [data["features"][0]["geometry"]]})
    np.testing.assert_allclose(land_fraction(found.grid, one), np.arange(6) == 1, atol=1e-6)
    with pytest.raises(sd.DomainError, match="geojson must have at least one polygon"):
        land_fraction(found.grid, Frame({"type": "Point", "coordinates": [139.7, 35.6]}))


# The first half hour


def test_ten_things_that_are_tried_without_reading() -> None:
    m = sd.GRR(["a", "b", "c"], 1)
    e = m.estimate(m.aggregate(m.perturb(["a", "b"])))
    m.perturb(pd.Categorical(["a", "b"], ["b", "a", "z"]))
    with pytest.raises(sd.WrongTypeError, match="values must not be missing; look at position 2"):
        m.perturb([0, 1, None])
    from matplotlib import pyplot

    e.plot(), sd.plan(3, 100, 1.0).plot()
    pyplot.close("all")
    with pytest.raises(AttributeError, match=r'write .to_frame\("pandas"\)'):
        e.to_pandas()
    with pytest.raises(AttributeError, match=r"write sudare.data.adult_table\(\)"):
        sd.load_dataset("adult")
    assert set(sd.simulate(sd.Collection.from_toml(SURVEY), 100)) == {"drink"}
    with pytest.raises(sd.WrongTypeError, match=r"write mechanism\.simulate"):
        sd.simulate(m, [1, 2, 3])
    with pytest.raises(sd.WrongTypeError, match="give one column"):
        m.perturb(pd.DataFrame({"tea": ["a", "b"]}))
    with pytest.raises(sd.WrongTypeError, match="give a list, one value a respondent"):
        m.perturb("a")
    assert sd.OLH(3, 1.0).k == 3
    for name, words in (("RAPPOR", "SUE"), ("Laplace", "Dataset")):
        with pytest.raises(AttributeError, match=words):
            getattr(sd, name)
    with pytest.raises(sd.WrongTypeError, match="bounds belong to the data set"):
        HELD.mean("score", bounds=(0, 100), epsilon=1)


def test_figures_need_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(sd.errors.MissingExtraError, match=r"sudare\[plots\]"):
        plots.axes_for(None)


def test_an_estimate_of_infinite_epsilon_is_json() -> None:
    one = sd.NegativeSurvey(3).estimate(sd.Counts((30, 40, 30), 100))
    assert one.epsilon == math.inf
    assert same(sd.Estimate.from_json(one.to_json()), one)
