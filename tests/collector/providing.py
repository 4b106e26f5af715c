"""A provider of OpenID Connect: real keys, over real HTTP, with every way to answer wrongly."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

CLIENT, SECRET = "sudare-collector", "canary-client-secret"
RS256 = JWSRegistry.algorithms["RS256"]
ODD = b"thirty-three bytes that are shown"
ANN = {"sub": "canary-7", "email": "ann@example.org", "email_verified": True, "groups": ["staff"]}


@cache
def key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


@dataclass
class Provider:
    """What it answers; a test changes it.

    Attributes:
        person: claims of whoever signs in.
        told: claims that are told as user information alone.
        kid: the key that it signs with.
        published: the keys that it shows.
        change: changes header and claims of an ID token before it is signed.
        sign: makes the ID token in its own way.
        error: what browsers come back with, in the place of a code.
        down: whether every answer is an error of its own.
        sloppy: whether codes can be used again.
        asks: whether a person has to press a button.
        slow: seconds after which a token is given or refused.
        flood: path that answers with bytes without end, and seconds between two parts of it.
        poured: bytes of that which were taken.
        twice: path and key: an answer from there has that key of its object twice.
        said: all that it has been asked for and has answered, by path.
    """

    issuer: str = ""
    now: Callable[[], float] = time.time
    person: dict[str, Any] = field(default_factory=lambda: dict(ANN))
    told: dict[str, Any] = field(default_factory=dict)
    kid: str = "one"
    published: list[str] = field(default_factory=lambda: ["one"])
    change: Callable[[dict[str, Any], dict[str, Any]], object] = lambda header, claims: None
    sign: Callable[[dict[str, Any], dict[str, Any]], str] | None = None
    document: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    down: bool = False
    sloppy: bool = False
    asks: bool = False
    slow: float = 0.0
    flood: tuple[str, float] = ("", 0.0)
    poured: int = 0
    twice: tuple[str, str] = ("", "")
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    said: list[tuple[str, str]] = field(default_factory=list)

    def app(self) -> Starlette:
        places = {
            "/.well-known/openid-configuration": self.discovery,
            "/authorize": self.authorize,
            "/token": self.token,
            "/keys": self.keys,
            "/userinfo": self.information,
        }
        return Starlette(
            routes=[Route(path, serve, methods=["GET", "POST"]) for path, serve in places.items()]
        )

    async def pour(self) -> AsyncIterator[bytes]:
        part = b"x" * (1 if self.flood[1] else 1 << 16)
        while True:
            self.poured += len(part)
            yield part
            await asyncio.sleep(self.flood[1])

    def asked(self, path: str) -> int:
        return sum(one == path for one, _ in self.said)

    def answer(self, request: Request, body: Any, status: int = 200) -> Response:
        if request.url.path == self.flood[0]:
            return StreamingResponse(self.pour(), media_type="application/json")
        if self.down:
            body, status = {"error": "server_error", "canary": "canary-fault"}, 500
        found = JSONResponse(body, status) if isinstance(body, dict) else HTMLResponse(body, status)
        if request.url.path == self.twice[0]:
            found = Response(doubled(body, self.twice[1]), status, media_type="application/json")
        self.said.append((request.url.path, bytes(found.body).decode()))
        return found

    async def discovery(self, request: Request) -> Response:
        found = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
        }
        return self.answer(request, found | self.document)

    async def keys(self, request: Request) -> Response:
        found = [key(kid).as_dict(private=False) for kid in self.published]
        odd = (
            {"kty": "oct", "k": base64.urlsafe_b64encode(ODD).decode(), "kid": "odd"},
            {"kty": "AKP", "kid": "later"},
            {"kty": "RSA"},
        )
        return self.answer(request, {"keys": [*found, *odd]})

    async def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        if self.error:
            back = {"error": self.error, "error_description": "canary-words"}
        else:
            back = {"code": secrets.token_hex(8), "iss": self.issuer, "session_state": "x.y"}
            self.codes[back["code"]] = asked
        address = f"{asked['redirect_uri']}?{urlencode({**back, 'state': asked['state']})}"
        if not self.asks:
            return RedirectResponse(address, 302)
        quoted = address.replace("&", "&amp;")
        return HTMLResponse(f'<h1>Example</h1><a href="{quoted}">Continue as Ann</a>')

    async def token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        await asyncio.sleep(self.slow)
        asked = self.codes.get(form.get("code", ""))
        if asked is None:
            return self.answer(request, {"error": "invalid_grant"}, 400)
        if not self.sloppy:
            del self.codes[form["code"]]
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        posted = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        if request.headers.get("authorization") != f"Basic {basic}" and not posted:
            return self.answer(request, {"error": "invalid_client"}, 401)
        assert form["redirect_uri"] == asked["redirect_uri"]
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]
        now = int(self.now())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300,
            "nonce": asked["nonce"], **self.person,
        }  # fmt: skip
        header = {"alg": "RS256", "kid": self.kid}
        self.change(header, claims)
        sign = self.sign or (lambda head, told: jwt.encode(head, told, key(self.kid)))
        access = f"canary-{secrets.token_hex(8)}"
        found = {"access_token": access, "token_type": "Bearer", "expires_in": 30}
        return self.answer(request, {**found, "id_token": sign(header, claims)})

    async def information(self, request: Request) -> Response:
        assert request.headers["authorization"].startswith("Bearer canary-")
        return self.answer(request, {"sub": self.person["sub"], **self.told})


def doubled(value: dict[str, Any], name: str) -> str:
    """JSON with a key twice, the second time as it is read by most; in it where it lies deeper."""
    for one in value.get("keys", ()):
        if name in one:
            text = json.dumps(value)
            return text.replace(json.dumps(one), doubled(one, name))
    return f'{{"{name}": "canary", {json.dumps(value)[1:]}'


def by_text(header: str, claims: str) -> str:
    """An ID token of these very texts, with a signature that holds."""
    parts = [_encoded(header), _encoded(claims)]
    made = RS256.sign(".".join(parts).encode(), key("one"))
    return ".".join((*parts, base64.urlsafe_b64encode(made).decode().rstrip("=")))


def unsigned(header: dict[str, Any], claims: dict[str, Any]) -> str:
    """An ID token that nobody has signed: ``alg`` is ``none``."""
    with_none = {**header, "alg": "none"}
    return f"{_part(with_none)}.{_part(claims)}."


def by_public_key(header: dict[str, Any], claims: dict[str, Any]) -> str:
    """An ID token whose shared secret is what the provider publishes."""
    return _by_secret(header, claims, key("one").as_pem(private=False))


def by_published_secret(header: dict[str, Any], claims: dict[str, Any]) -> str:
    """An ID token by a shared secret that is among the keys."""
    return _by_secret({**header, "kid": "odd"}, claims, ODD)


def _by_secret(header: dict[str, Any], claims: dict[str, Any], secret: bytes) -> str:
    told = f"{_part({**header, 'alg': 'HS256'})}.{_part(claims)}"
    made = hmac.digest(secret, told.encode(), hashlib.sha256)
    return f"{told}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"


def by_own_key(header: dict[str, Any], claims: dict[str, Any]) -> str:
    """An ID token by a key that says in the token itself which it is."""
    own = key("own")
    told = {**header, "jwk": own.as_dict(private=False)}
    return jwt.encode(told, claims, own)


def _part(value: dict[str, Any]) -> str:
    return _encoded(json.dumps(value))


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@contextmanager
def provided() -> Iterator[Provider]:
    """Run a provider on a free port."""
    found = Provider()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    found.issuer = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(found.app(), log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    assert server.started
    try:
        yield found
    finally:
        server.should_exit = True
        thread.join(20)
