"""Every name of a mechanism in every type of question: taken for good, or refused with a remedy."""

from __future__ import annotations

import pytest

import sudare as sd
from sudare.errors import OutOfReachError
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered

TABLES = (
    '[{id = "a", text = "?", choices = ["x", "y"]}, {id = "b", text = "?", choices = ["x", "z"]}]'
)
BODIES = {
    "choice": 'type = "choice"\nchoices = ["a", "b", "c"]',
    "choices": 'type = "choices"\nchoices = ["a", "b", "c"]',
    "number": 'type = "number"\nlow = 0\nhigh = 10',
    "distribution": 'type = "number"\nlow = 0\nhigh = 10\nwanted = "distribution"',
    "ratings": 'type = "ratings"\nitems = ["a", "b", "c"]',
    "text": 'type = "text"\nknown = ["aa", "bb", "cc"]',
    "pairs": f'type = "crosstab"\nwanted = "pairs"\nattributes = {TABLES}',
    "margins": f'type = "crosstab"\nwanted = "margins"\nattributes = {TABLES}',
    "whole": f'type = "crosstab"\nattributes = {TABLES}',
    "place": 'type = "place"\norigin = [35.0, 139.0]\ncell_width = 500\ncell_height = 500\n'
    "rows = 3\ncolumns = 4\nepsilon_per_metre = 0.005",
}
ROUNDS = 'repeats = { every = "weekly", rounds = 3 }\nopens = 2026-12-01T00:00:00Z'
TAKEN = {
    "choice": 9,
    "choices": 1,
    "number": 3,
    "distribution": 2,
    "ratings": 2,
    "text": 9,
    "place": 2,
}
"""How many names a type takes; of a crosstab it hangs on what is wanted."""


def survey(body: str, name: str, rounds: str = "") -> str:
    epsilon = "" if "epsilon_per_metre" in body else "epsilon = 2.0"
    head = f'[collection]\nname = "one"\n{epsilon}\n{rounds}\n[[question]]\nid = "q"\ntext = "?"\n'
    return f'{head}mechanism = "{name}"\n{body}\n'


NAMES = sorted({cls.name for cls in registered(Mechanism)})


@pytest.mark.parametrize("kind", BODIES)
def test_a_name_is_taken_by_devices_or_refused_at_reading(kind: str) -> None:
    for rounds in ("", ROUNDS) if kind in ("choice", "text") else ("",):
        taken = []
        for name in [*NAMES, "Nonsense"]:
            try:
                collection = sd.Collection.from_toml(survey(BODIES[kind], name, rounds))
            except (sd.CollectionError, OutOfReachError) as error:
                assert error.remedy or "is not a field" in error.rule, (name, error)
                continue
            document = collection.compiled()  # what a device reads
            assert sd.Collection.from_compiled(document).fingerprint == collection.fingerprint
            taken.append(name)
        if kind in TAKEN and not rounds:
            assert len(taken) == TAKEN[kind], taken
        assert not {"OLH", "SHE", "NegativeSurvey", "DBitFlipPM"} & set(taken)


def refusal(body: str, name: str, rounds: str = "") -> sd.CollectionError:
    with pytest.raises(sd.CollectionError) as found:
        sd.Collection.from_toml(survey(body, name, rounds))
    return found.value


def test_what_is_refused_is_said_where_it_stands_and_what_to_write() -> None:
    choice = BODIES["choice"]
    error = refusal(choice, "OLH")
    assert error.argument == "question[0].mechanism"
    assert "SubsetSelection" in error.remedy
    assert "state repeats" in refusal(choice, "LGRR").remedy
    assert "'OLH'" not in refusal(choice, "GRX").rule
    assert "did you mean 'GRR'?" in refusal(choice, "GRRR").remedy
    assert "did you mean 'LOSUE'?" in refusal(choice, "LOSU", ROUNDS).remedy
    assert "SubsetSelection" in refusal(BODIES["margins"], "SHE").remedy
    assert refusal(BODIES["number"], "LGRR").remedy == 'or "auto"'
