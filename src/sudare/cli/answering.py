"""Respondents that are made up: whose survey they answer, and what."""

from __future__ import annotations

import secrets
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from sudare.collection import Collection, Submission
from sudare.collection.definition import utc_now
from sudare.errors import DomainError
from sudare.exact import Entropy
from sudare.samplers import Levels, Pick, Product, Program, Subset


class HonestReports:
    """Honest reports of answers that are drawn uniformly.

    Args:
        collection: what is answered.
        rng: what the answers are drawn from; reports have fresh randomness of their own.
    """

    def __init__(self, collection: Collection, rng: Entropy) -> None:
        self._collection = collection
        self._rng = rng
        self._generator = rng.generator()

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
        own = question.conditional()
        value = question.unasked(self._rng) if own else self._value(question.mechanism.program)
        wire: bytes = question.randomise(value, None, index)
        return wire

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
