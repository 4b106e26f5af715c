"""A payment before it is made: who pays, what is on record already, what is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from sudare.errors import BudgetExceeded, PrivacyError, WrongTypeError
from sudare.ledger.bills import HashedBill, IdempotencyKey, as_bills
from sudare.ledger.budget import Charge, admit, spent
from sudare.ledger.costs import Cost
from sudare.ledger.plan import covers
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
        rows: these and the parts of their plans, before it.
        known: number and answer of each query that is on record; None for the others.
        due: the queries to be paid for and answered, with their places among all.
        charges: of each place that is due, what each account or part of a plan pays.
        left: the balance of each account and each part of a plan, after it.
        bound: to whom the answers of each account are, after it.
    """

    payers: list[Account]
    rows: list[Account]
    known: list[tuple[int, Any] | None]
    due: list[tuple[int, HashedBill]]
    charges: dict[int, dict[str, Fraction]]
    left: dict[str, Fraction]
    bound: dict[str, str | None]

    @property
    def remaining(self) -> dict[str, Fraction]:
        """What each account and each part of a plan can still spend, after it."""
        return {name: max(one, Fraction(0)) for name, one in self.left.items()}

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
        costs = {place: one.bill.cost for place, one in due}
        charges: dict[int, dict[str, Fraction]] = {place: {} for place in costs}
        rows, left = list(payers), dict[str, Fraction]()
        for payer in payers:
            parts = ledger.parts(payer)
            rows += [row for _, row in parts.values()]
            if any(one.bill.cost.delta for one in order.asked):
                beside = ledger.beside(payer)
                left |= _beside(payer, beside, costs, charges)
                rows += [] if beside is None else [beside]
            if parts:
                left |= planned(payer, parts, costs, charges)
            else:
                left[payer.name] = _admitted(payer, costs, charges)
        return cls(payers, rows, known, due, charges, left, bound)


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


def _admitted(
    account: Account, costs: Mapping[int, Cost], charges: Mapping[int, dict[str, Fraction]]
) -> Fraction:
    """Return what is left of an account after these costs, and note each of them."""
    if not costs:
        return account.balance
    made = [Charge(account.name, "query", account.price(cost)) for cost in costs.values()]
    try:
        admit(made, account.spent, account.budget)
    except BudgetExceeded as error:
        raise _exceeded(account.name, error.requested, error.remaining, error.short_by) from None
    for place, charge in zip(costs, made, strict=True):
        charges[place][account.name] = charge.epsilon
    return account.balance - spent(made)


def _beside(
    account: Account,
    beside: Account | None,
    costs: Mapping[int, Cost],
    charges: Mapping[int, dict[str, Fraction]],
) -> dict[str, Fraction]:
    """Return what is left of an account's δ for keys nobody listed, and note what each costs."""
    made = {place: cost.delta for place, cost in costs.items() if cost.delta}
    if beside is None:
        if not made:
            return {}
        raise PrivacyError(
            f"account {account.name}",
            "has no δ for keys that nobody listed: such an answer keeps (ε, δ), never ε alone",
            "open one with keys=, or list the keys",
        )
    try:
        admit(
            [Charge(beside.name, "query", one) for one in made.values()],
            beside.spent,
            beside.budget,
        )
    except BudgetExceeded as error:
        raise _exceeded(beside.name, error.requested, error.remaining, error.short_by) from None
    for place, delta in made.items():
        charges[place][beside.name] = delta
    return {beside.name: beside.balance - sum(made.values(), start=Fraction(0))}


def planned(
    account: Account,
    parts: Mapping[str, tuple[Cost, Account]],
    costs: Mapping[int, Cost],
    charges: Mapping[int, dict[str, Fraction]],
) -> dict[str, Fraction]:
    """Return what is left of a plan and its parts after these costs, and note each of them.

    Each is paid by the least price that covers it and is left: of its own law, if there is one.
    """
    left = {name: row.balance for name, (_, row) in parts.items()}
    for place, cost in costs.items():
        fit = [name for name, (price, _) in parts.items() if covers(price, cost)]
        if not fit:
            raise PrivacyError(
                f"account {account.name}",
                "has no price in its plan that covers this question",
                "ask at a price of the plan: " + ", ".join(parts),
            )
        open_ones = [name for name in fit if left[name] > 0]
        if not open_ones:
            remedy = "take an answer on record (reuse): how many questions a plan has is fixed"
            raise _exceeded(" and ".join(fit), "1", "0", "1", remedy)
        used = min(open_ones, key=lambda name: _order(parts[name][0], cost))
        left[used] -= 1
        charges[place] |= {account.name: Fraction(1), used: Fraction(1)}
    return left | {account.name: account.balance - len(costs)}


def _order(price: Cost, cost: Cost) -> tuple[bool, Fraction]:
    return price.law != cost.law, price.amount


def _exceeded(
    name: str,
    requested: str,
    remaining: str,
    short_by: str,
    remedy: str = "pay less, take an answer on record (reuse), or have the budget raised",
) -> BudgetExceeded:
    return BudgetExceeded(
        f"budget of {name}",
        requested=requested,
        remaining=remaining,
        short_by=short_by,
        remedy=remedy,
    )
