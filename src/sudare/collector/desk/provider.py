"""A provider of OpenID Connect: what it publishes, and what it states of somebody who came back.

Source: OpenID Connect Core 1.0 (sections 3.1 and 5.3), OpenID Connect Discovery 1.0, RFC 7636,
RFC 9207, RFC 8725.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sudare.collector.desk.elsewhere import ProviderError
from sudare.collector.settings import ADDRESS
from sudare.errors import MissingExtraError
from sudare.operators import Flow
from sudare.operators.tokens import Clock

try:
    from authlib.integrations.base_client import OAuthError
    from authlib.integrations.httpx_client import AsyncOAuth2Client
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import InvalidKeyIdError, JoseError
    from joserfc.jwk import JWKRegistry, KeySet
    from joserfc.jws import JWSRegistry
except ImportError:
    raise MissingExtraError("authlib", "oidc", "to sign in by OpenID Connect") from None

ALGORITHMS = [f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)]
"""Signatures by a key that is the provider's alone: never ``none``, never one by a shared secret,
for which what is published would serve as well (RFC 8725, sections 2.1 and 3.1).
"""

LEEWAY = 60
"""Seconds by which the provider's clock may differ."""

SECONDS = 10.0
"""How long the provider may take, for all that is asked at once."""

FRESH_SECONDS = 600.0
"""How long what it publishes is kept."""

MOST = 8
"""Exchanges with it at once."""

_KINDS = ("RSA", "EC")
_ERRORS = {
    "access_denied": ("denied", "the person or the provider has declined"),
    "server_error": ("down", "the provider tells of an error of its own"),
    "temporarily_unavailable": ("down", "the provider is out of service"),
}
"""What a browser comes back with where there is no code."""


@dataclass(frozen=True)
class Published:
    """What a provider says of itself.

    Attributes:
        addresses: its endpoints and abilities.
        keys: what it signs with.
        at: when that was, in seconds.
    """

    addresses: Mapping[str, Any]
    keys: KeySet
    at: float


