"""Trips: the rule by which they are taken, the exact loss of all four answers, errors, walks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import prod
from operator import getitem
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.errors import OutOfReachError
from sudare.exact import log_bounds
from sudare.mechanisms.trajectory.trips import mended, neighbours
from tests.cases import cases

SQUARE = sd.Grid(2, 2, 100.0, 100.0)
MAP = sd.Grid(3, 4, 100.0, 100.0)


def test_the_loss_of_any_two_trips_is_at_most_epsilon() -> None:
    """Every trip of 2 x 2 cells and at most 3, every report, in whole numbers."""
    m = sd.Trajectories(SQUARE, 3, 2.0, "GRR")
    trips = [
        list(one)
        for k in (1, 2, 3)
        for one in product(range(4), repeat=k)
        if all(a != b for a, b in pairwise(one))
    ]
    assert len(trips) == 4 + 12 + 36
    total = 1 << 64
    parts = [
        np.array(
            [[int(x * total) for x in own] for own in part.program.laws(range(part.k))], object
        )
        for part in m.parts
    ]
    laws = np.array([
        [reduce(np.multiply.outer, map(getitem, parts, place)).ravel() for place in m._value(trip)]
        for trip in trips
    ]).reshape(len(trips), -1)  # fmt: skip
    assert laws.shape == (52, 2 * 3 * 4 * 4 * 13)
    assert all(own.sum() == 2 * total**4 for own in laws)
    for i in (0, 51):
        program = m.program.laws([m._value(trips[i])])[0]
        assert program == [Fraction(x, 2 * total**4) for x in laws[i]]
    loss = max(map(Fraction, laws.max(axis=0), laws.min(axis=0)))
    assert loss == m.program.ratio
    assert 0 <= 2 - log_bounds(loss)[1] < Fraction(1, 10**6)
    louder = [part.program.ratio for part in sd.Trajectories(SQUARE, 3, 2.2, "GRR").parts]
    assert log_bounds(prod(louder))[0] > 2  # a tenth more would be seen


@cases("oracle", ["GRR", "SubsetSelection", "DyadicUnary"])
@cases("epsilon", [0.02, 0.1, 1, 2.5, 20])
def test_parts_spend_epsilon_together(oracle: str, epsilon: float) -> None:
    m = sd.Trajectories(MAP, 5, epsilon, oracle)
    total = sum(log_bounds(part.program.ratio)[1] for part in m.parts)
    assert 0 <= Fraction(epsilon) - total <= Fraction(1, 10**6)
    shares = np.array(m.part_epsilons) / epsilon
    np.testing.assert_allclose(shares, [0.1, 0.2, 0.2, 0.5], atol=1e-4)


def test_the_rule_for_any_trip() -> None:
    m = sd.Trajectories(MAP, 5, 1.0)
    given = [[0], [0, 0, 1, 1], [0, 3], [0, 11], [3, 2, 1, 0, 4, 8]]
    taken = [[0], [0, 1], [0, 1, 2, 3], [0, 5, 6, 11], [3, 2, 1, 0, 4]]
    padded = np.array([row + [-1] * (6 - len(row)) for row in given])
    wanted = [row + [-1] * (5 - len(row)) for row in taken]
    for form in (given, tuple(map(tuple, given)), padded, padded.astype(np.int8)):
        assert m.trips(form).tolist() == wanted
    assert m._value([0, 3])[1:] == [[3, 0, 3, 4], [3, 0, 3, 9], [3, 0, 3, 58]]
    assert [m.moves[i].tolist() for i in (4, 9)] == [[1, 2], [2, 3]]
    assert len(m.moves) == 58  # "over"


def test_jumps_are_filled_from_neighbour_to_neighbour() -> None:
    grid = sd.Grid(9, 7, 100.0, 100.0)
    for start, stop in product(range(63), repeat=2):
        row, column = np.divmod(mended(np.array([start, stop]), grid), 7)
        apart = np.maximum(abs(np.diff(row)), abs(np.diff(column)))
        assert (apart == 1).all()
        assert apart.size == max(abs(row[-1] - row[0]), abs(column[-1] - column[0]))
        assert row[-1] * 7 + column[-1] == stop


def test_neighbours_are_the_cells_around() -> None:
    found = neighbours(3, 4)
    distances = sd.Grid(3, 4, 1.0, 1.0).distances()
    assert found.pairs.tolist() == np.argwhere((distances > 0) & (distances < 1.5)).tolist()


WRONG_TRIPS: list[Any] = [
    [[0, -1]], [[12]], [[0, 12]], [[]], [[0], []], [], None, [[0.5]], [[None]], ["01"], [[True]],
    np.array([[0, -1, 1]]), np.array([[-1, 0]]), np.array([[0.0, 1.0]]), np.array([0, 1]),
    np.array([[12]], dtype=np.uint8), np.array([[2**64 - 1]], dtype=np.uint64),
]  # fmt: skip


@cases("trips", WRONG_TRIPS)
def test_what_is_no_trip_is_refused(trips: Any) -> None:
    with pytest.raises((sd.DomainError, sd.WrongTypeError), match=r"^trips must"):
        sd.Trajectories(MAP, 5, 1.0).perturb(trips)


def test_a_map_with_too_many_moves_names_the_oracle_that_takes_it() -> None:
    large = sd.Grid(30, 30, 100.0, 100.0)
    with pytest.raises(OutOfReachError,
                       match="DyadicUnary"):  # fmt: skip
        sd.Trajectories(large, 4, 1.0)
    assert (
        sd.Trajectories(large, 4, 1.0, "DyadicUnary").parts[3].k
        == len(neighbours(30, 30).pairs) + 1
    )
    with pytest.raises(sd.PrivacyError, match="another split"):
        sd.Trajectories(MAP, 4, 0.005)


def exactly(m: sd.Trajectories, trips: Any) -> Any:
    """Return estimates whose shares are the true ones of these trips."""
    found = m.estimate(m.simulate(trips, rng=sd.Entropy.seeded(1)))
    shares = [own / own.sum() for own in m.truth(trips)]
    return type(found)(*(replace(one, shares=x) for one, x in zip(found, shares, strict=True)))


def test_the_truth_is_of_all_places() -> None:
    m = sd.Trajectories(sd.Grid(1, 3, 1.0, 1.0), 3, 1.0)
    lengths, begins, ends, moves = m.truth([[0, 1, 2], [1], [1, 2]])
    assert lengths.tolist() == [1, 1, 1]
    assert (begins.tolist(), ends.tolist()) == ([1, 2, 0], [0, 1, 2])
    assert moves.tolist() == [1, 0, 2, 0, 3]  # 0-1, 1-0, 1-2, 2-1, over


def test_walks_keep_lengths_and_begins_and_turn_to_the_ends() -> None:
    """A street on which all walk to its eastern end."""
    m = sd.Trajectories(sd.Grid(1, 6, 1.0, 1.0), 6, 1.0)
    trips = [list(range(a, 6)) for a in range(6)]
    made = exactly(m, trips).synthesise(60_000, rng=sd.Entropy.seeded(2))
    begins = np.bincount(made[:, 0], minlength=6) / len(made)
    lengths = np.bincount((made >= 0).sum(axis=1), minlength=7)[1:] / len(made)
    for found in (begins, lengths):  # 1/6 each; five standard errors
        np.testing.assert_allclose(found, 1 / 6, atol=5 * (5 / 36 / len(made)) ** 0.5)
    steps = np.diff(made)[(made[:, 1:] >= 0)]
    assert set(np.abs(steps)) == {1}
    early = made[:, 0] + (made >= 0).sum(axis=1) <= 6  # the length leaves room for the street
    ahead = np.diff(made[early])[made[early][:, 1:] >= 0]
    assert (ahead == 1).all()
    assert m.trips(made).tolist() == made.tolist()


def test_a_walk_given_its_length_follows_the_chain() -> None:
    """All walks of two cells and three, by algebra: move by its share times the end's odds."""
    m = sd.Trajectories(sd.Grid(1, 3, 1.0, 1.0), 3, 1.0)
    found = exactly(m, [[1, 0]] * 3 + [[1, 2]] * 2 + [[1, 2, 1]] * 3 + [[1]] * 2)
    x = found.moves.shares[:-1] * 2  # 0-1, 1-0, 1-2, 2-1
    ends = found.ends.shares
    out = np.array([x[0], x[1] + x[2], x[3]])
    e = ends / (ends + out)
    want = {(1, 0): x[1] * e[0], (1, 2): x[2] * e[2]}
    made = found.synthesise(200_000, rng=sd.Entropy.seeded(3))
    two = made[(made >= 0).sum(axis=1) == 2][:, :2]
    for (a, b), weight in want.items():
        p = weight / sum(want.values())
        seen = ((two[:, 0] == a) & (two[:, 1] == b)).mean()
        assert abs(seen - p) < 5 * (p * (1 - p) / len(two)) ** 0.5
    plain = x[1] / (x[1] + x[2])  # without the ends: told apart
    assert abs((two[:, 1] == 0).mean() - plain) > 20 * (0.25 / len(two)) ** 0.5


