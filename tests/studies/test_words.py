"""Every study: verdicts follow from facts, files of words and code fit."""

from __future__ import annotations

import ast
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

import make_golden
import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare.studies
from sudare.studies import Report, Verdict, names
from sudare.studies.joint.methods import scatter
from sudare.studies.joint.rules import agrees
from sudare.studies.key_value.rules import FEWEST, Estimate, everywhere
from sudare.studies.parts import Judged
from sudare.studies.repetitions import MOST, StandardError, Trials, at

HERE = Path(__file__).parent
CLAIMS = tomllib.loads((HERE / "claims.toml").read_text("utf-8"))
CHANGES: tuple[Callable[[float], float], ...] = (
    lambda x: 1.5 * x + 0.1,
    lambda x: x / 2 - 0.1,
    lambda x: x / 1.5,
    lambda x: -x,
    lambda x: 10 * x + 10,
    lambda x: x / 100,
    lambda x: 0 * x,
    lambda x: 1 - x,
)


def changed(fact: Any, change: Callable[[float], float]) -> Any:
    """Return a fact with every number in it changed, every truth turned, every word another."""
    if isinstance(fact, bool | np.bool_):
        return change(float(fact)) > 0.5  # all true, all false, or each the other one
    if isinstance(fact, StandardError | Trials):  # more of them is no other finding
        return fact
    if isinstance(fact, Estimate):
        return fact._replace(value=change(fact.value))
    if isinstance(fact, int | float | np.number):
        return change(float(fact))
    if isinstance(fact, str):
        return f"{fact}?"
    if isinstance(fact, Mapping):
        return {key: changed(value, change) for key, value in fact.items()}
    if isinstance(fact, list | tuple | np.ndarray):
        return [changed(one, change) for one in fact]
    return fact