@dataclass
class Provider:
    """A provider, asked by the authorization code flow with PKCE.

    Attributes:
        issuer: who it is.
        client: the id that it knows this service by.
        secret: what this service shows to it.
        scopes: what it is asked for.
        clock: returns an aware datetime.
    """

    issuer: str
    client: str
    secret: str = field(repr=False)
    scopes: tuple[str, ...]
    clock: Clock
    _trust: ssl.SSLContext = field(default_factory=ssl.create_default_context, repr=False)
    _published: Published | None = None
    _busy: int = 0

    async def address(self, flow: Flow) -> str:
        """Return where a browser goes to sign in.

        Raises:
            ProviderError: the provider cannot be asked.
        """
        address: str = await self._within(self._address(flow))
        return address

    async def claims(
        self, flow: Flow, query: Mapping[str, str], lack: Callable[[Mapping[str, Any]], bool]
    ) -> dict[str, Any]:
        """Return what the provider states of whoever has come back.

        Args:
            flow: with which they left.
            query: what they came back with.
            lack: whether the statement is too short: then it is asked for more.

        Raises:
            ProviderError: they have declined, or it states nothing that can be relied upon.
        """
        if query.get("iss", self.issuer) != self.issuer:
            raise ProviderError("refused", "the answer is another issuer's")
        if "error" in query:
            other = ("refused", "the provider refuses what this service asks: check the settings")
            raise ProviderError(*_ERRORS.get(query["error"], other))
        claims: dict[str, Any] = await self._within(self._claims(flow, query.get("code", ""), lack))
        return claims

    # -- the exchange ------------------------------------------------------------------------

    async def _within(self, work: Any) -> Any:
        """Return what some work comes to, in time; whatever goes wrong is one of our errors."""
        if self._busy == MOST:
            work.close()
            raise ProviderError("down", "too many sign-ins at once")
        self._busy += 1
        try:
            async with asyncio.timeout(SECONDS):
                return await work
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001 - its text could quote what was sent
            reason = f"the provider cannot be asked, or answers wrongly ({type(error).__name__})"
            raise ProviderError("down", reason) from None
        finally:
            self._busy -= 1

    async def _address(self, flow: Flow) -> str:
        async with self._asking(flow) as client:
            published = await self._known(client)
        address, _ = client.create_authorization_url(
            published.addresses["authorization_endpoint"],
            flow.state,
            flow.verifier,
            nonce=flow.nonce,
        )
        return str(address)

    async def _claims(
        self, flow: Flow, code: str, lack: Callable[[Mapping[str, Any]], bool]
    ) -> dict[str, Any]:
        async with self._asking(flow) as client:
            published = await self._known(client)
            methods = published.addresses.get("token_endpoint_auth_methods_supported")
            if isinstance(methods, list) and "client_secret_basic" not in methods:
                client.token_endpoint_auth_method = "client_secret_post"  # noqa: S105 - a way
            try:
                told = await client.fetch_token(
                    published.addresses["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=flow.verifier,
                )
            except OAuthError as error:
                if error.error == "invalid_grant":
                    raise ProviderError("over", "the code is none, or was used") from None
                reason = "the provider refuses to give a token: check client id and secret"
                raise ProviderError("refused", reason) from None
            try:
                claims = self._verified(told, flow, published.keys)
            except InvalidKeyIdError:  # it has new keys
                published = await self._known(client, anew=True)
                claims = self._verified(told, flow, published.keys, last=True)
            if lack(claims):
                claims = {**await self._information(client, published, claims), **claims}
            return claims

    def _asking(self, flow: Flow) -> Any:
        """Return a client of HTTP, which follows no redirection."""
        return AsyncOAuth2Client(
            self.client,
            self.secret,
            scope=" ".join(self.scopes),
            redirect_uri=flow.redirect,
            code_challenge_method="S256",
            verify=self._trust,
            timeout=SECONDS,
            leeway=0,
        )

    # -- what it publishes -------------------------------------------------------------------

    async def _known(self, client: Any, *, anew: bool = False) -> Published:
        known = self._published
        if anew or known is None or time.monotonic() - known.at > FRESH_SECONDS:
            place = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
            told = await _object(client, place)
            if told.get("issuer") != self.issuer:
                raise ProviderError("down", "the provider calls itself otherwise than oidc_issuer")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if ADDRESS.check(told.get(name)) is None:
                    raise ProviderError("down", f"the provider's {name} is no https address")
            keys = await _object(client, told["jwks_uri"])
            known = self._published = Published(told, _keys(keys), time.monotonic())
        return known

    async def _information(
        self, client: Any, published: Published, claims: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return what the provider tells beside its statement, where it does (section 5.3)."""
        place = ADDRESS.check(published.addresses.get("userinfo_endpoint"))
        if place is None:
            return {}
        told = await _object(client, place, public=False)
        if told.get("sub") != claims["sub"]:
            raise ProviderError("refused", "the user information is another person's")
        return told

    # -- what it states ----------------------------------------------------------------------

    def _verified(
        self, told: Mapping[str, Any], flow: Flow, keys: KeySet, *, last: bool = False
    ) -> dict[str, Any]:
        """Return the claims of an ID token (section 3.1.3.7).

        Raises:
            InvalidKeyIdError: no such key is known.
            ProviderError: it is none, or not for this flow.
        """
        registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
        try:
            token = jwt.decode(told["id_token"], keys, registry=registry)
            options: dict[str, Any] = {
                "iss": {"essential": True, "value": self.issuer},
                "aud": {"essential": True, "value": self.client},
            }
            known = {
                "nonce": flow.nonce,
                "client_id": self.client,
                "access_token": told.get("access_token"),
            }
            claims = CodeIDToken(token.claims, token.header, options, known)
            claims.validate(int(self.clock().timestamp()), LEEWAY)
        except InvalidKeyIdError:
            if not last:
                raise
            raise ProviderError("refused", "the ID token is signed by an unknown key") from None
        except (JoseError, KeyError, TypeError, ValueError) as error:
            reason = f"the ID token does not hold: {_complaint(error)}"
            raise ProviderError("refused", reason) from None
        return dict(claims)


def _complaint(error: Exception) -> str:
    """Return what is wrong with an ID token, without a word of it."""
    claim = getattr(error, "claim", None)
    about = claim if claim in ("iss", "aud", "azp", "nonce", "exp", "iat", "nbf", "sub") else ""
    return f"{type(error).__name__} {about}".strip()


def _keys(told: Mapping[str, Any]) -> KeySet:
    """Return the keys for signatures of a set: what is of another kind is left out."""
    found = []
    for one in told["keys"]:
        if one.get("kty") in _KINDS and one.get("use", "sig") == "sig":
            with contextlib.suppress(JoseError, ValueError, TypeError, KeyError):
                found.append(JWKRegistry.import_key(one))
    return KeySet(found)


async def _object(client: Any, address: str, *, public: bool = True) -> dict[str, Any]:
    """Return the JSON object that is at an address, for everybody or for this person's token."""
    headers = {"Accept": "application/json"}
    answer = await client.request("GET", address, withhold_token=public, headers=headers)
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    if not isinstance(found, dict):
        raise TypeError("no object")
    return found
