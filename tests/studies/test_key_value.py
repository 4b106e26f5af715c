"""The study key-value: its populations, stacked trials, accuracy, attacks, verdicts, languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from matplotlib.figure import Figure as Canvas

import sudare as sd
from sudare.data import Holdings
from sudare.studies import Claim, Report, Section, Setting, Text, Verdict, run, study
from sudare.studies.key_value import (
    accuracy,
    attacks,
    curves,
    four_states,
    populations,
    schemes,
    section_accuracy,
    section_em,
    section_poisoning,
    section_protocol,
    section_real,
)
from sudare.studies.words import say

JAPANESE = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
GAUSS, POWER, LINEAR = populations.synthetic()
HALF = schemes.SCHEMES[0]


@contextmanager
def fewer() -> Iterator[None]:
    """Fewer ε, places and steps; a full run is a slow test."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (accuracy, curves, section_accuracy, section_real):
            patch.setattr(module, "EPSILONS", (0.5, 1.0, 4.0))
        patch.setattr(section_accuracy, "PEOPLE", (10_000, 100_000))
        patch.setattr(section_em, "EPSILONS", (2.0, 4.0))
        patch.setattr(section_em, "STEPS", 100)
        patch.setattr(section_em, "LONG", 1_000)
        patch.setattr(section_poisoning, "FAKES", (0, 300))
        patch.setattr(
            attacks, "SWEEPS", {"beta": (0.05, 0.2), "epsilon": (1.0, 4.0), "targets": (1, 5)}
        )
        patch.setattr(section_poisoning, "SWEEPS", attacks.SWEEPS)
        patch.setattr(section_real, "movielens", lambda *_, **__: PEOPLE)
        patch.setattr(section_real.here, "is_here", lambda *forms: "ml" in forms[0].name)
        yield


def some_people() -> Holdings:
    rng = np.random.default_rng(7)
    held = rng.random((300, 8)) < np.linspace(0.1, 0.8, 8)
    values = np.where(held, rng.choice([-1.0, 0.5, 1.0], held.shape), 0.0)
    return Holdings(tuple("abcdefgh"), held, values, "Nobody 2026.", "none")


PEOPLE = some_people()


@pytest.fixture(scope="session")
def built() -> Report:
    with fewer():
        return study("key-value").build(Setting(4, "tests"))


@pytest.fixture
def report(built: Report) -> Iterator[Report]:
    with fewer():
        yield built


def test_populations() -> None:
    assert [one.d for one in (GAUSS, POWER, LINEAR)] == [50, 50, 50]
    np.testing.assert_allclose(GAUSS.frequency, GAUSS.frequency[::-1])
    assert LINEAR.frequency[[0, -1]].tolist() == [0.02, 1.0]
    assert POWER.frequency[0] == 1
    for one in (GAUSS, POWER, LINEAR):
        np.testing.assert_allclose(one.mean, 2 * one.frequency - 1)
    assert not populations.worst().mean.any()


def test_the_padding_holds_nine_of_ten_people() -> None:
    rng = np.random.default_rng(3)
    for one in (GAUSS, POWER, LINEAR):
        keys = (rng.random((20_000, one.d)) < one.frequency).sum(axis=1)
        # the share has a standard error of 0.002
        assert (keys <= one.padding).mean() > 0.89
        assert (keys < one.padding).mean() < 0.91
    films = populations.films(PEOPLE, 1000)
    assert (PEOPLE.held.sum(axis=1) <= films.padding).mean() >= 0.9
    assert (PEOPLE.held.sum(axis=1) < films.padding).mean() < 0.9
    rare = populations.Population("x", "", 9, np.full(3, 0.01), np.zeros(3))
    assert rare.padding == 1


