"""How tokens and sessions are described, by the API and on the command line."""

from __future__ import annotations

from typing import Any

from sudare.collection.schema import moment_text
from sudare.operators import Rights, Session, Token


def rights_json(rights: Rights) -> dict[str, Any]:
    """Return whose rights they are, and what they allow."""
    return {"name": rights.name, "scopes": rights.scopes, "collections": rights.collections}


def token_json(token: Token) -> dict[str, Any]:
    """Return what is known of a token."""
    return {
        "id": token.rights.token,
        **rights_json(token.rights),
        "created": moment_text(token.created),
        "expires": moment_text(token.rights.expires),
        "used": moment_text(token.used),
        "revoked": token.revoked,
        "issuer": token.issuer,
    }


def session_json(session: Session) -> dict[str, Any]:
    """Return what a list says of a session."""
    person = session.person
    return {
        "id": session.id,
        **rights_json(session.rights),
        "begun": moment_text(session.begun),
        "expires": moment_text(session.expires),
        "token": session.rights.token,
        "issuer": None if person is None else person.issuer,
        "subject": None if person is None else person.subject,
    }
