"""Of every mechanism three wrong siblings are refused, each by the check that is named.

Fresh entropy: a miss is rarer than one in a thousand, a false alarm than one in a million.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from siblings import WRONG, louder, sibling, untouched

import sudare as sd
from sudare.exact.entropy import as_entropy
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from sudare.mechanisms.repeated.unary import Flipped
from sudare.testing import conformance
from sudare.testing.core import accuracy, batches, simulations
from sudare.testing.core.batches import follows_its_whole_law
from sudare.testing.family import family_of

EXAMPLES = [cls.examples() for cls in registered(Mechanism)]
CASES = [
    pytest.param(
        own,
        id=own[0].name,
        marks=[pytest.mark.slow] if isinstance(own[0], sd.PEM | Flipped | sd.DBitFlipPM) else [],
    )
    for own in EXAMPLES
]
HERE = Path(__file__).parents[1]


def suspect(examples: list[Any]) -> Any:
    """Return the small sibling of the example that spends most."""
    if examples[0].studies_only:
        return examples[0]
    return max((family_of(m).subjects(m)[0] for m in examples), key=lambda m: m.program.ratio)


def refused(m: Any, check: Any = follows_its_whole_law) -> bool:
    """Whether a check refuses m, at its share of the false-alarm rate."""
    level = conformance.FALSE_ALARM / (2 * len(family_of(m).sampled))
    try:
        conformance.judge(check(m, as_entropy(None)), level)
    except conformance.BrokenRuleError:
        return True
    return False


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
@pytest.mark.parametrize("examples", CASES)
def test_a_wrong_sibling_is_refused(examples: list[Any], wrong: Any) -> None:
    m = suspect(examples)
    if m.studies_only and wrong is louder:
        return  # there is no ε of which a tenth more could be spent
    assert refused(sibling(m, wrong))


@pytest.mark.parametrize("check", batches.SAMPLED[:-1], ids=lambda check: check.__name__)
def test_batches_of_every_form_are_looked_at(check: Any) -> None:
    m = sd.StateRR(2, 2.0)
    assert refused(sibling(m, untouched), check)
    assert not refused(sibling(m, lambda law: law), check)


def test_single_reports_are_looked_at() -> None:
    class Careless(sd.StateRR):
        """Sends the first key's state as it is where no source is given."""

        def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
            report = super().perturb_one(value, entropy=entropy)
            return report if entropy is not None or value[0] is None else (0, value[0] < 0)

    assert refused(Careless(2, 2.0), batches.perturbs_one_at_a_time)
    assert not refused(sd.StateRR(2, 2.0), batches.perturbs_one_at_a_time)


def test_errors_of_keys_are_compared_for_the_respondents_too() -> None:
    class Cautious(sd.StateRR):
        """States the population's standard errors for the respondents."""

        def _law(self, counts: Any, target: Any) -> Any:
            return super()._law(counts, "population")

    accuracy.states_its_variance(sd.StateRR(2, 2.0), as_entropy(None))
    with pytest.raises(conformance.BrokenRuleError, match="respondents"):
        accuracy.states_its_variance(Cautious(2, 2.0), as_entropy(None))


@pytest.mark.parametrize("check", simulations.SAMPLED, ids=lambda check: check.__name__)
def test_simulations_are_looked_at(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    m = sd.JointRR([3, 2], gamma=3)
    family = type(family_of(m))
    right = family.simulate

    def again(self: Any, m: Any, answers: Any, truth: Any, rng: Any) -> Any:
        return right(self, m, answers, truth, sd.Entropy.seeded(b"again"))

    assert not refused(m, check)
    monkeypatch.setattr(family, "simulate", again)
    assert refused(m, check)


@pytest.mark.slow
@pytest.mark.parametrize("examples", EXAMPLES, ids=lambda own: own[0].name)
def test_neighbours_that_share_their_noise_are_refused(examples: list[Any]) -> None:
    """Each alone follows the law; it shows where reports tell enough of the noise."""
    subjects = [family_of(m).subjects(m)[0] for m in examples]
    assert any(refused(sibling(m, lambda law: law, shared=True)) for m in subjects)


@pytest.mark.slow
@pytest.mark.parametrize("examples", EXAMPLES, ids=lambda own: own[0].name)
def test_the_right_law_is_not(examples: list[Any]) -> None:
    """The wrapper itself changes nothing that the check sees."""
    assert not refused(sibling(suspect(examples), lambda law: law))


@pytest.mark.slow
@pytest.mark.parametrize("examples", EXAMPLES, ids=lambda own: own[0].name)
def test_the_suite_names_the_check(examples: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    m = suspect(examples)
    family = type(family_of(m))
    monkeypatch.setattr(family, "subjects", lambda _self, m: (m,))
    monkeypatch.setattr(family, "exact", ())  # a sibling cannot be rebuilt from JSON
    for wrong in WRONG[m.studies_only :]:
        with pytest.raises(sd.ConformanceError, match=r"the check is follows_its_whole_law$"):
            sd.testing.check_mechanism(sibling(m, wrong))


@pytest.mark.parametrize("only", [("--collect-only",), pytest.param((), marks=pytest.mark.slow)])
def test_a_new_mechanism_is_tested_unasked(tmp_path: Path, only: tuple[str, ...]) -> None:
    """What is registered before the tests are collected is in the lists of all of them."""
    (tmp_path / "newcomer.py").write_text(
        "import sudare as sd\n"
        "from sudare.mechanisms import register\n"
        "@register\n"
        "class Newcomer(sd.StateRR):\n"
        "    name = 'Newcomer'\n"
        "    __slots__ = ()\n",
        "utf-8",
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    files = ("mechanisms/test_conformance.py", "testing/test_siblings.py", "testing/test_audit.py")
    options = (
        "-q",
        "-n",
        "0",
        "-p",
        "newcomer",
        "-k",
        "Newcomer",
        "-p",
        "no:cacheprovider",
        "-rA",
        *only,
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(str(HERE / file) for file in files)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, cwd=HERE.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    start = "tests/" if only else "PASSED"
    found = {line for line in done.stdout.splitlines() if line.startswith(start)}
    for test in (
        "test_every_mechanism_conforms[Newcomer]",
        "test_a_wrong_sibling_is_refused[Newcomer-louder]",
        "test_a_wrong_sibling_is_refused[Newcomer-untouched]",
        "test_a_wrong_sibling_is_refused[Newcomer-off_by_one]",
        "test_no_mechanism_spends_more_than_it_says[Newcomer]",
    ):
        assert any(line.endswith(test) for line in found), test