@pytest.mark.parametrize("padding", [1, 3, 20])
def test_what_real_people_draw(padding: int) -> None:
    """Against a loop over the people."""
    expected = np.zeros((8, 3))
    for held, values in zip(PEOPLE.held, PEOPLE.values, strict=True):
        chance = held / max(held.sum(), padding) / PEOPLE.n
        expected[:, 0] += chance * (1 + values) / 2
        expected[:, 1] += chance * (1 - values) / 2
    expected[:, 2] = 1 - expected[:, 0] - expected[:, 1]
    np.testing.assert_allclose(populations.drawn(PEOPLE, padding), expected, atol=1e-12)
    m = sd.PCKVUE(8, 3.0, padding)
    np.testing.assert_array_equal(
        populations.films(PEOPLE, 9).states(m), populations.drawn(PEOPLE, padding)
    )


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=lambda one: one.label)
@pytest.mark.parametrize("padding", [1, 3])
def test_trials_have_the_law_of_the_mechanisms_simulation(
    scheme: schemes.Scheme, padding: int
) -> None:
    f, mean, n = np.array([0.05, 0.4, 0.8, 0.9]), np.array([-0.5, 0.1, 0.9, 1.0]), 10_000
    m = scheme.make(4, 2.0, padding)
    people = populations.Population("x", "", n, f, mean)
    drawn = schemes.supports(m, people, n, 40, sd.Entropy.seeded(b"law"))
    rng = sd.Entropy.seeded(b"simulated")
    other = np.stack([m.simulate(n, f, mean, rng=rng).support for _ in range(40)])
    assert drawn.shape == other.shape
    spread = np.sqrt((drawn.var(axis=0) + other.var(axis=0)) / 40)
    # of 144 differences one passes 5 standard errors with 1e-3 (t with 78 degrees of freedom)
    assert (np.abs(drawn.mean(axis=0) - other.mean(axis=0)) <= 5 * spread + 1e-9).all()
    ratio = drawn.std(axis=0) / other.std(axis=0)
    assert ((ratio > 0.4) & (ratio < 2.5)).all()


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=lambda one: one.label)
def test_trials_at_once_are_trials_one_by_one(scheme: schemes.Scheme) -> None:
    people = populations.Population(
        "x", "", 5_000, np.array([0.1, 0.5, 0.9]), np.array([-0.5, 0.2, 0.8])
    )
    m = scheme.make(people.d, 1.0, people.padding)
    drawn = schemes.supports(m, people, people.n, 4, sd.Entropy.seeded(b"stack"))
    for method, (name, tolerance) in scheme.methods.items():
        f, mean = schemes.estimates(scheme, m, drawn, people.n, method)
        assert f.shape == mean.shape == (4, 3)
        for i, support in enumerate(drawn):
            alone = m.estimate(sd.Counts(support, people.n), name, tolerance=tolerance)
            np.testing.assert_allclose(f[i], alone.frequency, rtol=1e-9)
            np.testing.assert_allclose(mean[i], np.nan_to_num(alone.mean), rtol=1e-9)


def ratio(one: populations.Population, epsilon: float, method: str, trials: int) -> float:
    setting = Setting(trials, "accuracy")
    found = accuracy.measure(one, one.n, epsilon, setting, ("PrivKV", method))
    return accuracy.Points(found).ratio(one, epsilon, method, "PrivKV")


@pytest.mark.parametrize(("one", "value"), [(GAUSS, 0.11), (POWER, 0.17)])
def test_accuracy_of_the_notes(one: populations.Population, value: float) -> None:
    assert ratio(one, 4.0, "MLE", 200) == pytest.approx(value, abs=0.03)
    assert ratio(one, 0.5, "MLE", 200) > 1.4
    assert ratio(one, 1.0, "Bayes tight", 10) < 0.2


def test_the_control_loses() -> None:
    worst, setting = populations.worst(), Setting(50, "control")
    for epsilon in (0.5, 4.0):
        found = accuracy.Points(
            accuracy.measure(worst, worst.n, epsilon, setting, ("PrivKV", "MLE"))
        )
        assert found.ratio(worst, epsilon, "MLE", "PrivKV") > 3


def test_the_pull_to_0() -> None:
    rarest = section_protocol.run(Setting(200, "pull"))[-1]
    assert rarest.found["PrivKV"].mean() == pytest.approx(-0.25, abs=0.02)
    assert rarest.found["EM"].mean() == pytest.approx(-0.83, abs=0.05)
    assert section_protocol.pull(4.0, 0.05) * -0.9 == pytest.approx(-0.252, abs=0.001)
    first, mean = section_protocol.example(4.0)
    assert first == pytest.approx(49.84, abs=0.01)
    assert mean == pytest.approx(-0.0099 / 0.76159, abs=1e-4)


def test_four_states_fit_perfectly_and_tell_nothing() -> None:
    law = four_states.channel(4.0)
    np.testing.assert_allclose(law.sum(axis=0), 1)
    three = sd.PrivKV(2, 4.0, "half").channel.dense()
    np.testing.assert_allclose(law[:, :2], three[:, :2], atol=1e-12)
    np.testing.assert_allclose(law[:, 2:].mean(axis=1), three[:, 2], atol=1e-12)
    shares = law @ [0.06, 0.24, 0.35, 0.35]
    starts = np.array([[0.1, 0.1, 0.7, 0.1], [0.1, 0.1, 0.1, 0.7], [0.25] * 4])
    states = four_states.fit(np.tile(shares, (3, 1)), law, starts, 5_000)
    np.testing.assert_allclose(states @ law.T, np.tile(shares, (3, 1)), atol=1e-6)
    assert np.ptp(four_states.mean(states)) > 0.2


def test_gains_of_the_notes() -> None:
    noted = section_poisoning._noted(Setting(20, "noted"))
    expected = {
        "G_f, PrivKV, raw": 1.624,
        "G_f, PrivKV": 0.700,
        "G_f, PrivKV, drawn": 0.112,
        "G_m, PrivKV": 0.917,
        "G_m, PrivKV, drawn": 0.418,
        "G_m, EM": 0.80,
        "G_m, EM, drawn": 0.73,
    }
    assert set(noted.gains) == set(expected)
    for case, (limit, simulated, error) in noted.gains.items():
        assert limit == pytest.approx(expected[case], abs=0.005), case
        if case.startswith("G_f"):
            assert abs(simulated - limit) <= 4 * error + 1e-9, case


