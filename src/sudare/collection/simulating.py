"""Respondents of a whole collection that are made up, by exact laws of counts: no loop over people.

Who holds what is drawn first, then the counts of reports, both by binomial and multinomial numbers:
a thousand million people take no longer than a thousand. It protects nobody: for plans and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce, singledispatch
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import align, align_to
from sudare.arrays import Floats, Integers
from sudare.collection.definition import Collection
from sudare.collection.questions import (
    Choice,
    Choices,
    Crosstab,
    Number,
    Place,
    Question,
    Ratings,
    Words,
)
from sudare.collection.questions.levelled import Levelled
from sudare.collection.questions.words import MOST as MOST_WORDS
from sudare.errors import DomainError, SudareError, WrongTypeError
from sudare.estimation import Counts
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.mechanisms import Binned
from sudare.mechanisms.values import as_held_shares, as_numbers, as_shares

MOST = 1 << 40
"""The most people that are made up."""

_BLOCK = 1 << 16  # people of whom words are reported at once
_TOGETHER = 10**9 - 1  # people of whom NumPy draws without replacement


@dataclass(frozen=True, eq=False)
class Simulated:
    """What is made up of one question.

    Attributes:
        counts: of the reports: what the collector would have tallied.
        held: how many of those asked hold each answer, as the question's ``simulate`` takes it; of
            ratings the shares of those who have each item.
        asked: how many are asked.
    """

    counts: Counts
    held: npt.NDArray[Any]
    asked: int


def simulate(
    collection: Collection,
    n: int,
    truth: Mapping[str, Any] | None = None,
    *,
    rng: Randomness = None,
) -> dict[str, Simulated]:
    """Draw the counts of n respondents of a collection, taken at random from a population.

    Each question's counts follow their exact law, in double precision: with 10^9 people the
    expectation of a count is off by less than 10^-6 of its standard deviation. Two questions are
    answered independently, but that one with ``ask_if`` is asked of those who have answered so;
    everybody else's answer to it is drawn, as devices draw it.

    Args:
        collection: what is asked.
        n: number of respondents, 1 to 2^40.
        truth: what the population holds, by the question's id; even answers where it says nothing.
            Shares are lists, or a dict or pandas Series by the names of choices or items::

            choice            shares of the choices, which sum to 1
            choices           share of the people who tick each choice
            crosstab          shares of the cells, lists in lists in the order of the attributes
            number, mean      {"values": [...], "shares": [...]}
            number, bins      shares of the bins
            place             shares of the cells, row by row
            ratings           {"frequency": [...], "level": [...]}: who has each item, mean level
            text              {"words": [...], "shares": [...]}; nobody writes one where it says
                              nothing. Reports are drawn one by one: n is 2^22 at most
            with levels       {"picked": [...], "truth": [...]}: share of the people who pick each
                              level, and of each what its people hold, as above or None

        rng: a seed, NumPy generator or Entropy to repeat a simulation.

    Raises:
        WrongTypeError, DomainError: collection, n or truth is not of that form.

    Examples:
        >>> import sudare as sd
        >>> survey = sd.Collection.from_toml('''
        ... [collection]
        ... name = "tea"
        ... epsilon = 1
        ... [[question]]
        ... id = "kind"
        ... type = "choice"
        ... mechanism = "GRR"
        ... text = "Which tea?"
        ... choices = ["green", "black"]
        ... prefer_not_to_say = false
        ... ''')
        >>> made = sd.simulate(survey, 10**9, {"kind": [0.7, 0.3]})["kind"]
        >>> made.counts.n
        1000000000
        >>> survey.questions[0].mechanism.estimate(made.counts).shares.round(3).tolist()
        [0.7, 0.3]
    """
    if not isinstance(collection, Collection):
        remedy = "write mechanism.simulate(true_counts) of one mechanism"
        raise WrongTypeError("collection", "must be a sudare.Collection", remedy)
    people, entropy = as_integer(n, "n", low=1, high=MOST), as_entropy(rng)
    told = {} if truth is None else truth
    if not isinstance(told, Mapping):
        raise WrongTypeError("truth", "must be a table by the questions' ids")
    ids = [question.id for question in collection.questions]
    unknown = sorted(str(one) for one in set(told) - set(ids))
    if unknown:
        rule = f"must name questions of the collection: {', '.join(ids)}"
        raise DomainError("truth", rule, got=unknown[0])
    found: dict[str, Simulated] = {}
    for question in collection.questions:
        asked = people if question.ask_if is None else _holders(found, collection, question)
        try:
            found[question.id] = _one(question, asked, people, told.get(question.id), entropy)
        except SudareError as error:
            raise error.within(f"truth of {question.id}") from None
    return found


def _holders(found: Mapping[str, Simulated], collection: Collection, question: Question) -> int:
    """Return how many have given an answer upon which a question is asked."""
    rule: Any = question.ask_if
    asker: Any = next(one for one in collection.questions if one.id == rule.question)
    held = found[rule.question].held
    return int(held[[asker.choices.index(one) for one in rule.answers]].sum())


def _one(question: Question, asked: int, people: int, told: Any, rng: Entropy) -> Simulated:
    held, counts = _drawn(question, asked, told, rng)
    if asked < people:
        counts = counts + _drawn(question, people - asked, None, rng)[1]
    return Simulated(counts, held, asked)


@singledispatch
def _drawn(question: Question, n: int, told: Any, rng: Entropy) -> tuple[npt.NDArray[Any], Counts]:
    """Return what n people hold, and the counts of their reports; None is told of even answers."""
    raise DomainError("question", f"must not be of the type {question.type}", "leave it out")


def _people(n: int, shares: Floats, rng: Entropy) -> Integers:
    """Draw how many of n people are in each cell, of the shape of the shares."""
    flat = shares.ravel() / shares.sum()
    out: Integers = rng.generator().multinomial(n, flat).reshape(shares.shape)
    return out


@_drawn.register
def _(question: Choice, n: int, told: Any, rng: Entropy) -> tuple[Integers, Counts]:
    held = _people(n, as_shares(told, len(question.choices), labels=question.choices), rng)
    return held, _counts(question, held, rng)


@_drawn.register
def _(question: Levelled, n: int, told: Any, rng: Entropy) -> tuple[npt.NDArray[Any], Counts]:
    size = len(question.levels)
    told = {"picked": None, "truth": [None] * size} if told is None else told
    if not isinstance(told, Mapping) or set(told) != {"picked", "truth"}:
        raise WrongTypeError("truth", "must be a table of picked and truth")
    if not isinstance(told["truth"], list | tuple) or len(told["truth"]) != size:
        raise WrongTypeError("truth", "must be a list", "say of each level what its people hold")
    people = _people(n, as_shares(told["picked"], size), rng).tolist()
    each = zip(question.levels, people, told["truth"], strict=True)
    drawn = [_drawn(one, number, own, rng) for one, number, own in each]
    rows = [np.append(counts.n, counts.support) for _, counts in drawn]
    mechanism = question.mechanism.to_json()
    return (
        np.sum([held for held, _ in drawn], axis=0),
        Counts(np.concatenate(rows).astype(np.int64), n, mechanism),
    )


@_drawn.register
def _(question: Choices, n: int, told: Any, rng: Entropy) -> tuple[Integers, Counts]:
    k, most = len(question.choices), question.most
    if told is None:  # one choice alone, as where it is not asked
        held = _people(n, np.full(k, 1 / k), rng)
    else:
        shares, generator = as_held_shares(told, k, most, question.choices), rng.generator()
        held = generator.binomial(n, shares)
        while held.sum() > most * n:  # where everybody ticks as many as are allowed
            held = generator.binomial(n, shares)
    if not n:
        return held, _none(question)
    return held, question.mechanism.simulate(held, n, rng=rng)


@_drawn.register
def _(question: Crosstab, n: int, told: Any, rng: Entropy) -> tuple[Integers, Counts]:
    axes = [one.choices for one in question.attributes]
    shares = as_shares(align(told, axes, "shares"), *question.sizes)
    rest = [n % _TOGETHER] if n % _TOGETHER or not n else []
    parts = [_people(one, shares, rng) for one in [_TOGETHER] * (n // _TOGETHER) + rest]
    if not n:
        return parts[0], _none(question)
    counts = [question.tables.simulate(part, rng) for part in parts]
    return np.sum(parts, axis=0), reduce(add, counts)


@_drawn.register
def _(question: Place, n: int, told: Any, rng: Entropy) -> tuple[Integers, Counts]:
    land = question.on_land.ravel()
    shares = land / land.sum() if told is None else as_shares(told, land.size)
    if shares[~land].any():
        raise DomainError("shares", "must be 0 where there is no land")
    held = _people(n, shares, rng)
    return held, _counts(question, held[question.cells_of_values], rng)


@_drawn.register
def _(question: Number, n: int, told: Any, rng: Entropy) -> tuple[Integers, Counts]:
    mechanism = question.mechanism
    if isinstance(mechanism, Binned):
        held = _people(n, as_shares(told, mechanism.bins), rng)
        return held, _counts(question, held, rng)
    if told is None:  # uniform in the range: so often is a number rounded to each node
        low, high = question.ends
        values = np.linspace(low, high, mechanism.cells + 1)
        shares = np.full(values.size, 1 / mechanism.cells)
        shares[[0, -1]] /= 2
    else:
        values, weights = _two(told, "values", "shares", align_to)
        shares = as_shares(weights, values.size)
    held = _people(n, shares, rng)
    if not n:
        return held, _none(question)
    return held, mechanism.simulate(values, held, rng=rng)


@_drawn.register
def _(question: Ratings, n: int, told: Any, rng: Entropy) -> tuple[Floats, Counts]:
    d, scale = len(question.items), question.scale
    if told is None:  # none of the levels, or one of them
        frequency, mean = np.full(d, scale / (scale + 1)), np.zeros(d)
    else:

        def of_items(given: Any, _: Any, argument: str) -> Any:
            return align(given, (question.items,), argument)

        frequency, level = _two(told, "frequency", "level", of_items)
        mean = 2 * (level - 1) / (scale - 1) - 1
    if not n:
        return frequency, _none(question)
    return frequency, question.mechanism.simulate(n, frequency, mean, rng=rng)


@_drawn.register
def _(question: Words, n: int, told: Any, rng: Entropy) -> tuple[Integers, Counts]:
    if n > MOST_WORDS:
        rule = f"must be at most {MOST_WORDS:,}, in which words are looked for"
        raise DomainError("n", rule, "reports about words are drawn one by one")
    rows, shares = [[0] * question.mechanism.longest], np.ones(1)
    if told is not None:
        if not isinstance(told, Mapping) or set(told) != {"words", "shares"}:
            raise WrongTypeError("truth", "must be a table of words and shares")
        if not isinstance(told["words"], list | tuple):
            raise WrongTypeError("words", "must be a list of texts")
        rows = [question.encode(word) for word in told["words"]]
        shares = as_shares(told["shares"], len(rows), labels=told["words"])
    held, mechanism = _people(n, shares, rng), question.mechanism
    each = np.repeat(np.array(rows, dtype=np.uint8), held, axis=0)
    parts = np.array_split(each, -(-n // _BLOCK) or 1)
    reports = [mechanism.program.draw(part, rng) for part in parts]
    return held, mechanism.aggregate(np.concatenate(reports))


def _counts(question: Any, held: Integers, rng: Entropy) -> Counts:
    counts: Counts = question.mechanism.simulate(held, rng=rng) if held.any() else _none(question)
    return counts


def _none(question: Question) -> Counts:
    """Return the counts of nobody."""
    mechanism = question.mechanism
    return Counts(np.zeros(mechanism.shape, dtype=np.int64), 0, mechanism.to_json())


def _two(
    told: Any, first_name: str, second_name: str, order: Callable[[Any, Any, str], Any]
) -> tuple[Floats, Floats]:
    """Return the two lists of numbers that a table holds under these names, in one order."""
    names = first_name, second_name
    if not isinstance(told, Mapping) or set(told) != set(names):
        raise WrongTypeError("truth", f"must be a table of {names[0]} and {names[1]}")
    given = told[first_name]
    first, second = (as_numbers(order(told[name], given, name), name) for name in names)
    if first.ndim != 1 or first.shape != second.shape:
        raise DomainError(names[1], f"must be one number for each of {names[0]}")
    return first, second
