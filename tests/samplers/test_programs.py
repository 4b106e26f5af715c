"""Programs by exact enumeration: every word of a small width is drawn exactly once."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare as sd
from sudare.samplers import Bits, Keep, Pick, Product, Program, Subset, Table, bits, from_json
from sudare.samplers.packed import Packed, pack
from tests.cases import cases

SMALL: list[Program] = [
    Keep(k=3, width=8, keep=256 - 3 * 40, step=40),
    Keep(k=2, width=8, keep=2, step=127),
    Bits(k=2, width=8, own=128, other=64),
    Subset(k=2, width=8, own=160, other=40, most=2),
    Subset(k=2, width=8, own=100, other=3, most=1),
    Table(width=8, rows=((10, 200), (40, 100), (10, 250))),
    Product(parts=(Keep(k=2, width=8, keep=128, step=64), Table(width=8, rows=((192,), (64,))))),
]
PICKS: list[Pick] = [
    Pick(parts=(SMALL[0], SMALL[2])),
    Pick(parts=(SMALL[1], SMALL[5], SMALL[6])),
    Pick(parts=(SMALL[5],)),
]


def nested(depth: int) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": "keep", "k": 2, "width": 8, "keep": "80", "step": "40"}
    for _ in range(depth):
        data = {"kind": "product", "parts": [data]}
    return data


class Words:
    """Prepared words of one byte."""

    def __init__(self, words: tuple[int, ...]) -> None:
        self._data = bytes(words)

    def take(self, n: int) -> bytes:
        out, self._data = self._data[:n], self._data[n:]
        assert len(out) == n
        return out


def words_of(program: Program) -> int:
    if isinstance(program, Product):
        return sum(words_of(part) for part in program.parts)
    return program.k if isinstance(program, Packed) else 1


def values_of(program: Program) -> list[Any]:
    if isinstance(program, Product | Pick):
        return [list(v) for v in product(*(values_of(part) for part in program.parts))]
    return program.sets() if isinstance(program, Subset) else list(range(program.inputs))


def index_of(program: Program, report: Any) -> int:
    if isinstance(program, Product):
        index = 0
        for part, r in zip(program.parts, report, strict=True):
            index = index * part.outputs + index_of(part, r)
        return index
    if isinstance(program, Pick):
        before = sum(part.outputs for part in program.parts[: report[0]])
        return before + index_of(program.parts[report[0]], report[1])
    return int.from_bytes(report, "little") if isinstance(program, Packed) else report


@pytest.mark.parametrize("program", SMALL, ids=repr)
def test_one_report_follows_the_law_exactly(program: Program) -> None:
    law = program.matrix()
    draws = 256 ** words_of(program)
    for column, value in enumerate(values_of(program)):
        seen = [0] * program.outputs
        for words in product(range(256), repeat=words_of(program)):
            seen[index_of(program, program.draw_one(value, Words(words)))] += 1
        assert [Fraction(count, draws) for count in seen] == [row[column] for row in law]


@cases("parts", [(0, 5), (5, 1, 0), (5,)])
def test_a_picked_part_follows_its_law_exactly(parts: tuple[int, ...]) -> None:
    program = Pick(parts=tuple(SMALL[i] for i in parts))
    law = program.matrix()
    for column, value in enumerate(values_of(program)):
        seen = [Fraction(0)] * program.outputs
        for index, part in enumerate(program.parts):
            draws = 256 ** words_of(part) * len(program.parts)
            for words in product(range(256), repeat=words_of(part)):
                source = Words((index, 0, 0, 0, *words))
                report = program.draw_one(value, source)
                assert report == program.draw_one(value, Words(words), index=index)
                assert report[0] == index
                seen[index_of(program, report)] += Fraction(1, draws)
        assert seen == [row[column] for row in law]


@cases("parts", [1, 2, 3, 200])
def test_an_index_is_the_remainder_of_a_fair_word(parts: int) -> None:
    program = Pick(parts=(Table(width=8, rows=((128,),)),) * parts)
    fair = 2**32 - 2**32 % parts
    words = [0, 1, parts - 1, parts, fair - 1, *range(fair, min(fair + 3, 2**32)), 2**32 - 1]
    for word in words:
        data = word.to_bytes(4, "little") + bytes((5, 0, 0, 0)) + b"\0"
        source = Words(tuple(data))
        index, _ = program.draw_one([0] * parts, source)
        assert index == (word if word < fair else 5) % parts


@cases("index", [-1, 2, 10**9])
def test_an_index_that_no_part_has_is_refused(index: int) -> None:
    with pytest.raises(sd.DomainError, match="index"):
        PICKS[0].draw_one([0, 0], sd.Entropy.system(), index=index)


@cases("index", [0.5, "0", True, float("nan"), [0], sd])
def test_an_index_that_is_no_whole_number_is_refused(index: Any) -> None:
    with pytest.raises(sd.WrongTypeError, match="index"):
        PICKS[0].draw_one([0, 0], sd.Entropy.system(), index=index)


def test_indices_fixed_in_bulk() -> None:
    program = Pick(parts=(sd.GRR(3, 8.0).program, sd.GRR(2, 8.0).program))
    values, fixed = np.array([[2, 1]] * 500), np.arange(500) % 2
    index, reports = program.draw(values, sd.Entropy.seeded(b"fixed"), fixed)
    assert index.tolist() == fixed.tolist()
    assert [len(own) for own in reports] == [250, 250]
    assert [(own == v).mean() > 0.95 for own, v in zip(reports, (2, 1), strict=True)] == [1, 1]
    for wrong in (fixed + 1, fixed - 1, fixed * 2**40):
        with pytest.raises(sd.DomainError, match="index"):
            program.draw(values, sd.Entropy.system(), wrong)
    for odd in (fixed[1:], fixed * 1.0, fixed > 0):
        with pytest.raises(sd.WrongTypeError, match="index"):
            program.draw(values, sd.Entropy.system(), odd)


def test_a_picked_report_of_another_form_is_refused() -> None:
    for report in ((0,), (2, 0), (-1, 0), (0, 3), (0, 1, 2), (0.5, 0), ("0", 0), (None, 0)):
        with pytest.raises(sd.ReportError):
            PICKS[0].encode_one(report)


@cases("program", [*PICKS, Product(parts=(SMALL[0], SMALL[1]))])
def test_wires_of_half_a_report_are_refused(program: Any) -> None:
    for length in (program.report_bytes - 1, program.report_bytes + 1):
        with pytest.raises(sd.ReportError, match="bytes long"):
            program.decode(bytes(length))


def test_picked_wires_are_of_one_length_and_of_a_checked_alphabet() -> None:
    program = PICKS[1]
    seen = set()
    for wire in (bytes(w) for w in product(range(4), repeat=3)):
        try:
            program.check_wire(wire)
        except sd.ReportError:
            continue
        index, reports = program.decode(wire)
        own = reports[int(index[0])]
        report = [int(r[0]) for r in own] if isinstance(own, list) else int(own[0])
        assert program.encode_one((int(index[0]), report)) == wire
        seen.add(index_of(program, (int(index[0]), report)))
    assert seen == set(range(program.outputs))


@cases("program", [*SMALL, *PICKS])
def test_ratio_is_the_largest_in_a_row(program: Program) -> None:
    law = program.matrix()
    assert all(sum(column) == 1 for column in zip(*law, strict=True))
    assert max(max(row) / min(row) for row in law) == program.ratio


@cases("program", [*SMALL, *PICKS, sd.GRR(70_000, 8).program, sd.OUE(11, 3).program])
def test_json_round_trip(program: Program) -> None:
    assert from_json(json.loads(json.dumps(program.to_json()))) == program


@cases("width", [32, 64])
def test_bulk_keep_divides_the_words_from_below(width: int) -> None:
    program = Keep(
        k=5, width=width, keep=(1 << width) - 5 * (1 << (width - 3)), step=1 << (width - 3)
    )
    values = np.arange(5000) % 5
    reports = program.draw(values, sd.Entropy.seeded(b"bulk"))
    words = sd.Entropy.seeded(b"bulk").take(5000 * width // 8)
    kind = np.uint32 if width == 32 else np.uint64
    expected = [
        v if w >= 5 * program.step else w // program.step
        for v, w in zip(values.tolist(), np.frombuffer(words, dtype=kind).tolist(), strict=True)
    ]
    assert reports.tolist() == expected


@cases("width", [32, 64])
def test_bulk_draws_at_the_edges_of_their_words(width: int) -> None:
    kind = np.uint32 if width == 32 else np.uint64
    top = (1 << width) - 1
    step = 1 << width - 3
    keep = (1 << width) - 5 * step
    program = Keep(k=5, width=width, keep=keep, step=step)
    table = Table(width=width, rows=((keep, keep + 1, top + 1),) * 2)  # large beside the values
    words = [0, step - 1, step, 5 * step - 1, 5 * step, top]

    class Fixed:
        def block(self, n: int, dtype: Any) -> np.ndarray:
            return np.array(words, dtype=kind)

    values = np.full(len(words), 3)
    expected = [3 if w >= 5 * step else w // step for w in words]
    assert program.draw(values, Fixed()).tolist() == expected
    words = [0, keep - 1, keep, keep + 1, keep + step - 1, keep + step, top]
    counted = [sum(t <= w for t in table.rows[0]) for w in words]
    assert table.draw(np.zeros(len(words), int), Fixed()).tolist() == counted


@given(st.integers(0, 2**32 - 1), st.integers(2, 50), st.integers(0, 49))
def test_bulk_table_is_the_one_report_formula(word: int, outputs: int, value: int) -> None:
    cuts = tuple((i + 1) * (1 << 32) // outputs for i in range(outputs - 1))
    program = Table(width=32, rows=(cuts,) * 50)

    class Fixed:
        def block(self, n: int, dtype: Any) -> np.ndarray:
            return np.full(n, word, dtype=dtype)

        def take(self, n: int) -> bytes:
            return word.to_bytes(n, "little")

    bulk = program.draw(np.array([value]), Fixed())
    assert bulk[0] == program.draw_one(value, Fixed())


@cases(
    "data, field",
    [
        ({}, "kind"),
        ({"kind": "nonsense"}, "kind"),
        ({"kind": []}, "kind"),
        ({"kind": "keep", "k": 3, "width": 8, "keep": "101", "step": "1"}, "keep"),
        ({"kind": "bits", "k": 3, "width": 8, "own": "1", "other": "1"}, "own"),
        ({"kind": "bits", "k": 3, "width": 8, "own": "1", "other": "0"}, "own"),
        ({"kind": "bits", "k": 3, "width": 8, "own": "100", "other": "1"}, "own"),
        (nested(5000), "deeply"),
        ({"kind": "keep", "k": 3, "width": 32, "keep": "0", "step": "1"}, "program"),
        ({"kind": "keep", "k": 3, "width": 32, "keep": "0"}, "step"),
        ({"kind": "keep", "k": True, "width": 32, "keep": "0", "step": "1"}, "k"),
        ({"kind": "keep", "k": 3, "width": 31, "keep": "0", "step": "1"}, "width"),
        ({"kind": "keep", "k": 3, "width": 32, "keep": "-1", "step": "1"}, "keep"),
        ({"kind": "keep", "k": 3, "width": 32, "keep": 0, "step": "1"}, "keep"),
        ({"kind": "bits", "k": 3, "width": 32, "own": "1", "other": "2"}, "own"),
        ({"kind": "subset", "k": 3, "width": 8, "own": "2", "other": "1"}, "most"),
        ({"kind": "subset", "k": 3, "width": 8, "own": "2", "other": "1", "most": 0}, "most"),
        ({"kind": "subset", "k": 3, "width": 8, "own": "2", "other": "1", "most": 4}, "most"),
        ({"kind": "subset", "k": 3, "width": 8, "own": "2", "other": "1", "most": True}, "most"),
        ({"kind": "subset", "k": 3, "width": 8, "own": "1", "other": "1", "most": 1}, "own"),
        ({"kind": "subset", "k": 5000, "width": 8, "own": "2", "other": "1", "most": 1}, "k"),
        ({"kind": "subset", "k": 3, "width": 9, "own": "2", "other": "1", "most": 1}, "width"),
        ({"kind": "table", "width": 8, "rows": [["5", "3"]]}, "decrease"),
        ({"kind": "table", "width": 8, "rows": []}, "rows"),
        ({"kind": "table", "width": 8, "rows": [["1"], ["1", "2"]]}, "rows"),
        ({"kind": "product", "parts": []}, "parts"),
        ({"kind": "product", "parts": [3]}, "kind"),
        ({"kind": "pick", "parts": []}, "parts"),
        ({"kind": "pick", "parts": [None]}, "kind"),
        ({"kind": "pick"}, "parts"),
        ({"kind": "pick", "parts": 3}, "program"),
        ([], "kind"),
    ],
)
def test_broken_programs_are_refused(data: Any, field: str) -> None:
    with pytest.raises(sd.CollectionError, match=field):
        from_json(data)


@cases("program", [*SMALL, *PICKS, sd.GRR(300, 1).program, sd.OUE(9, 1).program])
def test_foreign_wires_are_refused(program: Program) -> None:
    good = program.encode_one(program.draw_one(values_of(program)[0], sd.Entropy.system()))
    program.check_wire(good)
    for bad in (b"", good + b"\0", good[:-1], b"\xff" * len(good)):
        with pytest.raises(sd.ReportError):
            program.check_wire(bad)


@cases("k", [2, 3, 4, 5])
@cases("own, other", [(128, 64), (200, 100), (200, 10), (250, 200), (180, 76)])
def test_the_ratio_of_sets_is_the_largest_over_all_pairs(k: int, own: int, other: int) -> None:
    for most in range(1, k + 1):
        program = Subset(k=k, width=8, own=own, other=other, most=most)
        law = program.matrix()
        assert len(law[0]) == program.inputs == len(program.sets())
        assert all(sum(column) == 1 for column in zip(*law, strict=True))
        assert max(max(row) / min(row) for row in law) == program.ratio


def test_a_set_of_one_is_a_category() -> None:
    one = Subset(k=5, width=32, own=1 << 31, other=1 << 29, most=1)
    bits = Bits(k=5, width=32, own=1 << 31, other=1 << 29)
    assert one.ratio == bits.ratio
    for value in range(5):
        a, b = (sd.Entropy.seeded(b"one") for _ in range(2))
        assert one.draw_one((value,), a) == bits.draw_one(value, b)


def test_what_follows_the_part_that_was_drawn_is_zero() -> None:
    """One report at a time, and many: a shorter part leaves no room for anything else."""
    large = Keep(k=300, width=32, keep=(1 << 32) - 2_700, step=9)
    one = Pick(parts=(Keep(k=3, width=8, keep=64, step=64), large))
    wire = one.encode_one((0, 2))
    assert wire == b"\0\2\0"
    one.check_wire(wire)
    for bad in (b"\0\2\1", b"\0\2\x80"):
        with pytest.raises(sd.ReportError, match="zero"):
            one.check_wire(bad)
        with pytest.raises(sd.ReportError, match="zero"):
            one.decode(wire + bad + wire)


def test_a_short_report_of_a_product_is_refused() -> None:
    program = SMALL[-1]
    with pytest.raises(sd.ReportError, match="2 components"):
        program.encode_one([0])


def test_a_table_that_gives_itself_away_has_no_ratio() -> None:
    with pytest.raises(sd.CollectionError, match="never sends"):
        _ = Table(width=8, rows=((0,), (128,))).ratio


def test_large_alphabets_are_not_written_out() -> None:
    with pytest.raises(sd.ReportError, match="too large"):
        sd.OUE(64, 1).program.matrix()


@cases("width", [8, 16, 24, 32, 64])
@cases("k", [2, 8, 13, 1000])
def test_one_packed_report_is_read_word_by_word(width: int, k: int) -> None:
    """The plain reading: bit i is 1 where word i is below its own threshold."""
    own, other, size = (1 << width) * 2 // 3, (1 << width) // 5, width // 8
    bits, sets = Bits(k, width, own, other), Subset(k, width, own, other, most=k)
    for program, value, held in ((bits, k - 1, {k - 1}), (sets, (0, 1), {0, 1}), (sets, (), set())):
        words = sd.Entropy.seeded(b"one by one").take(k * size)
        expected = [
            int.from_bytes(words[i * size : (i + 1) * size], "little")
            < (own if i in held else other)
            for i in range(k)
        ]
        report = program.draw_one(value, sd.Entropy.seeded(b"one by one"))
        assert report == np.packbits(expected, bitorder="little").tobytes()


@cases("width", [32, 64])
def test_a_word_at_its_threshold_is_a_zero(width: int) -> None:
    own, other, size = (1 << width) - 1, 1 << width - 1, width // 8
    words = b"".join(w.to_bytes(size, "little") for w in (other, own - 1, other - 1, own))
    program = Bits(4, width, own, other)
    assert program.draw_one(1, Words(tuple(words))) == bytes([0b0110])
    assert program.draw_one(3, Words(tuple(words))) == bytes([0b0100])


@cases(
    "program",
    [SMALL[5], Table(width=64, rows=((1, 2**63, 2**63), (5, 7, 2**64))), sd.PrivKV(3, 1.0)],
)
def test_alias_tables_hold_the_law_exactly(program: Any) -> None:
    table = program if isinstance(program, Table) else program.state_program
    values = np.arange(table.inputs).repeat(40)
    assert table.draw(values, sd.Entropy.system()).max() < table.outputs
    exact = table.laws(range(table.inputs))
    assert [one.law[: table.outputs] for one in table._alias.laws] == exact
    assert not any(any(one.law[table.outputs :]) for one in table._alias.laws)


@cases("k", [1, 7, 8, 10, 64, 131])
def test_rows_are_packed_as_one(k: int) -> None:
    cells = np.random.default_rng(k).random((500, k)) < 0.4
    assert np.array_equal(pack(cells), np.packbits(cells, axis=1, bitorder="little"))


@cases("k", [3, 20])
def test_own_bits_are_put_in_place_in_every_block(monkeypatch: pytest.MonkeyPatch, k: int) -> None:
    monkeypatch.setattr(bits, "_BLOCK_ROWS", 64)
    monkeypatch.setattr(bits, "_OWN_ROWS", 16)
    sure = (1 << 32) - 1  # but one word in 2**32
    program = Bits(k=k, width=32, own=sure, other=1 << 25)
    values = np.arange(1000) % k
    rows = np.unpackbits(program.draw(values, sd.Entropy.seeded(b"own")), axis=1, bitorder="little")
    assert rows[np.arange(1000), values].all()
    assert not rows[:, k:].any()
