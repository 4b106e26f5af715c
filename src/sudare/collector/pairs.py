"""Tables of two attributes, apart from the results that they are part of.

Twenty attributes have 190 tables, a megabyte of JSON, of which a page shows one at a time.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sudare.errors import DomainError
from sudare.refusal import Refusal

WHOLE = 1 << 15
"""Bytes up to which results are told whole."""

_KEPT = 16
_TABLES = ("cells", "pairs")
_OTHERS = (*_TABLES, "attributes", "joint", "warnings", "repeats")


@dataclass(frozen=True, slots=True)
class Parts:
    """A body of results in parts, each of them results too.

    Attributes:
        first: without the tables of crosstabs that have several.
        pairs: by ``"habits:age,bath"`` those of two attributes of a crosstab, and nothing else.
    """

    first: bytes
    pairs: Mapping[str, bytes]

    @classmethod
    def of(cls, body: bytes) -> Parts:
        """Take a body of results apart."""
        told = msgspec.json.decode(body)
        questions, pairs = [], {}
        for question in told["questions"]:
            first, tables = _apart(question)
            questions.append(first)
            for attributes, table in tables.items():
                own = msgspec.json.encode({**told, "questions": [table]})
                pairs[f"{question['id']}:{attributes}"] = own
        return cls(msgspec.json.encode({**told, "questions": questions}), pairs)


class Pairs:
    """The parts of the last few bodies of results."""

    def __init__(self) -> None:
        self._made: OrderedDict[bytes, asyncio.Task[Parts]] = OrderedDict()

    async def part(self, body: bytes, wanted: str) -> bytes:
        """Return results with ``"all"`` tables; large ones ``"apart"`` from them; or a table.

        Raises:
            Refusal: 400 where there is no such table.
        """
        if wanted == "all" or (wanted == "apart" and len(body) <= WHOLE):
            return body
        parts = await self._parts(body)
        found = parts.first if wanted == "apart" else parts.pairs.get(wanted)
        if found is None:
            raise Refusal(
                400,
                DomainError(
                    "pairs",
                    "must be all, apart, or two attributes of a crosstab in its order",
                    "leave it out for all, or write it as habits:age,bath",
                ),
            )
        return found

    async def _parts(self, body: bytes) -> Parts:
        task = self._made.get(body)
        if task is None:
            task = self._made[body] = asyncio.create_task(asyncio.to_thread(Parts.of, body))
            if len(self._made) > _KEPT:
                self._made.popitem(last=False)
        self._made.move_to_end(body)
        return await asyncio.shield(task)


def _apart(told: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return what is told of a question without its tables, and those by their attributes."""
    pairs, alarms = told.get("pairs", ()), told["alarms"]
    if len(pairs) < 2:
        return told, {}
    levels = [_apart(one) for one in told.get("levels", ())]
    alone = sum(len(one["cells"]) for one in told["attributes"])
    bands = [_cut(one, -alone, None) for one in alarms["bands"]]
    first = {key: told[key] for key in told if key not in _TABLES}
    first |= {"alarms": {**alarms, "bands": bands, "recovered": None}}
    first |= {"levels": [one for one, _ in levels]} if levels else {}
    head = {key: told[key] for key in told if key not in _OTHERS}
    tables, start = {}, -alone - sum(len(one["cells"]) for one in pairs)
    for pair in pairs:
        end, attributes = start + len(pair["cells"]), ",".join(pair["attributes"])
        bands = [_cut(one, start, end) for one in alarms["bands"]]
        table = {**head, "pairs": [pair], "alarms": {**alarms, "bands": bands, "recovered": None}}
        table |= {"levels": [each[attributes] for _, each in levels]} if levels else {}
        tables[attributes] = table
        start = end
    return first, tables


def _cut(band: dict[str, Any], start: int, end: int | None) -> dict[str, Any]:
    """Return a band of some of the cells: those of pairs and of single attributes are last."""
    return {**band, "low": band["low"][start:end], "high": band["high"][start:end]}
