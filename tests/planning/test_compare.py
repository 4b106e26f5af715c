"""Mechanisms side by side: errors, times, what one report gives away, and the page."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sudare as sd
from sudare.data import adult_table, clothing, trousers
from sudare.data.files import find
from sudare.errors import CollectionError, DomainError, OutOfReachError, WrongTypeError
from sudare.mechanisms import FrequencyOracle, names, register
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import _MECHANISMS
from sudare.planning import Comparison, contenders
from sudare.samplers import Bits, Choose, Keep, Pick, Product, Program, Table
from tests.cases import cases

TRUTH = [60, 25, 10, 5]
SEED = b"comparing"
PAGE = Path(__file__).parents[2] / "docs" / "comparing.md"
COIN = Keep(k=2, width=8, keep=128, step=64)


@pytest.fixture(autouse=True)
def few_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are not what is tested here."""
    monkeypatch.setattr(contenders, "_TIMED", 200)
    monkeypatch.setattr(contenders, "_PASSES", 1)


def few(*mechanisms: str | type, **more: object) -> Comparison:
    given = {"truth": TRUTH, "repetitions": 2, "rng": sd.Entropy.seeded(SEED), **more}
    return sd.compare(list(mechanisms) or None, **given)


def test_all_that_ship_are_compared_best_first() -> None:
    found = few(epsilons=[2.0, 1])
    assert found.epsilons == (1.0, 2.0)
    known = names(FrequencyOracle)
    for epsilon in found.epsilons:
        rows = [row for row in found if row.mechanism.requested_epsilon == epsilon]
        assert sorted(row.mechanism.name for row in rows) == known
        errors = [row.expected_mse for row in rows]
        assert errors == sorted(errors)
    assert [row.mechanism.requested_epsilon for row in found] == [1] * len(known) + [2] * len(known)


PAPERS = {
    "GRR", "OUE", "SUE", "SHE", "THE", "OLH",  # Wang et al. 2017
    "HadamardResponse",  # Acharya, Sun, Zhang 2019
    "SubsetSelection",  # Ye and Barg 2018
    "ProjectiveGeometry",  # Feldman, Nelson, Nguyen, Talwar 2022
    "LinearHashing",
}  # fmt: skip


def nothing_beats_auto(found: Comparison) -> None:
    """Of each ε the error of what ``auto`` takes is within 1 % of the least."""
    for epsilon in found.epsilons:
        rows = [row for row in found if float(row.mechanism.requested_epsilon) == epsilon]
        auto = rank(found.k, epsilon, found.n, plugins=False)[0][1]
        (taken,) = (row for row in rows if row.mechanism == auto)
        assert taken.expected_mse <= 1.01 * min(row.expected_mse for row in rows)


def test_nothing_in_the_papers_beats_what_auto_takes() -> None:
    found = few(truth=trousers().counts, epsilons=[0.5, 1.0, 2.0, 4.0])
    assert {row.mechanism.name for row in found} >= PAPERS
    nothing_beats_auto(found)


@pytest.mark.slow
@pytest.mark.parametrize("items", [3, 200, 5850])
def test_nothing_beats_it_on_real_counts(items: int) -> None:
    if find("renttherunway_item_counts.csv.gz") is None:
        pytest.skip("renttherunway_item_counts.csv.gz is not in SUDARE_DATA")
    rated = clothing(items)
    found = few(
        truth=rated.frequency / rated.frequency.sum(), n=20_000, epsilons=[0.5, 1.0, 2.0, 4.0]
    )
    missing = {name for name, *_ in found.left_out}
    assert {row.name for row in found} | missing >= PAPERS
    assert missing <= {"HadamardResponse", "SubsetSelection"}
    nothing_beats_auto(found)


def test_the_measured_error_is_the_expected_one() -> None:
    found = sd.compare(["GRR", "OUE", "SubsetSelection"], TRUTH, 5000, repetitions=400)
    for row in found:  # six standard errors: 6e-9 in all
        assert abs(row.measured_mse - row.expected_mse) < 6 * row.measured_stderr
        assert row.measured_stderr < 0.1 * row.expected_mse
        stated = row.mechanism.expected_mse(5000, target="respondents")
        assert row.expected_mse == pytest.approx(stated, rel=1e-12)
        assert row.perturb_seconds > 0 < row.estimate_seconds
        assert row.report_bytes == 1


