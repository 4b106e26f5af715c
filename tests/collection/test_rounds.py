"""A device over the rounds of a survey: what it settles, remembers, sends and pays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

import sudare as sd
from sudare.collection.memo import FileMemo, MemoryMemo
from sudare.exact import Entropy

OPENS = datetime(2026, 12, 1, tzinfo=UTC)


def survey(rounds: str = 'every = "weekly", rounds = 3', cap: float = 4.0) -> sd.Collection:
    return sd.Collection.from_toml(_text(OPENS, rounds, cap))


def _text(opens: datetime, rounds: str = 'every = "weekly", rounds = 3', cap: float = 4.0) -> str:
    return f"""
[collection]
name = "weekly"
epsilon = 2.0
epsilon_cap = {cap}
opens = {opens.isoformat()}
repeats = {{ {rounds} }}
[[question]]
id = "tea"
type = "choice"
mechanism = "LGRR"
text = "Which?"
choices = ["a", "b", "c"]
"""


def device(
    memo: MemoryMemo | FileMemo, week: float, collection: sd.Collection | None = None
) -> sd.Client:
    def clock() -> datetime:
        return OPENS + timedelta(days=7 * week)

    seed = Entropy.seeded(b"week %d" % int(week))
    return sd.Client(collection or survey(), memo, clock=clock, entropy=seed)


@pytest.mark.parametrize("kept", ["memory", "file"])
def test_who_stays_pays_once(kept: str, tmp_path: Path) -> None:
    memo = MemoryMemo() if kept == "memory" else FileMemo(tmp_path / "device.sqlite3")
    sent = [device(memo, week).answer({"tea": "c"}) for week in (0, 1, 2)]
    assert [one.round for one in sent] == [1, 2, 3]
    assert len({one.id for one in sent}) == 3
    assert device(memo, 2.5).answer({"tea": "c"}) == sent[2]
    assert device(memo, 2).spent == 2


def test_another_answer_waits_for_the_next_round_and_costs() -> None:
    memo = MemoryMemo()
    device(memo, 0).answer({"tea": "c"})
    with pytest.raises(sd.CollectionError, match="was answered already"):
        device(memo, 0.5).answer({"tea": "a"})
    device(memo, 1).answer({"tea": "a"})
    (question,) = survey().questions
    totals = survey().totals(question)
    assert device(memo, 1).spent == totals[2] > 2
    device(memo, 2).answer({"tea": "a"})
    assert device(memo, 2).spent == totals[2]


def test_no_round_is_refused_for_an_earlier_change() -> None:
    """A report that is missing would tell the change: it is paid for all rounds, or not made."""
    (question,) = survey().questions
    totals = survey().totals(question)
    for cap, fits in ((totals[2], True), ((totals[1] + totals[2]) / 2, False)):
        own, memo = survey(cap=round(float(cap) + 1e-6 * fits, 6)), MemoryMemo()
        device(memo, 0, own).answer({"tea": "c"})
        if fits:
            device(memo, 1, own).answer({"tea": "a"})
        else:
            with pytest.raises(sd.BudgetExceeded):
                device(memo, 1, own).answer({"tea": "a"})
            device(memo, 1, own).answer({"tea": "c"})
        device(memo, 2, own).answer({"tea": "a" if fits else "c"})


def test_figures_of_rounds_do_not_wait_for_the_end() -> None:
    """Rounds end one by one: that nothing is public before the last one could not be kept."""
    text = _text(OPENS).replace('name = "weekly"', 'name = "weekly"\npublish = "end"')
    with pytest.raises(sd.CollectionError, match="publish must not be the end"):
        sd.Collection.from_toml(text)


def test_a_refusal_changes_nothing() -> None:
    tight, memo = survey(cap=2.0), MemoryMemo()
    device(memo, 0, tight).answer({"tea": "c"})
    with pytest.raises(sd.BudgetExceeded):
        device(memo, 1, tight).answer({"tea": "a"})
    assert device(memo, 1, tight).spent == 2
    device(memo, 1, tight).answer({"tea": "c"})
    assert device(memo, 1, tight).spent == 2


@pytest.mark.parametrize("week", [-1, 3])
def test_nothing_is_drawn_outside_the_rounds(week: int) -> None:
    memo = MemoryMemo()
    with pytest.raises(sd.CollectionError):
        device(memo, week).answer({"tea": "a"})
    assert not memo.charges()


def test_a_lost_memory_costs_anew() -> None:
    memo = MemoryMemo()
    device(memo, 0).answer({"tea": "c"})
    memo._reports.clear()
    with pytest.raises(sd.EarlierAnswer):
        device(memo, 1).answer({"tea": "c"})
    device(memo, 1).answer({"tea": "c"}, again=True)
    assert device(memo, 1).spent == Fraction(4)


def test_a_later_version_has_no_more_rounds_than_its_epsilon_covers() -> None:
    memo, first = MemoryMemo(), survey()
    for week in (0, 1):
        device(memo, week, first).answer({"tea": "c"})
    later = sd.Collection.from_toml(_text(OPENS + timedelta(days=21)))
    assert later.question_fingerprints == first.question_fingerprints
    device(memo, 3, later).answer({"tea": "c"})
    with pytest.raises(sd.CollectionError, match="must be at most 3"):
        device(memo, 4, later).answer({"tea": "c"})
    assert len(memo.charges()) == 1


def test_what_a_survey_states_is_what_its_mechanism_has() -> None:
    (question,) = survey().questions
    mechanism = question.mechanism
    assert isinstance(mechanism, sd.LGRR)
    for rounds, stated in enumerate(survey().totals(question), 1):
        exact = mechanism.total_epsilon(rounds)
        assert exact <= stated < exact + 2e-6
    assert mechanism.steady_epsilon(3) <= question.epsilon
    (any_answer,) = survey('every = "weekly", rounds = 3, covers = "any"').questions
    assert isinstance(any_answer.mechanism, sd.LGRR)
    assert any_answer.mechanism.total_epsilon(3) <= any_answer.epsilon


@pytest.mark.parametrize(
    "rounds",
    ['every = "hourly", rounds = 3', 'every = "weekly"', 'every = "weekly", rounds = 0', "",
     'every = "weekly", rounds = 3, covers = "all"', 'every = ["2026-12-01"]', 'rounds = 3'],
)  # fmt: skip
def test_rounds_that_cannot_be_are_refused(rounds: str) -> None:
    with pytest.raises(sd.SudareError):
        survey(rounds)
