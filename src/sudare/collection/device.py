"""What one device spends on one survey: over all its versions, under a limit of the device's own.

The collector writes the definitions, and may write many. It does not write this rule:

1. Charges add up by origin and name, whatever the definition says.
2. Under one definition they stay within its ``epsilon_cap``.
3. The first submission is the person's own decision; all charges after it, of either unit, stay
   within the device's limit with it: ``device`` in ``compiled.json``.
4. Where another version was charged, each new charge needs the person's word.

The browser keeps the same rule in ``web/js/device.js``; ``tests/vectors/device.json`` holds both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sudare.collection.compiled import rules
from sudare.errors import BudgetExceeded, EarlierAnswer
from sudare.exact import decimal_text
from sudare.ledger import Charge, admit, spent

_UNNAMED = (
    "an old memory names no surveys: open each collection that it has answered with it once, so "
    "that only the charges of this survey count"
)


@dataclass(frozen=True, slots=True)
class DeviceCharge(Charge):
    """A draw that a device has paid for; the account is that of the version.

    Attributes:
        origin: of the collector; empty where it was not stated.
        name: of the survey; None where an old memory has not kept it.
    """

    origin: str
    name: str | None

    @property
    def version(self) -> str:
        """Fingerprint of the definition that was answered."""
        return self.account.partition("/")[0]

    @property
    def unit(self) -> str:
        """``"metre"`` where ε is one for each metre; empty where it is one for an answer."""
        return "metre" if "/" in self.account else ""

    def is_of(self, origin: str, name: str) -> bool:
        """Whether it counts for a survey: what is unknown counts for each that it may be of."""
        return self.name in (None, name) and self.is_at(origin)

    def is_at(self, origin: str) -> bool:
        """Whether it counts for an origin; empty for all together."""
        return not origin or self.origin in ("", origin)


@dataclass(frozen=True, slots=True)
class Bill:
    """What another answer costs at most, in one unit of ε.

    Attributes:
        unit: ``"metre"`` where ε is one for each metre; empty where it is one for an answer.
        spent: on all versions of the survey so far.
        cost: of the new answer.
        limit: of the device for this survey, over all versions.
    """

    unit: str
    spent: Fraction
    cost: Fraction
    limit: Fraction

    @property
    def together(self) -> Fraction:
        """What is spent after it."""
        return self.spent + self.cost

    def __str__(self) -> str:
        amounts = (self.spent, self.cost, self.together, self.limit)
        had, cost, together, limit = map(decimal_text, amounts)
        per = f" per {self.unit}" if self.unit else ""
        return f"ε = {had}{per} so far, {cost} more now, together {together} of at most {limit}"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a device has spent on a survey, and may spend.

    Attributes:
        version: fingerprint of the definition that is answered now.
        past: charges of all versions.
        caps: what each account of this version pays at most.
        cap: the person's own limit, which holds for the first submission as well, or None.
    """

    version: str
    past: Sequence[DeviceCharge]
    caps: Mapping[str, Fraction]
    cap: Fraction | None = None

    @property
    def is_earlier(self) -> bool:
        """Whether another version was answered."""
        return any(charge.version != self.version for charge in self.past)

    def spent(self, unit: str = "") -> Fraction:
        """Return what all versions have spent, in one unit of ε."""
        return spent(charge for charge in self.past if charge.unit == unit)

    def bills(self, fresh: Iterable[DeviceCharge]) -> tuple[Bill, ...]:
        """Return what new charges come to, unit by unit."""
        fresh = tuple(fresh)
        return tuple(
            Bill(
                unit, self.spent(unit), spent(c for c in fresh if c.unit == unit), self._most(unit)
            )
            for unit in sorted({charge.unit for charge in fresh})
        )

    def check(self, fresh: Sequence[DeviceCharge], *, again: bool) -> None:
        """Refuse new charges that break the rule of this module.

        Raises:
            BudgetExceeded: beyond the definition's cap or the device's limit.
            EarlierAnswer: another version was charged, and nobody has agreed to more.
        """
        for account in sorted({charge.account for charge in fresh}):
            had, new = (
                [one for one in some if one.account == account] for some in (self.past, fresh)
            )
            admit(new, spent(had), self.caps[account])
        bills = self.bills(fresh)
        for bill in bills:
            own = self.cap is not None and not bill.unit
            if bill.together > bill.limit and (self.past or own):
                raise BudgetExceeded(
                    f"device's limit of ε = {decimal_text(bill.limit)} for this survey",
                    requested=decimal_text(bill.cost),
                    remaining=decimal_text(max(bill.limit - bill.spent, Fraction(0))),
                    short_by=decimal_text(bill.together - bill.limit),
                    remedy=self._remedy("give the remembered answers again: they cost nothing"),
                )
        if bills and self.is_earlier and not again:
            raise EarlierAnswer(
                "collection",
                f"was answered in an earlier version: {'; '.join(map(str, bills))}",
                self._remedy("agree with again=True, or let it be: nothing was drawn or charged"),
                bills=bills,
            )

    def _most(self, unit: str) -> Fraction:
        if self.cap is not None and not unit:
            return self.cap
        return Fraction(rules()["device"][f"epsilon_per_{unit}" if unit else "epsilon"])

    def _remedy(self, remedy: str) -> str:
        return _UNNAMED if any(charge.name is None for charge in self.past) else remedy