# -- several attributes ----------------------------------------------------------------------------

WHOLE = {"JointRR"} | PAPERS  # of the cells of two attributes
DRAWN = {1: "SampledTables 1", 2: "SampledPairs", 3: "SampledTables 3"}
MARGINS, PAIRS, _ = (
    {f"{name} {oracle}" for oracle in ("SubsetSelection", "GRR", "OUE")} for name in DRAWN.values()
)
MARGINS |= {"MarginalRR split", "MarginalRR sample"}
TABLE = np.arange(24).reshape(4, 3, 2) ** 2


@pytest.mark.slow
@pytest.mark.parametrize(("order", "all_of"), [(None, WHOLE), (1, WHOLE | MARGINS)])
def test_nothing_beats_what_auto_takes_for_a_table_of_real_counts(
    order: int | None, all_of: set[str]
) -> None:
    found = few(truth=adult_table(), epsilons=[1.0, 4.0], order=order)
    assert {row.name for row in found} == all_of | {"DyadicUnary", "LinearHashing"}
    assert len(found.auto) == 2
    for taken in found.auto:
        errors = [row.expected_mse for row in found if row.epsilon == taken.epsilon]
        assert taken.more == taken.expected_mse / min(errors) - 1
        assert taken.more <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_tables_err_as_stated(order: int) -> None:
    """Seeded. Of shares that are not even, so that who is asked matters too."""
    chosen = ["GRR", "OLH", "JointRR", "MarginalRR", "SampledPairs", "SampledTables"]
    found = few(*chosen, truth=TABLE, order=order, repetitions=40)
    kinds = {1: MARGINS | PAIRS, 2: PAIRS, 3: set()}[order] | {"GRR", "OLH", "JointRR"}
    assert {row.name for row in found} == kinds
    for row in found:
        assert abs(row.measured_mse - row.expected_mse) < 4 * row.measured_stderr
        assert row.measured_stderr < 0.45 * row.expected_mse
    left = {name for name, *_ in found.left_out}
    assert left >= (MARGINS | PAIRS) - kinds


@pytest.mark.slow
def test_triples_err_as_stated() -> None:
    """Seeded; of the triples of four attributes and of their pairs."""
    truth = np.arange(36).reshape(3, 2, 2, 3) ** 2
    for order in (2, 3):
        found = few("SampledTables", truth=truth, epsilons=[2.0], order=order, repetitions=24)
        assert {row.name[:15] for row in found} == {"SampledTables 3"}
        for row in found:
            assert abs(row.measured_mse - row.expected_mse) < 4 * row.measured_stderr


def test_tables_may_be_named() -> None:
    found = few("JointRR", truth=TABLE, tables=[[0, 2], [1]])
    assert found.tables == ((0, 2), (1,))
    pair, alone = (
        sd.JointRR(sizes, epsilon=[1 / 3] * len(sizes)).expected_mse(found.n, target="respondents")
        for sizes in ([4, 2], [3])
    )
    assert found[0].expected_mse == pytest.approx((8 * pair + 3 * alone) / 11, rel=1e-5)
    assert found.to_json()["sizes"] == [4, 3, 2]


@pytest.mark.slow
def test_the_best_guess_of_a_row_is_that_of_the_whole_law() -> None:
    found = few("GRR", "JointRR", "MarginalRR", "SampledPairs", truth=TABLE, order=1)
    for row in found:
        m = row.mechanism
        rows = list(product(range(4), range(3), range(2)))
        answers = list(range(24)) if row.name == "GRR" else [m._value(list(one)) for one in rows]
        laws = m.program.laws(answers)
        right = sum(map(max, zip(*laws, strict=True)), Fraction(0)) / 24
        assert row.guess_probability == pytest.approx(float(right), rel=1e-12)


