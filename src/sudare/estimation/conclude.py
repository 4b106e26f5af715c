"""The beginning and the end of every estimate: what was requested, and what its reader is told."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import as_one_of
from sudare.estimation.caution import Caution, few_reports, no_stderr
from sudare.estimation.counts import Counts
from sudare.estimation.estimate import Estimate, Law, Target


class AnyEstimate(Protocol):
    """What every estimate says, whatever is estimated: shares, keys and values, a number."""

    @property
    def n(self) -> int:
        """Number of reports."""
        ...

    @property
    def epsilon(self) -> float:
        """ε that each respondent spent on this answer."""
        ...

    @property
    def covers(self) -> str:
        """What that ε covers, in words."""
        ...

    @property
    def method(self) -> str:
        """How it was estimated."""
        ...

    @property
    def target(self) -> Target:
        """Whom the standard errors are about."""
        ...

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """Sentences that a reader should know."""
        ...


A = TypeVar("A", bound=AnyEstimate)
E = TypeVar("E", bound=Estimate)


def check_method(methods: Collection[str], method: object) -> str:
    """Return ``method`` if a family has one of that name; DomainError otherwise."""
    return as_one_of(method, "method", methods)


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """The shares that a method found.

    Attributes:
        shares: in the shape of the domain.
        few: booleans in that shape: cells with few reports.
        law: how the shares vary; None where no formula is known.
        rule: what ended a search; it becomes part of the method's name.
        cautions: what else a reader should know.
    """

    shares: Floats
    few: npt.NDArray[np.bool_]
    law: Law | None = None
    rule: str = ""
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EstimateRequest:
    """What an estimator was asked, checked, and what the answer says beside its numbers.

    Attributes:
        counts: tally of the reports.
        method: a method of the family.
        target: whose shares, or numbers.
        epsilon, covers: what each respondent spent, and on what.
    """

    counts: Counts
    method: str
    target: Target
    epsilon: float
    covers: str

    def named(self, rule: str) -> str:
        """Return the method's name with the rule that ended its search."""
        return f"{self.method}, {rule}" if rule else self.method

    def answer(
        self, kind: Callable[..., A], warnings: tuple[Caution, ...], rule: str = "", **numbers: Any
    ) -> A:
        """Return an estimate of any kind with these numbers.

        Args:
            kind: its class.
            warnings: what a reader should know.
            rule: what ended a search; it becomes part of the method's name.
            numbers: what that kind holds.
        """
        return kind(
            n=self.counts.n,
            epsilon=self.epsilon,
            covers=self.covers,
            method=self.named(rule),
            target=self.target,
            warnings=warnings,
            **numbers,
        )

    def conclude(self, found: MethodResult, kind: type[E], **more: Any) -> E:
        """Return the estimate of shares, with every caution that belongs to them.

        Args:
            found: shares, and how they vary.
            kind: :class:`~sudare.Estimate`, or one that holds ``more``.
        """
        few = np.flatnonzero(found.few)
        cautions = [few_reports(few, found.shares.shape)] if few.size else []
        if found.law is None:
            cautions.append(no_stderr(self.method))
        return self.answer(
            kind,
            (*cautions, *found.cautions),
            found.rule,
            shares=found.shares,
            stderr=found.law.stderr if found.law else np.full_like(found.shares, np.nan),
            _law=found.law,
            **more,
        )
