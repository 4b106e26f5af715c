"""The study grr-oue: its figures against the source's and ours, both languages, the experiment."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import sudare as sd
from sudare.data import trousers
from sudare.studies import Claim, Report, Setting, Text, Verdict, catalogue
from sudare.studies.grr_oue import section_data, worked
from sudare.studies.grr_oue.section_experiment import measure
from sudare.studies.grr_oue.setting import Grids

JAPANESE = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")


def claim(report: Report, place: str) -> Claim:
    (found,) = [c for c in report.claims if getattr(c.place, "en", c.place) == place]
    return found


def english(words: Text | str) -> str:
    return words if isinstance(words, str) else words.en


@pytest.mark.parametrize(
    ("place", "ours", "verdict"),
    [
        ("§2.2.1, step 2: p", "0.78699", Verdict.FAILS),
        ("§2.2.1, step 2: q", "0.10651", Verdict.HOLDS),
        ("§2.2.1, step 4", "2.8435, 1.3739, 5.7826", Verdict.HOLDS),
        ("§2.2, expected count of f′", "8.93", Verdict.FAILS),
        ("§2.3.1, step 2", "0.119203", Verdict.HOLDS),
        ("§2.3.1, step 4", "12.6261, 7.3739, 15.2521", Verdict.HOLDS),
        ("§2.3.1, step 5, table", "12.63; +9.63, +5.37, +10.25", Verdict.FAILS),
        ("§2.3.1, step 6", "2.33, 1.95, 3.10", Verdict.FAILS),
        ("§2.3, paragraph 2 (after [11])", "2.818", Verdict.ROUGHLY),
        ("§3.2, paragraph 2", "Ayataka", Verdict.FAILS),
        ("§3.2, figure 3.1", "four histograms", Verdict.UNCHECKABLE),
        ("§3.2, figure 3.2", "13,082 sessions", Verdict.ROUGHLY),
        ("§3.6, paragraph 2, Dataset1", "GRR", Verdict.FAILS),
        ("§3.6, paragraph 2, Dataset2", "2.8184", Verdict.ROUGHLY),
        ("§3.6, paragraph 3", "2.818", Verdict.HOLDS),
        ("§3.6, paragraphs 3 and 4: figure numbers", "other way", Verdict.FAILS),
        ("§3.6, paragraph 4, first half", "1.061", Verdict.HOLDS),
        ("§3.6, paragraph 4, second half", "unbiased: never", Verdict.FAILS),
        ("§3.6, paragraph 5", "skew drops out", Verdict.FAILS),
        ("§4.1, paragraph 1", "k ≤ 5", Verdict.ROUGHLY),
    ],
)
def test_claims(report: Report, place: str, ours: str, verdict: Verdict) -> None:
    found = claim(report, place)
    assert ours in english(found.ours)
    assert found.verdict is verdict
    assert english(found.reason)


def test_the_mechanisms_agree_with_the_worked_examples() -> None:
    for kind, counts in ((sd.GRR, worked.GRR_REPORTS), (sd.OUE, worked.OUE_REPORTS)):
        m = kind(3, 2.0)
        shipped = m.estimate(sd.Counts(counts, 10)).counts
        assert shipped == pytest.approx(worked.estimates(m, counts), abs=1e-4)


def test_the_chance_of_the_chosen_counts(rng: sd.Entropy) -> None:
    m = sd.OUE(3, 2.0)
    few = (3, 3, 4)  # often enough to be counted
    drawn = [m.simulate(worked.TRUTH, rng=rng).support for _ in range(4000)]
    share = sum(bool((tally >= few).all()) for tally in drawn) / 4000
    assert share == pytest.approx(worked.as_many_ones(few), abs=0.02)
    assert worked.as_many_ones(worked.OUE_REPORTS) < 1e-5


def test_every_word_is_there_in_both_languages(report: Report, texts: Any) -> None:
    found = texts(report)
    assert len(found) > 200
    for text in found:
        assert text.en
        assert not JAPANESE.search(text.en.replace("田代大晴", "")), text.en
        assert JAPANESE.search(text.ja) or text.ja == text.en, text.ja


def test_other_rows_than_the_counts_that_ship_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for counts, fits in ((trousers().counts, True), (trousers().counts[::-1], False)):
        table = replace(trousers(), counts=counts)
        monkeypatch.setattr(section_data, "is_here", lambda *_: True)
        monkeypatch.setattr(section_data, "clickstream", lambda table=table, **_: table)
        if fits:
            assert section_data.compare(Setting(2, "x"))
        else:
            with pytest.raises(sd.StorageError, match="counts that ship"):
                section_data.compare(Setting(2, "x"))


def test_the_same_seed_gives_the_same_points() -> None:
    runs = [
        measure("Dataset2", trousers().counts, (2.0,), Setting(3, seed))
        for seed in ("one", "one", "two")
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    # one experiment does not move another
    alone = measure("Dataset2", trousers().counts, (1.0, 2.0), Setting(3, "one"))
    assert [p for p in alone if p.epsilon == 2.0] == runs[0]


def test_experiment_3_is_near_the_exact_error() -> None:
    for point in measure("Dataset2", trousers().counts, (0.5, 2.75, 4.0), Setting(50, "tests")):
        # 50 repetitions of 43 cells: standard deviation 3 %, so 15 % is 5 of them
        assert abs(point.ratio - 1) < 0.15


@pytest.mark.slow
def test_experiment_3_on_dataset2_is_within_5_percent() -> None:
    points = measure("Dataset2", trousers().counts, Grids(2, "x").large, Setting(400, "sudare"))
    assert len(points) == 60
    # standard deviation 1.1 %: with another seed one of 60 points is outside once in 4,000 runs
    assert max(abs(point.ratio - 1) for point in points) < 0.05


def test_with_wrong_p_and_q_the_examples_do_not_hold(
    report: Report, coarse: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worked, "law", lambda mechanism: (0.5, 0.25))
    chosen = catalogue.study("grr-oue")
    wrong = chosen.build(chosen.setting(2, "tests"))
    q = claim(wrong, "§2.2.1, step 2: q")
    assert (q.printed, q.ours, q.verdict) == ("0.107", "0.25000", Verdict.FAILS)
    turned = {
        english(c.place)
        for c in wrong.claims
        if c.verdict is Verdict.FAILS and claim(report, english(c.place)).verdict is not c.verdict
    }
    assert turned == {
        "§2.2, Algorithm 1 (with §2.1)", "§2.2.1, step 2: q", "§2.2.1, step 4",
        "§2.2.1, step 5, table", "§2.2.1, step 6", "§2.3, Algorithm 3", "§2.3.1, step 2",
        "§2.3.1, step 4",
    }  # fmt: skip
    assert all(english(c.reason) for c in wrong.claims)
    assert len(wrong.findings) == len(report.findings) - 1  # "The formulas ... are right"
