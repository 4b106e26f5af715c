"""``round`` by exact enumeration: every word of small grids, the bulk draw, data and wire."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.samplers import Keep, Pick, Round, Table, from_json
from tests.cases import cases

ALPHA = 1e-8
TABLE = Table(width=8, rows=((10, 200), (40, 100), (10, 250), (5, 128)))
KEEP = Keep(k=3, width=8, keep=256 - 3 * 40, step=40)
SMALL = [
    Round(steps=4, cells=1, part=KEEP),
    Round(steps=3, cells=2, part=KEEP),
    Round(steps=1, cells=2, part=TABLE),
    Round(steps=5, cells=2, part=TABLE),
]


class Bytes:
    """Prepared bytes, each of which must be asked for."""

    def __init__(self, *words: bytes) -> None:
        self.data = b"".join(words)

    def take(self, n: int) -> bytes:
        out, self.data = self.data[:n], self.data[n:]
        assert len(out) == n
        return out


def expected(program: Round) -> list[list[Fraction]]:
    """The law by its definition: two neighbours, mixed."""
    own = program.part.matrix()
    columns = []
    for x in range(program.inputs):
        beyond = x - program.cells * program.steps
        if beyond > 0:
            columns.append([row[program.cells + beyond] for row in own])
            continue
        i = min(x // program.steps, program.cells - 1)
        up = Fraction(x - i * program.steps, program.steps)
        columns.append([row[i] * (1 - up) + row[i + 1] * up for row in own])
    return [list(row) for row in zip(*columns, strict=True)]


@cases("program", SMALL)
def test_the_law_is_a_mixture_of_two_neighbours(program: Round) -> None:
    assert program.inputs == program.cells * program.steps + program.part.inputs - program.cells
    law = program.matrix()
    assert law == expected(program)
    assert all(sum(column) == 1 for column in zip(*law, strict=True))
    assert program.ratio == program.part.ratio
    assert max(max(row) / min(row) for row in law) <= program.ratio
    if program.cells + 1 == program.part.inputs or program.part is KEEP:
        assert max(max(row) / min(row) for row in law) == program.ratio


@cases("program", SMALL)
def test_one_report_follows_the_law_exactly(program: Round) -> None:
    law = program.matrix()
    for x in range(program.inputs):
        seen = [Fraction(0)] * program.outputs
        for word, byte in product(range(program.steps), range(256)):
            source = Bytes(word.to_bytes(4, "little"), bytes([byte]))
            seen[program.draw_one(x, source)] += Fraction(1, 256 * program.steps)
            assert source.data == b""  # as many words for every value
        assert seen == [row[x] for row in law]


def test_a_word_beyond_the_fair_ones_is_drawn_again() -> None:
    program = SMALL[1]
    top = (2**32 - 1).to_bytes(4, "little")
    fair = 2**32 - 2**32 % 3
    assert fair == 2**32 - 1
    for word in (0, 1, 2, fair - 1):
        data = word.to_bytes(4, "little") + b"\x07"
        assert program.draw_one(1, Bytes(top, data)) == program.draw_one(1, Bytes(data))


def p_value(drawn: Round, law_of: Round, x: int) -> float:
    reports = drawn.draw(np.full(200_000, x, dtype=np.uint32), sd.Entropy.system())
    law = [float(row[x]) for row in law_of.matrix()]
    return sd.testing.chi_square_pvalue(np.bincount(reports, minlength=len(law)), law)


@cases("x", range(12))
def test_bulk_draws_follow_the_law(x: int) -> None:
    rows = ((1 << 30, 3 << 30), (1 << 28, 1 << 31), (3 << 30, 7 << 29), (1 << 31, 1 << 31))
    program = Round(steps=5, cells=2, part=Table(width=32, rows=rows))
    assert p_value(program, program, x) > ALPHA
    if x % 5 and x < 10:
        assert p_value(program, program, x - 1) > ALPHA
        other = Round(steps=6, cells=2, part=program.part)
        assert p_value(other, program, x) < ALPHA


def test_bulk_and_single_draws_are_of_one_law_in_a_pick() -> None:
    program = Pick(parts=(SMALL[0], SMALL[3]))
    law = program.matrix()
    assert all(sum(column) == 1 for column in zip(*law, strict=True))
    value = (2, 11)
    column = value[0] * SMALL[3].inputs + value[1]
    rng = sd.Entropy.seeded(b"pick of rounds")
    seen = np.zeros(program.outputs)
    for _ in range(20_000):
        index, report = program.draw_one(list(value), rng)
        seen[index * SMALL[0].outputs + report] += 1
    chances = [float(row[column]) for row in law]
    assert sd.testing.chi_square_pvalue(seen.astype(int), chances) > ALPHA
    index, reports = program.draw(np.tile(np.array(value, dtype=np.uint32), (100_000, 1)), rng)
    bulk = np.concatenate([np.bincount(r, minlength=3) for r in reports])
    assert bulk[:3].sum() == (index == 0).sum()
    assert sd.testing.chi_square_pvalue(bulk, chances) > ALPHA


@cases("program", SMALL)
def test_data_and_wire_go_there_and_back(program: Round) -> None:
    assert from_json(json.loads(json.dumps(program.to_json()))) == program
    assert program.report_bytes == program.part.report_bytes == 1
    for report in range(program.outputs):
        wire = program.encode_one(report)
        program.check_wire(wire)
        assert program.decode(wire).tolist() == [report]
    for foreign in (b"", b"\0\0", bytes([program.outputs])):
        with pytest.raises(sd.ReportError):
            program.check_wire(foreign)


GOOD: dict[str, Any] = SMALL[0].to_json()


@cases(
    "change",
    [{"steps": "0"}, {"steps": 4}, {"steps": "80000001"}, {"steps": None}, {"steps": "G"},
     {"cells": 0}, {"cells": 3}, {"cells": -1}, {"cells": "1"}, {"cells": True}, {"part": None},
     {"part": {"kind": "round"}}, {"part": []}])  # fmt: skip
def test_data_of_no_law_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(sd.CollectionError):
        from_json({**GOOD, **change})
    with pytest.raises(sd.CollectionError):
        from_json({key: value for key, value in GOOD.items() if key not in change})


def test_the_finest_grid() -> None:
    program = Round(steps=1 << 31, cells=1, part=KEEP)
    assert from_json(program.to_json()) == program
    assert program.inputs == 2**31 + 2
    with pytest.raises(sd.CollectionError):
        Round(steps=(1 << 31) + 1, cells=1, part=KEEP)
    values = np.array([0, 1, 2**31 - 1, 2**31, 2**31 + 1], dtype=np.uint32)
    sure = Round(steps=1 << 31, cells=1, part=Keep(k=3, width=32, keep=2**32 - 3, step=1))
    assert sure.draw(values, sd.Entropy.seeded(b"fine")).tolist() == [0, 0, 1, 1, 2]