def test_cells_that_nobody_leaves_have_no_transitions() -> None:
    m = sd.Trajectories(sd.Grid(1, 3, 1.0, 1.0), 3, 8.0)
    found = m.estimate(m.simulate([[0, 1]] * 20_000, rng=sd.Entropy.seeded(4)))
    moves = found.moves
    assert moves.transitions().value[0] == pytest.approx(1)
    assert np.isnan(moves.transitions().value[3])  # 2-1
    assert moves.matrix()[0, 1] == pytest.approx(1)
    assert moves.per_trip.value[0] == pytest.approx(1, abs=5 * moves.per_trip.stderr[0])


@pytest.mark.slow
def test_errors_are_as_large_as_stated() -> None:
    """Of lengths, ends, moves and transitions, over 1,600 surveys of 1,500 people each.

    Of one table the root of the mean of z^2 has a standard deviation of 1.3 % at most, of all of
    them, some 28 numbers that vary apart, of .4 %.
    """
    m = sd.Trajectories(SQUARE, 3, 8.0)
    trips = m.trips([[0, 1, 3], [0, 2], [3], [1, 3, 2], [2, 3], [3, 1, 0], [1, 0, 2], [2, 1]])
    weights = np.array([5, 3, 1, 4, 3, 3, 2, 3]) / 24
    n, surveys = 1500, 1600
    rng = sd.Entropy.seeded(b"errors")
    who = rng.generator().choice(len(trips), size=n * surveys, p=weights)
    reports = m.perturb(trips[who], rng=rng)
    each = [[own / own.sum() for own in m.truth(trips[[i]])] for i in range(len(trips))]
    true = [weights @ np.array(own) for own in zip(*each, strict=True)]
    first = m.moves[:, 0]
    true.append(true[3][:-1] / np.bincount(first, true[3][:-1])[first])
    z: list[list[Any]] = [[] for _ in true]
    for own in np.split(reports, surveys):
        found = m.estimate(m.aggregate(own))
        steps = found.moves.transitions()
        shown = [*((one.shares, one.stderr) for one in found), (steps.value, steps.stderr)]
        for kept, (value, error), truth in zip(z, shown, true, strict=True):
            kept.append((value - truth) / error)
    for table in map(np.ravel, z):
        assert np.isfinite(table).all()
        assert 0.94 < (table**2).mean() ** 0.5 < 1.06
        assert 0.94 < (abs(table) < 1.96).mean() < 0.96
    every = np.concatenate([np.ravel(table) for table in z])
    assert 0.98 < (every**2).mean() ** 0.5 < 1.02