def test_a_budget_that_cannot_be_split_is_left_out() -> None:
    found = few("GRR", "JointRR", truth=TABLE, epsilons=[0.0015])
    assert [row.name for row in found] == ["GRR"]
    assert found.left_out == (
        ("JointRR", 0.0015, "it leaves less than ε = 0.001 for each of 3 attributes"),
    )


def test_errors_repeat_from_a_seed() -> None:
    first, again = (few("OUE", "GRR") for _ in "ab")
    assert [r.measured_mse for r in first] == [r.measured_mse for r in again]
    other = few("OUE", "GRR", rng=sd.Entropy.seeded(b"other"))
    assert [r.measured_mse for r in first] != [r.measured_mse for r in other]


def test_counts_are_taken_as_they_are_and_shares_are_rounded() -> None:
    assert few("GRR").truth.tolist() == TRUTH
    assert few("GRR", truth=[0.5, 0.25, 0.25], n=7).truth.tolist() == [3, 2, 2]
    assert few("GRR", truth=TRUTH, n=1000).n == 1000


@cases(
    "program",
    [
        COIN,
        Keep(k=5, width=16, keep=36, step=13100),
        Table(width=8, rows=((192, 200, 250), (64, 65, 66), (1, 3, 255))),
        Bits(k=5, width=8, own=128, other=64),
        Bits(k=2, width=8, own=255, other=1),
        Choose(k=5, width=8, own=192, size=2),
        Choose(k=4, width=8, own=250, size=3),
        Product(parts=(COIN, Bits(k=3, width=8, own=128, other=64))),
        Pick(parts=(COIN, Bits(k=3, width=8, own=128, other=64), COIN)),
    ],
)
def test_the_best_guess_is_that_of_the_whole_law(program: Program) -> None:
    laws = program.laws(list(program.every()))
    right = sum(map(max, zip(*laws, strict=True)), Fraction(0)) / program.inputs
    assert program.guess_probability == pytest.approx(float(right), rel=1e-15)
    assert 1 / program.inputs < right <= program.ratio / (program.ratio + program.inputs - 1)


@cases("cls", [_MECHANISMS[name] for name in names(FrequencyOracle)])
def test_no_guess_is_better_than_the_ratio_allows(cls: type[FrequencyOracle]) -> None:
    for m in cls.examples():
        bound = m.gamma / (m.gamma + m.k - 1)
        assert 1 / m.k < m.program.guess_probability <= bound * (1 + 1e-12)


def test_many_categories_take_no_time() -> None:
    assert sd.OUE(1 << 24, 1.0).program.guess_probability == pytest.approx(
        (Fraction(1, 2) * (math.e + 1)) / (1 << 24), rel=1e-6
    )


def test_a_law_that_is_too_large_is_told_as_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bits, "guess_probability", Program.guess_probability)
    (row,) = few("OUE", truth=np.ones(40, dtype=int))
    assert row.guess_probability is None


def test_a_plug_in_is_compared_by_its_class_and_its_name() -> None:
    class Louder(sd.GRR):
        name = "LouderInTests"

    before = dict(_MECHANISMS)
    try:
        assert few(Louder)[0].mechanism == Louder(4, 1.0)
        register(Louder)
        assert few("LouderInTests", Louder)[0].mechanism == Louder(4, 1.0)
        assert "LouderInTests" in {row.mechanism.name for row in few()}
    finally:
        _MECHANISMS.clear()
        _MECHANISMS.update(before)


def test_a_mechanism_out_of_reach_is_left_out() -> None:
    found = few("HadamardResponse", "GRR", truth=np.ones(300, dtype=int))
    assert [row.mechanism.name for row in found] == ["GRR"]
    ((name, epsilon, rule),) = found.left_out
    assert (name, epsilon) == ("HadamardResponse", 1.0)
    assert "255" in rule
    with pytest.raises(OutOfReachError, match="HadamardResponse"):
        few("HadamardResponse", truth=np.ones(300, dtype=int))


def test_a_comparison_is_a_table() -> None:
    found = few("GRR", "SUE")
    frame = found.to_frame("pyarrow")
    data = found.to_json()
    assert frame.num_rows == len(found) == len(data["rows"]) == 2
    assert frame.column_names == list(data["rows"][0])
    assert "SUE" in repr(found)
    assert "n=100" in repr(found)


