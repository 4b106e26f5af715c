"""``Ledger``: budgets that survive, payments that are never lost, answers that are never free."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.exact import exact_text
from sudare.ledger.bills import MOST_ANSWER, Bill, Due, Paid, within
from sudare.ledger.chain import as_json
from sudare.ledger.costs import Cost
from sudare.ledger.payment import PaymentPlan, PaymentRequest, Terms
from sudare.ledger.plan import DELTA, QUESTIONS, Budget, check_is_no_part, part_name
from sudare.ledger.seal import Seal, refuse_sealed
from sudare.ledger.transaction import Account, LedgerTransaction, as_name


class Budgeted(TypedDict, total=False):
    """What an account may spend, as :meth:`Ledger.open` says."""

    epsilon: object
    rho: object
    delta: object
    plan: object
    keys: object


class Ledger:
    """Accounts of privacy, in a file or a PostgreSQL database.

    A payment checks, reserves, answers and settles in one transaction: either the cost is on
    record and the answer beside it, or nothing has happened. What a process has in hand when it
    is killed was never returned. A second process waits for the first.

    A ledger with a key is *sealed*: one that was edited or cut short by who has not the key is
    refused, when it is opened, before each payment and before an answer on record is given
    (``docs/sharp-edges.md`` says what is found).

    Args:
        where: path of a SQLite file, made if there is none, for its owner alone; or a
            ``postgresql://`` URL.
        key: at least 16 bytes, or the path of a file with them, to be kept elsewhere; None for what
            the environment's ``SUDARE_LEDGER_KEY`` holds, or no seal.
        anchor: file that notes the last state, to be kept elsewhere too; None for the key's file
            with ``.anchor``, or what ``SUDARE_LEDGER_ANCHOR`` names.
        seal: seal a ledger that is there as it stands, if all its events are whole: the first time,
            or under a new key, or where the anchor is lost.

    Raises:
        StorageError: no such database, a newer version of it, or a seal that is broken.
        WrongTypeError, DomainError: no such key or anchor.
        MissingExtraError: SQLAlchemy, or psycopg for PostgreSQL, is not installed.

    Examples:
        >>> ledger = Ledger("ledger.db")
        >>> _ = ledger.open("survey", epsilon=1)
        >>> paid = ledger.pay(["survey"], Cost.of(epsilon=0.4), {"count": "all"}, lambda: 42)
        >>> paid.answer, ledger.account("survey").remaining
        (42, Fraction(3, 5))
        >>> ledger.pay(["survey"], Cost.of(epsilon=0.7), {"count": "men"}, lambda: 20)
        Traceback (most recent call last):
        ...
        sudare.errors.BudgetExceeded: budget of survey does not cover this charge: ...
        >>> ledger.close()
    """

    def __init__(
        self,
        where: str | os.PathLike[str],
        *,
        key: bytes | str | os.PathLike[str] | None = None,
        anchor: str | os.PathLike[str] | None = None,
        seal: bool = False,
    ) -> None:
        from sudare.ledger import tables

        if not isinstance(where, str | os.PathLike):
            raise WrongTypeError("where", "must be a path or a URL", "such as ledger.db")
        self._seal = Seal.of(key, anchor)
        if seal and self._seal is None:
            raise DomainError("seal", "needs a key", "give key=")
        self._tables = tables
        self._engine = tables.open_engine(where)
        self._pid = os.getpid()
        try:
            self._begin(seal)
        except BaseException:
            self.close()
            raise

    def _begin(self, anew: bool) -> None:
        if self._seal is None:
            with self.reading() as ledger:
                refuse_sealed(ledger)
            return
        with self._transaction(write=True) as ledger:
            state = self._seal.begin(ledger, anew=anew)
        self._seal.keep(state, anew=anew)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- accounts ----------------------------------------------------------------------------

    def open(self, name: str, **budget: Unpack[Budgeted]) -> Account:
        """Open an account with a budget; one that is open with the same budget stays as it is.

        Args:
            name: of the account.
            budget: ``epsilon=`` or ``rho=``. With ``delta=`` the account keeps (ε, δ): by ρ, so
                that each price may be chosen after seeing all answers before; or by ``plan=``, a
                :class:`~sudare.ledger.Plan` or its text, whose prices are fixed now and which
                covers more questions. Of a plan ``epsilon`` may be left out: what it needs.
                ``keys`` is the δ that keys nobody listed (``discover``) may cost; a part of
                ``delta`` where that is given.

        Raises:
            WrongTypeError, PrivacyError: no such name or budget, or ε does not cover the plan.
            DomainError: it is open with another budget: use :meth:`set_budget`.
        """
        given = Budget.of(**budget)
        own = as_name(name)
        parts = {
            as_name(part_name(own, price)): Budget(QUESTIONS, n) for price, n in given.parts.items()
        }
        if given.keys:
            parts[as_name(part_name(own, DELTA))] = Budget(DELTA, given.keys)
        with self.writing() as ledger:
            known = ledger.accounts([own, *parts], missing_ok=True)
            if known:
                known += [one for one in map(ledger.beside, known) if one and one not in known]
                if not _is_opened_with(known, own, given, parts):
                    remedy = "use set_budget: sudare ledger budget"
                    raise DomainError("account", "is open with another budget", remedy, got=own)
                return next(one for one in known if one.name == own)
            check_is_no_part(own)
            ledger.insert(own, given)
            for part, budgeted in parts.items():
                ledger.insert(part, budgeted)
        return Account(own, given.unit, given.amount, Fraction(0))

    def set_budget(self, name: str, **budget: Unpack[Budgeted]) -> Account:
        """Give an account another budget, in its unit; what is spent stays spent.

        Args:
            name: of the account.
            budget: as of :meth:`open`; of an account that keeps (ε, δ) by ρ both, with the δ it
                has. A plan stays as it is: it holds because it does not depend on answers.

        Raises:
            WrongTypeError, PrivacyError, DomainError: no such account or budget.
        """
        if "keys" in budget:
            raise DomainError("keys", "are fixed when their account is opened", "open another")
        given = Budget.of(**budget)
        with self.writing() as ledger:
            (known,) = ledger.accounts([as_name(name)])
            beside = ledger.beside(known)
            if beside is not None and given.unit.startswith("rho for "):
                budget["keys"] = beside.budget
                given = Budget.of(**budget)
            if "plan" in (known.counts, given.unit.partition(" ")[0]) or known.unit == QUESTIONS:
                raise DomainError("plan", "is fixed when its account is opened", "open another")
            if known.unit.partition(",")[2] != given.unit.partition(",")[2] or (
                known.counts != given.unit.partition(" ")[0]
            ):
                raise DomainError("budget", "is not in the account's unit", f"give {known.unit}")
            ledger.set(known.name, unit=given.unit, budget=given.amount)
            ledger.append("budget", {"account": known.name, "unit": given.unit}, given.amount)
        return Account(known.name, given.unit, given.amount, known.spent)

    def account(self, name: str) -> Account:
        """Return an account.

        Raises:
            WrongTypeError, DomainError: there is none of that name.
        """
        with self.reading() as ledger:
            (known,) = ledger.accounts([as_name(name)])
        return known

    def parts(self, name: str) -> list[Account]:
        """Return the parts of an account: how often each price of its plan may be paid; its δ.

        Raises:
            WrongTypeError, DomainError: there is no account of that name.
        """
        with self.reading() as ledger:
            (known,) = ledger.accounts([as_name(name)])
            beside = ledger.beside(known)
            found = [row for _, row in ledger.parts(known).values()]
            return found if beside is None else [*found, beside]

    def accounts(self) -> list[Account]:
        """Return all accounts, by name."""
        with self.reading() as ledger:
            return ledger.accounts(None)

    # -- payments ----------------------------------------------------------------------------

    def pay(
        self,
        accounts: Sequence[str],
        cost: Cost,
        query: Mapping[str, Any],
        answer: Callable[[], Any],
        **terms: Unpack[Terms],
    ) -> Paid:
        """Charge accounts for a query and answer it: all of it, or nothing.

        Args:
            accounts: names of all that pay, such as a data set's and an analyst's. What the first
                query of an account says under ``neighbours`` all its queries must say.
            cost: what each pays, in its own unit.
            query: JSON data that says what was asked, without data values; at most 1 MiB.
            answer: called once the budget is reserved; returns JSON data, at most 16 MiB. What it
                raises is passed on, and nothing is charged.
            terms: ``reuse=``: if the same query is on record, return its answer at no cost.
                ``key=``, 1 to 200 characters: asked again with this key, the same query is answered
                from the record at no cost, so that an answer that was lost on its way is not paid
                twice. ``by=``: whose key it is, an account; None for all that pay.

        Raises:
            BudgetExceeded: an account cannot pay; nothing has changed.
            PrivacyError: an account pays for answers that protect somebody else: other neighbours,
                another unit, or another number of its rows. ε of both are no sum.
            WrongTypeError, DomainError: no such accounts, cost, query or key; or the key has paid
                for another query.
            StorageError: the database cannot be reached, or its seal is broken; nothing was charged
                unless it was when the connection broke, and no answer is given.
        """
        (paid,) = self.pay_all(accounts, [Bill(cost, query, answer)], **terms)
        return paid

    def pay_all(
        self, accounts: Sequence[str], bills: Sequence[Bill], **terms: Unpack[Terms]
    ) -> list[Paid]:
        """Charge accounts for several queries and answer them: all of them, or nothing.

        Args:
            accounts: names of all that pay, as of :meth:`pay`.
            bills: the queries; each becomes an event of its own.
            terms: as of :meth:`pay`, for all of them together; ``reuse=``: those on record, or
                twice among these, are answered once and paid once.

        Raises:
            BudgetExceeded: an account cannot pay for all; nothing has changed.
            WrongTypeError, DomainError, PrivacyError, StorageError: as :meth:`pay`.
        """
        order = PaymentRequest.of(accounts, bills, **terms)
        with self.writing() as ledger:
            step("locked")
            plan = PaymentPlan.of(ledger, order)
            step("checked")
            for row in plan.rows if plan.due else ():
                if plan.left[row.name] != row.balance:
                    ledger.set(row.name, spent=row.budget - plan.left[row.name])
            for payer in plan.payers if plan.due else ():
                if plan.bound[payer.name] != payer.neighbours:
                    ledger.bind(payer.name, plan.bound[payer.name])
            step("reserved")
            drawn = [one.bill.answer() for _, one in plan.due]
            step("answered")
            paid = {
                place: self._settled(ledger, order, place, plan, given)
                for (place, _), given in zip(plan.due, drawn, strict=True)
            }
            first = {one.mark: paid[place] for place, one in reversed(plan.due)}
            step("settled")
        step("committed")
        out = []
        for place, one in enumerate(order.asked):
            number, given = paid.get(place) or plan.known[place] or first[one.mark]
            out.append(Paid(given, number, place not in paid, plan.remaining))
        return out

    def check_all(
        self, accounts: Sequence[str], bills: Sequence[Bill], **terms: Unpack[Terms]
    ) -> list[Due]:
        """Refuse what :meth:`pay_all` would refuse now, and return what it would charge.

        Arguments and errors are the same. No ``answer`` is called, nothing is charged or reserved,
        and nobody is waited for.
        """
        order = PaymentRequest.of(accounts, bills, **terms)
        with self.reading() as ledger:
            plan = PaymentPlan.of(ledger, order)
        return [
            Due(plan.charges.get(place, {}), place not in plan.charges, plan.remaining)
            for place in range(len(order.asked))
        ]

    @staticmethod
    def _settled(
        ledger: LedgerTransaction, order: PaymentRequest, place: int, plan: PaymentPlan, given: Any
    ) -> tuple[int, Any]:
        """Record a query with its answer; returns the event's number and the answer as kept."""
        one, once = order.asked[place], order.once
        cost = one.bill.cost
        text = within(as_json(given, "answer"), "answer", MOST_ANSWER)
        body = {
            "accounts": {name: exact_text(part) for name, part in plan.charges[place].items()},
            "cost": cost.exact,
            **({} if cost.law == "any" else {"law": cost.law}),
            "query": json.loads(one.text),
            "answer": json.loads(text),
        }
        found_by = {"query": one.mark}
        if once is not None:
            found_by |= {"once": once.key, "part": once.part(place)}
        return ledger.append("query", body, None, **found_by), body["answer"]

    # -- the record --------------------------------------------------------------------------

    def events(self) -> list[dict[str, Any]]:
        """Return all events in their order, as JSON data: for auditors.

        Each has its number, kind, UTC time and body, and the hash of itself and all before it.
        """
        with self.reading() as ledger:
            return ledger.events()

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write all events as JSON lines; returns how many. :func:`check_events` reads them.

        A new file is its owner's alone to read.

        Raises:
            StorageError: the file cannot be written.
        """
        lines = [json.dumps(one, ensure_ascii=False, sort_keys=True) for one in self.events()]
        try:
            private = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            with open(private, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)
        except OSError as error:
            raise StorageError("path", "must be a file that can be written") from error
        return len(lines)

    @contextmanager
    def writing(self) -> Iterator[LedgerTransaction]:
        """Return a transaction that has the ledger to itself: for other rooms of the ledger."""
        seal, state = self._seal, None
        with self._transaction(write=True) as ledger:
            if seal is None:
                refuse_sealed(ledger)
            else:
                seal.check(ledger)
            yield ledger
            if seal is not None:
                state = seal.write(ledger)
        if seal is not None and state is not None:
            seal.keep(state)

    def reading(self) -> AbstractContextManager[LedgerTransaction]:
        """Return a transaction that waits for nobody."""
        return self._transaction(write=False)

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[LedgerTransaction]:
        from sudare.ledger.engine import begun

        if self._pid != os.getpid():  # after a fork: the connections are the parent's
            self._engine.dispose(close=False)
            self._pid = os.getpid()
        with begun(self._engine, "ledger", write=write) as connection:
            sign = self._seal.sign if self._seal else None
            yield LedgerTransaction(connection, self._tables, write=write, sign=sign)


def _is_opened_with(
    known: Sequence[Account], name: str, given: Budget, parts: Mapping[str, Budget]
) -> bool:
    """Tell whether an account and the parts of its plan are open with this budget.

    What ρ keeps a promise is worked out in floats: the promise itself is compared.
    """
    asked = {one: (part.unit, part.amount) for one, part in parts.items()}
    asked[name] = given.unit, given.amount
    has = {one.name: (one.unit, one.budget) for one in known}
    if given.unit.startswith("rho for ") and name in has:
        asked[name] = (given.unit, has[name][1])
    return has == asked


def step(name: str) -> None:
    """Do nothing. Tests stop the process at each of these points of a payment."""
