"""The one ending of all estimates of shares: what a method found, and what its reader is told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError
from sudare.estimation.caution import Caution, few_reports, no_stderr
from sudare.estimation.estimate import Estimate, Floats, Law, Target

E = TypeVar("E", bound=Estimate)


def check_method(methods: Collection[str], method: object) -> str:
    """Return ``method`` if a family has one of that name; DomainError otherwise."""
    if not isinstance(method, str) or method not in methods:
        raise DomainError("method", f"must be one of {list(methods)}", got=method)
    return method


@dataclass(frozen=True, slots=True, eq=False)
class Found:
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

    def conclude(
        self,
        method: str,
        target: Target,
        *,
        n: int,
        epsilon: float,
        covers: str,
        kind: type[E],
        **more: Any,
    ) -> E:
        """Return the estimate, with every caution that belongs to it.

        Args:
            method: that was asked for.
            target: whose shares.
            n: number of reports.
            epsilon, covers: what each respondent spent, and on what.
            kind: of estimate.
            more: what that kind holds in addition.
        """
        few = np.flatnonzero(self.few)
        cautions = [few_reports(few, self.shares.shape)] if few.size else []
        if self.law is None:
            cautions.append(no_stderr(method))
        return kind(
            shares=self.shares,
            stderr=np.full_like(self.shares, np.nan) if self.law is None else self.law.stderr,
            n=n,
            epsilon=epsilon,
            covers=covers,
            method=f"{method}, {self.rule}" if self.rule else method,
            target=target,
            warnings=(*cautions, *self.cautions),
            _law=self.law,
            **more,
        )
