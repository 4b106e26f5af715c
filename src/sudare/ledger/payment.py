"""A payment before it is made: who pays, what is on record already, what is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from sudare.errors import BudgetExceeded, PrivacyError, WrongTypeError
from sudare.ledger.bills import HashedBill, IdempotencyKey, as_bills
from sudare.ledger.budget import Charge, admit, spent
from sudare.ledger.transaction import Account, LedgerTransaction, as_name


class Terms(TypedDict, total=False):
    """How it is paid, as :meth:`~sudare.ledger.Ledger.pay` says."""

    reuse: bool
    key: str | None
    by: str | None


@dataclass(frozen=True, slots=True, eq=False)
class PaymentRequest:
    """What is asked of a ledger.

    Attributes:
        names: of the accounts that pay, each once.
        asked: the queries.
        reuse: those on record cost nothing.
        once: a key under which they are paid once.
    """

    names: list[str]
    asked: list[HashedBill]
    reuse: bool
    once: IdempotencyKey | None

    @classmethod
    def of(
        cls, accounts: object, bills: object, reuse: bool = False, key: object = None,
        by: object = None,
    ) -> PaymentRequest:  # fmt: skip
        """Return an order of what a caller gives, checked."""
        if not isinstance(accounts, list | tuple) or not accounts:
            raise WrongTypeError("accounts", "must be a list of names", 'such as ["survey"]')
        names = sorted({as_name(name) for name in accounts})
        asked = [HashedBill.of(bill) for bill in as_bills(bills)]
        whose = "\n".join(names) if by is None else as_name(by)
        return cls(names, asked, reuse, IdempotencyKey.of(key, whose, asked))


@dataclass(frozen=True, slots=True, eq=False)
class PaymentPlan:
    """What an order comes to.

    Attributes:
        payers: before it.
        known: number and answer of each query that is on record; None for the others.
        due: the queries to be paid for and answered, with their places among all.
        left: of each account, after it.
        bound: to whom the answers of each account are, after it.
    """

    payers: list[Account]
    known: list[tuple[int, Any] | None]
    due: list[tuple[int, HashedBill]]
    left: dict[str, Fraction]
    bound: dict[str, str | None]

    @classmethod
    def of(cls, ledger: LedgerTransaction, order: PaymentRequest) -> PaymentPlan:
        """Look at accounts and record, and refuse what cannot be paid; nothing is changed."""
        payers = ledger.accounts(order.names)
        known = _known(ledger, order)
        due = [(i, one) for i, one in enumerate(order.asked) if known[i] is None]
        if order.reuse:
            due = list({one.mark: (i, one) for i, one in reversed(due)}.values())[::-1]
        marked = [one for _, one in due]
        bound = {payer.name: _bound(payer, marked) for payer in payers}
        left = {payer.name: _admitted(payer, marked) for payer in payers}
        return cls(payers, known, due, left, bound)


def _known(ledger: LedgerTransaction, order: PaymentRequest) -> list[tuple[int, Any] | None]:
    """Return what is on record of each query: under its key, or that of any where that is asked."""
    keyed: Mapping[str, tuple[int, Any]] = {}
    if order.once is not None:
        marks = {order.once.part(place): one.mark for place, one in enumerate(order.asked)}
        keyed = ledger.keyed(order.once.key, marks)
        order.once.check(keyed)
    out = []
    for place, one in enumerate(order.asked):
        found = keyed.get(order.once.part(place)) if order.once is not None else None
        out.append(found or (ledger.recorded(one.mark) if order.reuse else None))
    return out


def _bound(account: Account, due: Sequence[HashedBill]) -> str | None:
    """Return whom the answers of an account protect, these ones too.

    ε of one relation and ε of another are no sum: neither of the two is protected by it.
    """
    bound = account.neighbours
    for one in due:
        new = one.neighbours
        if new is not None and bound is not None and new != bound:
            raise PrivacyError(
                f"account {account.name}",
                f'pays for answers that protect "{bound}"; this one protects "{new}"',
                "open another account for it",
            )
        bound = new or bound
    return bound


def _admitted(account: Account, due: Sequence[HashedBill]) -> Fraction:
    """Return what is left of an account after these queries."""
    if not due:
        return account.remaining
    charges = [
        Charge(account.name, "query", one.bill.cost.within(account.unit).amount) for one in due
    ]
    try:
        admit(charges, account.spent, account.budget)
    except BudgetExceeded as error:
        raise BudgetExceeded(
            f"budget of {account.name}",
            requested=error.requested,
            remaining=error.remaining,
            short_by=error.short_by,
            remedy="pay less, take an answer on record (reuse), or have the budget raised",
        ) from None
    return account.remaining - spent(charges)
