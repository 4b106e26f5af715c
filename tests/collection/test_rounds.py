"""A device over the rounds of a survey: what it settles, remembers, sends and pays."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from in_node import ask

import sudare as sd
from sudare.collection.canonical import fingerprint
from sudare.collection.checking import advice
from sudare.collection.memo import FileMemo, MemoryMemo
from sudare.exact import Entropy, exp_bounds
from tests.cases import cases

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


@cases("kept", ["memory", "file"])
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


@cases("week", [-1, 3])
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


def test_what_a_version_before_published_is_taken_as_it_is() -> None:
    """It stated wider totals: they are charged, and the fingerprint is the one of then."""
    earlier, now = sd.Collection.from_toml(_text(OPENS), wide=True), survey()
    assert earlier.fingerprint != now.fingerprint
    taken = sd.Collection.from_compiled(earlier.compiled())
    assert taken.fingerprint == earlier.fingerprint
    (question,), wide = taken.questions, taken.totals(taken.questions[0])
    assert [f"{float(one):.6f}" for one in wide] == ["1.000000", "2.271458", "3.638711"]
    memo = MemoryMemo()
    for week, answer in enumerate("cca"):
        device(memo, week, taken).answer({"tea": answer})
    assert device(memo, 2, taken).spent == wide[2] > now.totals(question)[2]


def test_totals_of_neither_account_are_refused() -> None:
    document = survey().compiled()
    document["definition"]["questions"][0]["totals"][2] = "3.5"
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.CollectionError, match="totals"):
        sd.Collection.from_compiled(document)


@cases(
    "rounds",
    [
        'every = "hourly", rounds = 3',
        'every = "weekly", rounds = 0',
        "",
        'every = "weekly", rounds = 3, covers = "all"',
        'every = ["2026-12-01"]',
        "rounds = 3",
    ],
)
def test_rounds_that_cannot_be_are_refused(rounds: str) -> None:
    with pytest.raises(sd.SudareError):
        survey(rounds)


WEEKS = f"opens = {OPENS.isoformat()}\ncloses = {(OPENS + timedelta(days=21)).isoformat()}\n"
DATES = ", ".join((OPENS + timedelta(days=7 * i)).isoformat() for i in range(3))
CHOICE = '[[question]]\nid = "tea"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b", "c"]\n'


def asked(head: str, questions: str = CHOICE, epsilon: int = 2) -> sd.Collection:
    text = f'[collection]\nname = "weekly"\nepsilon = {epsilon}\n{head}\n{questions}'
    return sd.Collection.from_toml(text)


@cases(
    "head, own",
    [
        (WEEKS + 'repeats = "weekly"', ""),
        (WEEKS + 'repeats = { every = "weekly" }', ""),
        (WEEKS + f"repeats = [{DATES}]", ""),
        (WEEKS, 'repeats = "weekly"\n'),
        (WEEKS, f"repeats = [{DATES}]\n"),
    ],
)
def test_rounds_in_short(head: str, own: str) -> None:
    """A word or a list of dates, of the collection or of its questions: closes ends the last."""
    whole = asked(f'opens = {OPENS.isoformat()}\nrepeats = {{ every = "weekly", rounds = 3 }}')
    short = asked(head, CHOICE + own)
    assert short.repeats == whole.repeats
    assert short.fingerprint == whole.fingerprint


@cases(
    "opens, closes, every, rounds",
    [
        ("2026-12-01T00:00:00Z", "2026-12-09T00:00:00Z", "weekly", 2),
        ("2026-11-28T00:00:00Z", "2027-02-28T00:00:00Z", "monthly", 3),
        ("2026-12-01T00:00:00Z", "2027-12-02T00:00:00Z", "daily", 366),
        ("2026-12-01T00:00:00Z", "2027-12-02T00:00:01Z", "daily", 0),
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "daily", 0),
        ("2026-12-01T00:00:00Z", "2026-12-02T00:30:00Z", "daily", 1),
        ("9999-11-01T00:00:00Z", "9999-12-31T00:00:00Z", "monthly", 0),
    ],
)
def test_how_many_rounds_there_are_follows_from_the_end(
    opens: str, closes: str, every: str, rounds: int
) -> None:
    head = f'opens = {opens}\ncloses = {closes}\nrepeats = "{every}"'
    if not rounds:
        with pytest.raises(sd.CollectionError):
            asked(head)
        return
    found = asked(head).repeats
    assert found is not None
    assert (found.rounds, found.ends) == (rounds, datetime.fromisoformat(closes))


@cases("rounds", [2, 3, 7, 52])
@cases("questions", [1, 3, 7])
def test_shares_that_do_not_come_out_even_are_decimals_that_devices_take(
    rounds: int, questions: int
) -> None:
    each = "".join(CHOICE.replace("tea", f"tea{i}") for i in range(questions))
    head = f'repeats = {{ every = "weekly", rounds = {rounds} }}\nopens = {OPENS.isoformat()}'
    survey = asked(head, each, epsilon=1)  # halves of 0.333333333333
    assert sd.Collection.from_compiled(survey.compiled()) == survey


def _mixed() -> sd.Collection:
    vectors = Path(__file__).parent.parent / "vectors" / "weeks.json"
    return sd.Collection.from_compiled(json.loads(vectors.read_text("utf-8"))["surveys"][-1])


def test_every_type_in_rounds_spends_what_is_stated() -> None:
    """What remembers nothing has a part of its ε in each round, exactly; devices pay it once."""
    mixed = _mixed()
    assert mixed.repeats is not None
    kinds = {question.type for question in mixed.questions}
    assert kinds == {"text", "choices", "number", "ratings", "crosstab", "words"}
    for question in mixed.questions:
        ratio, most = question.mechanism.program.ratio, exp_bounds(question.epsilon)[0]
        if not isinstance(question.mechanism, sd.LGRR):
            assert ratio**mixed.repeats.rounds <= most < ratio ** (mixed.repeats.rounds + 1)


def test_words_that_change_are_charged_as_choices_are() -> None:
    known = '[[question]]\nid = "tea"\ntype = "text"\ntext = "?"\nknown = ["a", "b"]\n'
    text = asked(WEEKS + 'epsilon_cap = 8.0\nrepeats = "weekly"', known)
    (question,) = text.questions
    memo = MemoryMemo()
    device(memo, 0, text).answer({"tea": "a"})
    device(memo, 1, text).answer({"tea": "something else"})
    assert device(memo, 2, text).spent == text.totals(question)[-1] > 2


ASKED_OF_SOME = CHOICE.replace("tea", "cup") + 'ask_if = { question = "tea", is = ["a"] }\n'
PLACE = (
    '[[question]]\nid = "where"\ntype = "place"\ntext = "?"\norigin = [35.6, 139.7]\nrows = 2\n'
    'columns = 2\ncell_height = 500\ncell_width = 500\nepsilon_per_metre = "0.01"\n'
)
TABLE = (
    '[[question]]\nid = "both"\ntype = "crosstab"\ntext = "?"\nattributes = [\n'
    '{ id = "a", text = "?", choices = ["a", "b"], epsilon = 1 },\n'
    '{ id = "b", text = "?", choices = ["a", "b"], epsilon = 1 },\n]\n'
)


@cases(
    "questions, rule",
    [
        (PLACE, r"question\[0\].type must have its ε in the submission's"),
        (TABLE, r"question\[0\].attributes.epsilon must not stand"),
        (CHOICE.replace("id", "levels = [1, 2]\nid"), r"question\[0\].levels must not stand"),
        (CHOICE + ASKED_OF_SOME, "ask_if must be left"),
        (CHOICE + 'repeats = "weekly"', "question.repeats must not stand beside"),
        (CHOICE + "mechanism = 'GRR'\nepsilon = 0.002", "epsilon is out of reach over 3 rounds"),
    ],
)
def test_what_cannot_be_asked_again_is_refused(questions: str, rule: str) -> None:
    with pytest.raises(sd.SudareError, match=rule):
        asked(WEEKS + 'repeats = "weekly"', questions)


@pytest.mark.parametrize(
    "questions", [PLACE, CHOICE.replace("id", "levels = [1, 2]\nid"), CHOICE + ASKED_OF_SOME]
)
def test_both_sides_refuse_what_cannot_be_asked_again(questions: str) -> None:
    """Also where a collector states it: an answer that is not one of the rounds' would tell."""
    own, document = asked(WEEKS + 'repeats = "weekly"').compiled(), asked("", questions).compiled()
    rounds = own["definition"]["repeats"]
    assert all(one["accepted"] for one in ask("judge.js", [own, document]))
    changed = {**document["definition"], "repeats": rounds}
    document |= {"definition": changed, "fingerprint": fingerprint(changed)}
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)
    assert not ask("judge.js", [document])[0]["accepted"]


