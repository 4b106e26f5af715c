"""The package's own tests: the public suite, the formulas, and the ways by which it is found."""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sudare_subset_selection import ListedSubsets

import sudare as sd
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import lookup

PACKAGE = Path(__file__).parents[1]


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (3, 0.001), (6, 0.3)])
def test_it_conforms(k: int, epsilon: float) -> None:
    sd.testing.check_mechanism(ListedSubsets(k, epsilon))


@pytest.mark.parametrize(("k", "epsilon"), [(5, 0.2), (8, 1.0), (12, 0.5)])
def test_it_follows_the_formulas_of_the_source(k: int, epsilon: float) -> None:
    m = ListedSubsets(k, epsilon)
    d, gamma = m.size, math.exp(epsilon)
    total = gamma * math.comb(k - 1, d - 1) + math.comb(k - 1, d)
    p = gamma * math.comb(k - 1, d - 1) / total
    q = (gamma * math.comb(k - 2, d - 2) + math.comb(k - 2, d - 1)) / total if d > 1 else 1 / total
    assert [float(x) for x in m.support_probabilities] == pytest.approx([p, q], rel=1e-5)
    blank = m.program.matrix()[-1]
    assert len(set(blank)) == 1
    assert blank[0] < Fraction(1, 1 << 20)


def test_a_report_is_a_subset_of_its_size() -> None:
    m = ListedSubsets(8, 0.5)
    supports = [int(m.aggregate(np.array([r])).support.sum()) for r in range(m.program.outputs)]
    assert supports == [m.size] * (m.program.outputs - 1) + [0]


@pytest.mark.parametrize("k", range(2, 13))
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 2, 4])
def test_it_never_errs_more(k: int, epsilon: float) -> None:
    errors = {o.mechanism.name: o.expected_mse for o in sd.plan(k=k, n=10_000, epsilon=epsilon)}
    own, _ = errors.pop("ListedSubsets"), errors.pop("SubsetSelection")  # the same law, shipped
    assert own <= min(errors.values()) * (1 + 1e-5)  # the integers of each round ε down


def test_it_errs_a_third_less() -> None:
    errors = {o.mechanism.name: o.expected_mse for o in sd.plan(k=5, n=10_000, epsilon=0.01)}
    best = min(errors["GRR"], errors["DyadicUnary"])
    assert errors["ListedSubsets"] == pytest.approx(best * 0.669, rel=0.01)


def test_too_many_subsets_are_refused_and_left_out_of_plans() -> None:
    with pytest.raises(sd.PrivacyError, match="at most 1000 subsets, got 43"):
        ListedSubsets(43, 1.0)
    assert "ListedSubsets" not in [o.mechanism.name for o in sd.plan(43, 1000, 1.0)]


def test_it_is_found_by_its_entry_point() -> None:
    assert lookup("ListedSubsets", FrequencyOracle) is ListedSubsets
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))
    points = project["project"]["entry-points"]["sudare.mechanisms"]
    assert points == {"ListedSubsets": "sudare_subset_selection:ListedSubsets"}


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_the_collection_of_the_readme_asks_with_it(readme: str) -> None:
    block = (PACKAGE / readme).read_text("utf-8").split("```toml\n")[1].split("```")[0]
    survey = sd.Collection.from_toml(block)
    assert isinstance(survey.questions[0].mechanism, ListedSubsets)
    assert sd.Collection.from_compiled(survey.compiled()).fingerprint == survey.fingerprint
    payloads = b"".join(
        sd.Client(survey).answer({"brand": "green"}).payload for _ in range(400)
    )  # four hundred devices
    (counts,) = survey.tally(payloads)
    estimate = survey.questions[0].mechanism.estimate(counts)
    assert abs(estimate.shares[0] - 1) < 6 * estimate.stderr[0]  # false alarms: below 1e-8
