"""What an account is kept in: ε, ρ, a ρ that keeps a promised (ε, δ), or a plan of prices."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, PrivacyError, StorageError, WrongTypeError
from sudare.exact import exact_text, rational_from_text
from sudare.ledger.costs import Cost, Law, as_amount, as_delta, epsilon_of, rho_of

MOST_QUESTIONS = 100_000
MOST_PRICES = 20
MOST_RHO = Fraction(1, 5)
"""Above it Gaussian noise is too narrow to be taken for continuous noise: its ρ alone counts."""

QUESTIONS = "questions"
"""Unit of a part of a plan: a row of its own, named ``account: price``."""

DELTA = "delta"
"""Unit of what an account may spend on keys that nobody listed: a row named ``account: delta``."""

_REMEDY = 'such as "40 epsilon=0.1, 30 choice=0.1, 30 rho=0.005"'
_WORDS: dict[str, tuple[str, Law]] = {
    "epsilon": ("epsilon", "any"),
    "choice": ("epsilon", "choice"),
    "rho": ("rho", "gaussian"),
}
_PROMISED = re.compile(r"(rho|plan) for \(([0-9./]+), ([0-9./]+)\)", re.ASCII)
_ITEM = re.compile(r"([1-9][0-9]{0,5}) +(\S+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Plan:
    """Prices that are fixed before the first question, and how often each may be paid.

    Which question is asked when, and whether at all, may depend on every answer before it; the
    prices may not. All together keep (ε, δ), by the law of their privacy loss.

    Attributes:
        prices: pairs of a number of questions and what one of them costs at most: pure ε, a choice
            by the exponential mechanism, or ρ of discrete Gaussian noise.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no such prices, or too many.

    Source: Zhu, Dong, Wang 2022, for a fixed order; any order, and choices:
    ``docs/proofs/composition.md``, items 2 to 5.

    Examples:
        >>> plan = Plan.parse("100 epsilon=0.1")
        >>> round(plan.epsilon(1e-6), 4), round(plan.epsilon_one_by_one(1e-6), 4)
        (4.7746, 5.2215)
        >>> round(Plan.parse("100 choice=0.1").epsilon(1e-6), 4)
        2.2597
    """

    prices: tuple[tuple[int, Cost], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.prices, tuple) or not 0 < len(self.prices) <= MOST_PRICES:
            raise WrongTypeError("plan", f"must have 1 to {MOST_PRICES} prices", _REMEDY)
        total = 0
        for n, cost in self.prices:
            if type(n) is not int or not isinstance(cost, Cost):
                raise WrongTypeError("plan", "must hold numbers and costs", _REMEDY)
            if not n > 0:
                raise DomainError("plan", "must have numbers > 0", _REMEDY, got=n)
            price_text(cost)
            total += n
        if total > MOST_QUESTIONS:
            raise DomainError("plan", f"must be of at most {MOST_QUESTIONS:,} questions", got=total)
        if len({price_text(cost) for _, cost in self.prices}) < len(self.prices):
            raise DomainError("plan", "must have each price once", "add their numbers")

    @classmethod
    def parse(cls, text: object) -> Plan:
        """Return the plan that text writes: ``NUMBER PRICE``, with commas between.

        A price is ``epsilon=``, ``choice=`` (a quantile, median, minimum or maximum) or ``rho=``.

        Raises:
            WrongTypeError, DomainError, PrivacyError: it writes none.
        """
        if not isinstance(text, str):
            raise WrongTypeError("plan", "must be text or a Plan", _REMEDY)
        found = [_ITEM.fullmatch(one.strip()) for one in text.split(",")]
        if not all(found):
            raise DomainError("plan", "must be numbers with prices", _REMEDY, got=text)
        return cls(tuple((int(one[1]), read_price(one[2])) for one in found if one))

    def __str__(self) -> str:
        return ", ".join(f"{n} {price_text(cost)}" for n, cost in self.prices)

    @property
    def rho(self) -> Fraction:
        """Return the ρ of all together."""
        parts = (n * cost.within("rho").amount for n, cost in self.prices)
        return sum(parts, start=Fraction(0))

    def epsilon_one_by_one(self, delta: float | Fraction) -> float:
        """Return the ε of an account that lets prices be chosen as one goes: by ρ.

        Raises:
            WrongTypeError, DomainError: no such δ.
        """
        return epsilon_of(self.rho, delta)

    def epsilon(self, delta: float | Fraction) -> float:
        """Return the ε of (ε, δ) that all together keep, rounded up.

        The least of three that hold: by the law of the privacy loss, by ρ, and the plain sum.

        Raises:
            WrongTypeError, DomainError: no such δ.
        """
        from sudare.ledger.losses import Composition

        exact = as_delta(delta)
        found = [self.epsilon_one_by_one(delta)]
        by: dict[str, list[tuple[Fraction, int]]] = {"any": [], "choice": [], "gaussian": []}
        for n, cost in self.prices:
            by[cost.law].append((cost.amount, n))
        pure = by["any"] + by["choice"]
        if not by["gaussian"]:
            found.append(float(sum(e * n for e, n in pure)) * (1 + 1e-15))
        if all(rho <= MOST_RHO for rho, _ in by["gaussian"]) and exact > Fraction(1, 10**60):
            normal = sum((n * 2 * r / (1 - 4 * r) for r, n in by["gaussian"]), start=Fraction(0))
            laws = [[(float(e), n) for e, n in by[law]] for law in ("any", "choice")]
            least = float(exact) * (1 - 1e-12)
            whole = Composition.of(laws[0], laws[1], float(normal), least * 1e-10)
            found.append(whole.epsilon(least))
        return min(found)


def price_text(cost: Cost) -> str:
    """Return a price as a plan writes it."""
    for word, kind in _WORDS.items():
        if kind == (cost.unit, cost.law):
            return f"{word}={exact_text(cost.amount)}"
    remedy = "use an account in rho, or noise of a known law"
    raise PrivacyError("rho", "must be of discrete Gaussian noise in a plan", remedy)


def read_price(text: str) -> Cost:
    """Return what a price of a plan stands for."""
    word, _, amount = text.partition("=")
    if word not in _WORDS:
        raise DomainError("plan", "must have prices epsilon=, choice= or rho=", _REMEDY, got=text)
    unit, law = _WORDS[word]
    exact = as_amount(rational_from_text(amount, "plan", _REMEDY), "plan")
    return Cost.of(**{unit: exact}).by(law)


def covers(price: Cost, cost: Cost) -> bool:
    """Tell whether what a price of a plan stands for is no less than a cost.

    Pure ε covers a choice of no more; nothing else covers another law.
    """
    fits = price.law == cost.law or (price.law, cost.law) == ("any", "choice")
    return fits and price.unit == cost.unit and price.amount >= cost.amount


@dataclass(frozen=True, slots=True)
class Budget:
    """What an account is opened with.

    Attributes:
        unit: ``"epsilon"``, ``"rho"``, ``"rho for (ε, δ)"`` or ``"plan for (ε, δ)"``.
        amount: of it; of a plan the number of questions.
        parts: of a plan: from a price to how often it may be paid.
        keys: the δ that keys nobody listed may cost; of (ε, δ) a part of it.
    """

    unit: str
    amount: Fraction
    parts: dict[str, Fraction] = field(default_factory=dict)
    keys: Fraction = Fraction(0)

    @classmethod
    def of(
        cls, epsilon: object = None, rho: object = None, delta: object = None, plan: object = None,
        keys: object = None,
    ) -> Budget:  # fmt: skip
        """Return the budget of what is given.

        Raises:
            WrongTypeError, DomainError, PrivacyError: no such budget, or ε is too small for the
                plan.
        """
        beside = Fraction(0) if keys is None else as_delta(keys, "keys")
        if delta is None:
            if plan is not None:
                raise PrivacyError("delta", "is needed for a plan", "such as 1e-6")
            cost = Cost.of(epsilon=epsilon, rho=rho)
            return cls(cost.unit, cost.amount, keys=beside)
        exact = as_delta(delta)
        if beside >= exact:
            raise DomainError("keys", "must be a part of delta", "such as half of it")
        rest = exact - beside
        if rho is not None:
            remedy = "give epsilon with it"
            raise PrivacyError("rho", "has no part of its own in (ε, δ)", remedy)
        if plan is None:
            promised = as_amount(epsilon, "epsilon")
            kept = rho_of(promised, rest)
            short = Fraction(math.floor(kept * 10**12), 10**12)
            return cls(_promise("rho", promised, exact), short or kept, keys=beside)
        asked = plan if isinstance(plan, Plan) else Plan.parse(plan)
        needed = Fraction(math.ceil(Fraction(asked.epsilon(rest)) * 10**4), 10**4)
        promised = needed if epsilon is None else as_amount(epsilon, "epsilon")
        if promised < needed:
            remedy = f"give at least {float(needed)}, or plan fewer questions"
            raise PrivacyError("epsilon", "does not cover the plan", remedy, got=float(promised))
        parts = {price_text(cost): Fraction(n) for n, cost in asked.prices}
        whole = sum(parts.values(), Fraction(0))
        return cls(_promise("plan", promised, exact), whole, parts, beside)


def _promise(counted: str, epsilon: Fraction, delta: Fraction) -> str:
    return f"{counted} for ({exact_text(epsilon)}, {exact_text(delta)})"


def part_name(account: str, price: str) -> str:
    """Return the name of a part of a plan."""
    return f"{account}: {price}"


def check_is_no_part(account: str) -> None:
    """Refuse a name that could be that of a part of another account's plan.

    Raises:
        DomainError: it could.
    """
    of_delta = account.endswith(part_name("", DELTA))
    if of_delta or any(part_name("", f"{word}=") in account for word in _WORDS):
        rule = "must not be named as a part of a plan is"
        remedy = "leave : epsilon=, : delta and the like out"
        raise DomainError("account", rule, remedy, got=account)


def part_prices(account: str, names: Iterable[str]) -> dict[str, Cost]:
    """Return the price of each name that is of a part of this account's plan."""
    start, found = part_name(account, ""), {}
    for name in names:
        rest = name[len(start) :]
        if name.startswith(start) and rest.partition("=")[0] in _WORDS:
            found[name] = read_price(rest)
    return found


