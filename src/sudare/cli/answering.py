"""Respondents that are made up: whose survey they answer, and what."""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from sudare.collection import Collection, Submission
from sudare.collection.definition import utc_now
from sudare.errors import DomainError
from sudare.exact import Entropy
from sudare.mechanisms import PEM
from sudare.samplers import Levels, Pick, Product, Program, Subset

Answers = Mapping[str, Sequence[tuple[object, float]]]
"""By the id of a question answers as a client takes them, each with a weight."""
_NONE: Answers = MappingProxyType({})
_LETTERS = string.ascii_lowercase


class HonestReports:
    """Honest reports of answers that are drawn by lot, uniformly if nothing else is said.

    Args:
        collection: what is answered.
        rng: what the answers are drawn from; reports have fresh randomness of their own.
        answers: of those questions that are not answered uniformly.

    Raises:
        DomainError: there is no such question, or no answer of a weight above 0.
        CollectionError: an answer that its question does not take.
    """

    def __init__(self, collection: Collection, rng: Entropy, answers: Answers = _NONE) -> None:
        self._collection = collection
        self._rng = rng
        self._generator = rng.generator()
        questions = {one.id: one for one in collection.questions}
        if unknown := sorted(set(answers) - set(questions)):
            raise DomainError("answers", f"must be of {', '.join(questions)}", got=unknown[0])
        self._drawn: dict[str, tuple[list[Any], Any]] = {}
        for name, pairs in answers.items():
            weights = np.array([weight for _, weight in pairs], dtype=np.float64)
            if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
                raise DomainError(f"answers.{name}", "must have weights >= 0, one above 0")
            values = [questions[name].encode(answer) for answer, _ in pairs]
            self._drawn[name] = values, weights / weights.sum()

    def submission(self) -> Submission:
        """Return the answers of one respondent."""
        own = self._collection
        payload = b"".join(self.wire(question, None) for question in own.questions)
        identity, now = secrets.token_hex(16), round_now(own)
        return Submission(own.name, own.fingerprint, identity, payload, round=now)

    def wire(self, question: Any, index: int | None) -> bytes:
        """Return a report to one question.

        Args:
            question: which.
            index: the part that an invite fixes.
        """
        if question.id in self._drawn:
            values, weights = self._drawn[question.id]
            value = values[int(self._generator.choice(len(values), p=weights))]
        elif question.conditional():
            value = question.unasked(self._rng)
        elif isinstance(question.mechanism, PEM):
            value = question.encode(self._word(question.mechanism))
        else:
            value = self._value(question.mechanism.program)
        wire: bytes = question.randomise(value, None, index)
        return wire

    def _word(self, mechanism: PEM) -> str:
        own = [one for one in mechanism.alphabet.characters or _LETTERS if not one.isspace()]
        length = 1 + int(self._generator.integers(mechanism.longest))
        return "".join(own[i] for i in self._generator.integers(len(own), size=length))

    def _value(self, program: Program) -> Any:
        if isinstance(program, Levels):
            level = int(self._generator.integers(len(program.parts)))
            return level, self._value(program.parts[level])
        if isinstance(program, Product | Pick):
            return tuple(self._value(part) for part in program.parts)
        if isinstance(program, Subset):
            return (int(self._generator.integers(program.k)),)
        return int(self._generator.integers(program.inputs))


def round_now(collection: Collection) -> int | None:
    """Return the number of the round of now; None where questions are asked once.

    Raises:
        CollectionError: it is before the first, or after the last.
    """
    return None if collection.repeats is None else collection.repeats.round_at(utc_now())


def collector_of(url: str, *, allow_remote: bool) -> tuple[str, str]:
    """Return the collector's address and the collection's name, of the address of a survey's page.

    Raises:
        DomainError: it names no collection, or another machine's.
    """
    parts = urlsplit(url)
    path, _, name = parts.path.rstrip("/").rpartition("/")
    if not name:
        raise DomainError("--url", "must name a collection", "such as http://127.0.0.1:8000/tea")
    if not (allow_remote or _is_loopback(parts.hostname or "")):
        raise DomainError(
            "--url",
            "must be of this machine, such as 127.0.0.1",
            "attack a collector of your own; --allow-remote where it runs elsewhere",
            got=url,
        )
    return f"{parts.scheme}://{parts.netloc}{path.removesuffix('/c')}", name


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
