"""The respondent's side: answer, remember, pay, randomise, and only then send."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudare.collection.canonical import canonical_json
from sudare.collection.definition import Collection, utc_now
from sudare.collection.delay import draw_delay
from sudare.collection.device import Bill, DeviceCharge, Standing
from sudare.collection.invite import read_code, write_code
from sudare.collection.memo import FileMemo, Memo, MemoryMemo
from sudare.collection.questions import Question
from sudare.collection.rounds import answer_round
from sudare.collection.submission import Submission
from sudare.collection.tickets import Tickets, check_tickets
from sudare.collection.upload import ask_tickets, origin_of, send
from sudare.errors import CollectionError, WrongTypeError
from sudare.exact import as_epsilon, decimal_text
from sudare.exact.entropy import EntropySource, as_entropy_source, default_entropy
from sudare.guesses import Guessed
from sudare.ledger import spent


def _open(memo: object) -> Memo:
    if memo is None:
        return MemoryMemo()
    if isinstance(memo, str | Path):
        return FileMemo(memo)
    if isinstance(memo, Memo):
        return memo
    raise WrongTypeError("memo", "must be a path, a memo or None", "name a file", got=memo)


class Client(Guessed):
    """One device of one person.

    Args:
        collection: what is asked.
        memo: a path (kept across runs), a :class:`~sudare.collection.memo.Memo`, or None for
            memory that ends with the process.
        origin: address of the collector, such as ``https://survey.example``: charges are kept by
            origin and name of the collection, and nothing is sent elsewhere. Without it they are
            kept by the name alone, whoever asks.
        cap: ε that this device spends on the collection over time, over all its versions. The
            collection's ``epsilon_cap`` lowers it. Default: one submission, and whatever more keeps
            within the device's limit, ε = 4 (0.04 per metre for places).
        entropy: where the random bytes come from; default the operating system.
        clock: returns an aware datetime; before the collection opens and after it closes nothing
            is drawn or charged.
        sleep: waits so many seconds before a report leaves, where the collection asks for that.

    Examples:
        >>> from sudare.collection import Collection
        >>> tea = Collection.from_toml('''
        ... [collection]
        ... name = "tea"
        ... epsilon = 2.0
        ... [[question]]
        ... id = "brand"
        ... type = "choice"
        ... text = "Which tea?"
        ... choices = ["oi-ocha", "iyemon"]
        ... ''')
        >>> client = Client(tea)
        >>> client.answer({"brand": "iyemon"}) == client.answer({"brand": "iyemon"})
        True
        >>> client.answer({"brand": "oi-ocha"})
        Traceback (most recent call last):
        ...
        sudare.errors.BudgetExceeded: budget does not cover this charge: requested 2.0, ...
    """

    def __init__(
        self,
        collection: Collection,
        memo: str | Path | Memo | None = None,
        *,
        origin: str | None = None,
        cap: Fraction | float | None = None,
        entropy: EntropySource | None = None,
        clock: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.collection = collection
        if not isinstance(collection, Collection):
            raise WrongTypeError("collection", "must be a sudare.Collection", "load it first")
        self._memo = _open(memo)
        self.origin = "" if origin is None else origin_of(origin)
        self._own_cap = None if cap is None else as_epsilon(cap, "cap")
        limit = collection.epsilon_cap
        self.cap = limit if self._own_cap is None else min(self._own_cap, limit)
        self._caps = {self._payer(q): q.unit.cap(q, self.cap) for q in collection.questions}
        self._entropy = None if entropy is None else as_entropy_source(entropy)
        self._clock, self._sleep = clock, sleep
        with self._memo.transaction():
            for former in collection.former_fingerprints:
                self._memo.rename(former, collection.fingerprint)
            self._memo.claim(collection.fingerprint, self.origin, collection.name)

    @property
    def spent(self) -> Fraction:
        """ε that this device has spent on all versions, exact; without that on places."""
        return self._standing().spent()

    def _repr_html_(self) -> str:
        """Return a line for notebooks: what this device has spent; never what was answered."""
        from sudare import notebook  # asked for by few

        facts = {
            "of": self.collection.name,
            "at": self.origin or "no address",
            "ε spent:": f"{decimal_text(self.spent)} of {decimal_text(self.cap)}",
        }
        return notebook.table("Client", facts)

    @property
    def spent_per_metre(self) -> dict[str, Fraction]:
        """ε per metre that this device has spent on each question about a place, exact."""
        past = [charge for charge in self._standing().past if charge.unit]
        apart = (q.id for q in self.collection.questions if q.unit.own_budget)
        return {name: spent(c for c in past if c.purpose == name) for name in apart}

    @property
    def spent_at_origin(self) -> Fraction:
        """ε that this device has spent on all collections of the origin; without that on places."""
        past = (one for one in self._memo.charges() if one.is_at(self.origin) and not one.unit)
        return spent(past)

    @property
    def earlier(self) -> tuple[Bill, ...]:
        """What answering anew comes to at most, where an earlier version was answered; else empty.

        Show it to the person before :meth:`answer` is called with ``again=True``.
        """
        standing = self._standing()
        fresh = map(self._charge, self.collection.questions)
        return standing.bills(fresh) if standing.is_earlier else ()

    def _standing(self) -> Standing:
        name, charges = self.collection.name, self._memo.charges()
        past = [charge for charge in charges if charge.is_of(self.origin, name)]
        return Standing(self.collection.fingerprint, past, self._caps, self._own_cap)

    def _payer(self, question: Question) -> str:
        """Return the account of a question's charges."""
        return question.unit.account(self.collection.fingerprint, question.payer)

    def _charge(self, question: Question) -> DeviceCharge:
        name = self.collection.name
        return DeviceCharge(self._payer(question), question.id, question.epsilon, self.origin, name)

    def _mark(self, question: Question) -> str:
        """Return under what a question's reports are kept: alike in all versions that ask it."""
        alike = self.collection.question_fingerprints[question.id]
        return canonical_json([self.origin, self.collection.name, alike])

    def _recall(self, question: Question, key: str) -> bytes | None:
        """Return the report once drawn; version 0.1 kept it under the collection's fingerprint."""
        known = self._memo.recall(self._mark(question), question.id, key)
        return known or self._memo.recall(self.collection.fingerprint, question.id, key)

    def admit(self, url: str, invite: str) -> Tickets:
        """Ask the collector what an invite fixes: the same whenever and wherever it is asked.

        Tickets are plain data. Keep them where the program may end before a report is
        acknowledged: the same answer with them is the same submission, to be sent again.

        Args:
            url: address of the collector.
            invite: the code as it was handed out.

        Raises:
            WrongTypeError, CollectionError: not a code, or one that is unknown or spent; or the
                collection asks everybody, or another one is asked there.
            StorageError: the collector cannot be reached, or is busy.
        """
        collection = self.collection
        if not collection.invited:
            raise CollectionError("invite", "is not needed: this collection is open", "answer it")
        self.check_origin(url)
        code = write_code(read_code(invite))
        found = ask_tickets(url, collection.name, collection.fingerprint, code)
        return check_tickets(collection, Tickets(code, found))

    def answer(
        self, answers: Mapping[str, object], tickets: Tickets | None = None, *, again: bool = False
    ) -> Submission:
        """Randomise one answer a question; nothing is sent yet.

        The same answer again gives the same report at no cost, in a later version of the collection
        too where it asks the same question; a new answer is a new charge of that question's ε.
        Reports and charges are remembered before this returns.

        Args:
            answers: an answer for every question that is asked, by its id. Of those that are not
                (``ask_if``) one at random is randomised.
            tickets: of the invite (:meth:`admit`), where the collection asks those invited. Each
                is one more thing that makes an answer the same: another invite is another draw.
            again: the person has seen what another answer costs (:attr:`earlier`), and wants it.

        Raises:
            CollectionError: a question is missing or unknown, or an answer is not one of its
                choices (the message never shows the answer), or the collection is not open, or
                tickets are missing or not needed.
            EarlierAnswer: another version of the collection was answered, this one would be charged
                anew, and ``again`` is not set; nothing was drawn, spent or remembered.
            BudgetExceeded: the charge does not fit; nothing was drawn, spent or remembered.
        """
        collection, memo = self.collection, self._memo
        asked = collection.asked(answers) if isinstance(answers, Mapping) else ()
        if not asked or set(answers) != {question.id for question in asked}:
            each = ", ".join(question.id for question in collection.questions)
            conditional = any(question.ask_if for question in collection.questions)
            raise CollectionError(
                "answers",
                f"must answer each question{' that is asked' if conditional else ''} once: {each}",
                "to decline is an answer too: prefer-not-to-say",
            )
        index = self._index(tickets)
        values: dict[str, Any] = dict.fromkeys(question.id for question in collection.questions)
        values |= {q.id: _encode(q, answers[q.id], index.get(q.id)) for q in asked}
        collection.require_open(self._clock())
        if collection.repeats is not None:
            return answer_round(self, collection.repeats, values, again=again)
        with memo.transaction():
            payload = self._reports(values, index, again=again)
            fresh = default_entropy().take(16).hex()
            told = canonical_json([values, dict(index)] if index else values)
            identity = memo.submission_id(collection.fingerprint, told, fresh)
        invite = None if tickets is None else tickets.invite
        return Submission(collection.name, collection.fingerprint, identity, payload, invite)

    def _reports(
        self, values: Mapping[str, Any], index: Mapping[str, int], *, again: bool
    ) -> bytes:
        """Return each question's report: remembered, or charged, drawn and remembered."""
        questions, memo = self.collection.questions, self._memo
        keys = {name: _key(value, index.get(name)) for name, value in values.items()}
        known = {q.id: self._recall(q, keys[q.id]) for q in questions}
        charges = [self._charge(q.picked(values[q.id])) for q in questions if known[q.id] is None]
        self._standing().check(charges, again=again)
        memo.charge(charges)
        parts: list[bytes] = []
        for question in questions:
            report = known[question.id]
            if report is None:
                value, fixed = values[question.id], index.get(question.id)
                if value is None:
                    value = question.unasked(self._entropy or default_entropy())
                report = question.randomise(value, self._entropy, fixed)
                memo.remember(self._mark(question), question.id, keys[question.id], report)
            parts.append(report)
        return b"".join(parts)

    def _index(self, tickets: Tickets | None) -> Mapping[str, int]:
        """Return the indices that the tickets fix; none where everybody is admitted."""
        if self.collection.invited:
            return check_tickets(self.collection, tickets).index
        if tickets is not None:
            raise CollectionError("tickets", "are not needed: this collection is open", "leave out")
        return {}

    def send(self, submission: Submission, url: str) -> None:
        """Post a submission to the collector at ``url``; safe to repeat after a failure.

        Where the collection has a ``send_delay`` this waits up to so many seconds before, a random
        time from the client's entropy. The submission is on record already: nothing is lost if the
        program ends meanwhile, and the same answer is the same submission, to be sent again.

        Raises:
            CollectionError: it is not of the origin that this client was made for, or was refused
                this time: after a ``StorageError`` an earlier attempt may have been counted.
            StorageError: the collector cannot be reached, or is busy.
        """
        self.check_origin(url)
        if wait := self.draw_delay():
            self._sleep(wait)
        send(url, submission)

    def draw_delay(self) -> float:
        """Return how many seconds a report is to wait before it leaves: :meth:`send` does that."""
        entropy = self._entropy or default_entropy()
        return draw_delay(self.collection, self._clock(), entropy)

    def check_origin(self, url: str) -> None:
        """Raise CollectionError unless an address is of the origin that this client is for."""
        if self.origin and origin_of(url) != self.origin:
            raise CollectionError(
                "url", f"must be of the origin {self.origin}, where charges are kept", got=url
            )


def _encode(question: Question, answer: object, index: int | None) -> Any:
    if index is None:
        return question.encode(answer)
    return question.encode(answer, index)  # type: ignore[call-arg] # those that pick take it


def _key(value: Any, index: int | None) -> str:
    """Return how a value is remembered: apart for each part that it can be asked about."""
    told = "not-asked" if value is None else str(value)
    return told if index is None else f"{index}: {told}"
