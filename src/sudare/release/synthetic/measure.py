"""``Synthetic``: the question for made-up rows, from all tables of two columns to what is drawn.

Proof that it keeps its price: ``docs/proofs/synthetic.md``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy
from sudare.exact.selection import exponential
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Query
from sudare.release.released import PreparedQuery
from sudare.release.synthetic.cells import Cells
from sudare.release.synthetic.grouping import groups_of, members
from sudare.release.synthetic.making import Making, MeasuredTables
from sudare.release.synthetic.plan import Plan
from sudare.release.synthetic.synthesis import Synthesis

MOST_COLUMNS = 60
MOST_CELLS = 300_000
"""Cells of all measured pairs together: their counts fit in a ledger's record at any price."""

MOST_ROWS = 10_000_000

_MOST = 1 << 31

Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Synthetic(Query):
    """Made-up rows whose tables lie near the data's: a forest of pairs of columns is measured.

    Each column's table is counted with noise; pairs are chosen, one by one, by the exponential
    mechanism, those first that lie farthest from independence; they are counted with noise; rows
    follow the law that comes nearest to all of it.

    Attributes:
        columns: from a column to its categories or edges, None for those that are public; or a
            list of columns; None for all that have public categories or bounds.
        public: public categories of columns.
        rows: how many to make up; None for as many as there are, or with noise seem to be, up to a
            million.

    Source: McKenna, Miklau, Sheldon 2021 (MST); McKenna, Sheldon, Miklau 2019 (Private-PGM).
    """

    kind = "synthetic"
    bound_in = "rows"
    columns: Mapping[str, Any] | Sequence[str] | None = None
    public: Mapping[str, Sequence[Any]] | None = None
    rows: int | None = None

    def cells(self, held: PrivateData) -> list[Cells]:
        """Return how each column is cut; no value is looked at.

        Raises:
            WrongTypeError, DomainError: no such columns, or tables of too many cells.
        """
        public = self.public or {}
        if self.columns is None:
            some = [name for name in held.columns if name in public or name in held.bounded]
            given = dict.fromkeys(name for name in some if name != held.protection.unit)
        elif isinstance(self.columns, Mapping):
            given = dict(self.columns)
        elif isinstance(self.columns, list | tuple):
            given = dict.fromkeys(map(held.named, self.columns))
        else:
            rule = "must be a mapping from columns to categories or edges, or a list of columns"
            raise WrongTypeError("columns", rule, 'such as {"sex": ["f", "m"], "age": [0, 18, 65]}')
        if not 0 < len(given) <= MOST_COLUMNS:
            remedy = "name columns, or give bounds and categories"
            raise DomainError("columns", f"must be 1 to {MOST_COLUMNS}", remedy, got=len(given))
        if held.protection.unit in given:
            raise DomainError("columns", "must not have the column of persons", "leave it out")
        out = [Cells.of(held, name, given[name], public.get(name)) for name in given]
        sizes = sorted(one.size for one in out)
        if sizes[-1] * sum(sizes[:-1]) > MOST_CELLS:  # any forest of pairs has fewer
            rule = f"must make tables of at most {MOST_CELLS:,} cells"
            raise DomainError("columns", rule, "join categories, or give wider bins")
        return out

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the widest noise of a count, that of a pair where all steps choose one."""
        plan = Plan.of(len(self.cells(held)), cost, held.protection)
        every = map(plan.noise, (plan.single, plan.of_pair(plan.steps)))
        return max(every, key=lambda one: one.scale), Fraction(1)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[Synthesis]:
        """Return the question; the tables are drawn, and rows made of them afterwards."""
        size = self.rows
        if size is not None:
            size = as_integer(size, "rows", low=1, high=MOST_ROWS)
        cells = self.cells(held)
        plan = Plan.of(len(cells), cost, held.protection)
        for price in {plan.single, plan.of_pair(plan.steps)}:
            plan.noise(price)  # refuses what is too small or large, before it is paid
        tables = Tables.of(held, cells)
        n = held.rows if held.size_is_public else None
        making = Making(plan, tuple(cells), n, size, held.sampling_stderr)
        query = {"query": self.kind, "form": 1, "columns": [one.told for one in cells]}
        return held.prepared(
            query, cost, lambda: tables.drawn(plan, n, held.entropy).told, making.released
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Exact tables of held data: of each column, and of each two.

    Attributes:
        singles, pairs: the tables.
        others: whether the last cell of a column is that of rows which are in no other.
    """

    singles: list[Integers]
    pairs: dict[Pair, Integers]
    others: tuple[bool, ...]

    @classmethod
    def of(cls, held: PrivateData, cells: Sequence[Cells]) -> Tables:
        """Return them, in one pass over the rows."""
        sizes = [one.size for one in cells]
        pairs = list(itertools.combinations(range(len(cells)), 2))
        shapes = [(sizes[a], sizes[b]) for a, b in pairs]

        def counted(part: PrivateData) -> Integers:
            places = [one.places(part) for one in cells]
            singles = [np.bincount(own, minlength=k) for own, k in zip(places, sizes, strict=True)]
            both = [
                np.bincount(places[a] * sizes[b] + places[b], minlength=sizes[a] * sizes[b])
                for a, b in pairs
            ]
            return np.concatenate([*singles, *both])

        found = held.total(counted, *(one.column for one in cells))
        ends = np.cumsum([*sizes, *(math.prod(one) for one in shapes)])
        tables = np.split(found, ends[:-1])
        shaped = map(np.reshape, tables[len(cells) :], shapes)
        others = tuple(one.others for one in cells)
        return cls(tables[: len(cells)], dict(zip(pairs, shaped, strict=True)), others)

    def drawn(self, plan: Plan, n: int | None, rng: Entropy) -> MeasuredTables:
        """Measure: all that is ever told of the data."""
        noise = plan.noise(plan.single)
        singles = [noise.added(one.tolist(), rng) for one in self.singles]
        both = zip(singles, self.others, strict=True)
        groups = [groups_of(one, noise.stderr, others=last) for one, last in both]
        of = [members(one) for one in groups]
        total = min(_total(singles) if n is None else n, _MOST)
        guessed = [_whole(one, own, total) for one, own in zip(singles, of, strict=True)]
        grouped = {(a, b): of[a].T @ table @ of[b] for (a, b), table in self.pairs.items()}
        chosen = _chosen(plan, grouped, guessed, total, rng)
        noise = plan.noise(plan.of_pair(len(chosen)))
        pairs = [noise.added(grouped[one].ravel().tolist(), rng) for one in chosen]
        return MeasuredTables(singles, groups, list(map(list, chosen)), pairs, rng.take(16).hex())


