"""The results of a collection that is asked in rounds: the last one's, a line a choice, changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from itertools import pairwise
from typing import Any, cast

import msgspec

from sudare.collection import Collection, schema
from sudare.collection.figures import question_json
from sudare.collection.questions import Question
from sudare.collection.questions.choice import Choice
from sudare.collector.tallies import Snapshot
from sudare.estimation.changing import change
from sudare.estimation.estimate import Target
from sudare.mechanisms import Mechanism
from sudare.mechanisms.repeated import Repeated


@dataclass(frozen=True)
class RoundsBody:
    """Adds what the rounds tell together to the estimate of one of them, as JSON.

    Attributes:
        collection: the whole.
        known: public figures of each round.
        shown: place of the round whose estimate it is.
        target, confidence: of the estimates.
    """

    collection: Collection
    known: tuple[Snapshot, ...]
    shown: int
    target: Target
    confidence: float

    def __call__(self, told: bytes) -> bytes:
        """Return the body.

        Args:
            told: the estimate of the shown round.
        """
        return msgspec.json.encode(self.added(msgspec.json.decode(told)))

    def added(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the estimate of the shown round with what all of them tell."""
        collection = self.collection
        repeats = collection.repeats
        if repeats is None:
            return body
        starts = (*repeats.starts, repeats.ends)
        rounds = [
            {
                "round": i + 1,
                "opens": schema.moment_text(starts[i]),
                "closes": schema.moment_text(starts[i + 1]),
                "n": one.n,
                "last": one.last,
            }
            for i, one in enumerate(self.known)
        ]
        body |= {
            "name": collection.name,
            "fingerprint": collection.fingerprint,
            "opens": schema.moment_text(collection.opens),
            "closes": schema.moment_text(collection.closes),
            "covers": COVERS[repeats.covers],
        }
        body["repeats"] = {
            "covers": repeats.covers,
            "round": self.shown + 1 if body["n"] else None,
            "rounds": rounds,
        }
        for place, question in enumerate(collection.questions):
            body["questions"][place]["repeats"] = self._of(place, question)
        return body

    def _of(self, place: int, question: Question) -> dict[str, Any]:
        """Return the rounds of one question: figures of each where it is one of k choices."""
        public = [i for i, one in enumerate(self.known) if one.n]
        lined = isinstance(question, Choice)
        return {
            **_epsilons(question.mechanism, len(self.known)),
            "rounds": [
                {"round": i + 1, "n": self.known[i].n, "cells": self._cells(place, i)}
                for i in public
                if lined
            ],
            "changes": [self._change(place, *pair) for pair in _pairs(public) if lined],
        }

    def _cells(self, place: int, number: int) -> list[dict[str, Any]]:
        found = question_json(
            self.collection,
            place,
            self.known[number].counts,
            target=self.target,
            confidence=self.confidence,
        )
        wanted = ("choice", "share", "stderr", "low", "high")
        return [{name: one[name] for name in wanted} for one in found["cells"]]

    def _change(self, place: int, before: int, after: int) -> dict[str, Any]:
        question = self.collection.questions[place]
        mechanism = cast(Any, question.mechanism)
        own = (
            mechanism.estimate(self.known[i].counts[place], target=self.target)
            for i in (before, after)
        )
        moved = change(*own)
        low, high = moved.interval(self.confidence)
        columns = zip(
            cast(Any, question).choices, moved.value, moved.stderr, low, high, strict=True
        )
        names = ("value", "stderr", "low", "high")
        return {
            "from": before + 1,
            "to": after + 1,
            "both": moved.both,
            "bound": moved.bound,
            "cells": [
                {"choice": choice, **{n: float(x) for n, x in zip(names, own, strict=True)}}
                for choice, *own in columns
            ],
        }


COVERS = {
    "steady": "all rounds of one person whose answers stay the same; changed answers cost more",
    "any": "all rounds of one person, whatever is answered in each",
}


def _pairs(public: list[int]) -> Iterator[tuple[int, int]]:
    """Yield each public round with the next, then the first with the last."""
    yield from pairwise(public)
    if len(public) > 2:
        yield public[0], public[-1]


@singledispatch
def _epsilons(mechanism: Mechanism, count: int) -> dict[str, float | None]:
    """Return ε of one report and of so many: each is drawn afresh."""
    whole = count * mechanism.epsilon
    return {"report": mechanism.epsilon, "permanent": None, "steady": whole, "total": whole}


@_epsilons.register
def _(mechanism: Repeated, count: int) -> dict[str, float | None]:
    return {
        "report": mechanism.epsilon,
        "permanent": mechanism.permanent_epsilon,
        "steady": mechanism.steady_epsilon(count),
        "total": mechanism.total_epsilon(count),
    }
