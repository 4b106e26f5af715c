"""Calls that work something out and keep nothing: codes for cameras, a survey under another ε."""

from __future__ import annotations

from typing import Any

from sudare.collector.operator_api.api import OperatorAPI
from sudare.collector.operator_api.definitions import MOST_TEXT
from sudare.collector.operator_api.request import OperatorRequest
from sudare.collector.qr import qr_code
from sudare.errors import DomainError
from sudare.planning.redrafting import redraft

MOST_CODES = 500
"""Codes of one call."""


def codes(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Return the QR code of each text, as what an SVG path draws."""
    (texts,) = call.fields("texts")
    if not isinstance(texts, list) or not 0 < len(texts) <= MOST_CODES:
        raise DomainError("texts", f"must be a list of 1 to {MOST_CODES}", "ask again for more")
    return {"codes": [qr_code(text) for text in texts]}


def plan(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Return what a survey will show under another ε and for other numbers of respondents."""
    text, epsilon, n = call.fields("text", "epsilon", "n")
    if not isinstance(text, str) or len(text) > MOST_TEXT:
        raise DomainError("text", "must be the text of a survey file", "in TOML")
    if epsilon is not None and not isinstance(epsilon, str):
        raise DomainError("epsilon", "must be decimal text", 'such as "1.5"')
    return redraft(text, epsilon, n)
