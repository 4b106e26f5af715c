"""Refusals of the query API: a status and a constant text, whatever the data holds."""

from __future__ import annotations

from sudare.errors import BudgetExceeded, DomainError, StorageError, SudareError
from sudare.refusal import Refusal, unavailable

__all__ = ["Refusal", "not_found", "of_error", "unauthorised"]


def not_found() -> Refusal:
    """Return the one refusal for what is not there and for what a token does not cover."""
    return Refusal(
        404, DomainError("dataset", "is not known here, or not to this token", "see GET /datasets")
    )


def unauthorised() -> Refusal:
    """Return the one refusal for no token, a wrong one, and one that has ended."""
    return Refusal(
        401,
        DomainError("authorization", "must be Bearer and a valid token", "ask the data's holder"),
    )


def of_error(error: SudareError) -> Refusal:
    """Return the refusal for an error of a data set or a ledger."""
    if isinstance(error, BudgetExceeded):
        return Refusal(402, error)
    if isinstance(error, StorageError):
        return unavailable(error)
    return Refusal(400, error)
