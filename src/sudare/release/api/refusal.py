"""Refusals of the query API: a status and a constant text, whatever the data holds."""

from __future__ import annotations

from sudare.errors import BudgetExceeded, DomainError, StorageError, SudareError


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """A request is refused; nothing was spent.

    Attributes:
        status: the HTTP status.
        error: what is told: made of constant texts and of names that the description shows.
        retry_seconds: when to come back; None for never.
    """

    def __init__(self, status: int, error: SudareError, retry_seconds: int | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.error = error
        self.retry_seconds = retry_seconds


def unknown() -> Refusal:
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
        return Refusal(503, error, 2)
    return Refusal(400, error)
