"""``sudare attack --url``: fake reports to a running collector of one's own."""

from __future__ import annotations

import argparse
import secrets
from bisect import bisect_right
from collections.abc import Iterator
from itertools import product
from typing import Any, cast

import numpy as np

from sudare.cli import console
from sudare.cli.answering import HonestReports, collector_of, round_now
from sudare.collection import Collection, Crosstab, Number, Question, Ratings, Submission
from sudare.collection.questions.distribution import published_edges
from sudare.collection.tickets import Tickets, check_tickets
from sudare.collection.upload import BATCH_LIMIT, ask_tickets, fetch, send, send_batch
from sudare.errors import DomainError, WrongTypeError, counted
from sudare.exact import Entropy, as_integer
from sudare.files.places import read_text
from sudare.mechanisms import Binned
from sudare.mechanisms.picked import Picked
from sudare.poisoning import Attack
from sudare.samplers import Pick, Program

MOST = 1_000_000
BATCH = 1_000
_LIKELY = 64
"""So many fakes an item leave an item without one in fewer than e^-64 of all cases."""


def send_fakes(arguments: argparse.Namespace, kind: type[Attack], rng: Entropy) -> int:
    """Send fakes, and print the figures of the targets before and after."""
    base, name = collector_of(arguments.url, allow_remote=arguments.allow_remote)
    collection = Collection.from_compiled(fetch(base, f"/api/v1/collections/{name}"))
    place = _attacked(collection, kind, arguments.question)
    question = collection.questions[place]
    seen = kind.surface(question.mechanism)
    attack = kind(targets=range(as_integer(arguments.targets, "--targets", low=1, high=seen.size)))
    codes = _codes(collection, arguments)
    number = arguments.reports if codes is None else len(codes)
    fakes = _Fakes(collection, question, attack, rng)
    before = _told(base, name, place)
    if codes is None:
        steps = range(0, number, BATCH)
        for start in console.progress(steps, len(steps), "sending", quiet=arguments.json):
            size = min(BATCH, number - start, BATCH_LIMIT)
            send_batch(base, list(fakes.submissions([None] * size)))
    else:
        for code in console.progress(codes, number, "sending", quiet=arguments.json):
            found = ask_tickets(base, name, collection.fingerprint, code)
            tickets = check_tickets(collection, Tickets(code, found))
            (submission,) = fakes.submissions([tickets])
            send(base, submission)
    after = _told(base, name, place)
    _print(arguments, attack, question, (before, after))
    return 0


