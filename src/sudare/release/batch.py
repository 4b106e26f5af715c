"""Several questions under one budget, split as stated, paid at once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, WrongTypeError
from sudare.ledger import Cost
from sudare.release.ask import Ask
from sudare.release.dataset import Dataset
from sudare.release.grid import exact
from sudare.release.queries.base import REMEDY
from sudare.release.released import Released


def batch(
    db: Dataset,
    asks: Sequence[Ask | str],
    cost: Cost,
    *,
    split: Sequence[Any] | None = None,
    reuse: bool = False,
) -> list[Released[Any]]:
    """Ask several questions for one price: all are answered, or none, and nothing is spent.

    Args:
        db: the data set.
        asks: questions, as :class:`Ask` or its text.
        cost: of all together.
        split: a positive number for each: its part of the price; None for equal ones.
        reuse: take answers from the ledger's record where they are.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no questions, no such split, or one of them
            cannot be answered; nothing was spent.
        BudgetExceeded: nothing was spent.

    Examples:
        >>> db = Dataset({"score": [60, 70] * 5000}, bounds={"score": (0, 100)}, budget=1)
        >>> [one.epsilon for one in batch(db, ["mean:score", "median:score"], Cost.of(epsilon=1))]
        [0.5, 0.5]
    """
    if not isinstance(asks, list | tuple) or not asks:
        raise WrongTypeError("asks", "must be a list of questions", REMEDY)
    if not isinstance(cost, Cost):
        raise WrongTypeError("cost", "must be a Cost", "such as Cost.of(epsilon=1)")
    questions = [one if isinstance(one, Ask) else Ask.parse(one) for one in asks]
    parts = [Fraction(1)] * len(questions)
    if split is not None:
        if not isinstance(split, list | tuple) or len(split) != len(questions):
            raise DomainError("split", "must have a number for each question")
        parts = [exact(one, "split") for one in split]
        if min(parts) <= 0:
            raise DomainError("split", "must be > 0", "leave a question out instead")
    whole = sum(parts, start=Fraction(0))
    costs = [Cost(cost.unit, cost.amount * part / whole) for part in parts]
    pairs = zip(questions, costs, strict=True)
    return db.ask_all([(one.query(db.held), each) for one, each in pairs], reuse=reuse)
