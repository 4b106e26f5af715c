"""Results: shares with their error bars, and the counts they come from."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Receive, Scope, Send

from sudare.collection import Collection, Place, schema
from sudare.collection.cautions import cautions
from sudare.collection.figures import question_json
from sudare.collection.questions import Question, Words
from sudare.collector.asgi_mount import mount_of
from sudare.collector.faults import log_fault
from sudare.collector.lifecycle import Stage
from sudare.collector.live import (
    REFRESH_SECONDS,
    VARIANTS,
    WAITING,
    LiveResults,
    Worker,
    guarantee,
    told_together,
)
from sudare.collector.over_rounds import RoundsBody
from sudare.collector.packing import Packing
from sudare.collector.pairs import Pairs
from sudare.collector.service import Service
from sudare.collector.tallies import Snapshot
from sudare.collector.versions import SHORT
from sudare.collector.worker_process import FigureWorker
from sudare.errors import DomainError, SudareError
from sudare.estimation import Counts
from sudare.estimation.confidence import LEAST, check_confidence
from sudare.estimation.estimate import TARGETS, Target, check_target
from sudare.planning.respondents import least_answers
from sudare.poisoning import alarms, changes
from sudare.refusal import Refusal

if TYPE_CHECKING:
    from sudare.arrays import Integers
    from sudare.mechanisms import Levels

CONFIDENCE = 0.95
"""Of the intervals that are shown unless another one is asked for."""

FALSE_ALARM = 1e-4
"""Chance that an honest collection raises an alarm; of ratings they have their own, an item."""

COVERS_SUBMISSION = "one person's whole submission: the answers to all questions together"

WIDE_CELLS = 400
"""Cells of a map whose figures take long."""

_UNKNOWN: dict[str, Any] = {"bands": [], "recovered": None}
"""Of a question that not everybody is asked: fakes move the share of those asked as well."""

DECIMAL = r"(0?\.[0-9]{1,15}|[1-9](\.[0-9]{1,15})?e-[0-9]{1,2})"
"""How a confidence is written in a query."""


@dataclass(frozen=True)
class ResultsBody:
    """Makes the estimate of figures, as JSON.

    Attributes:
        collection, target, confidence: of the estimate.
        public: what is public, where the figures are other ones.
    """

    collection: Collection
    target: Target
    confidence: float
    public: Snapshot | None = None

    def __call__(self, figures: Snapshot) -> bytes:
        """Return the body.

        Raises:
            Refusal: 400 where nothing can be estimated.
        """
        try:
            body = results_json(
                self.collection,
                figures,
                target=self.target,
                confidence=self.confidence,
                public=self.public,
            )
        except SudareError as error:
            raise Refusal(400, error) from error
        return msgspec.json.encode(body)


@dataclass(frozen=True)
class CountsBody:
    """Makes the public counts, as JSON."""

    collection: Collection

    def __call__(self, public: Snapshot) -> bytes:
        """Return the body."""
        return msgspec.json.encode(counts_json(self.collection, public.counts))


class Version(msgspec.Struct, frozen=True):
    """A version of a collection: what it has asked and collected is its own."""

    fingerprint: str
    served: bool
    stage: Stage
    opens: str | None
    closes: str | None
    n: int
    results: str


class Versions(msgspec.Struct, frozen=True):
    """All versions of a collection that have been public, oldest first."""

    name: str
    versions: list[Version]


class Results:
    """``GET .../results`` and ``GET .../counts`` as ASGI applications."""

    def __init__(self, service: Service) -> None:
        self._figures, self._packing, self._pairs = FigureWorker(), Packing(), Pairs()
        usual = Worker(lambda: 2 * len(TARGETS) * len(service.collections), self._figures)
        odd = Worker(lambda: WAITING, self._figures, odd=True)
        self._service = service
        self._workers = usual, odd
        self._files = Worker(lambda: WAITING, self._figures, odd=True)
        self._live: dict[str, LiveResults] = {}
        self._rounds: dict[Any, tuple[list[int], list[Snapshot], bytes]] = {}

    async def keep_fresh(self) -> None:
        """Work out newer figures of what takes long before somebody asks, until cancelled."""
        self._figures.open()
        try:
            while True:
                for collection in self._service.shown():
                    body = ResultsBody(collection, "population", CONFIDENCE)
                    with contextlib.suppress(SudareError, Refusal):  # told to those who ask
                        live = self._live_of(collection)
                        await live.refresh((body.target, body.confidence), body)
                await asyncio.sleep(REFRESH_SECONDS)
        except Exception as error:  # noqa: BLE001 - who asks still gets figures
            log_fault("looking for newer figures", error)
        finally:
            self._figures.close()

    async def results(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the estimate of the public figures."""
        given = pairs_of(scope["query_string"], ("target", "confidence", "version", "pairs"))
        target, confidence = target_of(given), confidence_of(given)
        name, version = scope["path_params"]["name"], given.get("version", "")
        body = await self.body(self._service.find_results(name, version), target, confidence)
        part = await self._pairs.part(body, given.get("pairs", "all"))
        await self._packing.respond(scope, send, part)

    async def public(self, collection: Collection) -> Snapshot:
        """Return what is public of a collection."""
        return await self._live_of(collection).public()

    async def body(self, collection: Collection, target: Target, confidence: float) -> bytes:
        """Return the estimate as JSON.

        Raises:
            Refusal: 400 where nothing can be estimated, 503 where too many ask.
        """
        if collection.rounds:
            return await self._over_rounds(collection, target, confidence)
        live, make = self._live_of(collection), ResultsBody(collection, target, confidence)
        await live.prepare()
        return await live.body((target, confidence), make, usual=confidence == CONFIDENCE)

    async def _over_rounds(
        self, collection: Collection, target: Target, confidence: float
    ) -> bytes:
        """Return the estimate of the last round with public figures, and those of all rounds."""
        rounds = self._service.rounds(collection)
        known = [await self.public(one) for one in rounds]
        key = (collection.fingerprint, target, confidence)
        kept = self._rounds.get(key)
        if kept is not None and kept[0] == [id(one) for one in known]:
            return kept[2]
        shown = max((i for i, one in enumerate(known) if one.n), default=0)
        own = await self.body(rounds[shown], target, confidence)
        make = RoundsBody(collection, tuple(known), shown, target, confidence)
        made, _ = await self._workers[1].run(make, own)
        self._rounds[key] = ([id(one) for one in known], known, made)
        while len(self._rounds) > VARIANTS * len(self._service.collections):
            del self._rounds[next(iter(self._rounds))]
        return made

    async def own(
        self,
        collection: Collection,
        stored: Snapshot,
        public: Snapshot,
        target: Target,
        confidence: float,
    ) -> bytes:
        """Return the estimate of what is stored as JSON, for its operators alone.

        Raises:
            Refusal: as :meth:`body`.
        """
        make = ResultsBody(collection, target, confidence, public)
        body = await self._figures.run(make, stored, odd=True) if _wide(collection) else None
        return body if body is not None else await asyncio.to_thread(make, stored)

    async def counts(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the counts themselves, all that an estimate needs."""
        version = version_of(scope["query_string"])
        collection = self._service.find_results(scope["path_params"]["name"], version)
        await self._packing.respond(scope, send, await self.counts_body(collection))

    async def counts_body(self, collection: Collection) -> bytes:
        """Return the public counts as JSON."""
        for one in reversed(self._service.rounds(collection)):
            if (await self.public(one)).n:
                collection = one
                break
        live = self._live_of(collection)
        return await live.body("counts", CountsBody(collection), usual=True)

    async def file(self, make: Callable[[bytes], bytes], told: bytes, *, apart: bool) -> bytes:
        """Make a file of a body: those that take long in the process for figures.

        Raises:
            Refusal: as ``make`` does; 503 where too many files wait to be made.
        """
        body, _ = await self._files.run(make, told, aside=apart)
        return body

    async def versions(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the list of versions: each has asked and collected something of its own."""
        served = self._service.find_results(scope["path_params"]["name"])
        pairs_of(scope["query_string"], ())
        root, versions = mount_of(scope), self._service.store.versions(served.name)
        found = [self._version(one, served, root) for one in versions]
        body = msgspec.json.encode(Versions(served.name, found))
        await self._packing.respond(scope, send, body)

    def _version(self, version: Collection, served: Collection, root: str) -> Version:
        fingerprint, own = version.fingerprint, self._service.find(served.name, version.fingerprint)
        return Version(
            fingerprint,
            fingerprint == served.fingerprint,
            self._service.stage(own),
            schema.moment_text(own.opens),
            schema.moment_text(own.closes),
            self._service.store.public(fingerprint).n,
            f"{root}/{served.name}/results?version={fingerprint[:SHORT]}",
        )

    def _live_of(self, collection: Collection) -> LiveResults:
        live = self._live.get(collection.fingerprint)
        if live is None:
            live = LiveResults(self._service, collection, *self._workers, slow=_wide(collection))
            self._live[collection.fingerprint] = live
        return live


def _wide(collection: Collection) -> bool:
    """Tell whether figures take long for certain: of wide maps, and of words to be found."""
    return any(
        isinstance(question, Words)
        or (question.type == Place.type and sum(question.mechanism.shape) >= WIDE_CELLS)
        for question in collection.questions
    )


def target_of(given: Mapping[str, str]) -> Target:
    """Return whom figures are asked about.

    Raises:
        Refusal: 400 for an unknown target.
    """
    try:
        return check_target(given.get("target", "population"))
    except DomainError:
        raise _bad(
            "target", "must be population or respondents", "leave it out for population"
        ) from None


def confidence_of(given: Mapping[str, str]) -> float:
    """Return the confidence that is asked for.

    Raises:
        Refusal: 400 for one that is not a decimal between 0 and 1.
    """
    text = given.get("confidence", str(CONFIDENCE))
    confidence = float(text) if re.fullmatch(DECIMAL, text) else math.nan
    try:
        return check_confidence(confidence)
    except DomainError:
        rule = f"must be a decimal between 0 and 1, and at least {LEAST}"
        raise _bad("confidence", rule, "leave it out for 0.95") from None


def version_of(query: bytes) -> str:
    """Return the version that a query string asks for; empty for the one that is served.

    Raises:
        Refusal: 400 for anything else in it.
    """
    return pairs_of(query, ("version",)).get("version", "")


def results_json(
    collection: Collection,
    figures: Snapshot,
    *,
    target: Target,
    confidence: float,
    public: Snapshot | None = None,
) -> dict[str, Any]:
    """Return the results as the API sends them.

    Args:
        collection: what was asked.
        figures: the counts of the last step, and the standing of the invites.
        target: ``"population"`` or ``"respondents"``.
        confidence: of each cell's interval.
        public: what is public, where the figures are other ones.
    """
    definition, level = collection.definition(), FALSE_ALARM / len(collection.questions)
    exceptions = {q.unit.exception for q in collection.questions if q.unit.own_budget}
    return {
        "name": collection.name,
        "fingerprint": collection.fingerprint,
        "n": figures.n,
        "publication": publication_json(collection, public or figures),
        "epsilon": definition["epsilon"],
        "opens": schema.moment_text(collection.opens),
        "closes": schema.moment_text(collection.closes),
        "invites": None if figures.invites is None else figures.invites._asdict(),
        "target": target,
        "confidence": confidence,
        "cautions": cautions(collection),
        "covers": COVERS_SUBMISSION + "".join(sorted(exceptions)),
        "questions": [
            _with_alarms(
                question,
                question_json(
                    collection, place, figures.counts, target=target, confidence=confidence
                ),
                (some, bits, before),
                target,
                index_control=collection.invited,
                false_alarm=level,
            )
            for place, (question, some, bits, before) in enumerate(
                zip(
                    collection.questions, figures.counts, figures.bits, figures.earlier, strict=True
                )
            )
        ],
    }


def _with_alarms(
    question: Question,
    told: dict[str, Any],
    seen: tuple[Counts, Integers | None, Counts],
    target: Target,
    *,
    index_control: bool,
    false_alarm: float,
) -> dict[str, Any]:
    """Return a question's results with its alarms and the least number of answers to draw them.

    Where a question offers ε levels, each level has its own least number.

    Args:
        question: what was asked.
        told: its figures.
        seen: its counts, how many reports have how many ones, and the counts of before.
        target: whom the figures are about.
        index_control: whether invites fix what is reported.
        false_alarm: with how much chance any alarm of the question is raised by honest reports.
    """
    counts, bits, before = seen
    if question.levels:
        split = cast("Levels", question.mechanism).levels
        each = zip(question.levels, told["levels"], split(counts), split(before), strict=True)
        part = false_alarm / len(question.levels)
        levels = [
            _with_alarms(
                one, own, (some, None, past), target, index_control=index_control, false_alarm=part
            )
            for one, own, some, past in each
        ]
        told = {**told, "levels": levels}
    found = alarms(
        question.mechanism,
        counts,
        index_control=index_control,
        bits=bits,
        false_alarm=false_alarm,
        **question.summed,
    )
    found |= {} if question.ask_if is None else _UNKNOWN
    found |= {"changes": changes(before, counts, false_alarm=false_alarm)}
    if question.levels:
        found["raised"] = any(one["alarms"]["raised"] for one in told["levels"])
    return {**told, "least_answers": least_answers(question.planned, target), "alarms": found}


def publication_json(collection: Collection, public: Snapshot) -> dict[str, Any]:
    """Return which figures are public, what the next ones take, and what they give away."""
    rule = collection.publishing
    found = guarantee(collection, told_together(collection, public))
    return {
        "when": "end" if rule.once else "steps",
        "at": rule.at,
        "every": rule.every,
        "least": rule.least,
        "next": None if rule.once or public.last else rule.next(public.since) - public.n,
        "last": public.last,
        "tally": None if found is None else found.to_json(),
    }


def counts_json(collection: Collection, counts: tuple[Counts, ...]) -> dict[str, Any]:
    """Return the counts as the API sends them."""
    return {
        "n": int(counts[0].n),
        "questions": {
            question.id: _embedded(some.to_json())
            for question, some in zip(collection.questions, counts, strict=True)
        },
    }


def _embedded(counts: Any) -> Any:
    return msgspec.Raw(counts.encode()) if isinstance(counts, str) else counts


def pairs_of(query: bytes, allowed: tuple[str, ...]) -> Mapping[str, str]:
    """Return the parameters of a query string.

    Raises:
        Refusal: 400 for one that is unknown or repeated.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
        )
    except ValueError:
        raise _bad("query", "must be well-formed", "see the API") from None
    if any("\0" in value for _, value in pairs):
        raise _bad("query", "must not hold a NUL", "leave it out")
    given = dict(pairs)
    if len(given) != len(pairs) or not set(given) <= set(allowed):
        names = " and ".join(allowed) or "nothing"
        raise _bad("query", f"may hold {names}, each once", "leave out the rest")
    return given


def _bad(argument: str, rule: str, remedy: str) -> Refusal:
    return Refusal(400, DomainError(argument, rule, remedy))
