"""The demonstration shows what an honest survey shows: no alarm, and no share that cannot be."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import sudare as sd
from sudare.cli import demo
from sudare.collection import Collection, Submission
from sudare.collector import create_app
from sudare.data import trousers
from sudare.estimation import Counts
from sudare.poisoning import alarms, changes

sys.path.insert(0, str(Path(__file__).parents[1] / "collector"))

from asking import ask


def public(survey: Collection, batches: list[list[Submission]], folder: Path) -> list[Counts]:
    """Return the public counts of the one question after each batch, from a collector."""
    app = create_app([survey], folder / f"{survey.name}.sqlite3")
    path = f"/api/v1/collections/{survey.name}"

    async def run() -> list[Counts]:
        found = []
        async with app.router.lifespan_context(app):
            for batch in batches:
                body = {
                    "fingerprint": survey.fingerprint,
                    "reports": [
                        {name: one.to_json()[name] for name in ("id", "report")} for one in batch
                    ],
                }
                assert (await ask(app, "POST", f"{path}/reports/batch", body)).status == 202
                told = (await ask(app, "GET", f"{path}/counts")).json["questions"]
                found.append(Counts.from_json(json.dumps(told[survey.questions[0].id])))
        return found

    return asyncio.run(run())


def test_honest_clicks_raise_no_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come in a random order: by their answers the later ones would look made up."""
    survey, whole = demo.load("trousers.toml"), trousers()
    monkeypatch.setattr(demo, "_BATCH", 500)
    truth = replace(whole, counts=(400, 400, 400, 400, *[0] * (len(whole.counts) - 4)))
    batches = list(demo.batches(survey, truth, sd.Entropy.seeded(b"clicks"), quiet=True))
    assert len(batches) == 4
    assert sum(map(len, batches)) == sum(truth.counts)
    counts = public(survey, batches, tmp_path)
    for before, after in pairwise(counts):
        found = changes(before, after, false_alarm=1e-4)
        assert found is not None
        assert not found["more"] + found["fewer"]
    assert not alarms(survey.questions[0].mechanism, counts[-1], false_alarm=1e-4)["raised"]


def test_a_visitor_answers_after_a_crowd(tmp_path: Path) -> None:
    """Every answer is shown, from so many on that shares are between 0 and 1."""
    tea = demo.load("tea.toml")
    rule = tea.publishing
    assert (rule.at, rule.every) == (50, 1)
    crowd = demo.drinkers(tea, sd.Entropy.seeded(b"tea"))
    visitor = sd.Client(tea).answer({"brand": "ayataka"})
    few, before, after = public(tea, [crowd[:49], crowd[49:], [visitor]], tmp_path)
    assert (few.n, after.n) == (0, before.n + 1)
    mechanism = tea.questions[0].mechanism
    shares = mechanism.estimate(after).shares
    assert shares.min() > -0.05
    assert shares.max() < 0.6
    assert not alarms(mechanism, after, false_alarm=1e-4)["raised"]
