"""The respondent's side: answer, remember, pay, randomise, and only then send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudare.collection.canonical import canonical_json
from sudare.collection.definition import Collection, utc_now
from sudare.collection.invite import read_code, write_code
from sudare.collection.memo import FileMemo, Memo, MemoryMemo
from sudare.collection.questions import Question
from sudare.collection.submission import Submission
from sudare.collection.tickets import Tickets, check_tickets
from sudare.collection.upload import ask_tickets, send
from sudare.errors import CollectionError, WrongTypeError
from sudare.exact import as_epsilon
from sudare.exact.entropy import EntropySource, as_entropy_source, default_entropy
from sudare.ledger import Charge, admit


def _open(memo: object) -> Memo:
    if memo is None:
        return MemoryMemo()
    if isinstance(memo, str | Path):
        return FileMemo(memo)
    if isinstance(memo, Memo):
        return memo
    raise WrongTypeError("memo", "must be a path, a memo or None", "name a file", got=memo)


class Client:
    """One device of one person.

    Args:
        collection: what is asked.
        memo: a path (kept across runs), a :class:`~sudare.collection.memo.Memo`, or None for
            memory that ends with the process.
        cap: ε that this device spends on the collection over time; default and upper limit is
            the collection's ``epsilon_cap``.
        entropy: where the random bytes come from; default the operating system.
        clock: returns an aware datetime; before the collection opens and after it closes nothing
            is drawn or charged.

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
        cap: Fraction | float | None = None,
        entropy: EntropySource | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.collection = collection
        if not isinstance(collection, Collection):
            raise WrongTypeError("collection", "must be a sudare.Collection", "load it first")
        self._memo = _open(memo)
        limit = collection.epsilon_cap
        self.cap = limit if cap is None else min(as_epsilon(cap, "cap"), limit)
        self._caps = {self._payer(q): q.unit.cap(q, self.cap) for q in collection.questions}
        self._entropy = None if entropy is None else as_entropy_source(entropy)
        self._clock = clock

    @property
    def spent(self) -> Fraction:
        """ε that this device has spent on the collection, exact; without that on places."""
        return self._memo.spent(self.collection.fingerprint)

    @property
    def spent_per_metre(self) -> dict[str, Fraction]:
        """ε per metre that this device has spent on each question about a place, exact."""
        apart = (q for q in self.collection.questions if q.unit.own_budget)
        return {q.id: self._memo.spent(self._payer(q)) for q in apart}

    def _payer(self, question: Question) -> str:
        """Return the account of a question's charges."""
        return question.unit.account(self.collection.fingerprint, question.id)

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
        code = write_code(read_code(invite))
        found = ask_tickets(url, collection.name, collection.fingerprint, code)
        return check_tickets(collection, Tickets(code, found))

    def answer(self, answers: Mapping[str, object], tickets: Tickets | None = None) -> Submission:
        """Randomise one answer a question; nothing is sent yet.

        The same answer again gives the same report at no cost; a new answer is a new charge of
        that question's ε. Reports and charges are remembered before this returns.

        Args:
            answers: an answer for every question, by its id.
            tickets: of the invite (:meth:`admit`), where the collection asks those invited. Each
                is one more thing that makes an answer the same: another invite is another draw.

        Raises:
            CollectionError: a question is missing or unknown, or an answer is not one of its
                choices (the message never shows the answer), or the collection is not open, or
                tickets are missing or not needed.
            BudgetExceeded: the charge does not fit; nothing was drawn, spent or remembered.
        """
        collection = self.collection
        account = collection.fingerprint
        ids = [question.id for question in collection.questions]
        if not isinstance(answers, Mapping) or set(answers) != set(ids):
            raise CollectionError(
                "answers",
                f"must answer each question once: {', '.join(ids)}",
                "to decline is an answer too: prefer-not-to-say",
            )
        index = self._index(tickets)
        values = {q.id: _encode(q, answers[q.id], index.get(q.id)) for q in collection.questions}
        keys = {i: _key(value, index.get(i)) for i, value in values.items()}
        collection.require_open(self._clock())
        memo = self._memo
        with memo.transaction():
            known = {i: memo.recall(account, i, keys[i]) for i in ids}
            charges: dict[str, list[Charge]] = {}
            for q in collection.questions:
                if known[q.id] is None:
                    payer = self._payer(q)
                    charges.setdefault(payer, []).append(Charge(payer, q.id, q.epsilon))
            for payer, some in charges.items():
                admit(some, memo.spent(payer), self._caps[payer])
            for some in charges.values():
                memo.charge(some)
            parts: list[bytes] = []
            for question in collection.questions:
                report = known[question.id]
                if report is None:
                    value, fixed = values[question.id], index.get(question.id)
                    report = question.randomise(value, self._entropy, fixed)
                    memo.remember(account, question.id, keys[question.id], report)
                parts.append(report)
            payload = b"".join(parts)
            fresh = default_entropy().take(16).hex()
            told = canonical_json([values, dict(index)] if index else values)
            identity = memo.submission_id(account, told, fresh)
        invite = None if tickets is None else tickets.invite
        return Submission(collection.name, account, identity, payload, invite)

    def _index(self, tickets: Tickets | None) -> Mapping[str, int]:
        """Return the indices that the tickets fix; none where everybody is admitted."""
        if self.collection.invited:
            return check_tickets(self.collection, tickets).index
        if tickets is not None:
            raise CollectionError("tickets", "are not needed: this collection is open", "leave out")
        return {}

    def send(self, submission: Submission, url: str) -> None:
        """Post a submission to the collector at ``url``; safe to repeat after a failure."""
        send(url, submission)


def _encode(question: Question, answer: object, index: int | None) -> Any:
    if index is None:
        return question.encode(answer)
    return question.encode(answer, index)  # type: ignore[call-arg] # those that pick take it


def _key(value: Any, index: int | None) -> str:
    """Return how a value is remembered: apart for each part that it can be asked about."""
    return str(value) if index is None else f"{index}: {value}"
