"""Results: shares with their error bars, and the counts they come from."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Receive, Scope, Send

from sudare.collection import Collection, Question
from sudare.collection.cautions import cautions
from sudare.collector.answers import respond
from sudare.collector.live import WAITING, LiveResults, Worker, guarantee, told_together
from sudare.collector.service import Service
from sudare.collector.tallies import Snapshot
from sudare.errors import DomainError, SudareError
from sudare.estimation import Counts
from sudare.estimation.estimate import TARGETS, Target, check_target
from sudare.poisoning import alarms, changes
from sudare.refusal import Refusal

CONFIDENCE = 0.95
"""Of the intervals that are shown unless another one is asked for."""

FALSE_ALARM = 1e-4
"""Chance that an honest collection raises an alarm; of ratings they have their own, an item."""

COVERS_SUBMISSION = "one person's whole submission: the answers to all questions together"

_DECIMAL = re.compile(r"(0?\.[0-9]{1,15}|[1-9](\.[0-9]{1,15})?e-[0-9]{1,2})", re.ASCII)


class Results:
    """``GET .../results`` and ``GET .../counts`` as ASGI applications."""

    def __init__(self, service: Service) -> None:
        usual, odd = Worker(2 * len(TARGETS) * len(service.collections)), Worker(WAITING)
        self._service = service
        self._live = {
            name: LiveResults(service, collection, usual, odd)
            for name, collection in service.collections.items()
        }

    async def results(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the estimate of the public figures."""
        collection = self._service.find(scope["path_params"]["name"])
        target, confidence = read_query(scope["query_string"])
        await respond(send, 200, await self.body(collection, target, confidence))

    async def body(self, collection: Collection, target: Target, confidence: float) -> bytes:
        """Return the estimate as JSON.

        Raises:
            Refusal: 400 where nothing can be estimated, 503 where too many ask.
        """

        def make(public: Snapshot) -> bytes:
            try:
                body = results_json(collection, public, target=target, confidence=confidence)
            except SudareError as error:
                raise Refusal(400, error) from error
            return msgspec.json.encode(body)

        live = self._live[collection.name]
        await live.prepare()
        return await live.body((target, confidence), make, usual=confidence == CONFIDENCE)

    async def counts(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the counts themselves, all that an estimate needs."""
        collection = self._service.find(scope["path_params"]["name"])
        _pairs(scope["query_string"], ())

        def make(public: Snapshot) -> bytes:
            return msgspec.json.encode(counts_json(collection, public.counts))

        await respond(send, 200, await self._live[collection.name].body("counts", make, usual=True))


def read_query(query: bytes) -> tuple[Target, float]:
    """Return target and confidence of a query string.

    Raises:
        Refusal: 400 for an unknown or repeated parameter, an unknown target, or a confidence
            that is not a decimal between 0 and 1.
    """
    given = _pairs(query, ("target", "confidence"))
    try:
        target = check_target(given.get("target", "population"))
    except DomainError:
        raise _bad(
            "target", "must be population or respondents", "leave it out for population"
        ) from None
    text = given.get("confidence", str(CONFIDENCE))
    confidence = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not 0.0 < confidence < 1.0:
        raise _bad("confidence", "must be a decimal between 0 and 1", "leave it out for 0.95")
    return target, confidence


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
        "opens": definition["opens"],
        "closes": definition["closes"],
        "invites": None if figures.invites is None else figures.invites._asdict(),
        "target": target,
        "confidence": confidence,
        "cautions": cautions(collection),
        "covers": COVERS_SUBMISSION + "".join(sorted(exceptions)),
        "questions": [
            {
                **_question_json(question, some, target, confidence),
                "alarms": alarms(
                    question.mechanism,
                    some,
                    index_control=collection.invited,
                    bits=bits,
                    false_alarm=level,
                    **question.summed,
                )
                | {"changes": changes(before, some, false_alarm=level)},
            }
            for question, some, bits, before in zip(
                collection.questions, figures.counts, figures.bits, figures.earlier, strict=True
            )
        ],
    }


def publication_json(collection: Collection, public: Snapshot) -> dict[str, Any]:
    """Return which figures are public, what the next ones take, and what they give away."""
    rule = collection.publishing
    found = guarantee(collection, told_together(collection, public))
    return {
        "when": "end" if rule.once else "steps",
        "at": rule.at,
        "every": rule.every,
        "least": rule.least,
        "next": None if rule.once or public.last else rule.step(public.n),
        "last": public.last,
        "tally": None if found is None else found.to_json(),
    }


def _question_json(
    question: Question, counts: Counts, target: Target, confidence: float
) -> dict[str, Any]:
    return {
        "id": question.id,
        "type": question.type,
        "mechanism": question.mechanism.to_json(),
        **question.guarantee(),
        "n": int(counts.n),
        **question.results(counts, target, confidence),
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


def _pairs(query: bytes, allowed: tuple[str, ...]) -> Mapping[str, str]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
        )
    except ValueError:
        raise _bad("query", "must be well-formed", "see the API") from None
    given = dict(pairs)
    if len(given) != len(pairs) or not set(given) <= set(allowed):
        names = " and ".join(allowed) or "nothing"
        raise _bad("query", f"may hold {names}, each once", "leave out the rest")
    return given


def _bad(argument: str, rule: str, remedy: str) -> Refusal:
    return Refusal(400, DomainError(argument, rule, remedy))
