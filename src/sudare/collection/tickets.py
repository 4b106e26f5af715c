"""Tickets: what an invite fixes, the index of each question that picks one of several parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sudare.collection.definition import Collection
from sudare.errors import CollectionError
from sudare.samplers import Pick


@dataclass(frozen=True, slots=True)
class Tickets:
    """An invite and what the collector says that it fixes.

    Attributes:
        invite: the code.
        index: of the part that each picking question is about, by the question's id.
    """

    invite: str
    index: Mapping[str, int]


class Picking(NamedTuple):
    """A question whose report is about one of several parts.

    Attributes:
        question: its id.
        program: says how many parts there are.
        start: where its report starts in a submission's payload.
    """

    question: str
    program: Pick
    start: int


def picks(collection: Collection) -> tuple[Picking, ...]:
    """Return the picking questions of a collection, in their order."""
    found, start = [], 0
    for question in collection.questions:
        program = question.mechanism.program
        if isinstance(program, Pick):
            found.append(Picking(question.id, program, start))
        start += program.report_bytes
    return tuple(found)


def check_tickets(collection: Collection, tickets: object) -> Tickets:
    """Return the tickets, with one index in range for each picking question.

    Raises:
        CollectionError: they are missing, or not this collection's.
    """
    if not isinstance(tickets, Tickets):
        raise CollectionError(
            "tickets", "are needed: this collection asks those invited", "use Client.admit"
        )
    parts = {one.question: len(one.program.parts) for one in picks(collection)}
    index = tickets.index
    if (
        not isinstance(index, Mapping)
        or set(index) != set(parts)
        or not all(type(index[name]) is int and 0 <= index[name] < parts[name] for name in parts)
    ):
        raise CollectionError(
            "tickets", "must give an index to each question that picks one", "use Client.admit"
        )
    return tickets