def check_promises(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Check of an export that each account of (ε, δ) keeps what it promises; returns their units.

    Budgets in ρ are turned into ε, plans composed anew. :func:`check_events` comes first.

    Raises:
        StorageError: an account promises too much; it is named.

    Examples:
        >>> check_promises([])
        {}
    """
    named = [one["body"] for one in events if one["kind"] in ("open", "budget")]
    parts = {one["account"]: one["budget"] for one in named if one.get("unit") == QUESTIONS}
    beside = {one["account"]: one["budget"] for one in named if one.get("unit") == DELTA}
    kept = {}
    for body in named:
        found = _PROMISED.fullmatch(str(body.get("unit")))
        if found is None:
            continue
        try:
            promised, delta = Fraction(found[2]), Fraction(found[3])
            rest = delta - Fraction(beside.get(part_name(body["account"], DELTA), "0"))
            whole = _needed(found[1], body, parts, rest) <= promised
        except (ValueError, ArithmeticError, TypeError, KeyError):  # no such numbers or prices
            whole = False
        if not whole:
            raise StorageError(
                "events", f"must keep what they promise: look at account {body['account']}"
            )
        kept[body["account"]] = body["unit"]
    return kept


def _needed(
    counted: str, body: Mapping[str, Any], parts: Mapping[str, str], delta: Fraction
) -> float:
    """Return the ε that an account's budget, or its plan, needs."""
    if counted == "rho":
        return epsilon_of(Fraction(body["budget"]), delta)
    prices = part_prices(body["account"], parts)
    return Plan(tuple((int(Fraction(parts[one])), cost) for one, cost in prices.items())).epsilon(
        delta
    )
