"""A provider of OpenID Connect: what it publishes, and what it states of somebody who came back.

Source: OpenID Connect Core 1.0 (sections 3.1 and 5.3), OpenID Connect Discovery 1.0, RFC 7636,
RFC 9207, RFC 8725.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sudare.collector.operator_api.single_sign_on import ProviderError
from sudare.collector.operator_api.waiting_line import Line
from sudare.collector.settings import ADDRESS
from sudare.errors import MissingExtraError
from sudare.operators import Flow
from sudare.operators.names import seen
from sudare.operators.tokens import Clock
from sudare.refusal import Refusal
from sudare.request_json import read_json

try:
    import httpx2
    from authlib.integrations.base_client import OAuthError
    from authlib.integrations.httpx_client import AsyncOAuth2Client
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import InvalidKeyIdError, JoseError
    from joserfc.jwk import JWKRegistry, KeySet
    from joserfc.jws import JWSRegistry
    from joserfc.util import urlsafe_b64decode
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

MOST_BYTES = 1 << 20
"""Of an answer: keys and user information are far smaller."""

MOST_SUBJECT = 255
"""Characters of a subject (OpenID Connect Core, section 2)."""

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
        line: of those who have come back.
    """

    issuer: str
    client: str
    secret: str = field(repr=False)
    scopes: tuple[str, ...]
    clock: Clock
    _trust: ssl.SSLContext = field(default_factory=ssl.create_default_context, repr=False)
    _published: Published | None = None
    _learning: asyncio.Task[Published] | None = None
    line: Line = field(default_factory=Line, repr=False)

    async def address(self, flow: Flow) -> str:
        """Return where a browser goes to sign in.

        Raises:
            ProviderError: the provider cannot be asked.
        """
        published = await self._known()
        client = self._asking(flow)
        address, _ = client.create_authorization_url(
            published.addresses["authorization_endpoint"],
            flow.state,
            flow.verifier,
            nonce=flow.nonce,
        )
        return str(address)

    async def claims(
        self, flow: Flow, query: Mapping[str, str], lack: Callable[[Mapping[str, Any]], bool]
    ) -> dict[str, Any]:
        """Return what the provider states of a person who has come back from it.

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
        if not (code := query.get("code", "")):
            raise ProviderError("over", "there is no code")
        claims: dict[str, Any] = await self._within(self._claims(flow, code, lack))
        return claims

    # -- the exchange ------------------------------------------------------------------------

    async def _within(self, work: Any) -> Any:
        """Return what some work comes to, in time; whatever goes wrong is one of our errors."""
        try:
            async with asyncio.timeout(SECONDS):
                return await work
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001 - its text could quote what was sent
            reason = f"the provider cannot be asked, or answers wrongly ({type(error).__name__})"
            raise ProviderError("down", reason) from None

    async def _claims(
        self, flow: Flow, code: str, lack: Callable[[Mapping[str, Any]], bool]
    ) -> dict[str, Any]:
        async with self._asking(flow) as client:
            published = await self._known()
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
                published = await self._known(anew=True)
                claims = self._verified(told, flow, published.keys, last=True)
            if lack(claims):
                claims = {**await self._information(client, published, claims), **claims}
            return claims

    def _asking(self, flow: Flow | None = None) -> Any:
        """Return a client of HTTP, which follows no redirection and reads no long answer."""
        return AsyncOAuth2Client(
            self.client,
            self.secret,
            scope=" ".join(self.scopes),
            redirect_uri=None if flow is None else flow.redirect,
            code_challenge_method="S256",
            verify=self._trust,
            timeout=SECONDS,
            leeway=0,
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [_bound]},
        )

    # -- what it publishes -------------------------------------------------------------------

    async def _known(self, *, anew: bool = False) -> Published:
        """Return what the provider publishes; all who need it anew wait for one asking."""
        known = self._published
        if not anew and known is not None and time.monotonic() - known.at <= FRESH_SECONDS:
            return known
        if self._learning is None or self._learning.done():
            self._learning = asyncio.create_task(self._within(self._learn()))
        return await asyncio.shield(self._learning)

    async def _learn(self) -> Published:
        async with self._asking() as client:
            place = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
            told = await _object(client, place)
            if told.get("issuer") != self.issuer:
                raise ProviderError("down", "the provider calls itself otherwise than oidc_issuer")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if ADDRESS.check(told.get(name)) is None:
                    raise ProviderError("down", f"the provider's {name} is no https address")
            keys = await _object(client, told["jwks_uri"])
            self._published = Published(told, _keys(keys), time.monotonic())
        return self._published

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
            _require_keys_once(told["id_token"])
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
            _require_subject(claims["sub"])
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


def _require_subject(subject: object) -> None:
    """Refuse what is no subject: two people without one would be one person here.

    Raises:
        ProviderError: it is none.
    """
    fits = isinstance(subject, str) and seen(subject) and subject.isprintable()
    if not fits or len(str(subject)) > MOST_SUBJECT:
        rule = f"the ID token's sub must be text of 1 to {MOST_SUBJECT} printable characters"
        raise ProviderError("refused", rule)


class _Bounded(httpx2.AsyncByteStream):
    """What is read of an answer: no more than fits into memory many times."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise ProviderError("down", f"the provider's answer is longer than {MOST_BYTES}")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(answer: Any) -> None:
    """Read an answer within bounds: a packed one could unpack to any length.

    What follows reads its JSON in other ways, which take the last of two values of a key.
    """
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise ProviderError("down", "the provider's answer is packed, which was not asked for")
    answer.stream = _Bounded(answer.stream)
    content = await answer.aread()
    try:
        _read_once(content, "the provider's answer")
    except ValueError:
        if answer.is_success:  # an error page has a status of its own
            raise ProviderError("down", "the provider's answer is no JSON") from None


def _require_keys_once(token: object) -> None:
    """Refuse an ID token with a key twice in its header or payload, which are decoded elsewhere.

    Raises:
        ProviderError: there is one.
        TypeError, ValueError: it is none.
    """
    if not isinstance(token, str):
        raise TypeError("no text")
    for part in token.split(".")[:2]:
        _read_once(urlsafe_b64decode(part.encode()), "the ID token")


def _read_once(content: bytes, what: str) -> None:
    """Look whether JSON has each key of an object once.

    Raises:
        ProviderError: it has not.
        ValueError: it is no JSON.
    """
    try:
        read_json(content)
    except Refusal:
        raise ProviderError("refused", f"{what} has a key of an object twice") from None
    except msgspec.DecodeError:
        raise ValueError("no JSON") from None


async def _object(client: Any, address: str, *, public: bool = True) -> dict[str, Any]:
    """Return the JSON object that is at an address, for everybody or for this person's token."""
    headers = {"Accept": "application/json"}
    answer = await client.request("GET", address, withhold_token=public, headers=headers)
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    if not isinstance(found, dict):
        raise TypeError("no object")
    return found
