"""The query API, apart from the server that carries it: requests, answers, tokens, limits."""

from sudare.refusal import Refusal
from sudare.release.api.limits import Limit
from sudare.release.api.openapi import openapi
from sudare.release.api.service import Queries

__all__ = ["Limit", "Queries", "Refusal", "openapi"]