def _chosen(
    plan: Plan,
    tables: Mapping[Pair, Integers],
    guessed: Sequence[Integers],
    total: int,
    rng: Entropy,
) -> list[Pair]:
    """Return the pairs of a forest: in each step a pair that joins two trees, or none.

    A pair's score is how many of its rows lie above the table of independent columns,
    ``Σ max(x - a b / n, 0)``, less what noise will misplace. None has 0.
    """
    if plan.rate is None:
        return []
    noise = plan.noise(plan.of_pair(plan.steps))
    scores = {}
    for (a, b), table in tables.items():
        alone = guessed[a][:, None] * guessed[b] // max(total, 1)
        lost = min(noise.stderr * table.size / 4, _MOST)
        scores[a, b] = int(np.maximum(table - alone, 0).sum()) - math.floor(lost)
    tree, out = list(range(len(guessed))), []
    for _ in range(plan.steps):
        joining = [(a, b) for a, b in scores if tree[a] != tree[b]]
        losses = -np.array([*(scores[pair] for pair in joining), 0], dtype=np.int64)
        place = exponential(losses - losses.min(), plan.rate, rng)
        if place < len(joining):
            a, b = joining[place]
            out.append((a, b))
            tree = [tree[a] if one == tree[b] else one for one in tree]
    return out


def _total(singles: Sequence[Sequence[int]]) -> int:
    """Return the number of rows that tables with noise tell together."""
    return max(sum(map(sum, singles)) // len(singles), 0)


def _whole(drawn: Sequence[int], of: Integers, total: int) -> Integers:
    """Return a column's groups as whole numbers from 0 to n, with nearly that sum."""
    own = [max(int(one), 0) for one in np.array(drawn, dtype=object) @ of]
    whole = max(sum(own), 1)
    return np.array([one * total // whole for one in own], dtype=np.int64)
