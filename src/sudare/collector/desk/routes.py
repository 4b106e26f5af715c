"""The operators' API: every call that there is, with the scope that it takes."""

from __future__ import annotations

from functools import partial

from starlette.routing import Route

from sudare.collector.desk import (
    answers,
    budgets,
    definitions,
    drawing,
    figures,
    keys,
    oidc,
    stages,
)
from sudare.collector.desk.desk import Desk
from sudare.collector.desk.offers import Offer, described
from sudare.collector.exports import FORMATS, WHAT
from sudare.collector.routes import CONFIDENCE, RECORDS, RESULTS, TARGET, Operation, route
from sudare.openapi import parameter
from sudare.operators import SCOPES, VISIBILITIES

_ALL = "/collections"
_ONE = "/collections/{name}"
_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_WHOLE = {"type": "integer", "minimum": 1}
_PEOPLE = {"type": ["integer", "null"], "minimum": 1}
_FIGURES = parameter("figures", {"enum": list(figures.FIGURES)}, "All that is stored if left out.")
_CROSSED = parameter(
    "questions", {"type": "string"}, "Ids of two or three choices, with commas.", required=True
)
_ROUND = parameter("round", _WHOLE, "Of a survey in rounds: the last with reports if left out.")
_EXPORT = (
    parameter("format", {"enum": list(FORMATS)}, "Of the file: csv if left out."),
    parameter("what", {"enum": list(WHAT)}, "What it holds: figures if left out."),
    parameter("question", _TEXT, "Id of the only question; all if left out."),
    parameter("language", _TEXT, "Of labels: the collection's first if left out."),
)
_SHOWN = (TARGET, CONFIDENCE, _FIGURES)
_AUDIT = (
    parameter("before", _WHOLE, "Only entries of a lower number."),
    parameter("limit", _WHOLE, "How many entries: 100 if left out."),
)
_SPENT = (
    parameter("account", _TEXT, "Its name.", required=True),
    parameter("before", _WHOLE, "Only payments of a lower number."),
    parameter("limit", _WHOLE, "How many payments: 100 if left out."),
)
_FILES = tuple(kind.partition(";")[0] for kind in FORMATS.values())
_TEXTS = {"type": "array", "items": _TEXT}
_UNTIL = {"until?": _MAYBE}
_TOKEN = {
    "name": _TEXT,
    "scopes": {"type": "array", "items": {"enum": list(SCOPES)}},
    "collections?": {"type": ["array", "null"], "items": _TEXT},
    "expires?": _MAYBE,
}

OFFERS = (
    Offer("getSession", "GET", "/session", "read", keys.session, answers.Signed),
    Offer("signOut", "DELETE", "/session", "read", keys.sign_out, answers.Nothing),
    Offer("listOwn", "GET", _ALL, "read", stages.listed, answers.Items),
    Offer("check", "POST", "/check", "read", definitions.check, answers.Checked,
          takes={"text": _TEXT, "n?": _PEOPLE}),
    Offer("drawCodes", "POST", "/qr", "read", drawing.codes, answers.Codes,
          takes={"texts": _TEXTS}),
    Offer("tryPlan", "POST", "/plan", "read", drawing.plan, answers.Redraft,
          takes={"text": _TEXT, "epsilon?": _MAYBE, "n?": _PEOPLE}),
    Offer("getOwn", "GET", _ONE, "read", stages.collection_state, answers.Detail),
    Offer("delete", "DELETE", _ONE, "admin", stages.delete, answers.Deletion),
    Offer("getDefinition", "GET", f"{_ONE}/definition", "read", definitions.get,
          answers.SurveyFile),
    Offer("edit", "PUT", f"{_ONE}/definition", "run", definitions.put, answers.Checked,
          takes={"text": _TEXT}),
    Offer("dropEdit", "DELETE", f"{_ONE}/definition", "run", definitions.drop, answers.Nothing),
    Offer("publish", "POST", f"{_ONE}/publish", "run", definitions.publish, answers.Detail),
    Offer("open", "POST", f"{_ONE}/open", "run", stages.open_, answers.Detail, takes=_UNTIL),
    Offer("close", "POST", f"{_ONE}/close", "run", stages.close, answers.Detail),
    Offer("extend", "POST", f"{_ONE}/extend", "run", stages.extend, answers.Detail, takes=_UNTIL),
    Offer("setVisibility", "PUT", f"{_ONE}/visibility", "run", stages.show, answers.Detail,
          takes={"visibility": {"enum": list(VISIBILITIES)}}),
    Offer("countInvites", "GET", f"{_ONE}/invites", "read", stages.invites, answers.InviteCounts),
    Offer("makeInvites", "POST", f"{_ONE}/invites", "run", stages.new_invites, answers.MadeInvites,
          takes={"number": _WHOLE}),
    Offer("getOwnResults", "GET", f"{_ONE}/results", "read", figures.results, RESULTS,
          query=_SHOWN),
    Offer("crossOwn", "GET", f"{_ONE}/cross", "read", figures.cross, answers.Cross,
          query=(_CROSSED, TARGET, CONFIDENCE, _ROUND)),
    Offer("exportOwn", "GET", f"{_ONE}/export", "read", figures.export, RECORDS,
          query=(*_EXPORT, *_SHOWN), media=_FILES),
    Offer("exportReports", "GET", f"{_ONE}/reports", "export", figures.reports, None,
          query=(_ROUND,), media=(figures.REPORTS,)),
    Offer("listSessions", "GET", "/sessions", "admin", keys.sessions, answers.SignIns),
    Offer("endSession", "DELETE", "/sessions/{id}", "admin", keys.end_session, answers.Nothing),
    Offer("listTokens", "GET", "/tokens", "admin", keys.tokens, answers.Tokens),
    Offer("makeToken", "POST", "/tokens", "admin", keys.new_token, answers.MadeToken, takes=_TOKEN),
    Offer("revokeToken", "DELETE", "/tokens/{id}", "admin", keys.revoke, answers.Nothing),
    Offer("listBudgets", "GET", "/budgets", "admin", budgets.listed, answers.Accounts),
    Offer("listSpending", "GET", "/budgets/spending", "admin", budgets.spent, answers.Spent,
          query=_SPENT),
    Offer("readAudit", "GET", "/audit", "admin", keys.audit, answers.Record, query=_AUDIT),
)  # fmt: skip
"""All that is offered to those who are let in."""

_BEGUN = {"redirect": _TEXT, "back": _TEXT, "language": _TEXT}
OPEN = (
    (described("signIn", "Begin a session by a token.", "POST", "/session", answers.Signed,
               bearer="", takes={"token": _TEXT}), keys.sign_in),
    (described("offerElsewhere", oidc.offered.__doc__ or "", "GET", "/oidc", answers.Offered,
               bearer=""),
     oidc.offered),
    (described("beginElsewhere", oidc.begin.__doc__ or "", "POST", "/oidc", answers.Departure,
               bearer="", takes=_BEGUN), oidc.begin),
)  # fmt: skip
"""Signing in: the calls for which nobody has to be signed in."""


def operations(desk: Desk) -> list[Operation]:
    """Return the operations of the API."""
    own = [Operation(one.described(), partial(desk.serve, one)) for one in OFFERS]
    return [*(Operation(about, partial(serve, desk)) for about, serve in OPEN), *own]


def page_routes(desk: Desk) -> list[Route]:
    """Return the routes of addresses that browsers are sent to."""
    return [route(oidc.RETURN, partial(oidc.finish, desk))]