def test_progress_is_told() -> None:
    seen: list[tuple[int, str]] = []

    def progress(items, total, what):
        seen.append((total, what))
        return items

    few("GRR", "OUE", epsilons=[1, 2, 3], progress=progress)
    assert seen == [(6, "comparing")]


@cases(
    "wrong, error, named",
    [
        ({"truth": "abc"}, WrongTypeError, "truth"),
        ({"truth": [1]}, WrongTypeError, "truth"),
        ({"truth": [1, -1]}, DomainError, "truth"),
        ({"truth": [0, 0]}, DomainError, "truth"),
        ({"truth": [1, math.nan], "n": 5}, DomainError, "truth"),
        ({"truth": [0.5, 0.5]}, DomainError, "truth"),
        ({"truth": [0.5, 0.6], "n": 10}, DomainError, "truth"),
        ({"truth": [5.0, 6.0], "n": 10}, DomainError, "truth"),
        ({"n": 0}, DomainError, "n"),
        ({"epsilons": []}, DomainError, "epsilons"),
        ({"epsilons": 1.0}, WrongTypeError, "epsilons"),
        ({"epsilons": [0]}, sd.PrivacyError, "epsilons"),
        ({"repetitions": 1}, DomainError, "repetitions"),
        ({"truth": [[1, 2], [3]]}, WrongTypeError, "truth"),
        ({"truth": [[1], [2]]}, WrongTypeError, "truth"),
        ({"truth": [[1, 2], [3, 4]], "order": 3}, DomainError, "order"),
        ({"truth": [[1, 2], [3, 4]], "tables": [[2]]}, DomainError, "axes"),
        ({"truth": [[1, 2], [3, 4]], "mechanisms": [sd.Duchi]}, WrongTypeError, "mechanisms"),
        ({"mechanisms": ["JointRR"]}, CollectionError, "mechanism"),
        ({"mechanisms": "GRR"}, WrongTypeError, "mechanisms"),
        ({"mechanisms": []}, DomainError, "mechanisms"),
        ({"mechanisms": [dict]}, WrongTypeError, "mechanisms"),
        ({"mechanisms": ["Nobody"]}, CollectionError, "mechanism"),
        ({"mechanisms": [sd.NegativeSurvey]}, CollectionError, "mechanisms"),
    ],
)
def test_bad_input_is_named(wrong: dict[str, object], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=f"^{named} "):
        sd.compare(**{"mechanisms": ["GRR"], "truth": TRUTH, "repetitions": 2, **wrong})


LINE = re.compile(
    r"^│ ([\w ]+?) +│ +([\d.]+) │ +(\S+) │ +(\S+) │ +(\d+) │ .* │ +([\d.]+) │$", re.MULTILINE
)

FOLDED = re.compile(r"│ ([\w ]+?) +(│ +\d.*)\n│ (\w+) +│ +│.*$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "truth", "order"), [(0, np.array(trousers().counts), None), (1, adult_table(), 1)]
)
def test_the_page_shows_what_is_computed(part: int, truth: np.ndarray, order: int | None) -> None:
    text = PAGE.read_text("utf-8").split("## Several attributes")[part]
    names = re.sub(FOLDED, r"│ \1 \3 \2", text)
    shown = [(name.strip(), *rest) for name, *rest in LINE.findall(names)]
    found = few(truth=truth, epsilons=[1.0, 2.0, 4.0], order=order)
    rows = {(row.name, row.epsilon): row for row in found}
    assert {name for name, *_ in shown} == {row.name for row in found}
    assert len(shown) == len(found) // (1 if part == 0 else 3)
    for name, epsilon, expected, measured, size, guess in shown:
        row = rows[name, float(epsilon)]
        assert expected == f"{row.expected_mse:.3e}"
        assert float(measured) == pytest.approx(row.expected_mse, rel=0.12)
        assert int(size) == row.report_bytes
        assert row.guess_probability is not None
        assert guess == f"{100 * row.guess_probability:.2f}"
