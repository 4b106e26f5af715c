"""What the operators' API answers, as structures: its description is made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from sudare.release.api.spending import Holding, Spending

Moment: TypeAlias = Annotated[str, Meta(description="UTC, such as 2026-11-30T15:00:00Z.")]
Document: TypeAlias = Annotated[
    dict[str, Any], Meta(description="As GET /api/v1/collections/{name}.")
]
Stage: TypeAlias = str


class Nothing(Struct, frozen=True):
    """It was done."""


class Signed(Struct, frozen=True):
    """Who has signed in, and what they may do; ``csrf`` is null for a program with a token."""

    name: str
    scopes: list[str]
    collections: list[str] | None
    expires: Moment | None
    csrf: str | None
    budgets: bool


class Offered(Struct, frozen=True):
    """Whether one can sign in elsewhere, and what the button calls it."""

    offered: bool
    name: str


class Departure(Struct, frozen=True):
    """Where the browser goes to sign in."""

    to: str


class InviteCounts(Struct, frozen=True):
    """How many invites there are, and how many are spent."""

    issued: int
    spent: int


class MadeInvites(InviteCounts, frozen=True):
    """Invites, which are told this once."""

    codes: list[str]
    links: list[str]


class Item(Struct, frozen=True, kw_only=True):
    """What the list says of a collection."""

    name: str
    title: dict[str, str]
    languages: list[str]
    stage: Stage
    opens: Moment | None
    closes: Moment | None
    visibility: Literal["private", "unlisted", "public"]
    fingerprint: str
    epsilon: str
    expected: int | None
    stored: int | None
    public: int | None
    invited: bool
    invites: InviteCounts | None
    edited: bool
    editable: bool
    survey: str
    results: str


class Items(Struct, frozen=True):
    """The collections that there are for the caller."""

    collections: list[Item]


class Change(Struct, frozen=True):
    """A change of a collection's stage or times."""

    at: Moment | None
    act: str
    state: str
    opens: Moment | None
    closes: Moment | None


class ItemVersion(Struct, frozen=True):
    """A version of a collection, and how many of its reports are public."""

    fingerprint: str
    stage: Stage
    n: int


class Detail(Item, frozen=True, kw_only=True):
    """A collection: where it stands, how it came there, and what may follow."""

    commands: list[str]
    history: list[Change]
    versions: list[ItemVersion]


class DeletedRows(Struct, frozen=True):
    """How many reports and invites were deleted."""

    reports: int
    invites: int


class Deletion(Struct, frozen=True):
    """What was deleted, and ``beyond``: what a deletion cannot reach."""

    name: str
    stage: Stage
    deleted: DeletedRows
    beyond: list[str]


class SurveyFile(Struct, frozen=True):
    """A survey file as edited and as served; ``compiled`` where a file of the server has it."""

    name: str
    text: str | None
    served: str | None
    editable: bool
    file: str | None
    compiled: Document | UnsetType = UNSET


class Warned(Struct, frozen=True):
    """Advice about a survey: a code with its parameters, and its English text."""

    code: str
    parameters: dict[str, Any]
    text: str


PlannedQuestion: TypeAlias = Annotated[
    dict[str, Any], Meta(description="As of sudare plan --survey --json.")
]


class Checked(Struct, frozen=True):
    """What can be said about a survey before it is served; ``plan`` is null without scipy or n."""

    name: str
    fingerprint: str
    epsilon: str
    languages: list[str]
    questions: dict[str, str]
    warnings: list[Warned]
    changes: Literal["new", "nothing", "texts", "version"]
    compiled: Document
    n: int | None
    plan: list[PlannedQuestion] | None


class Plan(Struct, frozen=True):
    """What a survey will show of so many respondents under an ε."""

    n: int | None
    epsilon: str
    questions: list[PlannedQuestion]


class Redraft(Struct, frozen=True):
    """A survey file with another ε or number of respondents written in, and what it will show."""

    text: str
    compiled: Document
    plan: Plan


class Code(Struct, frozen=True):
    """A QR code, as what an SVG path draws."""

    size: int
    path: str


class Codes(Struct, frozen=True):
    """A QR code of each text."""

    codes: list[Code]


class CrossWarning(Struct, frozen=True):
    """Why some cells are to be read with care."""

    code: str
    cells: list[int]


class CrossTable(Struct, frozen=True, kw_only=True):
    """A joint table: each cell its choices, its reports, and its figures; and from how many answers
    on they say something."""

    questions: list[str]
    cells: list[dict[str, Any]]
    warnings: list[CrossWarning]
    least_answers: int


class Dependence(Struct, frozen=True):
    """Cramér's V of two questions, with its interval; null where it is not known."""

    measure: str
    value: float | None
    low: float | None
    high: float | None
    left_out: list[list[str]]


class Pair(CrossTable, frozen=True, kw_only=True):
    """The table of two questions, and how they depend on each other."""

    dependence: Dependence


class Cross(CrossTable, frozen=True, kw_only=True):
    """The joint table of two or three choices, and that of each two of them."""

    name: str
    n: int
    target: str
    confidence: float
    epsilon: float
    covers: str
    pairs: list[Pair]


class Token(Struct, frozen=True, kw_only=True):
    """What is known of a token; the secret itself is nowhere."""

    id: str
    name: str
    scopes: list[str]
    collections: list[str] | None
    created: Moment
    expires: Moment | None
    used: Moment | None
    revoked: bool
    issuer: str


class MadeToken(Token, frozen=True, kw_only=True):
    """A token, which is told this once."""

    token: str


class Tokens(Struct, frozen=True):
    """The tokens, none of which can be read again."""

    tokens: list[Token]


class SignIn(Struct, frozen=True):
    """A session: by a ``token``, or of a ``subject`` whom an ``issuer`` vouches for."""

    id: str
    name: str
    scopes: list[str]
    collections: list[str] | None
    begun: Moment
    expires: Moment
    token: str | None
    issuer: str | None
    subject: str | None
    own: bool


class SignIns(Struct, frozen=True):
    """The sessions that have not ended."""

    sessions: list[SignIn]


class Accounts(Struct, frozen=True):
    """The accounts of held data; data sets, then analysts."""

    accounts: list[Holding]


class Spent(Struct, frozen=True):
    """What an account paid for, newest first."""

    account: str
    spending: list[Spending]


class RecordEntry(Struct, frozen=True):
    """What somebody did."""

    number: int
    at: Moment
    who: str
    via: str | None
    token: str | None
    act: str
    collection: str | None
    detail: dict[str, Any]


class Record(Struct, frozen=True):
    """What operators did, newest first."""

    entries: list[RecordEntry]
