"""What a device does in a collection that is asked in rounds: it settles an answer once.

The rule is that of the browser, in ``web/js/repeats/device.js``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sudare.collection.canonical import canonical_json
from sudare.collection.device import DeviceCharge
from sudare.collection.questions import Question
from sudare.collection.repeats import Repeats
from sudare.collection.schema import moment_text
from sudare.collection.submission import Submission
from sudare.errors import CollectionError, EarlierAnswer
from sudare.exact import decimal_text
from sudare.exact.entropy import EntropySource, default_entropy
from sudare.mechanisms.repeated import Memory, Repeated

if TYPE_CHECKING:
    from sudare.collection.client import Client

_NOTHING: Mapping[str, Any] = {"drawn": None, "answers": {}}


@dataclass(frozen=True)
class StoredAnswer:
    """What a device keeps of one question over the rounds.

    Attributes:
        memory: of the permanent answers, as JSON data without the name of its mechanism; None
            before the first report.
        rounds: by the start of each round the answer and the report in hexadecimal.
        charged: ε charged for it so far.
    """

    memory: Mapping[str, Any] | None = None
    rounds: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    charged: Fraction = Fraction(0)

    def to_text(self) -> str:
        """Return it as JSON."""
        charged = decimal_text(self.charged)
        return canonical_json(
            {"memory": self.memory, "rounds": dict(self.rounds), "charged": charged}
        )

    @classmethod
    def from_text(cls, text: str) -> StoredAnswer:
        """Read what :meth:`to_text` wrote."""
        data = json.loads(text)
        return cls(data["memory"], data["rounds"], Fraction(data["charged"]))


def answer_round(
    client: Client, repeats: Repeats, values: Mapping[str, Any], *, again: bool
) -> Submission:
    """Draw, charge and remember the report of the round of now, all or nothing.

    Raises:
        CollectionError: no round is going on, or another answer was given in this one.
        BudgetExceeded: the charge does not fit; nothing was drawn, charged or remembered.
        EarlierAnswer: another version was answered, or the memory of a charged answer is lost,
            and ``again`` is not set.
    """
    collection, memo = client.collection, client._memo
    number = repeats.round_at(client._clock())
    start = moment_text(repeats.window(number)[0]) or ""
    entropy = client._entropy or default_entropy()
    with memo.transaction():
        standing, charges, parts = client._standing(), [], []
        for question in collection.questions:
            before = _recalled(client, question)
            told = before.rounds.get(start)
            if told is not None:
                if told["answer"] != str(values[question.id]):
                    raise CollectionError(
                        "round", "was answered already", "give another answer in the next one"
                    )
                parts.append(bytes.fromhex(told["report"]))
                continue
            own = client._payer(question)
            charged = (c.account == own and c.purpose == question.id for c in standing.past)
            if before.memory is None and not again and any(charged):
                raise EarlierAnswer(
                    "memo",
                    "does not hold the permanent answer that was charged",
                    "agree to pay for a new one with again=True",
                    bills=standing.bills([client._charge(question)]),
                )
            after = _after(client, question, values[question.id], before, start, entropy)
            parts.append(bytes.fromhex(after.rounds[start]["report"]))
            cost = after.charged - before.charged
            if cost:
                origin, name = client.origin, collection.name
                charges.append(DeviceCharge(own, question.id, cost, origin, name))
            place, number_of = _place(client, question), str(len(after.rounds))
            memo.remember(place, question.id, number_of, after.to_text().encode())
        standing.check(charges, again=again)
        memo.charge(charges)
        told_as = canonical_json({"round": start})
        fresh = default_entropy().take(16).hex()
        identity = memo.submission_id(collection.fingerprint, told_as, fresh)
    payload = b"".join(parts)
    return Submission(collection.name, collection.fingerprint, identity, payload, round=number)


def _place(client: Client, question: Question) -> str:
    return canonical_json(["rounds", client._mark(question)])


def _recalled(client: Client, question: Question) -> StoredAnswer:
    """Return what stands after the last report: each is kept under its number."""
    repeats = client.collection.repeats
    found = StoredAnswer()
    for number in range(1, (0 if repeats is None else repeats.rounds) + 1):
        text = client._memo.recall(_place(client, question), question.id, str(number))
        if text is None:
            break
        found = StoredAnswer.from_text(text.decode())
    return found


def _after(
    client: Client,
    question: Question,
    value: Any,
    before: StoredAnswer,
    start: str,
    entropy: EntropySource,
) -> StoredAnswer:
    """Return what is kept after one more report."""
    collection, mechanism = client.collection, question.mechanism
    number, totals = len(before.rounds) + 1, collection.totals(question)
    if collection.repeats is not None and number > collection.repeats.rounds:
        rule = f"must be at most {collection.repeats.rounds}, which ε covers"
        raise CollectionError("rounds", rule, "leave it at that")
    memory = _NOTHING
    if isinstance(mechanism, Repeated):
        known = (
            mechanism.remember(entropy=entropy)
            if before.memory is None
            else Memory.from_json({"mechanism": mechanism._owner, **before.memory})
        )
        report, settled = mechanism.report(value, known, entropy=entropy)
        wire = mechanism.program.encode_one(report)
        memory = {name: one for name, one in settled.to_json().items() if name != "mechanism"}
    else:
        wire = question.randomise(value, entropy)
    due = max(before.charged, question.epsilon)
    if totals and len(memory["answers"]) > 1:
        due = max(due, totals[-1])  # of all rounds: no later one is refused, which would tell it
    told = {"answer": str(value), "report": wire.hex()}
    return StoredAnswer(memory, {**before.rounds, start: told}, due)