class _Fakes:
    """Submissions whose answer to one question is the attack's, and to the others any."""

    def __init__(
        self, collection: Collection, question: Question, attack: Attack, rng: Entropy
    ) -> None:
        self.collection, self.question, self.attack = collection, question, attack
        self.rng, self.honest = rng, HonestReports(collection, rng)

    def submissions(self, tickets: list[Tickets | None]) -> Iterator[Submission]:
        fixed = [{} if one is None else one.index for one in tickets]
        indices = [index.get(self.question.id) for index in fixed]
        wires = self._attacking(indices)
        for one, index, wire in zip(tickets, fixed, wires, strict=True):
            payload = b"".join(
                wire if other is self.question else self.honest.wire(other, index.get(other.id))
                for other in self.collection.questions
            )
            name, mark = self.collection.name, self.collection.fingerprint
            invite = None if one is None else one.invite
            now = round_now(self.collection)
            yield Submission(name, mark, secrets.token_hex(16), payload, invite, now)

    def _attacking(self, indices: list[int | None]) -> list[bytes]:
        """Return a fake for each ticket; where it fixes the item, one that is about it."""
        mechanism = self.question.mechanism
        controlled = indices[0] is not None
        parts = len(getattr(mechanism.program, "parts", ()))
        many = _LIKELY * parts if controlled else len(indices)
        found = self.attack.reports(mechanism, many, rng=self.rng, index_control=controlled)
        if controlled:
            found = np.stack([found[self._about(found) == index][0] for index in indices])
        if isinstance(mechanism, Picked):
            return [report.tobytes() for report in found]
        return [_wire(mechanism.program, report) for report in found]

    def _about(self, reports: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the item, or the part, that each report is about."""
        program = self.question.mechanism.program
        if isinstance(program, Pick) and isinstance(self.question.mechanism, Picked):
            return np.array([program.index_of(one.tobytes()) for one in reports])
        out: np.ndarray[Any, Any] = reports[:, 0]
        return out


def _wire(program: Program, report: np.ndarray[Any, Any]) -> bytes:
    if isinstance(program, Pick):
        return program.encode_one(tuple(report.tolist()))
    return program.encode_one(report.tobytes() if report.ndim else int(report))


def _attacked(collection: Collection, kind: type[Attack], wanted: str | None) -> int:
    """Return the place of the question; the first that the attack is defined for, by default."""
    for place, question in enumerate(collection.questions):
        if wanted == question.id:
            kind.surface(question.mechanism)
            return place
        if wanted is None and _is_defined(kind, question):
            return place
    known = ", ".join(question.id for question in collection.questions)
    raise DomainError("--question", f"must be one that {kind.__name__} is for: {known}", got=wanted)


def _is_defined(kind: type[Attack], question: Question) -> bool:
    try:
        kind.surface(question.mechanism)
    except WrongTypeError:
        return False
    return True


def _codes(collection: Collection, arguments: argparse.Namespace) -> list[str] | None:
    """Return as many invites as there are to be reports; None where everybody is admitted."""
    number = as_integer(arguments.reports, "--reports", low=1, high=MOST)
    if collection.invited != (arguments.invites is not None):
        rule = "must name a file of codes" if collection.invited else "is for invited collections"
        raise DomainError("--invites", rule, "sudare invites makes codes")
    if not collection.invited:
        return None
    lines = read_text(arguments.invites).split()
    codes = [line.split(",")[0] for line in lines if line[:4] != "code"]
    if len(codes) < number:
        raise DomainError(
            "--reports", f"must be at most the {counted(len(codes), 'code')} of the file"
        )
    return codes[:number]


def _told(base: str, name: str, place: int) -> dict[str, Any]:
    """Return what is public of the question."""
    told: dict[str, Any] = fetch(base, f"/api/v1/collections/{name}/results")["questions"][place]
    return told


def _print(
    arguments: argparse.Namespace,
    attack: Attack,
    question: Any,
    told: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    names = _names(question)
    rows: list[dict[str, Any]] = [
        {
            "target": names[one],
            "before": _figure(question, told[0], one),
            "after": _figure(question, told[1], one),
        }
        for one in attack.places(attack.surface(question.mechanism))
    ]
    raised = [one["alarms"]["raised"] for one in told]
    if arguments.json:
        found = {"n": [one["n"] for one in told], "targets": rows, "alarm": raised}
        console.print_json({"attack": attack.name, "question": question.id, **found})
        return
    lines = [[one["target"], _percent(one["before"]), _percent(one["after"])] for one in rows]
    title = f"{attack.name} on {question.id}: {counted(arguments.reports, 'fake')} sent"
    console.print_table(title, ["target", "before", "after"], lines)
    counts = " and ".join(counted(one["n"], "report") for one in told)
    console.out().print(
        f"Published figures of {counts}. The alarm was {_said(raised[0])} before and "
        f"{_said(raised[1])} after."
    )
    if told[0]["n"] == told[1]["n"]:
        console.out().print("Nothing new is public yet: the next step needs more reports.")


def _names(question: Any) -> list[str]:
    """Return what can be a target."""
    if isinstance(question, Ratings):
        return list(question.items)
    if isinstance(question, Number):
        edges = cast(Binned, question.mechanism).edges
        around = (_around(question, one) for one in range(edges.size - 1))
        return [f"{edges[low]:g} to {edges[high]:g}" for low, high in around]
    if not isinstance(question, Crosstab):
        return list(question.choices)
    axes = question.tables.drawn or [range(len(question.attributes))]
    cells = (product(*(question.attributes[axis].choices for axis in some)) for some in axes)
    return [" × ".join(one) for some in cells for one in some]


def _around(question: Any, one: int) -> tuple[int, int]:
    """Return the published edges between which a bin lies: of many bins not all are."""
    places = published_edges(question.mechanism.bins)
    at = bisect_right(places, one)
    return places[at - 1], places[at]


def _figure(question: Any, told: dict[str, Any], place: int) -> float | None:
    if "items" in told:
        value: float | None = told["items"][place]["frequency"]["value"]
    elif "ranges" in told:
        places = published_edges(question.mechanism.bins)
        low, high = (places.index(one) for one in _around(question, place))
        below = told["ranges"] and told["ranges"]["below"]
        value = below[high] - below[low] if below else None
    else:
        found = told.get("cells") or [cell for pair in told["pairs"] for cell in pair["cells"]]
        value = found[place]["share"]
    return value


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _said(raised: bool) -> str:
    return "raised" if raised else "not raised"
