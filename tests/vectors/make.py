"""Write the test vectors that the Python client and the browser share.

    python tests/vectors/make.py

Run it again only when a layout changes on purpose; a test holds the files to this script.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sudare.collection import Client, Collection, Crosstab, Number, Place, Ratings
from sudare.collection.canonical import canonical_json, fingerprint
from sudare.collection.memo import MemoryMemo
from sudare.collection.questions import Words
from sudare.errors import BudgetExceeded, SudareError
from sudare.exact import decimal_text
from sudare.mechanisms import (
    GRR,
    LGRR,
    LOLOHA,
    LOSUE,
    LSUE,
    OUE,
    PEM,
    SUE,
    DyadicUnary,
    Grid,
    GridExponential,
    JointRR,
    LinearHashing,
    PrivKV,
    ProjectiveGeometry,
    StateRR,
    SubsetSelection,
)
from sudare.mechanisms.repeated import Repeated
from sudare.samplers import (
    Choose,
    Hash,
    Hyperplane,
    Keep,
    Levels,
    Offset,
    Pick,
    Prefix,
    Product,
    Program,
    Round,
    Subset,
    Table,
)

HERE = Path(__file__).parent


class HashStream:
    """SHA-256(seed ":" 0), SHA-256(seed ":" 1), ...: easy to write in any language."""

    def __init__(self, seed: str) -> None:
        self._seed, self._counter, self._ready = seed, 0, b""

    def take(self, n: int) -> bytes:
        while len(self._ready) < n:
            block = f"{self._seed}:{self._counter}".encode()
            self._ready += hashlib.sha256(block).digest()
            self._counter += 1
        out, self._ready = self._ready[:n], self._ready[n:]
        return out


def table(width: int, values: int, outputs: int) -> Table:
    """Make a table of uneven weights: row v has weight growing with (v + r) mod outputs."""
    total = 1 << width
    rows = []
    for v in range(values):
        raw = [1 + (v + r) % outputs for r in range(outputs)]
        cuts = [0]
        for weight in raw[:-1]:
            cuts.append(cuts[-1] + weight * total // sum(raw))
        rows.append([b - a for a, b in pairwise([*cuts, total])])
    return Table.from_weights(rows, width)


def programs() -> list[Program]:
    out: list[Program] = []
    for k, epsilon in ((2, 0.01), (2, 10), (3, 2), (5, 1), (43, 1), (43, 5), (257, 3), (70_000, 8)):
        out.append(GRR(k, epsilon).program)
    for k, epsilon in ((2, 0.5), (3, 2), (8, 1), (9, 10), (43, 1), (128, 3)):
        out += [m(k, epsilon).program for m in (OUE, SUE, DyadicUnary)]
    out += [table(32, 3, 5), table(64, 4, 2), table(136, 3, 300), table(8, 2, 3)]
    out.append(Keep(k=3, width=128, keep=(1 << 128) - 3 * (1 << 100), step=1 << 100))
    out.append(Product(parts=(GRR(5, 1).program, OUE(11, 2).program, table(32, 3, 5))))
    out.append(Product(parts=(Product(parts=(GRR(2, 1).program,)), SUE(3, 1).program)))
    sets = [subset(32, k, most) for k, most in ((2, 1), (5, 5), (8, 3), (17, 2))]
    out += [*sets, subset(64, 9, 4), subset(136, 3, 2)]
    out.append(Product(parts=(GRR(3, 1).program, sets[1], sets[3])))
    out.append(Pick(parts=(GRR(5, 1).program, OUE(11, 2).program, sets[3], GRR(257, 3).program)))
    out.append(Pick(parts=(GRR(2, 1).program, GRR(3, 2).program) * 150))
    out.append(Product(parts=(GRR(3, 1).program, Pick(parts=(table(32, 3, 5),)))))
    out += [Round(steps=steps, cells=1, part=GRR(3, 1).program) for steps in (1, 2, 1 << 31)]
    third = (1 << 32) // 3 + 1  # a word in three is drawn again
    out.append(Round(steps=third, cells=2, part=table(32, 3, 5)))
    out.append(Round(steps=1000, cells=3, part=OUE(7, 2).program))
    out.append(Round(steps=6, cells=2, part=Round(steps=5, cells=3, part=GRR(9, 1).program)))
    out += [PrivKV(3, 1).program, StateRR(300, 2).program]
    out += [place(3, 4, "0.02"), place(1, 300, "0.01"), place(7, 5, "0.5", lean=True)]
    out.append(Product(parts=(GRR(3, 1).program, PrivKV(5, 4).program)))
    for k, epsilon in ((2, 0.5), (3, 2), (9, 0.3), (43, 1), (300, 4), (4096, 3)):
        out.append(SubsetSelection(k, epsilon).program)
    out.append(Choose(k=5, width=136, own=3 << 134, size=3))
    for k, epsilon in ((2, 0.5), (5, 0.3), (9, 1), (43, 1), (300, 4), (70_000, 1), (5000, 6)):
        out.append(ProjectiveGeometry(k, epsilon).program)
    out.append(Hyperplane(k=13, q=3, t=3, width=136, own=3 << 134))
    for k, epsilon in ((2, 0.5), (5, 0.3), (43, 1), (300, 0.35), (70_000, 2), (1 << 20, 6)):
        out.append(LinearHashing(k, epsilon).program)
    out.append(Hash(k=13, g=5, size=2, width=136, own=3 << 134))
    out += [PEM(2, 0.1, "ab").program, PEM(9, 4, "kana").program, PEM(64, 2).program]
    out.append(Prefix(k=7, lengths=(3,), part=Keep(k=2, width=8, keep=64, step=96)))
    out.append(Product(parts=(GRR(3, 1).program, PEM(3, 1, lengths=(1, 2, 3)).program)))
    out.append(Levels(parts=(GRR(5, 1).program, OUE(11, 2).program, GRR(257, 3).program)))
    out.append(Levels(parts=tuple(JointRR([3, 4], gamma=g).program for g in (2, 9))))
    return out


def place(rows: int, columns: int, epsilon: str, *, lean: bool = False) -> Offset:
    """Make the program of a map, with weights that differ and some of 0 where ``lean``."""
    grid = Grid(rows, columns, 115.6, 141.5)
    cells = np.arange(grid.cells)
    weights = (cells % 4) / 3 if lean else np.ones(grid.cells)
    return GridExponential(grid, Fraction(epsilon), weights).program


def subset(width: int, k: int, most: int) -> Subset:
    """Make sets of at most ``most`` of k with p = 9/16 and q = 3/16."""
    unit = 1 << (width - 4)
    return Subset(k=k, width=width, own=9 * unit, other=3 * unit, most=most)


def value_of(program: Program, index: int) -> int | list[object]:
    if isinstance(program, Levels):
        level = index % len(program.parts)
        return [level, value_of(program.parts[level], index)]
    if isinstance(program, Product | Pick):
        return [value_of(part, index + i) for i, part in enumerate(program.parts)]
    if isinstance(program, Subset):
        held = {(index * 7 + i * i) % program.k for i in range(index % (program.most + 1))}
        return list(held)
    if isinstance(program, Prefix):
        return [(index * 7 + i * i) % program.k for i in range(program.longest)]
    if isinstance(program, Round):
        ends = [0, program.cells * program.steps, program.inputs - 1]
        return [*ends, index * 1_234_567_891 % program.inputs][index % 4]
    return (index * 7 + index * index) % program.inputs


def samplers() -> dict[str, object]:
    vectors = []
    for p, program in enumerate(programs()):
        for i in range(36):
            seed = f"sudare-{p}-{i}"
            value = value_of(program, i)
            report = program.draw_one(value, HashStream(seed))
            wire = program.encode_one(report).hex()
            vectors.append({"program": p, "seed": seed, "value": value, "wire": wire})
    return {
        "format": "sudare-vectors/1",
        "programs": [program.to_json() for program in programs()],
        "vectors": vectors,
    }


WORDS = (
    "すし", "スシ",
    " ﾊﾟﾝ\u3000", "らーめん", "ｶﾚｰﾗｲｽ", "Tee", "ＴＥＡ", "straße", "STRASSE", "İzmir",
    "Ὀδυσσεύς", "cafe\u0301", "é", "ﬁn", "木", "𠮷", "😀",
    "עוגה", "a\u202eb", "\x1c\ufefftea\x85", "\x00",
    "", " \u3000", "ab", "ba", "a b", "①", "ｱ゙", "ヷ", "prefer-not-to-say", "x" * 70, "ッ" * 9,
)  # fmt: skip


def words() -> dict[str, object]:
    """Words as they are typed, whole reports of them; null where one is refused."""
    kinds = (
        'longest = 6\nalphabet = "kana"',
        "longest = 12",
        "longest = 64\nfold = false\nprefer_not_to_say = false",
        'longest = 4\nalphabet = "ab é"',
    )
    questions = [worded(kind) for kind in kinds]
    cases = []
    for q, question in enumerate(questions):
        for i in range(512):
            turn, seed = i // len(WORDS) % 4, f"word-{q}-{i}"
            word = WORDS[i % len(WORDS)] + "い a"[turn : turn + 1]
            case = {"question": q, "word": word, "seed": seed}
            try:
                wire = question.randomise(question.encode(word), HashStream(seed)).hex()
            except SudareError:
                wire = None
            cases.append({**case, "wire": wire})
    return {"questions": [question.definition() for question in questions], "cases": cases}


def worded(kind: str) -> Words:
    text = (
        '[collection]\nname = "vector"\nepsilon = 3.0\nexpected_respondents = 100000\n'
        f'[[question]]\nid = "q"\ntype = "text"\ntext = "?"\n{kind}\n'
    )
    (question,) = Collection.from_toml(text).questions
    assert isinstance(question, Words)
    return question


def ratings() -> dict[str, object]:
    """Whole answers: every level of every scale, some under a ticket, by both mechanisms."""
    kinds = ((2, 2), (4, 7), (300, 3), (2, 101))
    questions = [rated(items, scale, "PrivKV") for items, scale in kinds]
    questions += [rated(items, scale, "StateRR") for items, scale in ((3, 5), (2, 10))]
    cases = []
    for q, question in enumerate(questions):
        for i in range(question.scale + 3):
            levels = [(i + j) % (question.scale + 1) or None for j in range(len(question.items))]
            answer = dict(zip(question.items, levels, strict=True))
            index = i % len(question.items) if i % 3 == 0 else None
            if index is not None:
                answer = {question.items[index]: levels[index]}
            seed = f"sudare-ratings-{q}-{i}"
            value = question.encode(answer, index)
            wire = question.randomise(value, HashStream(seed), index).hex()
            case = {"question": q, "answer": answer, "index": index, "seed": seed}
            cases.append({**case, "value": value[:9], "wire": wire})
    return {"questions": [question.definition() for question in questions], "cases": cases}


def rated(items: int, scale: int, mechanism: str) -> Ratings:
    names = ", ".join(f'"i{i}"' for i in range(items))
    text = (
        '[collection]\nname = "vector"\nepsilon = 1.5\n[[question]]\nid = "q"\ntype = "ratings"\n'
        f'text = "?"\nscale = {scale}\nmechanism = "{mechanism}"\nitems = [{names}]\n'
    )
    (question,) = Collection.from_toml(text).questions
    assert isinstance(question, Ratings)
    return question


def crosstabs() -> dict[str, object]:
    """Whole answers about a drawn pair or part, some under a ticket, by each oracle."""
    kinds = [((3, 2, 4), "SampledPairs", "pairs", epsilon) for epsilon in ("0.3", "1.5", "4.0")]
    kinds += [
        ((3, 2, 4), "MarginalRR", "margins", "1.5"),
        ((2,) * 20, "SampledPairs", "pairs", "2.0"),
    ]
    questions = [crossed(*one) for one in kinds]
    cases = []
    for q, question in enumerate(questions):
        drawn = question.tables.drawn
        for i in range(30):
            answer = {a.id: a.choices[(i + j * i) % len(a.choices)]
                      for j, a in enumerate(question.attributes)}  # fmt: skip
            index = i % len(drawn) if i % 3 == 0 else None
            if index is not None:
                asked = [question.attributes[axis].id for axis in drawn[index]]
                answer = {name: answer[name] for name in asked}
            seed = f"sudare-crosstab-{q}-{i}"
            value = question.encode(answer, index)
            wire = question.randomise(value, HashStream(seed), index).hex()
            case = {"question": q, "answer": answer, "index": index, "seed": seed}
            cases.append({**case, "value": value[:9], "wire": wire})
    return {"questions": [question.definition() for question in questions], "cases": cases}


def crossed(sizes: tuple[int, ...], mechanism: str, wanted: str, epsilon: str) -> Crosstab:
    text = (
        f'[collection]\nname = "vector"\nepsilon = {epsilon}\n[[question]]\nid = "q"\n'
        f'type = "crosstab"\ntext = "?"\nwanted = "{wanted}"\nmechanism = "{mechanism}"\n'
    )
    for i, size in enumerate(sizes):
        names = ", ".join(f'"c{c}"' for c in range(size))
        text += (
            f'[[question.attributes]]\nid = "a{i}"\ntext = "?"\nprefer_not_to_say = false\n'
            f"choices = [{names}]\n"
        )
    (question,) = Collection.from_toml(text).questions
    assert isinstance(question, Crosstab)
    return question


def numbers() -> dict[str, object]:
    """Whole answers of distributions: on the edges of bins, the floats below them, and between."""
    kinds = (
        ("0", "120", 10, 'mechanism = "SquareWave"'),
        ("-0.1", "0.7", 7, 'mechanism = "SquareWave"'),
        ("-4", "24.5", 64, ""), ("0.1", "0.3", 10, 'mechanism = "HierarchicalHistogram"'),
        ("-1000000000", "1000000000", 256, ""),
    )  # fmt: skip
    questions = [counted(low, high, bins, more) for low, high, bins, more in kinds]
    cases = []
    for q, question in enumerate(questions):
        low, high, program = float(question.low), float(question.high), question.mechanism.program
        bins = question.mechanism.bins
        for i in range(60):
            edge = low + (high - low) * (i * 7 % (bins + 1)) / bins
            answer = [
                edge,
                math.nextafter(edge, -math.inf),
                low + (high - low) * (i * 37 % 61) / 61,
            ]
            number = min(max(answer[i % 3], low), high)
            index = i % len(program.parts) if isinstance(program, Pick) and i % 4 == 0 else None
            seed = f"sudare-number-{q}-{i}"
            value = question.encode(number, index)
            wire = question.randomise(value, HashStream(seed), index).hex()
            case = {"question": q, "answer": number, "index": index, "seed": seed}
            cases.append({**case, "value": value, "wire": wire})
    return {"questions": [question.definition() for question in questions], "cases": cases}


def counted(low: str, high: str, bins: int, more: str) -> Number:
    text = (
        '[collection]\nname = "vector"\nepsilon = 1.5\n[[question]]\nid = "q"\ntype = "number"\n'
        f'text = "?"\nlow = {low}\nhigh = {high}\nwanted = "distribution"\nbins = {bins}\n{more}\n'
    )
    (question,) = Collection.from_toml(text).questions
    assert isinstance(question, Number)
    return question


def places() -> dict[str, object]:
    """Positions on, beside and off the borders of cells, and whole answers."""
    questions = [
        mapped('mesh = "53394611"\nrows = 8\ncolumns = 8', land=8),
        mapped('mesh = 5339\nlevel = "2nd"\nrows = 3\ncolumns = 5', epsilon="0.0002"),
        mapped("origin = [-33.9, 151.2]\nrows = 6\ncolumns = 7\ncell_height = 250\n"
               "cell_width = 300.5", land=6),
        mapped("origin = [64.1, -22]\nrows = 2\ncolumns = 16\ncell_height = 1000\n"
               "cell_width = 990", epsilon="0.0015"),
    ]  # fmt: skip
    positions, answers = [], []
    for q, question in enumerate(questions):
        lattice = question.lattice
        for i in range(120):
            down, right = (i * 37 % 23 - 4) / 14, (i * 53 % 29 - 5) / 18
            units = (lattice.south + down * lattice.rows * lattice.height,
                     lattice.west + right * lattice.columns * lattice.width)  # fmt: skip
            if i % 3 == 0:  # a corner of cells, or the next float below it
                units = lattice.corner(i % (lattice.rows * lattice.columns))
            at = [x / lattice.per_degree for x in units]
            if i % 6 == 3:
                at = [math.nextafter(x, -math.inf) for x in at]
            if i % 12 == 6:
                at = [x - 1e-8 for x in at]
            positions.append({"question": q, "at": at, "cell": lattice.cell(*at)})
        for i, cell in enumerate(np.flatnonzero(question.on_land).tolist()):
            seed = f"sudare-place-{q}-{i}"
            wire = question.randomise(question.encode(cell), HashStream(seed)).hex()
            answers.append({"question": q, "cell": cell, "seed": seed, "wire": wire})
    return {
        "questions": [question.definition() for question in questions],
        "spent": [float(f"{question.mechanism.epsilon:.8g}") for question in questions],
        "positions": positions,
        "answers": answers,
    }


def mapped(fields: str, *, land: int = 0, epsilon: str = "0.008") -> Place:
    """Make a question about a place; with ``land`` a slope of the sea in the south-east.

    Its mechanism is not calibrated: that takes logarithms of the machine.
    """
    text = (
        '[collection]\nname = "vector"\n[[question]]\nid = "q"\ntype = "place"\ntext = "?"\n'
        f'epsilon_per_metre = "{epsilon}"\n{fields}\n'
    )
    if land:
        columns = 7 if land == 6 else land
        rows = ["#" * min(columns, land + 3 - i) + "." * max(0, columns - land - 3 + i)
                for i in range(land)]  # fmt: skip
        text += f"land = {json.dumps(rows)}\n"
    (question,) = Collection.from_toml(text).questions
    assert isinstance(question, Place)
    weights = question.mechanism.weights
    plain = GridExponential(question.mechanism.grid, question.epsilon, weights)
    return replace(question, mechanism=plain)


def tabled() -> dict[str, object]:
    """Answers about maps whose law is written out: ε by place, and along roads."""
    head = "origin = [35.65, 139.7]\nrows = 4\ncolumns = 5\ncell_height = 200\ncell_width = 180"
    shares = [[1 + (3 * i + 2 * j) % 7 for j in range(5)] for i in range(4)]
    land = '["#####", "####.", "###..", "#####"]'
    lines = [[[35.6510, 139.7010], [35.6510, 139.7095]], [[35.6515, 139.7050], [35.6570, 139.7055]]]
    questions = [
        drawn_out(f"{head}\nelastic = {shares}"),
        drawn_out(f"{head}\nelastic = {shares}\nland = {land}"),
        drawn_out(f"{head}\nroads = {lines}"),
    ]
    answers = []
    for q, question in enumerate(questions):
        cells = np.flatnonzero(question.on_land)
        wires = b""
        for i in range(2000):
            value = question.encode(int(cells[i % cells.size]))
            wires += question.randomise(value, HashStream(f"sudare-tabled-{q}-{i}"))
        answers.append({"cells": cells.tolist(), "wires": wires.hex()})
    return {
        "questions": [question.definition() for question in questions],
        "spent": [float(f"{question.mechanism.epsilon:.8g}") for question in questions],
        "answers": answers,
    }


def drawn_out(fields: str) -> Place:
    text = (
        '[collection]\nname = "vector"\n[[question]]\nid = "q"\ntype = "place"\ntext = "?"\n'
        f'epsilon_per_metre = "0.008"\n{fields}\n'
    )
    (question,) = Collection.from_toml(text).questions
    assert isinstance(question, Place)
    return question


def wires() -> dict[str, object]:
    grr, wide, oue = GRR(5, 1).program, GRR(257, 1).program, OUE(11, 1).program
    both, sets = Product(parts=(grr, oue)), subset(32, 11, 3)
    pick = Pick(parts=(grr, oue))
    levels = Levels(parts=(grr, oue))
    rounded, kv = Round(steps=4, cells=2, part=grr), PrivKV(3, 1).program
    cases: list[tuple[Program, str, bool]] = [
        (grr, "00", True), (grr, "04", True), (grr, "05", False), (grr, "ff", False),
        (grr, "", False), (grr, "0000", False),
        (wide, "0001", True), (wide, "0101", False), (wide, "00", False),
        (oue, "ff07", True), (oue, "0000", True), (oue, "ff08", False), (oue, "ff", False),
        (oue, "ff0700", False),
        (sets, "ff07", True), (sets, "0000", True), (sets, "ff08", False), (sets, "ff", False),
        (table(32, 3, 5), "04", True), (table(32, 3, 5), "05", False),
        (both, "04ff07", True), (both, "05ff07", False), (both, "04ff0f", False),
        (both, "04ff", False),
        (pick, "000400", True), (pick, "01ff07", True), (pick, "02ff07", False),
        (pick, "000500", False), (pick, "000401", False), (pick, "01ff08", False),
        (pick, "0004", False), (pick, "", False), (pick, "00040000", False),
        (levels, "000400", True), (levels, "01ff07", True), (levels, "02ff07", False),
        (levels, "000500", False), (levels, "000401", False), (levels, "01ff08", False),
        (levels, "0004", False), (levels, "", False), (levels, "00040000", False),
        (rounded, "04", True), (rounded, "05", False), (rounded, "", False),
        (kv, "0000", True), (kv, "0202", True), (kv, "0203", False), (kv, "0302", False),
        (kv, "02", False), (kv, "020200", False),
    ]  # fmt: skip
    return {"cases": [{"program": p.to_json(), "wire": w, "valid": v} for p, w, v in cases]}


REPEATED = (
    LGRR(2, 0.5), LGRR(4, 1, 2), LGRR(300, 2, 3),
    LSUE(2, 1), LSUE(5, 1, 2), LSUE(43, 0.5),
    LOSUE(3, 2), LOSUE(8, 1, 4), LOSUE(17, 1),
    LOLOHA(2, 0.5, g=2), LOLOHA(100, 1, 2), LOLOHA(65_536, 4, 6),
)  # fmt: skip
SHOWN, DEVICES = 8, 700
"""How many devices of each are written out, and how many there are: over 2,000 a mechanism."""


def repeated() -> dict[str, object]:
    """Devices over some rounds: what each sends and remembers; of most a digest alone."""
    mechanisms = []
    m: Repeated
    for number, m in enumerate(REPEATED):
        digest, shown = hashlib.sha256(), []
        for i in range(DEVICES):
            seed = f"sudare-repeated-{number}-{i}"
            answers = [(7 * i + j * j * (i % 3)) % m.k for j in range(1 + i % 4)]
            entropy, wires = HashStream(seed), []
            memory = m.remember(entropy=entropy)
            for answer in answers:
                report, memory = m.report(answer, memory, entropy=entropy)
                wires.append(wire_of(m, report))
            kept = memory.to_json()
            del kept["mechanism"]
            line = {"answers": answers, "wires": wires, "memory": kept}
            digest.update(canonical_json(line).encode())
            shown += [{"seed": seed, **line}] if i < SHOWN else []
        steps = {"permanent": m.permanent.to_json(), "instant": m.instant.to_json()}
        functions = {"functions": {"k": m.k, "g": m.g}} if isinstance(m, LOLOHA) else {}
        program = {"kind": "repeat", **functions, **steps}
        found = {"program": program, "k": m.k, "shown": shown, "digest": digest.hexdigest()}
        mechanisms.append(found)
    return {"format": "sudare-repeated/1", "devices": DEVICES, "mechanisms": mechanisms}


WEEKS = (
    ("LGRR", "steady", 3, "4.0"),
    ("LOSUE", "steady", 3, "20.0"),
    ("LOLOHA", "steady", 3, "8.0"),
    ("LGRR", "any", 4, "4.0"),
    ("OUE", "steady", 3, "4.0"),
)
MIXED = """
[collection]
name = "weeks"
epsilon = 4.0
accept_high_epsilon = true
epsilon_cap = 20.0
closes = 2026-05-01T00:00:00Z
repeats = [STARTS]
[[question]]
id = "word"
type = "text"
text = "?"
known = ["c0", "c1"]
mechanism = "LGRR"
[[question]]
id = "many"
type = "choices"
text = "?"
choices = ["c0", "c1", "c2"]
[[question]]
id = "number"
type = "number"
text = "?"
low = 0
high = 10
[[question]]
id = "bins"
type = "number"
text = "?"
low = 0
high = 10
wanted = "distribution"
[[question]]
id = "rated"
type = "ratings"
text = "?"
items = ["c0", "c1", "c2"]
[[question]]
id = "both"
type = "crosstab"
text = "?"
attributes = [
  { id = "a", text = "?", choices = ["c0", "c1"] },
  { id = "b", text = "?", choices = ["c0", "c1", "c2"] },
]
[[question]]
id = "free"
type = "text"
text = "?"
longest = 3
alphabet = "abc"
epsilon = 1.0
"""
"""Every type of question in rounds: where nothing is remembered each round has a part of its ε."""
STARTS = tuple(f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3, 4))


def weekly(mechanism: str, covers: str, k: int, cap: str, *, wide: bool) -> Collection:
    """Make a survey of four rounds."""
    names, starts = ", ".join(f'"c{i}"' for i in range(k)), ", ".join(STARTS)
    return Collection.from_toml(
        f'[collection]\nname = "weeks"\nepsilon = 4.0\nepsilon_cap = {cap}\n'
        f"accept_high_epsilon = true\ncloses = 2026-05-01T00:00:00Z\n"
        f'repeats = {{ every = [{starts}], covers = "{covers}" }}\n[[question]]\nid = "q"\n'
        f'type = "choice"\ntext = "?"\nmechanism = "{mechanism}"\nchoices = [{names}]\n'
        "prefer_not_to_say = false\n",
        wide=wide,
    )


def mixed_answers(i: int, j: int) -> dict[str, object]:
    """Return the answers of a device in a round of MIXED."""
    now = i + j * j * (i % 3)
    return {
        "word": ("c0", "c1", "other", "prefer-not-to-say")[now % 4],
        "many": [f"c{one}" for one in range(3) if now >> one & 1],
        "number": now % 11,
        "bins": now * 3 % 11,
        "rated": {f"c{one}": (now + one) % 6 or None for one in range(3)},
        "both": {"a": f"c{now % 2}", "b": f"c{now % 3}"},
        "free": ("a", "bca", "cc")[now % 3],
    }


def weeks(wide: bool = False) -> dict[str, object]:
    """Devices over the rounds of whole surveys: what they send, and what they have spent.

    Args:
        wide: the surveys are as versions before 0.3 have published them.
    """
    mixed = Collection.from_toml(MIXED.replace("STARTS", ", ".join(STARTS)), wide=wide)
    surveys = [*(weekly(*one, wide=wide) for one in WEEKS), mixed]
    devices = []
    for number, collection in enumerate(surveys):
        k = WEEKS[number][2] if number < len(WEEKS) else 0
        for i in range(12):
            memo, steps = MemoryMemo(), []
            for j, start in enumerate(STARTS):
                seed = f"sudare-weeks-{number}-{i}-{j}"
                told = {"q": f"c{(i + j * j * (i % 3)) % k}"} if k else mixed_answers(i, j)
                client = Client(
                    collection,
                    memo,
                    cap=20,
                    entropy=HashStream(seed),
                    clock=lambda start=start: datetime.fromisoformat(start),
                )
                try:
                    payload = client.answer(told).payload.hex()
                except BudgetExceeded:
                    payload = None
                spent = decimal_text(client.spent)
                steps.append({"seed": seed, "answers": told, "payload": payload, "spent": spent})
            devices.append({"survey": number, "steps": steps})
    compiled = [one.compiled() for one in surveys]
    return {"format": "sudare-weeks/1", "starts": STARTS, "surveys": compiled, "devices": devices}


def wire_of(m: Repeated, report: Any) -> str:
    wire: bytes = m.program.encode_one(report)
    return wire.hex()


TIMES = (
    {"opens": "2026-11-30T15:00:00Z"},
    {"opens": "2026-11-30T15:00:00Z", "closes": "2027-01-30T15:00:00Z"},
)
"""What a definition had in it before 0.2."""


def fingerprints() -> dict[str, object]:
    definitions: list[object] = [
        {"b": 1, "a": ["é", "茶", "\u2028", '"\\\n\t\u0001\u007f'], "c": {"z": None, "y": True}},
        {},
    ]
    for k in (3, 60):
        names = ", ".join(f'"c{i}"' for i in range(k))
        text = (
            '[collection]\nname = "vector"\nepsilon = 1.5\nopens = 2026-12-01T00:00:00+09:00\n'
            f'[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = [{names}]\n'
        )
        definitions.append(Collection.from_toml(text).definition())
    timed = [{**definitions[-1], **one} for one in TIMES]
    definitions += timed
    return {
        "cases": [
            {"definition": d, "canonical": canonical_json(d), "fingerprint": fingerprint(d)}
            for d in definitions
        ]
    }


DEVICE = {
    "first": ("tea", 2, 2, 100, [("brand", "GRR")]),
    "same": ("tea", 2, 10, 101, [("brand", "GRR")]),
    "other": ("tea", 2, 10, 100, [("brand", "OUE")]),
    "renamed": ("tea", 1, 10, 100, [("liked", "GRR")]),
    "small": ("tea", "0.5", "0.5", 100, [("kind", "GRR")]),
    "coffee": ("coffee", 2, 2, 100, [("brand", "GRR")]),
    "high": ("tea", 6, 9, 100, [("brand", "GRR")]),
    "two": ("tea", 2, 10, 100, [("brand", "GRR"), ("cups", "GRR")]),
    "where": ("tea", 0, 0, 100, [("here", "0.01"), ("there", "0.01")]),
    "elsewhere": ("tea", 0, 0, 100, [("nowhere", "0.015")]),
    "fine": ("tea", 0, 0, 100, [("here", "0.05")]),
}
"""Versions of surveys: name, ε, cap, respondents, questions with a mechanism or an ε per metre."""

STEPS = [  # version, answers, agreed; verdict, charged, spent of ε and of ε per metre
    [
        ("first", "a", False, "sent", 1, "2.0", "0.0"),
        ("first", "b", True, "refused", 0, "2.0", "0.0"),
        ("same", "a", False, "sent", 0, "2.0", "0.0"),
        ("same", "b", False, "asked", 0, "2.0", "0.0"),
        ("coffee", "b", False, "sent", 1, "2.0", "0.0"),
        ("renamed", "a", False, "asked", 0, "2.0", "0.0"),
        ("renamed", "a", True, "sent", 1, "3.0", "0.0"),
        ("other", "a", True, "refused", 0, "3.0", "0.0"),
        ("renamed", "b", False, "asked", 0, "3.0", "0.0"),
        ("renamed", "b", True, "sent", 1, "4.0", "0.0"),
        ("small", "a", True, "refused", 0, "4.0", "0.0"),
        ("first", "a", False, "sent", 0, "4.0", "0.0"),
        ("same", "a", False, "sent", 0, "4.0", "0.0"),
    ],
    [
        ("high", "a", False, "sent", 1, "6.0", "0.0"),
        ("high", "b", True, "refused", 0, "6.0", "0.0"),
        ("small", "a", True, "refused", 0, "6.0", "0.0"),
        ("high", "a", False, "sent", 0, "6.0", "0.0"),
    ],
    [
        ("two", "ab", False, "sent", 2, "2.0", "0.0"),
        ("two", "aa", False, "sent", 1, "3.0", "0.0"),
        ("two", "bb", False, "sent", 1, "4.0", "0.0"),
        ("two", "ba", False, "sent", 0, "4.0", "0.0"),
        ("renamed", "a", True, "refused", 0, "4.0", "0.0"),
    ],
    [
        ("where", "ab", False, "sent", 2, "0.0", "0.02"),
        ("where", "aa", False, "refused", 0, "0.0", "0.02"),
        ("elsewhere", "a", False, "asked", 0, "0.0", "0.02"),
        ("elsewhere", "a", True, "sent", 1, "0.0", "0.035"),
        ("elsewhere", "b", True, "refused", 0, "0.0", "0.035"),
        ("first", "a", False, "asked", 0, "0.0", "0.035"),
        ("first", "a", True, "sent", 1, "2.0", "0.035"),
    ],
    [
        ("where", "ab", False, "sent", 2, "0.0", "0.02"),
        ("high", "a", True, "refused", 0, "0.0", "0.02"),
    ],
    [
        ("first", "a", False, "sent", 1, "2.0", "0.0"),
        ("fine", "a", True, "refused", 0, "2.0", "0.0"),
    ],
]


def version(name: str, whole: object, cap: object, n: int, asked: list[tuple[str, str]]) -> object:
    """Return a compiled document."""
    head = f'[collection]\nname = "{name}"\nexpected_respondents = {n}\n'
    if whole:
        head += f"epsilon = {whole}\nepsilon_cap = {cap}\n"
    for question, how in asked:
        head += f'[[question]]\nid = "{question}"\ntext = "?"\n'
        if whole:
            head += f'type = "choice"\nchoices = ["a", "b"]\nmechanism = "{how}"\n'
        else:
            head += (
                'type = "place"\norigin = [35.0, 135.0]\nrows = 1\ncolumns = 2\ncell_height = 50\n'
                f'cell_width = 50\nepsilon_per_metre = "{how}"\n'
            )
    return Collection.from_toml(head).compiled()


SKIPS = """
[collection]
name = "skips"
epsilon = 6.0
[[question]]
id = "smokes"
type = "choice"
text = "?"
choices = ["yes", "no"]
mechanism = "GRR"
[[question]]
id = "brand"
type = "choice"
text = "?"
choices = ["a", "b", "c"]
mechanism = "SubsetSelection"
ask_if = { question = "smokes", is = ["yes"] }
[[question]]
id = "why"
type = "choices"
text = "?"
choices = ["x", "y", "z"]
ask_if = { question = "smokes", is = ["no", "prefer-not-to-say"] }
[[question]]
id = "cups"
type = "choice"
text = "?"
choices = ["one", "two", "three", "four", "five", "six"]
prefer_not_to_say = false
mechanism = "OUE"
ask_if = { question = "smokes", is = ["no"] }
"""


def skips() -> dict[str, object]:
    """Whole submissions of which some questions are not asked: answers at random in their place."""
    collection = Collection.from_toml(SKIPS)
    all_of_them: list[dict[str, object]] = [
        {"smokes": "yes", "brand": "b"},
        {"smokes": "no", "why": ["x", "z"], "cups": "six"},
        {"smokes": "prefer-not-to-say", "why": []},
    ]
    cases = []
    for i in range(120):
        answers, seed = all_of_them[i % 3], f"sudare-skip-{i}"
        payload = Client(collection, entropy=HashStream(seed)).answer(answers).payload
        cases.append({"answers": answers, "seed": seed, "payload": payload.hex()})
    return {"compiled": collection.compiled(), "cases": cases}


UNASKED = """
[collection]
name = "unasked"
epsilon = 9.0
[[question]]
id = "smokes"
type = "choice"
text = "?"
choices = ["yes", "no"]
mechanism = "GRR"
[[question]]
id = "brand"
type = "choice"
text = "?"
choices = ["a", "b", "c"]
mechanism = "GRR"
ask_if = { question = "smokes", is = ["yes"] }
[[question]]
id = "age"
type = "number"
text = "?"
low = 0
high = 30
ask_if = { question = "smokes", is = ["yes"] }
[[question]]
id = "daily"
type = "number"
text = "?"
low = 0
high = 60
wanted = "distribution"
bins = 16
ask_if = { question = "brand", is = ["a", "c"] }
[[question]]
id = "spent"
type = "number"
text = "?"
edges = [0, 1, 5, 20, 100]
wanted = "distribution"
ask_if = { question = "brand", is = ["b"] }
[[question]]
id = "wave"
type = "number"
text = "?"
low = -5
high = 5
wanted = "distribution"
mechanism = "SquareWave"
bins = 8
ask_if = { question = "smokes", is = ["no"] }
[[question]]
id = "shelf"
type = "ratings"
text = "?"
items = ["x", "y", "z"]
scale = 4
ask_if = { question = "smokes", is = ["no"] }
[[question]]
id = "home"
type = "place"
text = "?"
origin = [35.65, 139.7]
cell_height = 250
cell_width = 250
rows = 3
columns = 3
land = ["##.", ".##", "###"]
epsilon_per_metre = "0.01"
ask_if = { question = "brand", is = ["a"] }
"""
"""Types that can be asked of some people alone; crosstabs follow, one a way."""

CROSSED = """
[[question]]
id = "{id}"
type = "crosstab"
text = "?"
{fields}
ask_if = {{ question = "smokes", is = ["yes"] }}
"""

CROSSED_ATTRIBUTE = """[[question.attributes]]
id = "{id}"
text = "?"
choices = ["1", "2"]
"""


def unasked() -> dict[str, object]:
    """Answers that are drawn, type by type, and whole submissions with a chain of conditions."""
    ways = {"apart": "", "cells": 'wanted = "cells"', "pairs": 'wanted = "pairs"'}
    parts = "".join(CROSSED_ATTRIBUTE.format(id=one) for one in "uvw")
    text = UNASKED + "".join(CROSSED.format(id=k, fields=v) + parts for k, v in ways.items())
    collection = Collection.from_toml(text)
    rows = {"u": "1", "v": "2", "w": "prefer-not-to-say"}
    told: dict[str, object] = {
        "age": 17.5,
        "daily": 20,
        "spent": 5,
        "wave": -0.5,
        "shelf": {"x": 4, "y": None, "z": 1},
        "home": 4,
        **dict.fromkeys(ways, rows),
    }
    draws, cases = [], []
    for place, question in enumerate(collection.questions):
        if question.ask_if is None:
            continue
        for i in range(12):
            seed = f"sudare-unasked-{place}-{i}"
            draws.append(
                {"question": place, "seed": seed, "value": question.unasked(HashStream(seed))}
            )
    for i in range(60):
        smokes, brand = ("yes", "no")[i % 2], ("a", "b", "c", "prefer-not-to-say")[i // 2 % 4]
        given = {"smokes": smokes, "brand": brand, **told}
        answers = {question.id: given[question.id] for question in collection.asked(given)}
        seed = f"sudare-unasked-whole-{i}"
        payload = Client(collection, entropy=HashStream(seed)).answer(answers).payload
        cases.append({"answers": answers, "seed": seed, "payload": payload.hex()})
    return {"compiled": collection.compiled(), "draws": draws, "cases": cases}


LEVELS = """
[collection]
name = "levels"
epsilon = 9
accept_high_epsilon = true
[[question]]
id = "tea"
type = "choice"
text = "?"
choices = ["a", "b", "c"]
levels = [0.5, 1, 2]
[[question]]
id = "bits"
type = "choice"
text = "?"
mechanism = "OUE"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
levels = [0.1, 3]
[[question]]
id = "people"
type = "crosstab"
text = "?"
levels = [1, 4]
[[question.attributes]]
id = "u"
text = "?"
choices = ["1", "2"]
[[question.attributes]]
id = "v"
text = "?"
choices = ["1", "2", "3"]
prefer_not_to_say = false
"""
"""Every kind of question that offers levels of ε."""

LEVELS_OF_PLACES = """
[collection]
name = "levels"
[[question]]
id = "where"
type = "place"
text = "?"
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 2
columns = 3
land = ["###", "##."]
levels = ["0.002", "0.01", "0.03"]
[[question]]
id = "roads"
type = "place"
text = "?"
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 3
columns = 4
roads = [[[35.651, 139.701], [35.651, 139.7075]], [[35.6512, 139.705], [35.655, 139.705]]]
levels = ["0.001", "0.01"]
epsilon_per_metre_cap = "0.03"
"""
"""Maps that offer levels of ε per metre."""


def levels_of_places() -> dict[str, object]:
    """Whole submissions of places at every level, and what they cost."""
    collection = Collection.from_toml(LEVELS_OF_PLACES)
    cases = []
    for i in range(60):
        answers = {
            "where": {"level": i % 3, "answer": i // 3 % 5},
            "roads": {"level": i // 2 % 2, "answer": (2, 6, 8, 9, 10, 11)[i % 6]},
        }
        seed = f"sudare-levels-of-places-{i}"
        client = Client(collection, entropy=HashStream(seed))
        payload = client.answer(answers).payload
        spent = [str(float(one)) for one in client.spent_per_metre.values()]
        cases.append({"answers": answers, "seed": seed, "payload": payload.hex(), "spent": spent})
    return {"compiled": collection.compiled(), "cases": cases, "many": many(collection, cases)}


def levels() -> dict[str, object]:
    """Whole submissions at every level, and what they cost."""
    collection = Collection.from_toml(LEVELS)
    tea, bits, people = collection.questions
    cases = []
    for i in range(120):
        cells = {"u": ("1", "2", "prefer-not-to-say")[i % 3], "v": ("1", "2", "3")[i // 3 % 3]}
        answers = {
            "tea": {"level": i % 3, "answer": tea.choices[i // 3 % 4]},
            "bits": {"level": i // 2 % 2, "answer": bits.choices[i % 10]},
            "people": {"level": i // 4 % len(people.levels), "answer": cells},
        }
        seed = f"sudare-levels-{i}"
        client = Client(collection, entropy=HashStream(seed))
        payload = client.answer(answers).payload
        spent = str(float(client.spent))
        cases.append({"answers": answers, "seed": seed, "payload": payload.hex(), "spent": spent})
    return {"compiled": collection.compiled(), "cases": cases, "many": many(collection, cases)}


def many(collection: Collection, cases: list[dict[str, Any]], number: int = 2_000) -> Any:
    """What devices send that give the cases' answers in turn, by its SHA-256."""
    digest = hashlib.sha256()
    for i in range(number):
        client = Client(collection, entropy=HashStream(f"sudare-many-{i}"))
        digest.update(client.answer(cases[i % len(cases)]["answers"]).payload)
    return {"cases": number, "seed": "sudare-many-", "sha256": digest.hexdigest()}


