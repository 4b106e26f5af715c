"""Groups that nobody listed: exact laws, whom they hide, what they cost and who may pay."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.errors import WrongTypeError
from sudare.ledger import Cost, Ledger, Tokens, check_events, check_promises
from sudare.release import Ask, Dataset, bound_of, publish
from sudare.release.api import Queries
from sudare.release.definition import Definition
from sudare.release.noise import Noise
from sudare.release.queries.unlisted import Rule
from tests.cases import cases

SIZES = (4000, 2500, 1400, 800, 500, 300, 180, 130, 99, 91)
REGIONS = [f"region {i}" for i, size in enumerate(SIZES) for _ in range(size)]
BUDGET = Cost.of(epsilon=10, delta=0.1)


@cases("relation", ["replace-one", "add-remove"])
def test_all_ten_groups_of_a_skewed_table(relation: Any) -> None:
    """Fresh noise: a miss has a probability of less than 1e-13."""
    db = Dataset({"region": REGIONS}, neighbours=relation, budget=BUDGET)
    found = db.discover("region", 1e-6, epsilon=1)
    assert list(found.value) == sorted(set(REGIONS))
    assert (found.epsilon, found.delta) == (1, 1e-6)
    for i, size in enumerate(SIZES):
        assert abs(found.value[f"region {i}"] - size) <= 64
    assert db.remaining == 9


# -- the law ---------------------------------------------------------------------------------------


def law_of_noise(noise: Noise, reach: int = 400) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(-reach, reach + 1)
    scale = float(noise.scale)
    gaussian = noise.cost.unit == "rho"
    weights = np.exp(-(x**2) / (2 * scale) if gaussian else -np.abs(x) / scale)
    return x, weights / weights.sum()


@cases("cost", [Cost.of(epsilon=1), Cost.of(epsilon=0.2), Cost.of(rho=0.03),
                                  Cost.of(rho=2), Cost.of(rho=40)])  # fmt: skip
def test_the_tail_is_never_below_the_real_one_and_hardly_above(cost: Cost) -> None:
    noise = Noise.of(cost, 2, 2)
    x, law = law_of_noise(noise)
    for t in (1, 2, 3, 5, 9, 20):
        real = law[x >= t].sum()
        assert real * (1 - 1e-12) <= float(noise.tail(t)) <= max(1.6 * real, 0.5 * (real > 0.02))
    for chance in (Fraction(1, 5), Fraction(1, 10**6)):
        t = noise.beyond(chance)
        assert noise.tail(t) <= chance
        assert t == 1 or noise.tail(t - 1) > chance


@cases("relation", ["replace-one", "add-remove"])
@cases("delta", [0.001, 0.2])
def test_all_that_is_told_keeps_epsilon_and_delta(relation: Any, delta: float) -> None:
    """The whole law of answers on all small tables, by enumeration; half the threshold fails."""
    epsilon = 1.0
    rows = ["a", "b", "c"]
    cost = Cost.of(epsilon=epsilon)

    def law(table: tuple[str, ...], less: int) -> Any:
        query = Ask.parse(f"discover:g={delta}").query(Dataset({"g": ["a"]}).held)
        held = Dataset({"g": [*table, "b"]}, neighbours=relation).held
        rule, found = query.rule(held, cost), held.present("g", 1)
        x, noise = law_of_noise(rule.noise, 60)
        out = np.ones(1)
        for group in rows:  # the first number: not told
            told = np.zeros(16)
            many = x + found.get(group, -(10**6))
            shown = many >= rule.threshold - less
            told[0] = 1.0 if group not in found else noise[~shown].sum()
            # far above the threshold one odds are as the other: in one cell
            places = np.clip(many[shown] - rule.threshold + 4, 1, 15)
            told += np.bincount(places, noise[shown], 16)
            out = np.kron(out, told)
        return out

    worst = {0: 0.0, 3: 0.0}
    for table in itertools.combinations_with_replacement(rows, 2):
        others = [table[:1]] if relation == "add-remove" else [(table[0], one) for one in rows]
        for other, less in itertools.product(others, worst):
            one, two = law(table, less), law(other, less)
            for p, q in ((one, two), (two, one)):
                apart = np.maximum(p - np.exp(epsilon) * q, 0).sum()
                worst[less] = max(worst[less], float(apart))
    assert 0.3 * delta < worst[0] <= delta * (1 + 1e-9)
    assert worst[3] > 1.2 * delta, "the negative control"


# -- whom it counts --------------------------------------------------------------------------------


@cases("most", [1, 2, 3])
def test_a_person_counts_once_in_so_many_groups(most: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(most)
    people, regions = rng.integers(0, 60, 400), rng.choice(list("abcdefgh"), 400)
    frame = {"p": people, "g": regions, "x": np.arange(400)}
    groups: dict[int, list[str]] = {}
    rows: dict[int, int] = {}
    for person, region in zip(people.tolist(), regions.tolist(), strict=True):
        rows[person] = rows.get(person, 0) + 1
        own = groups.setdefault(person, [])
        if rows[person] <= 4 and region not in own and len(own) < most:
            own.append(region)
    wanted: dict[str, int] = {}
    for own in groups.values():
        for one in own:
            wanted[one] = wanted.get(one, 0) + 1
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(frame), path, row_group_size=70)
    named = {**frame, "p": [f"person {i:020}" for i in people]}
    for table in (frame, named, str(path)):
        db = Dataset(table, unit=("p", 4), neighbours="add-remove", budget=BUDGET)
        assert db.held.present("g", most) == dict(sorted(wanted.items()))
        found = db.discover("g", 0.01, most, epsilon=5)
        assert found.query["groups"] == most
    with pytest.raises(sd.DomainError, match="at most 4, the rows"):
        db.discover("g", 0.01, 5, epsilon=1)
    with pytest.raises(sd.WrongTypeError, match="must hold text"):
        db.discover("x", 0.01, epsilon=1)


def test_only_what_is_there_gets_noise(tmp_path: Path) -> None:
    """Words of a dictionary that no row has, rows that do not match, missing ones: no groups."""
    words = pa.DictionaryArray.from_arrays([0, 0, 2, None], ["a", "never", "b"])
    table = pa.table({"g": words, "x": [1, 2, 3, 4]})
    db = Dataset(table, budget=BUDGET)
    assert db.held.present("g", 1) == {"a": 2, "b": 1}
    some = db.where("x >= 2 and x <= 3")
    pq.write_table(table, tmp_path / "t.parquet")
    for one in (some, Dataset(tmp_path / "t.parquet", budget=BUDGET).where("x >= 2 and x <= 3")):
        matching = one._where.matches(one._db.held)
        assert one._db.held.matching(matching).present("g", 1) == {"a": 1, "b": 1}


def test_what_no_ledger_holds_is_left_out_by_what_is_published_alone() -> None:
    rule = Rule(Noise.of(Cost.of(epsilon=1000), 1), 2)
    found = {"half \ud800": 900, "b": 9000, **{f"{i:06}" * 700: 500 + i for i in range(3000)}}
    told = rule.published(found, sd.Entropy.seeded(b"room"))
    assert told[-1][0] == "b", "in order, without what is no text"
    assert 1900 < len(told) < 2000
    assert min(many for _, many in told) > 1400, "the largest ones"


# -- who pays --------------------------------------------------------------------------------------


def test_accounts_that_carry_delta_pay_and_no_others(tmp_path: Path) -> None:
    for budget in (None, 5, Cost.of(rho=1)):
        with pytest.raises(sd.PrivacyError, match="has no δ for keys that nobody listed"):
            Dataset({"g": REGIONS}, budget=budget).discover("g", 1e-6, epsilon=1)
    db = Dataset({"g": REGIONS}, budget=Cost.of(epsilon=5, delta=2e-6))
    db.discover("g", 1e-6, epsilon=1)
    db.mean  # noqa: B018 - others cost no δ
    db.discover("g", 1e-6, epsilon=1)
    with pytest.raises(sd.BudgetExceeded, match="requested 0"):
        db.discover("g", 1e-6, epsilon=1)
    assert db.remaining == 3
    with Ledger(tmp_path / "ledger.db") as ledger:
        opened: dict[str, dict[str, Any]] = {
            "pure": {"epsilon": 3, "keys": 2e-6},
            "rho": {"rho": 1, "keys": 2e-6},
            "both": {"epsilon": 8, "delta": 1e-5, "keys": 2e-6},
            "plan": {"delta": 1e-5, "plan": "3 epsilon=1, 2 rho=0.1", "keys": 2e-6},
            "none": {"epsilon": 3},
        }
        for name, budget in opened.items():
            account = ledger.open(name, **budget)
            assert ledger.open(name, **budget) == account, "it stays as it is"
            db = Dataset({"g": REGIONS}, ledger=ledger, name=name)
            if name == "none":
                with pytest.raises(sd.PrivacyError, match="account none has no δ"):
                    db.discover("g", 1e-6, epsilon=1)
                continue
            first = db.discover("g", 1e-6, epsilon=1, reuse=True)
            assert db.discover("g", 1e-6, epsilon=1, reuse=True).value == first.value
            assert first.remaining[f"{name}: delta"] == Fraction(1, 10**6)
            if name != "pure":
                db.discover("g", 5e-7, rho=0.1)
            with pytest.raises(sd.BudgetExceeded, match=f"budget of {name}: delta does not cover"):
                db.discover("g", 1.1e-6, epsilon=0.5 if name != "plan" else 1)
            left = [one for one in ledger.parts(name) if one.unit == "delta"]
            assert [one.spent for one in left] == [Fraction(2 + (name != "pure"), 2 * 10**6)]
            with pytest.raises(sd.DomainError, match="keys are fixed"):
                ledger.set_budget(name, epsilon=9, keys=1e-5)
            with pytest.raises(sd.DomainError, match="open with another budget"):
                ledger.open(name, **{one: v for one, v in budget.items() if one != "keys"})
        before = ledger.account("both").budget
        raised = ledger.set_budget("both", epsilon=9, delta=1e-5)
        assert before < raised.budget
        assert raised.budget < sd.ledger.rho_of(9, 1e-5), "the δ of keys is not spent twice"
        for wrong in ({"epsilon": 1, "delta": 1e-6, "keys": 1e-6}, {"epsilon": 1, "keys": 0}):
            with pytest.raises(sd.SudareError, match="keys"):
                ledger.open("wrong", **wrong)
        with pytest.raises(sd.DomainError, match="part of a plan"):
            ledger.open("other: delta", epsilon=1)
        with pytest.raises(sd.PrivacyError, match="is a part of another one"):
            ledger.pay(["pure: delta"], Cost.of(epsilon=0.1), {"q": 1}, lambda: 1)
        events = ledger.events()
    check_events(events)
    assert set(check_promises(events)) == {"both", "plan"}
    for one in events:  # a promise that the δ of keys breaks
        if one["body"].get("account") == "both: delta":
            one["body"]["budget"] = "0.0000099999"
    with pytest.raises(sd.StorageError, match="look at account both"):
        check_promises(events)


def test_it_is_asked_everywhere(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("region\n" + "\n".join(REGIONS) + "\n")
    definition = Definition.from_toml(
        'name = "people"\nfile = "people.csv"\n[budget]\nepsilon = 3\nkeys = 1e-5', tmp_path
    )
    with Ledger(tmp_path / "ledger.db") as ledger:
        db = definition.open(ledger)
        asks = ["discover:region=1e-6", "mode:region=region 0,region 1"]
        done = publish(db, asks, Cost.of(epsilon=2))
        ledger.open("ann", epsilon=1, keys=1e-6)
        service, secret = (
            Queries([definition], ledger),
            Tokens(ledger).issue("ann", ["query:people"]),
        )
        token = service.admit(f"Bearer {secret}", "people")
        body = b'{"query": "discover", "column": "region", "delta": 1e-6, "epsilon": 0.9}'
        told = service.answer(token, "people", body)
    assert (told.epsilon, told.delta, len(told.groups or ())) == (0.9, 1e-6, 10)
    assert told.remaining["ann: delta"] == "0.0"
    assert done.statement["cost"] == {
        "unit": "epsilon",
        "amount": "2.0",
        "epsilon": 2.0,
        "delta": 1e-6,
    }
    assert done.statement["questions"][0]["noise"][0]["threshold"] == 28
    assert len(done.records()) == 11
    assert bound_of("discover", epsilon=1, delta=1e-6) == 6


def test_a_threshold_of_much_noise_is_found_at_once() -> None:
    """Of about ten million steps, in a hundred looks; and none for a δ beyond all digits."""
    noise = Noise.of(Cost.of(rho=Fraction(1, 10**14)), 1, 1)
    t = noise.beyond(Fraction(1, 10**6))
    assert noise.tail(t) <= Fraction(1, 10**6) < noise.tail(t - 1)
    db = Dataset({"g": list("aab")}, budget=Cost.of(epsilon=1, delta=0.5))
    with pytest.raises(sd.DomainError, match="1e-100"):
        db.discover("g", 1e-320, epsilon=0.1)


def test_text_has_the_groups_of_a_person_after_delta() -> None:
    frame = {"person": list(range(300)), "region": ["north", "south", "east"] * 100}
    budget = Cost.of(epsilon=4, delta=1e-5)
    db = Dataset(frame, unit=("person", 5), budget=budget)
    for text, groups in (("1e-6,2", 2), ("1e-6", 5)):
        answer = Ask.parse(f"discover:region={text}").to(db, Cost.of(epsilon=1))
        assert (answer.query["groups"], answer.query["delta"]) == (groups, "0.000001")
    for wrong in ("1e-6,", "1e-6,0", "1e-6,1.5", "1e-6,6", "1e-6,1,1", "1e-6,x", ",1"):
        with pytest.raises(sd.SudareError):
            Ask.parse(f"discover:region={wrong}").of(db, Cost.of(epsilon=1))


def test_ids_of_decimals_are_whole_numbers() -> None:
    def ids(last: str) -> Dataset:
        ids = [Decimal(10**19 + one) for one in range(3)] + [Decimal(last)]
        return Dataset({"person": ids, "x": [1, 2, 3, 4]}, unit=("person", 1))

    for last in ("7.0", "1e30", "-3", "10000000000000000000000000000000000000001"):
        assert ids(last).held.rows == 4
    for last in ("7.5", "inf", "10000000000000000000000000000000000000001.5"):
        with pytest.raises(WrongTypeError, match="whole numbers"):
            ids(last)
