"""``Queries``: held data sets behind tokens, limits and a ledger; whatever carries the requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sudare.errors import (
    BudgetExceeded,
    DomainError,
    MissingExtraError,
    StorageError,
    SudareError,
    WrongTypeError,
    counted,
)
from sudare.exact import as_integer
from sudare.ledger import Ledger, Token, Tokens
from sudare.refusal import Refusal, unavailable
from sudare.release.api.answers import (
    Answer,
    Answers,
    Description,
    DryRun,
    Dummy,
    MadeUpRows,
    Selected,
    Summary,
    answer_of,
)
from sudare.release.api.limits import Limit
from sudare.release.api.requests import BatchOf, Estimate, Sql, decode
from sudare.release.api.spending import MOST, Holding, Spending, holdings, spending
from sudare.release.dataset import Dataset
from sudare.release.definition import Definition

MOST_BYTES = 1 << 20
"""The largest request that is read."""

MOST_DUMMY = 10_000
"""Made-up rows that are told at once."""

_SCHEME = "bearer "


class Queries:
    """Answer queries to held data for those who have a token.

    Each answer is paid by two accounts of the ledger: the data set's and the token holder's.

    Args:
        definitions: of the data sets; each is read now, its account opened.
        ledger: with the accounts and the tokens.
        limit: how often a token may ask.
        clock: returns an aware datetime; tells whether a token has ended.

    Raises:
        WrongTypeError, DomainError, StorageError: a data set that cannot be opened, two of one
            name.
    """

    def __init__(
        self,
        definitions: Sequence[Definition],
        ledger: Ledger,
        *,
        limit: Limit | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        given = list(definitions) if isinstance(definitions, list | tuple) else [None]
        if not all(isinstance(one, Definition) for one in given):
            raise WrongTypeError("definitions", "must be a list of data sets' definitions")
        self._held: dict[str, tuple[Definition, Dataset]] = {}
        for definition in definitions:
            if definition.name in self._held:
                raise DomainError("name", "must be unique", "rename one", got=definition.name)
            self._held[definition.name] = definition, definition.open(ledger)
        self._ledger, self._tokens = ledger, Tokens(ledger)
        self._limit, self._clock = limit or Limit(60), clock

    @property
    def names(self) -> list[str]:
        """Names of the data sets."""
        return list(self._held)

    def list(self, authorization: str | None) -> list[Summary]:
        """Return what a token covers; without a token nothing.

        Raises:
            Refusal: 401 for a token that is none, 429 where it asks too often.
        """
        if authorization is None:
            return []
        token = self._token(authorization)
        return [
            Summary(name, definition.title, "held")
            for name, (definition, _) in self._held.items()
            if token.allows("describe", name)
        ]

    def describe(self, authorization: str | None, name: str) -> Description:
        """Return all that is public about a data set, with the budgets that pay.

        Raises:
            Refusal: 401, 404, 429, 503.
        """
        token = self._token(authorization)
        definition, db = self._covered(token, "describe", name)
        try:
            names = dict.fromkeys((name, token.holder))
            accounts = [self._ledger.account(one) for one in names]
            accounts += [part for one in names for part in self._ledger.parts(one)]
        except SudareError as error:
            raise of_error(error) from None
        return Description.of(definition, db, accounts)

    def dummy(self, authorization: str | None, name: str, rows: int | None = None) -> Dummy:
        """Return made-up rows for a data set, from its definition alone.

        Args:
            authorization: as of :meth:`describe`.
            name: of the data set.
            rows: 1 to 10,000; None for 100.

        Raises:
            Refusal: 400, 401, 404, 429, 503.
        """
        definition, _ = self._covered(self._token(authorization), "describe", name)
        try:
            size = as_integer(100 if rows is None else rows, "rows", low=1, high=MOST_DUMMY)
            others = {table: definition.dummy(size, table=table) for table in definition.tables}
            return Dummy(name, definition.dummy(size), others)
        except SudareError as error:
            raise of_error(error) from None

    def admit(self, authorization: str | None, name: str) -> Token:
        """Return the token of somebody who may query a data set: before the body is read.

        Raises:
            Refusal: 401, 404, 429, 503.
        """
        token = self._token(authorization)
        self._covered(token, "query", name)
        return token

    def answer(
        self, token: Token, name: str, body: bytes, key: str | None = None
    ) -> Answer | Answers | Selected | MadeUpRows:
        """Answer a query, a batch or a SELECT: it is paid for, or refused and nothing spent.

        Args:
            token: that :meth:`admit` returned.
            name: of the data set.
            body: JSON of the query.
            key: under which it is paid once, of the token's holder; the body may name it too.

        Raises:
            Refusal: 400, 402 (a budget does not cover it), 404, 501, 503.
        """
        query, db = self._asked(token, name, body, key)
        try:
            rows, pairs = query.asked(db)
            answers = rows.ask_all(pairs, reuse=query.reuse)
            if isinstance(query, Sql):
                return Selected.of(query.selection(db), answers, query.confidence)
        except SudareError as error:
            raise of_error(error) from None
        if isinstance(query, BatchOf):
            return Answers.of(answers, query.confidence)
        return answer_of(answers[0], query.confidence)

    def dry_run(
        self,
        token: Token,
        name: str,
        body: bytes,
        key: str | None = None,
        rows: int | None = None,
    ) -> DryRun:
        """Tell what :meth:`answer` would charge, and bounds: the data are not looked at.

        Args:
            token, name, body, key: the same.
            rows: about how many rows a query is about, where that is private.

        Raises:
            Refusal: the same.
        """
        query, db = self._asked(token, name, body, key)
        try:
            dry, pairs = query.asked(db.dry_run(rows=rows))
            told = dry.ask_all(pairs, reuse=query.reuse)
        except SudareError as error:
            raise of_error(error) from None
        return DryRun.of(told, query.confidence)

    def holdings(self) -> Sequence[Holding]:
        """Return all accounts with what is spent and left, for those who run the service.

        Raises:
            StorageError: the ledger cannot be read.
        """
        return holdings(self._ledger, self._held, self._clock())

    def spending(
        self, account: str, before: int | None = None, most: int = 100
    ) -> Sequence[Spending]:
        """Return what an account paid for, newest first, for those who run the service.

        Args:
            account: its name.
            before: only payments of a lower number.
            most: how many, at most 1000.

        Raises:
            WrongTypeError, DomainError: no such account or number.
            StorageError: the ledger cannot be read.
        """
        limit = as_integer(most, "limit", low=1, high=MOST)
        return spending(self._ledger, account, before, limit)

    def _asked(self, token: Token, name: str, body: bytes, key: str | None) -> tuple[Any, Dataset]:
        """Return what a body asks, and the data set whose answers the token's holder pays too."""
        _, db = self._covered(token, "query", name)
        query = decode(body)
        if isinstance(query, Estimate):
            raise Refusal(
                400,
                DomainError("query", "is one for collections", "see what the description offers"),
            )
        try:
            payers = db.paid_by(list(dict.fromkeys((name, token.holder))))
            if (once := one_key(query.key, key)) is not None:
                payers = payers.once(once, token.holder)
        except SudareError as error:
            raise of_error(error) from None
        return query, payers

    def _token(self, authorization: str | None) -> Token:
        given = authorization or ""
        secret = given[len(_SCHEME) :] if given.lower().startswith(_SCHEME) else None
        try:
            token = self._tokens.find(secret, self._clock())
        except SudareError as error:
            raise of_error(error) from None
        if token is None:
            raise unauthorised()
        if seconds := self._limit.wait(token.id):
            raise Refusal(
                429,
                DomainError(
                    "rate",
                    f"must be at most {counted(self._limit.a_minute, 'request')} a minute",
                    "come back after the seconds that Retry-After names",
                ),
                seconds,
            )
        return token

    def _covered(self, token: Token, verb: str, name: str) -> tuple[Definition, Dataset]:
        if name not in self._held or not token.allows(verb, name):
            raise not_found()
        return self._held[name]


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
    if isinstance(error, MissingExtraError):
        return Refusal(501, error)
    return Refusal(400, error)


def one_key(field: str | None, header: str | None) -> str | None:
    """Return the one key that a query gives, if any."""
    if field is not None and header is not None and field != header:
        raise DomainError("key", "and Idempotency-Key must agree", "give one of them")
    return header if field is None else field
