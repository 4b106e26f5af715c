"""Operators: who may do what with which collection, by which token, and what was done.

Tables of their own beside a collector's, in its SQLite file or in PostgreSQL; no respondent is in
any of them. Secrets are kept as hashes.
"""

from sudare.operators.audit import Audit, Entry
from sudare.operators.failures import Failures
from sudare.operators.flows import Flow, Flows
from sudare.operators.people import Grant, People, Person
from sudare.operators.register import Register
from sudare.operators.rights import SCOPES, Rights
from sudare.operators.sessions import Session, Sessions
from sudare.operators.texts import VISIBILITIES, Texts
from sudare.operators.tokens import Token, Tokens

__all__ = [
    "SCOPES",
    "VISIBILITIES",
    "Audit",
    "Entry",
    "Failures",
    "Flow",
    "Flows",
    "Grant",
    "People",
    "Person",
    "Register",
    "Rights",
    "Session",
    "Sessions",
    "Texts",
    "Token",
    "Tokens",
]
