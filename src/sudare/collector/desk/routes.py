"""The operators' API: every call that there is, with the scope that it takes."""

from __future__ import annotations

from functools import partial

from starlette.routing import Route

from sudare.collector.desk import budgets, definitions, drawing, figures, keys, oidc, stages
from sudare.collector.desk.desk import Desk
from sudare.collector.desk.offers import Offer, described
from sudare.collector.exports import FORMATS, WHAT
from sudare.collector.routes import CONFIDENCE, TARGET, Operation, route
from sudare.openapi import parameter

_ALL = "/collections"
_ONE = "/collections/{name}"
_TEXT = {"type": "string"}
_WHOLE = {"type": "integer", "minimum": 1}
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
_UNTIL = {"until": "string"}
_TOKEN = {"name": "string", "scopes": "array", "collections": "array", "expires": "string"}

OFFERS = (
    Offer("getSession", "GET", "/session", "read", keys.session),
    Offer("signOut", "DELETE", "/session", "read", keys.sign_out),
    Offer("listOwn", "GET", _ALL, "read", stages.listed),
    Offer("check", "POST", "/check", "read", definitions.check,
          takes={"text": "string", "n": "integer"}),
    Offer("drawCodes", "POST", "/qr", "read", drawing.codes, takes={"texts": "array"}),
    Offer("tryPlan", "POST", "/plan", "read", drawing.plan,
          takes={"text": "string", "epsilon": "string", "n": "integer"}),
    Offer("getOwn", "GET", _ONE, "read", stages.collection_state),
    Offer("delete", "DELETE", _ONE, "admin", stages.delete),
    Offer("getDefinition", "GET", f"{_ONE}/definition", "read", definitions.get),
    Offer("edit", "PUT", f"{_ONE}/definition", "run", definitions.put, takes={"text": "string"}),
    Offer("dropEdit", "DELETE", f"{_ONE}/definition", "run", definitions.drop),
    Offer("publish", "POST", f"{_ONE}/publish", "run", definitions.publish),
    Offer("open", "POST", f"{_ONE}/open", "run", stages.open_, takes=_UNTIL),
    Offer("close", "POST", f"{_ONE}/close", "run", stages.close),
    Offer("extend", "POST", f"{_ONE}/extend", "run", stages.extend, takes=_UNTIL),
    Offer("setVisibility", "PUT", f"{_ONE}/visibility", "run", stages.show,
          takes={"visibility": "string"}),
    Offer("countInvites", "GET", f"{_ONE}/invites", "read", stages.invites),
    Offer("makeInvites", "POST", f"{_ONE}/invites", "run", stages.new_invites,
          takes={"number": "integer"}),
    Offer("getOwnResults", "GET", f"{_ONE}/results", "read", figures.results, query=_SHOWN),
    Offer("crossOwn", "GET", f"{_ONE}/cross", "read", figures.cross,
          query=(_CROSSED, TARGET, CONFIDENCE, _ROUND)),
    Offer("exportOwn", "GET", f"{_ONE}/export", "read", figures.export,
          query=(*_EXPORT, *_SHOWN), media=_FILES),
    Offer("exportReports", "GET", f"{_ONE}/reports", "export", figures.reports,
          query=(_ROUND,), media=(FORMATS["parquet"],)),
    Offer("listSessions", "GET", "/sessions", "admin", keys.sessions),
    Offer("endSession", "DELETE", "/sessions/{id}", "admin", keys.end_session),
    Offer("listTokens", "GET", "/tokens", "admin", keys.tokens),
    Offer("makeToken", "POST", "/tokens", "admin", keys.new_token, takes=_TOKEN),
    Offer("revokeToken", "DELETE", "/tokens/{id}", "admin", keys.revoke),
    Offer("listBudgets", "GET", "/budgets", "admin", budgets.listed),
    Offer("listSpending", "GET", "/budgets/spending", "admin", budgets.spent, query=_SPENT),
    Offer("readAudit", "GET", "/audit", "admin", keys.audit, query=_AUDIT),
)  # fmt: skip
"""All that is offered to those who are let in."""

_BEGUN = {"redirect": "string", "back": "string", "language": "string"}
OPEN = (
    (described("signIn", "Begin a session by a token.", "POST", "/session", bearer="",
               takes={"token": "string"}), keys.sign_in),
    (described("offerElsewhere", oidc.offered.__doc__ or "", "GET", "/oidc", bearer=""),
     oidc.offered),
    (described("beginElsewhere", oidc.begin.__doc__ or "", "POST", "/oidc", bearer="",
               takes=_BEGUN), oidc.begin),
)  # fmt: skip
"""Signing in: the calls for which nobody has to be signed in."""


def operations(desk: Desk) -> list[Operation]:
    """Return the operations of the API."""
    own = [Operation(one.described(), partial(desk.serve, one)) for one in OFFERS]
    return [*(Operation(about, partial(serve, desk)) for about, serve in OPEN), *own]


def page_routes(desk: Desk) -> list[Route]:
    """Return the routes of addresses that browsers are sent to."""
    return [route(oidc.RETURN, partial(oidc.finish, desk))]