def test_the_alarm() -> None:
    found = section_poisoning._alarms(Setting(10, "alarm"))
    assert found[300][0] > 0.9
    assert found[0][0] == 0
    assert max(others for _, others in found.values()) < 0.01
    assert [found[fakes][0] for fakes in section_poisoning.FAKES] == sorted(
        one[0] for one in found.values()
    )


def test_another_experiment_moves_none() -> None:
    def point(seed: str, methods: tuple[str, ...]) -> accuracy.Point:
        found = accuracy.measure(POWER, 5_000, 1.0, Setting(2, seed), methods)
        return next(point for point in found if point.method == "MLE")

    alone, both = point("one", ("MLE",)), point("one", ("PrivKV", "MLE", "StateRR"))
    assert np.array_equal(alone.mean, both.mean)
    assert not np.array_equal(alone.mean, point("two", ("MLE",)).mean)


def place(report: Report, start: str) -> tuple[str, Verdict]:
    (found,) = [
        c for c in report.claims if isinstance(c.place, Text) and c.place.en.startswith(start)
    ]
    return (found.ours if isinstance(found.ours, str) else found.ours.en), found.verdict


@pytest.mark.parametrize(
    ("start", "ours", "verdict"),
    [
        ("slide 4, the guarantee", "1: 0.7191", Verdict.ROUGHLY),
        ("slide 5, worked example", "m̂ = -0.040", Verdict.HOLDS),
        ("slide 5, rare keys", "λm = -0.252", Verdict.HOLDS),
        ("RQ1, means", "over PrivKVM's", Verdict.HOLDS),
        ("RQ1, frequencies", "clipped", Verdict.ROUGHLY),
        ("RQ2", "converged: 0.5:", Verdict.FAILS),
        ("slides 10 and 16", "closed form", Verdict.FAILS),
        ("slides 12 and 16", "movielens-300", Verdict.FAILS),
        ("RQ3", "under PrivKV", Verdict.FAILS),
        ("slide 16, conclusion", "1.624", Verdict.FAILS),
    ],
)
def test_claims(built: Report, start: str, ours: str, verdict: Verdict) -> None:
    found, judged = place(built, start)
    assert ours in found
    assert judged is verdict


def verdicts(found: Section) -> list[Verdict]:
    return [block.verdict for block in found.blocks if isinstance(block, Claim)]


def test_no_verdict_is_a_constant() -> None:
    """Where the numbers were others, the verdicts would be."""
    none = [
        attacks.Gained(attack, victim, place, (0.0, 0.0), (0.0, 0.0), (1e-6, 0.0))
        for attack in attacks.ATTACKS
        for victim in attacks.VICTIMS
        for place in attacks.places()
    ]
    told = dict.fromkeys(section_poisoning.CASES, (0.0, 0.0, 1.0))
    safe = section_poisoning.Outcome(POWER, none, section_poisoning.Noted(told), {})
    assert verdicts(section_poisoning.section(safe))[-1] is Verdict.ROUGHLY
    for gap, verdict in ((1e-9, Verdict.FAILS), (1e-3, Verdict.HOLDS)):
        one = section_em.Converged(1.0, (1, 1), gap, (1.0, 1.0))
        outcome = section_em.Outcome((POWER,), (one,), np.ones((1, 5)), np.zeros(3), 0.0)
        assert verdicts(section_em.section(outcome)) == [verdict]


def texts(part: object) -> Iterator[Text]:
    if isinstance(part, Text):
        yield part
    elif is_dataclass(part):
        for field in fields(part):
            yield from texts(getattr(part, field.name))
    elif isinstance(part, tuple):
        for one in part:
            yield from texts(one)


def test_every_word_is_there_in_both_languages(built: Report) -> None:
    found = list(texts(built))
    assert len(found) > 120
    for text in found:
        assert text.en
        assert not JAPANESE.search(text.en), text.en
        assert JAPANESE.search(text.ja) or text.ja == text.en or len(text.ja) < 20, text.ja


def test_every_figure_can_be_drawn(report: Report) -> None:
    assert {"means", "mse-mean", "people", "real-mean", "starts", "gain-m2ga"} <= {
        figure.name for figure in report.figures
    }
    for figure in report.figures:
        canvas = Canvas()
        figure.draw(canvas, lambda words: say(words, "en"))
        assert all(axes.has_data() for axes in canvas.axes)


def test_without_real_data_the_study_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section_real.here, "is_here", lambda *_: False)
    found = section_real.run(Setting(2, "none"))
    assert found.populations == found.provenance == ()
    told = [block.en for block in section_real.section(found).blocks if isinstance(block, Text)]
    assert sum("--download" in text for text in told) == 2
    report = Report((), (section_real.section(found),))
    assert not report.figures


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_report(tmp_path: Path, language: str) -> None:
    with fewer():
        result = run("key-value", tmp_path, language=language, repetitions=2)  # type: ignore[arg-type]
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count('<article class="claim"') == len(result.report.claims) >= 11
    assert {f"figures/{figure.name}.svg" for figure in result.report.figures} <= set(result.files)
