"""Places in bulk: one law of moves, what is kept of it, and the cells drawn apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import sudare as sd
from sudare.samplers import Offset
from sudare.samplers.moves import Moves
from tests.cases import cases

KERNEL = (90, 41, 7, 30, 20, 5)  # 2 rows, 3 columns
TOP = 1 << 32
MAPS = {
    "even": Offset(2, 3, KERNEL, (TOP,) * 6),
    "small and even": Offset(2, 3, KERNEL, (3,) * 6),
    "weights": Offset(2, 3, KERNEL, (TOP, 5, TOP // 3, 0, 1, TOP // 7)),
    "small weights": Offset(2, 3, KERNEL, (6, 5, 0, 0, 1, 2)),
    "a line": Offset(1, 5, (2**200, 2**199 + 1, 3**125, 2**197, 2**190), (1, 2, 3, 4, 4)),
    "a column": Offset(5, 1, (50, 30, 20, 10, 1), (TOP,) * 5),
}


def kept_law(program: Offset, cell: int) -> list[Fraction]:
    """Return the law of the moves that are kept, from the tables, one by one."""
    moves = Moves(program.rows, program.columns, program.kernel, program.weights)
    alias = moves._alias
    names = {}
    for slot, other in enumerate(alias.laws[0].others):
        own, beyond = alias._names[2 * slot : 2 * slot + 2].tolist()
        names[slot], names[other] = own, beyond
    masses = [Fraction(0)] * program.outputs
    for outcome, share in enumerate(alias.laws[0].law):
        reached = int(moves._places[int(moves._homes[cell]) + names[outcome]]) if share else 6
        if reached < program.outputs:
            top = 2**32 - 1 if moves._tops is None else int(moves._tops[reached])
            masses[reached] += share * (top + 1)
    return [mass / sum(masses) for mass in masses]


@cases("name", MAPS)
def test_the_moves_that_are_kept_follow_the_law_exactly(name: str) -> None:
    program = MAPS[name]
    exact = program.laws(range(program.inputs))
    assert [kept_law(program, cell) for cell in range(program.inputs)] == exact


@cases("name", MAPS)
def test_draws_follow_the_law_and_a_neighbour_is_noticed(name: str) -> None:
    """Chi-squared at 1e-6 of fresh entropy, of each cell among all the others; and of the next."""
    program, cells = MAPS[name], MAPS[name].inputs
    values = np.tile(np.arange(cells), 60_000)
    drawn = program.draw(values, sd.Entropy.system())
    assert drawn.dtype == np.uint8
    laws = [[float(share) for share in law] for law in program.laws(range(cells))]
    for cell in range(cells):
        seen = np.bincount(drawn[values == cell], minlength=cells).tolist()
        assert sd.testing.chi_square_pvalue(seen, laws[cell]) > 1e-6
        other = laws[(cell + 1) % cells]
        assert other == laws[cell] or sd.testing.chi_square_pvalue(seen, other) < 1e-6


def test_cells_that_keep_few_moves_are_drawn_apart() -> None:
    """Where nearly all that is near has no weight, and where it has little."""
    kernel = (1000, 10, 1)
    program = Offset(1, 3, kernel, (1, 0, TOP))
    moves = Moves(1, 3, kernel, program.weights)
    assert moves.rare.tolist() == [True, True, False]
    values = np.repeat([0, 1, 2], 40_000)
    drawn = program.draw(values, sd.Entropy.system()).reshape(3, -1)
    assert (drawn[1:] == 2).mean() > 0.99
    law = [float(share) for share in program.laws([0])[0]]
    assert abs(float((drawn[0] == 0).mean()) - law[0]) < 0.01
    even = Offset(1, 3, kernel, (TOP,) * 3)
    assert not Moves(1, 3, kernel, even.weights).rare.any()


def test_few_people_need_no_tables() -> None:
    program = Offset(2, 3, KERNEL, (TOP,) * 6)
    assert program.draw(np.arange(6), sd.Entropy.system()).max() < 6
    assert program._moves is None
    program.draw(np.zeros(20, dtype=np.int64), sd.Entropy.system())
    kept = program._moves
    assert kept is not None
    program.draw(np.arange(6), sd.Entropy.system())
    assert program._moves is kept
    assert program == Offset(2, 3, KERNEL, (TOP,) * 6)