def devices() -> dict[str, object]:
    """What one device sends, is asked about and refuses, version by version."""
    fields = ("version", "answers", "again", "verdict", "charged", "epsilon", "epsilon_per_metre")
    return {
        "versions": {key: version(*one) for key, one in DEVICE.items()},
        "devices": [[dict(zip(fields, step, strict=True)) for step in steps] for steps in STEPS],
    }


def totals() -> dict[str, object]:
    """ε of any two sequences of answers, exact over a few rounds and bounded over many."""
    mechanisms = [
        *(cls(k, *rates) for cls in (LGRR, LOSUE, LSUE) for k in (2, 3, 7)
          for rates in ((1, 2), (Fraction(1, 10), 20), (Fraction("1.9"), 2))),
        LOLOHA(50, 1, 2, 3), LOLOHA(2, 1, 2, 5), LOLOHA(3, 0.5, 1.5, 7),
    ]  # fmt: skip
    rounds = (2, 3, 5, 6, 7, 53)
    return {
        "rounds": rounds,
        "totals": [
            {"program": m.sent, "epsilon": [m.total_epsilon(many) for many in rounds]}
            for m in mechanisms
        ],
    }


FILES = {
    "samplers.json": samplers,
    "words.json": words,
    "ratings.json": ratings,
    "crosstabs.json": crosstabs,
    "numbers.json": numbers,
    "places.json": places,
    "places-tabled.json": tabled,
    "wire.json": wires,
    "fingerprints.json": fingerprints,
    "device.json": devices,
    "levels.json": levels,
    "levels-of-places.json": levels_of_places,
    "repeated.json": repeated,
    "weeks.json": weeks,
    "weeks-wide.json": lambda: weeks(wide=True),
    "totals.json": totals,
    "skips.json": skips,
    "unasked.json": unasked,
}


def main(*names: str) -> None:
    for name, make in FILES.items():
        if names and name not in names:
            continue
        text = json.dumps(make(), ensure_ascii=False, separators=(",", ":"))
        for start in ('{"program"', '{"question"'):
            text = text.replace(start, "\n" + start)
        (HERE / name).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
