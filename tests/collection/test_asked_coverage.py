"""Intervals among those asked hold the truth as often as they say, type by type.

All draws are from seeds: nothing here is a false alarm.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from test_asked_types import ATTRIBUTES, CELLS, DISTRIBUTION, PLACE, RATINGS

import sudare as sd
from sudare.arrays import Floats
from sudare.estimation.conditional import ConditionalShare
from sudare.exact import Entropy

QUESTION = """
[collection]
name = "c"
epsilon = 2.0
[[question]]
id = "x"
text = "?"
"""
N, RUNS = 4000, 100
FIRST = sd.GRR(2, 2.0)
NUMBERS = np.concatenate([[1, 2.5, 6, 9.5], np.linspace(0, 10, 201)])

Row = tuple[str, Floats, Floats, Callable[..., Any], Callable[..., Any]]


def of_numbers(question: Any, mixed: Any, entropy: Entropy) -> Any:
    return question.mechanism.simulate(NUMBERS, mixed, rng=entropy)


def of_bins(question: Any, mixed: Any, entropy: Entropy) -> Any:
    return question.mechanism.simulate(mixed, rng=entropy)


def of_tables(question: Any, mixed: Any, entropy: Entropy) -> Any:
    return question.tables.simulate(mixed.reshape(2, 2, 2), entropy)


def of_cells(question: Any, mixed: Any, entropy: Entropy) -> Any:
    law, generator = np.asarray(question.mechanism.matrix()), entropy.generator()
    some = [generator.multinomial(m, c / c.sum()) for m, c in zip(mixed, law.T, strict=True) if m]
    return sd.Counts(np.sum(some, axis=0), int(mixed.sum()))


def of_levels(question: Any, mixed: Any, entropy: Entropy) -> Any:
    """Reports of one of two items alike, by the classes not had, 1, ..., 5."""
    generator, law = entropy.generator(), question.mechanism.channel.dense()
    minus = np.array(question._positions[1:]) / 2**31
    about = generator.binomial(mixed, 0.5)
    support = []
    for people in (about, mixed - about):
        signs = generator.binomial(people[1:], minus).sum()
        states = people[1:].sum() - signs, signs, people[0]
        each = [generator.multinomial(m, c) for m, c in zip(states, law.T, strict=True)]
        support.append(np.sum(each, axis=0))
    return sd.Counts(np.array(support), int(mixed.sum()))


def mean_of(question: Any, truth: Floats, found: Any) -> Iterator[tuple[float, Any]]:
    yield float(truth @ NUMBERS), found["mean"]


def distribution_of(question: Any, truth: Floats, found: Any) -> Iterator[tuple[float, Any]]:
    yield float(truth @ question.mechanism.centres), found["mean"]
    yield from zip(truth.tolist(), found["histogram"], strict=True)
    below = np.append(0, np.cumsum(truth))
    for i, ends in enumerate(zip(found["ranges"]["low"], found["ranges"]["high"], strict=True)):
        for j, (low, high) in enumerate(zip(*ends, strict=True)):
            yield below[i + 1 + j] - below[i], {"low": low, "high": high}


def table_of(question: Any, truth: Floats, found: Any) -> Iterator[tuple[float, Any]]:
    whole = truth.reshape(2, 2, 2)
    yield from zip(truth.tolist(), found.get("cells", [{}] * 8), strict=True)
    for pair, axis in zip(found["pairs"], (2, 1, 0), strict=True):
        yield from zip(whole.sum(axis=axis).ravel().tolist(), pair["cells"], strict=True)


def map_of(question: Any, truth: Floats, found: Any) -> Iterator[tuple[float, Any]]:
    yield from ((truth[cell["cell"]], cell) for cell in found["cells"])


def levels_of(question: Any, truth: Floats, found: Any) -> Iterator[tuple[float, Any]]:
    had = 1 - truth[0]
    for item in found["items"]:
        yield had, item["frequency"]
        yield float(truth[1:] @ np.arange(1, 6)) / had, item["level"]


SQUARES = np.arange(16.0) ** 2 / (np.arange(16) ** 2).sum()
TABLE = np.array([0.3, 0.1, 0.05, 0.05, 0.2, 0.2, 0.1, 0])
WHERE = np.array([0.3, 0.2, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0])
TWOS = ATTRIBUTES.replace('["1", "2"]', '["1", "2"]\nprefer_not_to_say = false')
MEAN = 'type = "number"\nlow = 0\nhigh = 10\n'
EVEN = np.append(np.zeros(4), np.ones(201)) / 201
ROWS: dict[str, Row] = {
    "mean": (MEAN, np.append([0.2, 0.5, 0.2, 0.1], np.zeros(201)), EVEN, of_numbers, mean_of),
    "distribution": (DISTRIBUTION, SQUARES, np.ones(16) / 16, of_bins, distribution_of),
    "cells": (CELLS + TWOS, TABLE, np.ones(8) / 8, of_tables, table_of),
    "pairs": (
        'type = "crosstab"\nwanted = "pairs"\nmechanism = "SampledPairs"\n' + TWOS,
        TABLE,
        np.ones(8) / 8,
        of_tables,
        table_of,
    ),
    "place": (PLACE, WHERE, np.array([1, 1, 0, 1, 1, 1, 1, 1, 1]) / 8, of_cells, map_of),
    "ratings": (
        RATINGS,
        np.array([0.4, 0.05, 0.05, 0.1, 0.2, 0.2]),
        np.ones(6) / 6,
        of_levels,
        levels_of,
    ),
}
"""By type: fields, the shares of the answers, those drawn, reports of both, and what to hold."""


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.8])
@pytest.mark.parametrize("row", ROWS)
def test_intervals_hold_the_truth(row: str, share: float) -> None:
    fields, own, drawn, simulate, hold = ROWS[row]
    question = sd.Collection.from_toml(QUESTION + fields).questions[0]
    seed = f"{row} {share}".encode()
    draws, entropy = np.random.default_rng(zlib.crc32(seed)), Entropy.seeded(seed)
    held = []
    for i in range(RUNS):
        target: Any = sd.estimation.estimate.TARGETS[i % 2]
        if target == "population":
            people = draws.multinomial(draws.binomial(N, share), own)
        else:
            people = np.round(N * share * own).astype(int)
        asked = int(people.sum())
        mixed = people + draws.multinomial(N - asked, drawn)
        first = FIRST.simulate([asked, N - asked], rng=entropy)
        of_whom = ConditionalShare.of(FIRST.estimate(first, target=target), [0])
        found = question.results_among(simulate(question, mixed, entropy), of_whom, 0.95)
        truth = own if target == "population" else people / asked
        held += [
            one["low"] - 1e-6 <= true <= one["high"] + 1e-6
            for true, one in hold(question, truth, found)
            if one.get("low") is not None
        ]
    assert len(held) >= RUNS
    assert 0.93 <= np.mean(held) <= 0.985