def ways(facts: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Facts changed: all, each alone, each part of a mapping alone; and put in reverse."""
    for change in CHANGES:
        yield tuple(changed(fact, change) for fact in facts)
        for i, fact in enumerate(facts):
            yield (*facts[:i], changed(fact, change), *facts[i + 1 :])
            if isinstance(fact, Mapping):
                for key in fact:
                    part = {**fact, key: changed(fact[key], change)}
                    yield (*facts[:i], part, *facts[i + 1 :])
    yield tuple(list(f)[::-1] if isinstance(f, list | tuple) else f for f in facts)


def verdict(judged: Any, facts: tuple[Any, ...]) -> Verdict | None:
    """The verdict on other facts; None where the rule finds them impossible."""
    try:
        found: Verdict = replace(judged, facts=facts).verdict
    except (ArithmeticError, ValueError, TypeError, IndexError, KeyError):
        return None
    return found


@pytest.mark.parametrize("name", names())
def test_a_changed_fact_changes_the_verdict(name: str, small: Callable[[str], Report]) -> None:
    for claim in small(name).claims:
        judged = claim.judged
        place = make_golden.english(make_golden.written(claim.place))
        assert judged is not None, f"{place}: the verdict is not judged"
        assert judged.verdict is claim.verdict
        assert claim.rule, place
        assert claim.reason, place
        if judged.by == "uncheckable":
            assert claim.verdict is Verdict.UNCHECKABLE
            assert not judged.facts
            continue
        printed = [(value,) * len(judged.facts) for value in judged.parameters.values()]
        facts = judged.facts
        if claim.verdict is Verdict.OPEN:  # what more repetitions would have found
            facts = tuple(at(facts, 1e12))
        same = (None, verdict(judged, facts))
        turned = any(verdict(judged, f) not in same for f in chain(ways(facts), printed))
        assert turned, f"{place}: no change of a fact turns the verdict"


@pytest.mark.parametrize("name", names())
def test_an_open_claim_says_the_least_repetitions_that_tell(
    name: str, small: Callable[[str], Report]
) -> None:
    often = make_golden.SETTINGS[name]
    for claim in small(name).claims:
        few = claim.verdict is Verdict.OPEN
        assert few or claim.needed is None
        if not few:
            continue
        judged, reason = claim.judged, str(make_golden.written(claim.reason))
        assert judged is not None
        if claim.needed is None:
            assert "no number of" in reason
            assert verdict(judged, at(judged.facts, MOST / often)) is Verdict.OPEN
            continue
        assert f"--repetitions {claim.needed}" in reason
        assert verdict(judged, at(judged.facts, claim.needed / often)) is not Verdict.OPEN
        assert verdict(judged, at(judged.facts, (claim.needed - 1) / often)) is Verdict.OPEN


@given(
    st.floats(0.01, 2), st.floats(0.01, 0.5), st.integers(2, 1000), st.floats(0.5, 2), st.booleans()
)
def test_repetitions_needed_follow_from_the_standard_errors(
    error: float, part: float, often: int, ratio: float, capped: bool
) -> None:
    """By algebra: of an error e after n, a rule that asks for 3 e < x needs n (3 e / x)²."""
    pairs = [(1.0, 1.0, StandardError(error))]
    agreed = Judged("agrees", agrees, (pairs,), {"part": part})
    exact = often * (3 * error / part) ** 2
    least = math.ceil(max(exact, often)) if exact <= MOST else None
    found = agreed.needed(often)
    assert (found is None) == (least is None) or abs(exact / MOST - 1) < 1e-9
    if found is not None and least is not None:
        assert abs(found - least) <= 1
    one = Estimate(ratio, error, often, 2 * often if capped else math.inf)
    told = Judged("everywhere", everywhere, ([one],), {}).needed(often)
    exact = max(often * (3 * error / max(abs(ratio - 1), 1e-12)) ** 2, FEWEST)
    if exact > (2 * often if capped else MOST) * (1 + 1e-9):
        assert told is None
    elif told is not None:
        assert abs(told - max(exact, often)) <= 2


def test_so_many_repetitions_do_tell() -> None:
    """Of 200 runs of 4 that were open, most are decided by the number that they name."""
    rng, settled, all_of = np.random.default_rng(5), 0, 0
    while all_of < 200:
        few = rng.lognormal(0, 0.5, 4)
        judged = Judged("agrees", agrees, ([(1, 1, scatter(few))],), {"part": 0.2})
        if judged.verdict is Verdict.OPEN:
            more = rng.lognormal(0, 0.5, judged.needed(4) or MOST)
            again = Judged("agrees", agrees, ([(1, 1, scatter(more))],), {"part": 0.2})
            all_of += 1
            settled += again.verdict is not Verdict.OPEN
    assert 60 < settled < 160  # half of them: a standard error of four repetitions scatters


@pytest.mark.parametrize("name", names())
def test_every_part_of_the_words_is_placed_once_in_both_languages(name: str) -> None:
    folder = files("sudare.studies") / name.replace("-", "_")
    for path in sorted(p for p in folder.iterdir() if p.name.endswith(".toml")):
        if path.name == "study.toml":
            continue
        data = tomllib.loads(path.read_text("utf-8"))
        for language in ("en", "ja"):
            text = (folder / path.name.replace(".toml", f".{language}.j2")).read_text("utf-8")
            for kind in ("table", "figure"):
                placed = re.findall(rf'\b{kind}\("([^"]+)"', text)
                assert set(placed) == set(data.get(kind, {})), (path.name, language)
            if "claims()" not in text:
                placed = re.findall(r'"([^"]+)"', " ".join(re.findall(r"claims?\(([^)]*)\)", text)))
                assert {c["id"] for c in data.get("claim", ())} <= set(placed), path.name


@pytest.mark.parametrize("name", names())
def test_every_claim_of_the_source_has_a_verdict_and_every_verdict_a_claim(name: str) -> None:
    folder = files("sudare.studies") / name.replace("-", "_")
    judged = [
        f"{path.name.removeprefix('section_').removesuffix('.toml')}.{claim['id']}"
        for path in folder.iterdir()
        if path.name.startswith("section_") and path.name.endswith(".toml")
        for claim in tomllib.loads(path.read_text("utf-8")).get("claim", ())
    ]
    listed = CLAIMS[name]
    assert all(listed.values()), "a claim of the source without a verdict"
    named = list(chain.from_iterable(listed.values()))
    assert len(named) == len(set(named))
    assert sorted(named) == sorted(judged)


def test_no_function_is_long() -> None:
    root = Path(sudare.studies.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 60, f"{path}: {node.name}"