CLOCKS = {  # of Berlin, Sydney and Lord Howe (half an hour): back, and forward
    "back": ("2026-10-12T09:00:00+02:00", "+01:00"),
    "forward": ("2027-03-15T09:00:00+01:00", "+02:00"),
    "south back": ("2027-03-15T09:00:00+11:00", "+10:00"),
    "south forward": ("2026-09-14T09:00:00+10:00", "+11:00"),
    "half an hour back": ("2027-03-15T09:00:00+11:00", "+10:30"),
    "half an hour forward": ("2026-09-14T09:00:00+10:30", "+11:00"),
    "none": ("2026-10-12T09:00:00+02:00", "+02:00"),
}


def of_clocks(opens: str, closes: str, every: str, wide: bool = False) -> sd.Collection:
    text = _text(OPENS, f'every = "{every}"').replace(OPENS.isoformat(), opens)
    return sd.Collection.from_toml(
        text.replace("repeats", f"closes = {closes}\nrepeats", 1), wide=wide
    )


@cases("every", ["daily", "weekly", "monthly"])
def test_a_change_of_clocks_makes_no_round_of_an_hour(every: str) -> None:
    for opens, offset in CLOCKS.values():
        first = datetime.fromisoformat(opens)
        for rounds in (1, 2, 4):
            days = {"daily": rounds + 20, "weekly": 7 * rounds}.get(every, 0)
            later = first + timedelta(days=days)
            for _ in range(rounds if every == "monthly" else 0):
                later = (later.replace(day=1) + timedelta(days=32)).replace(day=first.day)
            closes = later.replace(tzinfo=None).isoformat() + offset
            found = of_clocks(opens, closes, every)
            assert found.repeats is not None
            many = rounds + 20 if every == "daily" else rounds
            assert found.repeats.rounds == many, (opens, closes)
            assert found.repeats.ends == datetime.fromisoformat(closes).astimezone(UTC)
            assert "short-round" not in {one.code for one in advice(found)}


