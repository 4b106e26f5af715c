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
_LEFT_OUT = ("cells", "pairs")
_ABOUT = ("name", "fingerprint", "n", "target", "confidence")

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Parts:
    """A body of results in parts.

    Attributes:
        first: the results without the tables of crosstabs that have several.
        pairs: of each such crosstab, by its id and the ids of two attributes with a comma, the
            table of these with its bands, and those of each level that is offered.
    """

    first: bytes
    pairs: Mapping[Key, bytes]

    @classmethod
    def of(cls, body: bytes) -> Parts:
        """Take a body of results apart."""
        told = msgspec.json.decode(body)
        about, questions, pairs = {name: told[name] for name in _ABOUT}, [], {}
        for question in told["questions"]:
            first, tables = _apart(question)
            questions.append(first)
            for attributes, table in tables.items():
                own = {**about, "question": question["id"], **table}
                pairs[question["id"], attributes] = msgspec.json.encode(own)
        whole = len(body) <= WHOLE
        first_body = body if whole else msgspec.json.encode({**told, "questions": questions})
        return cls(first_body, pairs)


class Pairs:
    """The parts of the last few bodies of results."""

    def __init__(self) -> None:
        self._made: OrderedDict[bytes, asyncio.Task[Parts]] = OrderedDict()

    async def first(self, body: bytes) -> bytes:
        """Return results without the tables of two, where they are large."""
        return body if len(body) <= WHOLE else (await self._parts(body)).first

    async def pair(self, body: bytes, question: str, attributes: str) -> bytes:
        """Return the table of two attributes.

        Raises:
            Refusal: 400 where there is none.
        """
        found = (await self._parts(body)).pairs.get((question, attributes))
        if found is None:
            raise Refusal(
                400,
                DomainError(
                    "attributes",
                    "must be two of a crosstab with tables of two, in its order",
                    "write them as age,bath, with question as the crosstab's id",
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
    pairs = told.get("pairs", ())
    levels = [_apart(one) for one in told.get("levels", ())]
    if len(pairs) < 2:
        return told, {",".join(one["attributes"]): {"pair": one, "bands": []} for one in pairs}
    sizes = [len(one["cells"]) for one in told["attributes"]]
    alarms, first = told["alarms"], {key: told[key] for key in told if key not in _LEFT_OUT}
    bands = [_cut(one, -sum(sizes), None) for one in alarms["bands"]]
    first["alarms"] = {**alarms, "bands": bands, "recovered": None}
    if levels:
        first["levels"] = [one for one, _ in levels]
    tables, start = {}, -sum(sizes) - sum(len(one["cells"]) for one in pairs)
    for pair in pairs:
        end, attributes = start + len(pair["cells"]), ",".join(pair["attributes"])
        own = [_cut(one, start, end) for one in alarms["bands"]]
        tables[attributes] = {"pair": pair, "bands": own}
        if levels:
            tables[attributes]["levels"] = [each.get(attributes) for _, each in levels]
        start = end
    return first, tables


def _cut(band: dict[str, Any], start: int, end: int | None) -> dict[str, Any]:
    """Return a band of some of the cells: those of pairs and of single attributes are last."""
    return {**band, "low": band["low"][start:end], "high": band["high"][start:end]}
