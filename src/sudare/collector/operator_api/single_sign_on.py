"""Signing in at another provider, and which of its people are operators here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sudare.collector.faults import Notices
from sudare.collector.settings import Settings, secret_of
from sudare.errors import DomainError
from sudare.operators import Failures, Flows, Grant, People, Register

if TYPE_CHECKING:
    from sudare.collector.operator_api.provider import Provider


class ProviderError(Exception):
    """Nobody can be signed in.

    Args:
        outcome: what the page says.
        reason: why: constant, nothing that was sent or received.
    """

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


@dataclass(frozen=True)
class SingleSignOn:
    """A provider of OpenID Connect whose word for who somebody is counts.

    Attributes:
        provider: is asked.
        people: which of those it vouches for are operators.
        name: what the button calls it.
        notices: what the log has of it.
        failures: of people whom it vouches for, by their subject: nobody else waits for them.
    """

    provider: Provider
    people: People
    name: str
    failures: Failures = field(default_factory=Failures)
    notices: Notices = field(default_factory=lambda: Notices("sign-in by OpenID Connect"))

    @classmethod
    def of(cls, settings: Settings, clock: Callable[[], datetime]) -> SingleSignOn | None:
        """Return what settings say of it; None where they name no provider.

        Raises:
            DomainError: they say too little, or what leads nowhere.
            MissingExtraError: authlib is not installed.
        """
        needed = {f"oidc_{one}": getattr(settings, f"oidc_{one}") for one in ("client", "rights")}
        if not settings.oidc_issuer:
            for name, value in needed.items():
                if value:
                    raise DomainError(name, "needs a provider", "give oidc_issuer too")
            return None
        for name, value in needed.items():
            if not value:
                raise DomainError(name, "must be given with oidc_issuer", "see the settings")
        from sudare.collector.operator_api.provider import Provider

        scopes = tuple(dict.fromkeys(("openid", *settings.oidc_scopes)))
        grants = tuple(Grant.read(one) for one in settings.oidc_rights)
        return cls(
            Provider(settings.oidc_issuer, settings.oidc_client, _secret(settings), scopes, clock),
            People(settings.oidc_issuer, settings.oidc_person, settings.oidc_claim, grants),
            settings.oidc_name,
        )

    def flows(self, register: Register) -> Flows:
        """Return the flows of a register, sealed by what all processes know."""
        return Flows(register, self.provider.secret.encode(), self.provider.clock)


def _secret(settings: Settings) -> str:
    found = secret_of(settings, "oidc_secret")
    if found is None:
        raise DomainError("oidc_secret", "or oidc_secret_file must be given", "one of the two")
    return found