def test_versions_before_counted_that_hour() -> None:
    case = ("2026-10-12T09:00:00+02:00", "2026-11-16T09:00:00+01:00", "weekly")
    now, before = of_clocks(*case), of_clocks(*case, wide=True)
    assert now.repeats is not None
    assert before.repeats is not None
    assert (now.repeats.rounds, before.repeats.rounds) == (5, 6)
    assert sd.Collection.from_compiled(before.compiled()).fingerprint == before.fingerprint


def test_a_last_round_much_shorter_than_the_others_is_warned_of() -> None:
    for closes, hours in (("2026-11-16T12:00:00+01:00", 4), ("2026-11-18T09:00:00+01:00", 49)):
        (one,) = (
            one
            for one in advice(of_clocks("2026-10-12T09:00:00+02:00", closes, "weekly"))
            if one.code == "short-round"
        )
        assert f"the last round is of {hours} hours" in one.text
        assert one.parameters == {"hours": hours}
    listed = _text(OPENS, "every = [2026-12-01T00:00:00Z, 2026-12-08T00:00:00Z]")
    short = sd.Collection.from_toml(
        listed.replace("repeats", "closes = 2026-12-09T00:00:00Z\nrepeats", 1)
    )
    assert "short-round" in {one.code for one in advice(short)}
    assert "short-round" not in {one.code for one in advice(survey())}
    # four of seven days are said nothing of
    long = of_clocks("2026-10-12T09:00:00+02:00", "2026-11-20T09:00:00+01:00", "weekly")
    assert "short-round" not in {one.code for one in advice(long)}
