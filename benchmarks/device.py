"""One respondent's device: from an answer to a report that may be sent (one new device each)."""

from __future__ import annotations

from timing import Row, interleave

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


def rows(rounds: int) -> list[Row]:
    found = []
    for mechanism in ("GRR", "OUE"):
        choices = ", ".join(f'"choice-{i}"' for i in range(43))
        collection = Collection.from_toml(_QUESTION.format(mechanism=mechanism, choices=choices))

        def answer(collection: Collection = collection) -> None:
            for _ in range(DEVICES):  # a new device each time: nothing remembered
                Client(collection).answer({"answer": "choice-7"})

        times = interleave([answer], max(2, rounds // 4))
        found.append(Row(f"Client.answer, {mechanism} k=43", n=DEVICES, times=times))
    return found
