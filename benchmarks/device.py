"""One respondent's device: a report at a time, and from an answer to what may be sent."""

from __future__ import annotations

import numpy as np
from timing import Row, interleave

import sudare as sd
from sudare.collection import Client, Collection

_QUESTION = """
[collection]
name = "benchmark"
epsilon = 2.0
[[question]]
id = "answer"
type = "choice"
text = "Which?"
prefer_not_to_say = false
mechanism = "{mechanism}"
choices = [{choices}]
"""
DEVICES = 200
LONG = ((128, 10), (1_000, 30), (100_000, 700))


def rows(rounds: int) -> list[Row]:
    found = [row for k, most in LONG for row in _one_by_one(k, most, rounds)]
    for mechanism in ("GRR", "OUE"):
        choices = ", ".join(f'"choice-{i}"' for i in range(43))
        collection = Collection.from_toml(_QUESTION.format(mechanism=mechanism, choices=choices))

        def answer(collection: Collection = collection) -> None:
            for _ in range(DEVICES):  # a new device each time: nothing remembered
                Client(collection).answer({"answer": "choice-7"})

        times = interleave([answer], max(2, rounds // 4))
        found.append(Row(f"Client.answer, {mechanism} k=43", n=DEVICES, times=times))
    return found


def _one_by_one(k: int, most: float, rounds: int) -> list[Row]:
    """One report of k bits, against the words it needs and against a float a bit."""
    m, rng, random = sd.OUE(k, 1.0), sd.Entropy.system(), np.random.default_rng(1)
    p, q = (float(one) for one in m.support_probabilities)
    size, reports = m.program.width // 8, max(2, 100_000 // k)

    def words() -> None:
        for _ in range(reports):
            rng.take(k * size)

    def usual() -> None:
        for _ in range(reports):
            limits = np.full(k, q)
            limits[3] = p
            np.packbits(random.random(k) < limits)

    def own() -> None:
        for _ in range(reports):
            m.perturb_one(3, entropy=rng)

    needed, floats, spent = interleave([words, usual, own], rounds)
    name = f"OUE.perturb_one k={k:,}"
    return [
        Row(name, f"{most} µs", 1, n=reports, times=[[most * 1e-6 * reports] * rounds, spent]),
        Row(name, "its secure words", n=reports, times=[needed, spent]),
        Row(name, "float code", n=reports, times=[floats, spent]),
    ]
