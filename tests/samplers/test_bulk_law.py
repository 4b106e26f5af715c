"""Bulk draws of every kind of program: the whole distribution, and controls that must fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.samplers import Bits, Keep, Pick, Product, Program, Subset, Table
from tests.cases import cases

ALPHA = 1e-8
DRAWS = 300_000
W = 1 << 32
KEEP = Keep(k=4, width=32, keep=W - 4 * (W // 8), step=W // 8)
BITS = Bits(k=3, width=32, own=W // 2, other=W // 5)
TABLE = Table(width=32, rows=((W // 7, W // 2, W // 2), (W // 9, W // 3, 3 * W // 4)))
KINDS: list[tuple[Program, Program]] = [  # a program, and one that is a tenth or so off
    (KEEP, Keep(k=4, width=32, keep=W - 4 * (W // 9), step=W // 9)),
    (BITS, replace(BITS, other=W // 5 - W // 100)),
    (TABLE, Table(width=32, rows=((W // 7 + W // 99, W // 2, W // 2), TABLE.rows[1]))),
    (Product(parts=(KEEP, BITS)), Product(parts=(KEEP, replace(BITS, own=W // 2 - W // 50)))),
    (replace(KEEP, width=64, keep=KEEP.keep << 32, step=KEEP.step << 32), TABLE),
]


def p_value(drawn: Program, law_of: Program) -> float:
    parts = drawn.parts if isinstance(drawn, Product) else (drawn,)
    values = np.zeros((DRAWS, len(parts)), dtype=np.int64)
    reports = drawn.draw(
        values if isinstance(drawn, Product) else values[:, 0], sd.Entropy.system()
    )
    columns: list[Any] = reports if isinstance(drawn, Product) else [reports]
    index = np.zeros(DRAWS, dtype=np.int64)
    for part, column in zip(parts, columns, strict=True):
        flat = column[:, 0] if column.ndim == 2 else column
        index = index * part.outputs + flat.astype(np.int64)
    law = [float(row[0]) for row in law_of.matrix()]
    seen = Counter(index.tolist())
    return sd.testing.chi_square_pvalue([seen[i] for i in range(len(law))], law)


@pytest.mark.parametrize(("program", "_"), KINDS, ids=lambda p: p.kind)
def test_bulk_draws_follow_the_whole_law(program: Program, _: Program) -> None:
    assert p_value(program, program) > ALPHA


@cases("program, other", KINDS[:4])
def test_a_slightly_other_law_is_noticed(program: Program, other: Program) -> None:
    assert p_value(other, program) < ALPHA
    assert p_value(program, other) < ALPHA


PICK = Pick(parts=(KEEP, BITS, TABLE))


def picked_p_value(drawn: Pick, value: list[int]) -> float:
    values = np.tile(np.array(value), (DRAWS, 1))
    index, reports = drawn.draw(values, sd.Entropy.system())
    assert [r.shape[0] for r in reports] == np.bincount(index, minlength=3).tolist()
    seen = [
        np.bincount(r[:, 0] if r.ndim == 2 else r, minlength=part.outputs)
        for part, r in zip(PICK.parts, reports, strict=True)
    ]
    column = (value[0] * BITS.inputs + value[1]) * TABLE.inputs + value[2]
    law = [float(row[column]) for row in PICK.matrix()]
    return sd.testing.chi_square_pvalue(np.concatenate(seen), law)


def test_bulk_draws_of_a_pick_follow_the_whole_law() -> None:
    assert picked_p_value(PICK, [1, 2, 0]) > ALPHA
    assert picked_p_value(PICK, [3, 0, 1]) > ALPHA
    off = Pick(parts=(KEEP, replace(BITS, own=W // 2 + W // 50), TABLE))
    assert picked_p_value(off, [1, 2, 0]) < ALPHA


def test_a_pick_gives_each_their_own_component() -> None:
    sure = Keep(k=9, width=32, keep=W - 9, step=1)
    values = np.random.default_rng(2).integers(0, 9, (5_000, 3))
    index, reports = Pick(parts=(sure,) * 3).draw(values, sd.Entropy.seeded(b"own"))
    fixed, same = Pick(parts=(sure,) * 3).draw(values, sd.Entropy.seeded(b"ticket"), index)
    assert np.array_equal(fixed, index)
    for i in range(3):
        assert np.array_equal(reports[i], values[index == i, i])
        assert np.array_equal(reports[i], same[i])


SUBSET = Subset(k=3, width=32, own=W // 2, other=W // 5, most=3)


def set_p_value(drawn: Subset, law_of: Subset, held: tuple[int, ...]) -> float:
    row = np.isin(np.arange(3), held)
    reports = drawn.draw(np.tile(row, (DRAWS, 1)), sd.Entropy.system())[:, 0]
    law = [float(line[law_of.sets().index(held)]) for line in law_of.matrix()]
    return sd.testing.chi_square_pvalue(np.bincount(reports, minlength=8), law)


@cases("held", SUBSET.sets())
@cases("width", [32, 64])
def test_bulk_draws_of_sets_follow_the_whole_law(width: int, held: tuple[int, ...]) -> None:
    shift = width - 32
    program = replace(SUBSET, width=width, own=SUBSET.own << shift, other=SUBSET.other << shift)
    assert set_p_value(program, program, held) > ALPHA
    assert set_p_value(replace(SUBSET, other=W // 5 - W // 100), program, ()) < ALPHA
    assert set_p_value(replace(SUBSET, own=W // 2 + W // 100), program, (0, 2)) < ALPHA


def test_rows_of_different_sets_keep_apart() -> None:
    program = Subset(k=11, width=32, own=W - 1, other=1, most=11)
    values = np.random.default_rng(1).random((70_000, 11)) < 0.4
    reports = program.draw(values, sd.Entropy.seeded(b"apart"))
    assert np.array_equal(reports, np.packbits(values, axis=1, bitorder="little"))


def test_words_of_other_widths_follow_the_law() -> None:
    program = Keep(k=3, width=8, keep=256 - 3 * 40, step=40)
    wide = Table(width=40, rows=((1 << 39,), (1 << 38,)))
    bits = Bits(k=2, width=16, own=1 << 15, other=1 << 13)
    sets = Subset(k=2, width=16, own=1 << 15, other=1 << 13, most=1)
    drawn = sets.draw(np.tile([False, True], (20_000, 1)), sd.Entropy.system())[:, 0]
    law = [float(row[sets.sets().index((1,))]) for row in sets.matrix()]
    assert sd.testing.chi_square_pvalue(np.bincount(drawn, minlength=4), law) > ALPHA
    for p in (program, wide, bits):
        reports = p.draw(np.zeros(20_000, dtype=np.int64), sd.Entropy.system())
        flat = reports[:, 0] if reports.ndim == 2 else reports
        law = [float(row[0]) for row in p.matrix()]
        assert sd.testing.chi_square_pvalue(np.bincount(flat, minlength=len(law)), law) > ALPHA
