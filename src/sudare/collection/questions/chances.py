"""What becomes of one answer, and what its report lets others believe: exact fractions.

The browser works out the same from the same integers (``web/js/questions/chances.js``) and says
it; ``tests/collection/test_chances.py`` holds both to each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from sudare.samplers import Bits, Choose, Keep, Program, Round, Subset, Table

MOST_BITS = 1024
"""Of a report that is one bit a choice: beyond, that it names the answer alone is not stated."""

Chances = dict[str, Fraction]


def even(ratio: Fraction) -> Fraction:
    """Return the most that a report of this ratio makes of a belief of 1/2: ``r / (r + 1)``.

    Examples:
        >>> even(Fraction(3))
        Fraction(3, 4)
    """
    return ratio / (ratio + 1)


def among(ratio: Fraction, k: int) -> Fraction:
    """Return the most that it makes of 1 in k: ``r / (r + k - 1)``."""
    return ratio / (ratio + k - 1)


def sharpest(laws: Sequence[Sequence[Fraction | int]]) -> Fraction:
    """Return the largest posterior of one of these answers, all equally likely before.

    Args:
        laws: for each answer the law of its reports, in one unit.
    """
    columns = (column for column in zip(*laws, strict=True) if any(column))
    beliefs: list[Fraction] = [Fraction(max(some)) / Fraction(sum(some)) for some in columns]
    return max(beliefs)


def sure(belief: Fraction) -> str:
    """Return a belief in per cent, rounded up, with two digits of what is missing to 100 at least.

    Above 1 - 10^-12 the first digits stand, with dots.

    Examples:
        >>> sure(Fraction(1, 2)), sure(Fraction(731059, 10**6)), sure(Fraction(999954, 10**6))
        ('50.0', '73.2', '99.9954')
    """
    places, top = 1, 1000
    if 1 - Fraction(1, 10**12) < belief < 1:
        return "99.9999999999…"
    while belief < 1 and top + math.floor(-belief * top) < 10:
        places, top = places + 1, top * 10
    up = math.ceil(belief * top)
    return f"{up // (top // 100)}.{up % (top // 100):0{places}d}"


def of_choice(program: Program, k: int) -> Chances:
    """Return the chances of one of k listed answers.

    ``even`` and ``listed`` bound what the worst report makes of 50:50 and of 1 in k; ``kept`` is
    the chance that the report says the answer, and nothing else. Of bits, ``own`` is the chance of
    a yes at the answer, ``other`` at any other one. Of a table, ``fitting`` is the chance of a
    report that the answer makes likelier than it were if all reports were alike.
    """
    out = {"even": even(program.ratio), "listed": among(program.ratio, k)}
    if isinstance(program, Keep):
        out["kept"] = program.laws([0])[0][0]
    elif isinstance(program, Bits | Subset):
        total = 1 << program.width
        own, other = Fraction(program.own, total), Fraction(program.other, total)
        out |= {"own": own, "other": other}
        if k <= MOST_BITS:
            out["kept"] = own * (1 - other) ** (k - 1)
    elif isinstance(program, Choose):
        own = Fraction(program.own, 1 << program.width)
        out |= {"own": own, "other": (program.size - own) / (k - 1)}
        out["listed"] = own / program.size  # of each one that is named
        if program.size == 1:
            out["kept"] = own
    elif isinstance(program, Table):
        laws = program.laws(range(k))
        out["listed"] = sharpest(laws)
        out["fitting"] = min(
            sum((p for p in law if p * len(law) > 1), start=Fraction(0)) for law in laws
        )
    return out


def of_drawn(programs: Sequence[Program], sizes: Sequence[int]) -> Chances:
    """Return the chances of one of several lists of answers, of which one is drawn.

    All are those of the list of which a report tells the most: ``own`` is the largest chance that a
    report names the answer, alone or among others.

    Args:
        programs: of each list.
        sizes: number of its answers.
    """
    each = [of_choice(*one) for one in dict.fromkeys(zip(programs, sizes, strict=True))]
    return {
        "even": max(one["even"] for one in each),
        "listed": max(one["listed"] for one in each),
        "own": max(one.get("own", one.get("kept", Fraction(0))) for one in each),
    }


def of_choices(program: Subset) -> Chances:
    """Return the chances of a set of ticks: ``bit`` is what one yes or no alone makes of 50:50.

    ``kept`` is that of the set that is most often sent as it is: the empty one, or a largest.
    """
    chances = of_choice(program, program.k)
    own, other = chances["own"], chances["other"]
    sizes = (0, program.most)
    kept = max(own**size * (1 - other) ** (program.k - size) for size in sizes)
    bit = max(own / (own + other), (1 - other) / (2 - own - other))
    return {"even": chances["even"], "own": own, "other": other, "kept": kept, "bit": bit}


def of_number(program: Round, laws: Sequence[Sequence[int]]) -> Chances:
    """Return the chances of a number, any of the range equally likely before.

    ``half`` and ``tenth`` are the most that a report makes of the belief that the number lies in
    one half, or one of ten equal parts, of the range; ``low`` and ``high`` the chances that the
    report of the least and of the greatest number points to their half.

    Args:
        program: rounds to the grid.
        laws: weights of the reports at each point of the grid.
    """
    columns = [list(column) for column in zip(*laws, strict=True)]
    parts = [_tenths(column, program.cells) for column in columns]
    sums = [sum(own, start=Fraction(0)) for own in parts]
    lower = [  # > 0: points to the lower half
        2 * sum(own[:5], start=Fraction(0)) - whole for own, whole in zip(parts, sums, strict=True)
    ]
    total = sum(laws[0])
    return {
        "even": even(program.ratio),
        "half": max((1 + abs(t) / whole) / 2 for t, whole in zip(lower, sums, strict=True)),
        "tenth": max(max(own) / whole for own, whole in zip(parts, sums, strict=True)),
        "low": Fraction(sum(w for w, t in zip(laws[0], lower, strict=True) if t > 0), total),
        "high": Fraction(
            sum(w for w, t in zip(laws[program.cells], lower, strict=True) if t < 0), total
        ),
    }


def _tenths(weights: Sequence[int], cells: int) -> list[Fraction]:
    """Return the integral of a report's odds over ten equal parts of the range.

    They are linear between the points of the grid, as a number is rounded to either neighbour.
    """
    ends, before = [Fraction(0)], [Fraction(0)]
    for a, b in pairwise(weights[: cells + 1]):
        before.append(before[-1] + Fraction(a + b, 2))
    for i in range(1, 11):
        cell, rest = divmod(i * cells, 10)
        t = Fraction(rest, 10)
        slope = weights[cell + 1] - weights[cell] if rest else 0
        ends.append(before[cell] + t * weights[cell] + t * t / 2 * slope)
    return [b - a for a, b in pairwise(ends)]


def of_levels(program: Program, part: Program, positions: Sequence[int]) -> Chances:
    """Return the chances of one item, whose state goes to ``part``.

    ``positions`` are those of "not had" and of each level.

    ``listed`` is the most that a report makes of these answers, equally likely before; ``none``,
    ``high`` and ``low`` the chances that "not had", the highest and the lowest level go out so.
    """
    laws = program.laws(positions)
    high, low, none = part.laws([0, 1, 2])
    return {
        "even": even(program.ratio),
        "listed": sharpest(laws),
        "none": none[2],
        "high": high[0],
        "low": low[1],
    }
