"""Signing in at a provider of OpenID Connect: the way there and back, and every wrong one."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from providing import (
    ANN,
    CLIENT,
    SECRET,
    Provider,
    by_own_key,
    by_public_key,
    by_published_secret,
    by_text,
    doubled,
    provided,
    unsigned,
)
from starlette.applications import Starlette
from starlette.routing import Mount
from teas import TEA
from within import Told, Within

from sudare.collection import Collection
from sudare.collector import create_app
from sudare.collector.faults import Notices
from sudare.collector.operator_api import authentication, single_sign_on, waiting_line
from sudare.collector.operator_api.endpoints import PREFIX
from sudare.collector.operator_api.oidc import COOKIES, RETURN
from sudare.collector.operator_api.opening import open_register
from sudare.collector.operator_api.provider import ALGORITHMS
from sudare.collector.settings import Settings
from sudare.errors import DomainError
from sudare.operators import Audit
from sudare.operators.failures import Failures

NOW = datetime(2026, 6, 1, 12, 30, tzinfo=UTC)
HERE = "http://127.0.0.1"
ASKED = {"redirect": f"{HERE}{RETURN}", "back": "/operator/c/tea", "language": "ja"}


@dataclass
class Signing:
    """A collector, a provider that it relies on, and a browser's part between the two."""

    provider: Provider
    database: str
    collector: Within = None
    now: datetime = NOW
    headers: dict[str, str] = field(default_factory=lambda: {"origin": HERE})

    def settings(self, **more: Any) -> Settings:
        told = {
            "oidc_issuer": self.provider.issuer,
            "oidc_client": CLIENT,
            "oidc_secret": SECRET,
            "oidc_rights": ["boss: admin", "staff: run for tea", "other: read"],
            "oidc_name": "Example",
        }
        return Settings(**(told | more))

    def app(self, **more: Any) -> Any:
        collections = [Collection.from_toml(TEA)]
        settings = self.settings(**more)
        return create_app(collections, self.database, settings=settings, clock=lambda: self.now)

    def begin(self, asked: Any = None, **headers: str) -> tuple[Told, str]:
        """Begin; return the answer, and the cookie."""
        body, given = {**ASKED, **(asked or {})}, self.headers | headers
        told = self.collector.request("POST", f"{PREFIX}/oidc", body, given)
        return told, told.header("set-cookie").partition(";")[0]

    def visit(self, begun: Told) -> str:
        """Sign in at the provider; return the address that it sends the browser back to."""
        import http.client

        to = urlsplit(begun.json["to"])
        connection = http.client.HTTPConnection(to.netloc, timeout=60)
        connection.request("GET", f"{to.path}?{to.query}")
        place = urlsplit(connection.getresponse().getheader("location"))
        connection.close()
        return f"{place.path}?{place.query}"

    def back(self, address: str, cookie: str) -> Told:
        """Come back: a navigation from another site has a cookie, and no Origin."""
        return self.collector.request("GET", address, None, {"cookie": cookie} if cookie else {})

    def sign_in(self) -> Told:
        begun, cookie = self.begin()
        assert begun.status == 200, begun.body
        return self.back(self.visit(begun), cookie)

    def session(self, told: Told) -> Told:
        """Ask who is signed in by the cookie of an answer."""
        cookie = session_of(told)
        return self.collector.request("GET", f"{PREFIX}/session", None, {"cookie": cookie})

    def audit(self) -> list[tuple[str, str, dict[str, Any]]]:
        with open_register(self.database) as register:
            return [(one.who, one.act, one.detail) for one in reversed(Audit(register).read())]


def session_of(told: Told) -> str:
    cookies = [value for name, value in told.headers if name == "set-cookie"]
    found = [one.partition(";")[0] for one in cookies if one.startswith("sudare-operator=")]
    return "".join(found)


def outcome(told: Told) -> str:
    """Return what the page will say; nothing where somebody has signed in."""
    assert told.status == 303
    assert told.header("cache-control") == "no-store"
    said = parse_qs(urlsplit(told.header("location")).query).get("signin", [""])[0]
    assert bool(session_of(told)) is not bool(said)
    return said


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    with provided() as found:
        yield found


@pytest.fixture
def provider(server: Provider) -> Provider:
    """The same server, as new."""
    fresh = Provider(server.issuer)
    for name in fresh.__dataclass_fields__:
        setattr(server, name, getattr(fresh, name))
    return server


@pytest.fixture
def signing(
    provider: Provider, database: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Signing]:
    monkeypatch.setattr(authentication, "Failures", lambda: Failures(clock=lambda: 0.0))
    found = Signing(provider, str(database))
    provider.now = lambda: found.now.timestamp()
    with Within(found.app()) as found.collector:
        yield found


def test_there_and_back(signing: Signing, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    offered = signing.collector.request("GET", f"{PREFIX}/oidc")
    assert offered.json == {"offered": True, "name": "Example"}
    begun, cookie = signing.begin()
    flags = begun.header("set-cookie").partition("; ")[2]
    assert flags == "Path=/; HttpOnly; SameSite=Lax"
    to = urlsplit(begun.json["to"])
    asked = {name: value for name, (value,) in parse_qs(to.query).items()}
    assert asked.pop("state") != asked.pop("nonce")
    assert len(asked.pop("code_challenge")) == 43
    assert asked == {
        "response_type": "code", "client_id": CLIENT, "scope": "openid email",
        "redirect_uri": f"{HERE}{RETURN}", "code_challenge_method": "S256",
    }  # fmt: skip
    address = signing.visit(begun)
    told = signing.back(address, cookie)
    assert outcome(told) == ""
    assert told.header("location") == "../operator/c/tea?lang=ja"
    assert f"{COOKIES[False]}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0" in told.header(
        "set-cookie"
    )
    assert "SameSite=Strict" in told.header("set-cookie")
    assert signing.provider.asked("/userinfo") == 0, "the ID token says all"

    session = signing.session(told)
    assert {name: session.json[name] for name in ("name", "scopes", "collections")} == {
        "name": "ann@example.org", "scopes": ["read", "run"], "collections": ["tea"],
    }  # fmt: skip
    assert session.json["expires"] == "2026-06-01T20:30:00Z"
    ask, acting = signing.collector.request, {"cookie": session_of(told), "origin": HERE}
    close = f"{PREFIX}/collections/tea/close"
    assert ask("POST", close, {}, acting).status == 403, "as any session's, its acts need a header"
    acting["x-sudare-csrf"] = session.json["csrf"]
    assert ask("POST", close, {}, acting).status == 200
    assert ask("GET", f"{PREFIX}/tokens", None, acting).status == 403
    assert signing.audit() == [
        ("ann@example.org", "sign in", {"by": "oidc", "subject": "canary-7"}),
        ("ann@example.org", "close", {}),
    ]
    with open_register(signing.database) as register:
        vias = {one.via for one in Audit(register).read()}
    assert vias == {f"session {session_of(told).partition('=')[2][:12]}"}, "from the sign-in on"
    assert ask("DELETE", f"{PREFIX}/session", None, acting).status == 200
    assert signing.session(told).status == 401

    code = parse_qs(urlsplit(address).query)["code"][0]
    (spoken,) = (json.loads(said) for path, said in signing.provider.said if path == "/token")
    hidden = [SECRET, code, spoken["access_token"], spoken["id_token"], cookie.partition("=")[2]]
    kept = b"".join(one.read_bytes() for one in Path(signing.database).parent.iterdir())
    for secret in hidden:
        assert secret not in caplog.text
        assert secret.encode() not in kept
    assert b"ann@example.org" in kept, "this would be seen"


def test_one_who_is_nobody_here_gets_nothing(signing: Signing) -> None:
    first = signing.sign_in()
    assert signing.session(first).status == 200
    signing.provider.person = {**ANN, "groups": ["guests"]}
    told = signing.sign_in()
    assert outcome(told) == "rights"
    assert signing.session(first).status == 401, "nor goes on with what was theirs before"
    who, act, detail = signing.audit()[-1]
    assert (who, act, detail["subject"]) == ("ann@example.org", "sign in refused", "canary-7")
    signing.provider.person = {**ANN, "email_verified": False}
    assert outcome(signing.sign_in()) == "rights"
    for _ in range(3):
        signing.sign_in()
    signing.provider.person = dict(ANN)
    assert outcome(signing.sign_in()) == "wait", "who is refused again and again waits"
    signing.provider.person = {**ANN, "sub": "8", "email": "bob@example.org"}
    assert outcome(signing.sign_in()) == "", "and keeps nobody else out"


def test_a_session_ends_with_the_settings_that_allowed_it(
    provider: Provider, database: Path
) -> None:
    """After a restart, and for good: switched off and on again, it does not come back."""
    signing = Signing(provider, str(database))
    provider.now = lambda: NOW.timestamp()
    provider.person = {**ANN, "groups": ["boss"]}
    off = {f"oidc_{one}": "" for one in ("issuer", "client", "secret")} | {"oidc_rights": []}
    for told in (off, {"oidc_rights": ["staff: run"]}, {"oidc_rights": ["boss: run"]}):
        with Within(signing.app()) as signing.collector:
            begun = signing.sign_in()
            cookie = {"cookie": session_of(begun)}
            session = signing.session(begun).json
            acting = {**cookie, "origin": HERE, "x-sudare-csrf": session["csrf"]}
            asked = {"name": "robot", "scopes": ["admin"], "expires": session["expires"]}
            made = signing.collector.request("POST", f"{PREFIX}/tokens", asked, acting).json
            bearer = {"authorization": f"Bearer {made['token']}"}
            for given in (cookie, bearer):
                answer = signing.collector.request("GET", f"{PREFIX}/session", None, given)
                assert answer.status == 200
        for settings in (told, {}):
            with Within(signing.app(**settings)) as collector:
                for given in (cookie, bearer):
                    answer = collector.request("GET", f"{PREFIX}/session", None, given)
                    assert answer.status == 401, (told, given)


def test_another_admin_ends_a_session(signing: Signing) -> None:
    signing.provider.person = {**ANN, "groups": ["boss"]}
    first = signing.sign_in()
    signing.provider.person = {"sub": "8", "email": "bob@example.org", "email_verified": True,
                               "groups": ["boss"]}  # fmt: skip
    told = signing.sign_in()
    ask, session = signing.collector.request, signing.session(told).json
    acting = {"cookie": session_of(told), "origin": HERE, "x-sudare-csrf": session["csrf"]}
    listed = ask("GET", f"{PREFIX}/sessions", None, acting).json["sessions"]
    assert {(one["name"], one["subject"], one["own"]) for one in listed} == {
        ("ann@example.org", "canary-7", False), ("bob@example.org", "8", True),
    }  # fmt: skip
    (id,) = (one["id"] for one in listed if not one["own"])
    place, bare = f"{PREFIX}/sessions/{id}", {"cookie": acting["cookie"]}
    assert ask("DELETE", place, None, bare).status == 403
    assert ask("DELETE", place, None, acting).status == 200
    assert signing.session(first).status == 401
    assert ask("DELETE", place, None, acting).status == 400
    assert signing.audit()[-1] == (
        "bob@example.org", "end session", {"name": "ann@example.org", "session": id}
    )  # fmt: skip


def test_the_same_subject_under_another_address_keeps_no_older_session(signing: Signing) -> None:
    first, second = signing.sign_in(), signing.sign_in()
    assert signing.session(first).status == 200, "another browser"
    signing.provider.person = {**ANN, "email": "anna@example.org"}
    third = signing.sign_in()
    assert [signing.session(one).status for one in (first, second, third)] == [401, 401, 200]


def test_what_they_may_do_ends_with_their_session(signing: Signing) -> None:
    """A person makes no token that stays when their claim has gone."""
    signing.provider.person = {**ANN, "groups": ["boss"]}
    told = signing.sign_in()
    session = signing.session(told).json
    headers = {"cookie": session_of(told), "origin": HERE, "x-sudare-csrf": session["csrf"]}
    ask, asked = signing.collector.request, {"name": "robot", "scopes": ["read"]}
    assert ask("POST", f"{PREFIX}/tokens", asked, headers).status == 403
    short = {**asked, "expires": session["expires"]}
    assert ask("POST", f"{PREFIX}/tokens", short, headers).status == 200
    signing.now += timedelta(hours=8)
    assert signing.session(told).status == 401


def change(**claims: Any) -> Any:
    """Return what changes claims of an ID token; None takes one away."""

    def work(header: dict[str, Any], told: dict[str, Any]) -> None:
        for name, value in claims.items():
            told[name] = value(told) if callable(value) else value
            if told[name] is None:
                del told[name]

    return work


FORGED = {
    "nonce": change(nonce="0" * 64),
    "no nonce": change(nonce=None),
    "audience": change(aud="another"),
    "no audience": change(aud=None),
    "another's": change(aud="another", azp=CLIENT),
    "several audiences": change(aud=[CLIENT, "another"]),
    "authorised party": change(aud=[CLIENT, "another"], azp="another"),
    "issuer": change(iss="https://evil.example"),
    "issuer with a slash": change(iss=lambda told: told["iss"] + "/"),
    "expired": change(exp=lambda told: told["iat"] - 60),
    "never expires": change(exp=None),
    "not a time": change(exp="soon"),
    "of tomorrow": change(iat=lambda told: told["iat"] + 86_400),
    "not yet": change(nbf=lambda told: told["iat"] + 120),
    "nobody": change(sub=None),
    "an empty subject": change(sub=""),
    "a blank subject": change(sub=" \t"),
    "a subject of what is not seen": change(sub="\u3164\u2800\ufe0f"),
    "a subject of no width": change(sub="\u200b\u00ad"),
    "a number": change(sub=7),
    "a list": change(sub=["canary-7"]),
    "true": change(sub=True),
    "a line": change(sub="canary-7\n"),
    "a long subject": change(sub="canary" * 50),
    "of another token": change(at_hash="AAAA"),
}
SIGNED = {
    "by none": unsigned,
    "by the public key": by_public_key,
    "by a published secret": by_published_secret,
    "by its own key": by_own_key,
    "by another key": lambda head, told: by_own_key({**head, "kid": "one"}, told),
    "changed": lambda head, told: unsigned(head, told) + "AAAA",
    "no token": lambda head, told: "nothing",
    "not text": lambda head, told: 7,
}


def test_a_forged_statement_signs_nobody_in(
    signing: Signing, caplog: pytest.LogCaptureFixture
) -> None:
    assert {one[:2] for one in ALGORITHMS} == {"RS", "PS", "ES"}, "two locks: the keys are one"
    for name, forge in FORGED.items():
        signing.provider.change = forge
        assert outcome(signing.sign_in()) == "refused", name
    signing.provider.change = change()
    for name, sign in SIGNED.items():
        signing.provider.sign = sign
        assert outcome(signing.sign_in()) == "refused", name
    assert signing.audit() == []
    assert len({one.message for one in caplog.records}) >= 15, "whoever runs it is told why"
    assert "InvalidClaimError nonce" in caplog.text
    assert "canary" not in caplog.text
    signing.provider.sign = None
    for fair in (change(exp=lambda told: told["iat"] - 30), change(aud=[CLIENT], azp=CLIENT)):
        signing.provider.change = fair
        assert outcome(signing.sign_in()) == "", "clocks differ by seconds"


def test_an_answer_with_a_key_twice_is_refused(
    signing: Signing, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that a provider says: two readers of it could take two values."""
    provider = signing.provider
    same: Any = lambda header, told: by_text(json.dumps(header), json.dumps(told))  # noqa: E731
    provider.sign = same
    assert outcome(signing.sign_in()) == "", "the texts themselves are right"
    for part in (0, 1):
        for name in (("alg", "kid"), ("sub", "nonce", "aud", "extra"))[part]:

            def sign(*parts: dict[str, Any], part: int = part, name: str = name) -> str:
                texts = [json.dumps(one) for one in parts]
                texts[part] = doubled(parts[part] | {"extra": 1}, name)
                return by_text(*texts)

            provider.sign = sign
            assert outcome(signing.sign_in()) == "refused", name
    provider.sign = None
    for name in ("id_token", "access_token"):
        provider.twice = ("/token", name)
        assert outcome(signing.sign_in()) == "refused", name
    provider.person = {"sub": "7"}
    provider.told = {name: value for name, value in ANN.items() if name != "sub"}
    for name in ("sub", "email", "groups"):
        provider.twice = ("/userinfo", name)
        assert outcome(signing.sign_in()) == "refused", name
    monkeypatch.setattr("sudare.collector.operator_api.provider.FRESH_SECONDS", -1.0)
    for twice in (("/.well-known/openid-configuration", "jwks_uri"), ("/keys", "kid")):
        provider.twice = twice
        assert signing.begin()[0].status == 503, twice
    provider.twice = ("", "")
    assert outcome(signing.sign_in()) == ""
    texts = {one.message.partition(" (")[0].partition(": ")[2] for one in caplog.records}
    assert texts == {f"{what} has a key of an object twice"
                     for what in ("the ID token", "the provider's answer")}  # fmt: skip
    assert "canary" not in caplog.text


def test_only_the_browser_that_left_comes_back_and_once(signing: Signing) -> None:
    signing.provider.sloppy = True
    begun, cookie = signing.begin()
    address = signing.visit(begun)
    other, others = signing.begin()
    assert outcome(signing.back(address, "")) == "over", "whoever is lured to it"
    assert outcome(signing.back(address, others)) == "over", "in another browser"
    tossed = cookie.replace(COOKIES[False], COOKIES[True])
    assert outcome(signing.back(address, tossed)) == "over", "begun by http"
    for part in ("state=", "state=" + "0" * 64, "code=1", f"{address.partition('?')[2]}&state=x"):
        assert outcome(signing.back(f"{RETURN}?{part}", cookie)) == "over"
    assert signing.provider.asked("/token") == 0, "none of them is asked about"
    assert outcome(signing.back(address, cookie)) == ""
    assert outcome(signing.back(address, cookie)) == "over", "not even by the same browser again"
    late = signing.visit(other)
    signing.now += timedelta(minutes=11)
    assert outcome(signing.back(late, others)) == "over"
    assert [act for _, act, _ in signing.audit()] == ["sign in"]
    signing.provider.sloppy = False
    begun, cookie = signing.begin()
    address = signing.visit(begun)
    forged = address.replace("code=", "code=0")
    assert outcome(signing.back(forged, cookie)) == "over", "the provider knows no such code"
    assert outcome(signing.back(address, cookie)) == "over", "the flow is spent all the same"
    begun, cookie = signing.begin()
    mixed = signing.visit(begun).replace("iss=http", "iss=https")
    assert outcome(signing.back(mixed, cookie)) == "refused", "another issuer's answer"


def test_a_page_of_another_site_cannot_begin(signing: Signing) -> None:
    for origin in ("", "null", "http://evil.example", "http://127.0.0.1:1"):
        assert signing.begin(origin=origin)[0].status == 403
    wrong = (
        {"redirect": "http://evil.example/operator/oidc"},
        {"redirect": f"{HERE}.evil.example/operator/oidc"},
        {"redirect": f"{HERE}@evil.example/operator/oidc"},
        {"redirect": f"{HERE}/operator/oidc?x"},
        {"redirect": f"{HERE}//evil.example/x/../operator/oidc"},
        {"redirect": 7},
        {"back": "//evil.example"},
        {"back": "/operator/../x"},
        {"back": "https://evil.example/operator"},
        {"language": "a\r\nb"},
        {"language": None},
    )
    for asked in wrong:
        assert signing.begin(asked)[0].status == 400, asked
    assert signing.provider.said == []
    under = {"redirect": f"{HERE}/own/surveys{RETURN}"}
    assert parse_qs(urlsplit(signing.begin(under)[0].json["to"]).query)["redirect_uri"] == [
        under["redirect"]
    ]
    far = {"redirect": f"https://survey.example{RETURN}"}
    begun, cookie = signing.begin(far, origin="https://survey.example", host="survey.example")
    assert begun.header("set-cookie").endswith("SameSite=Lax; Secure")
    told = signing.back(signing.visit(begun), cookie)
    assert "__Host-sudare-operator=" in told.header("set-cookie")


def test_under_a_path_of_another_application(provider: Provider, database: Path) -> None:
    signing = Signing(provider, str(database))
    provider.now = lambda: NOW.timestamp()
    app = signing.app()
    outer = Starlette(routes=[Mount("/own/surveys", app)], lifespan=app.lifespan)
    with Within(outer) as collector:
        asked = {**ASKED, "redirect": f"{HERE}/own/surveys{RETURN}"}
        path = f"/own/surveys{PREFIX}/oidc"
        begun = collector.request("POST", path, asked, {"origin": HERE})
        place = signing.visit(begun)
        assert place.startswith(f"/own/surveys{RETURN}?")
        cookie = begun.header("set-cookie").partition(";")[0]
        told = collector.request("GET", place, None, {"cookie": cookie})
        assert outcome(told) == ""
        assert urljoin(place, told.header("location")) == "/own/surveys/operator/c/tea?lang=ja"


def test_new_keys_are_fetched_once_and_unknown_ones_refused(signing: Signing) -> None:
    provider = signing.provider
    assert outcome(signing.sign_in()) == ""
    assert outcome(signing.sign_in()) == ""
    assert provider.asked("/keys") == 1
    provider.kid, provider.published = "two", ["one", "two"]
    assert outcome(signing.sign_in()) == ""
    assert provider.asked("/keys") == 2
    provider.kid = "three"
    assert outcome(signing.sign_in()) == "refused"
    assert provider.asked("/keys") == 3, "once, and not again and again"
    provider.kid, provider.published = "one", ["two"]
    provider.document = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert outcome(signing.sign_in()) == "", "until they are fetched again"


def test_what_the_statement_lacks_is_asked_for(signing: Signing) -> None:
    provider = signing.provider
    provider.person = {"sub": "7"}
    provider.told = {name: value for name, value in ANN.items() if name != "sub"}
    assert signing.session(signing.sign_in()).json["name"] == "ann@example.org"
    assert provider.asked("/userinfo") == 1
    provider.told = dict(ANN)
    assert outcome(signing.sign_in()) == "refused", "of another person"
    provider.told = {**ANN, "sub": "7", "email_verified": False}
    assert outcome(signing.sign_in()) == "rights"


def test_a_provider_that_fails_or_declines(
    signing: Signing, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = signing.provider
    begun, cookie = signing.begin()
    address = signing.visit(begun)
    provider.down = True
    assert outcome(signing.back(address, cookie)) == "down"
    provider.down = False
    errors = {"access_denied": "denied", "server_error": "down", "invalid_scope": "refused"}
    for error, said in errors.items():
        provider.error = error
        told = signing.sign_in()
        assert (outcome(told), told.header("location").count("canary")) == (said, 0)
    assert "canary" not in caplog.text
    assert signing.audit() == []

    wrong = (
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": None},
        {"jwks_uri": f"{provider.issuer}/authorize"},
        {"jwks_uri": f"{provider.issuer}/userinfo"},
    )
    monkeypatch.setattr("sudare.collector.operator_api.provider.FRESH_SECONDS", -1.0)
    for document in wrong:
        provider.document = document
        told, _ = signing.begin()
        assert (told.status, told.json["error"]["argument"]) == (503, "provider"), document
    provider.document = {}
    assert signing.begin()[0].status == 200
    monkeypatch.undo()
    nobody = Signing(Provider("http://127.0.0.1:1"), f"{signing.database}-other")
    with Within(nobody.app()) as nobody.collector:
        assert nobody.begin()[0].status == 503


@pytest.mark.slow  # 31 flows begun, 54 connections at once: 5 s
def test_honest_people_get_in_beside_those_who_try_bad_codes(
    signing: Signing, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody has an account at the beginning: what one visitor does must not stop another."""
    provider, honest, hostile = signing.provider, 30, 24
    provider.slow = 0.02
    begun = [signing.begin() for _ in range(honest)]
    ready = [(signing.visit(told), cookie) for told, cookie in begun]
    first, worn = signing.begin()
    state = parse_qs(urlsplit(first.json["to"]).query)["state"][0]
    going, tries = True, {"again": 0, "anew": 0}

    async def repeat() -> None:
        while going:
            place = f"{RETURN}?state={state}&code=bad"
            told = await signing.collector.ask("GET", place, None, {"cookie": worn})
            assert outcome(told) == "over"
            tries["again"] += 1

    async def renew() -> None:
        ask = signing.collector.ask
        while going:
            told = await ask("POST", f"{PREFIX}/oidc", ASKED, signing.headers)
            assert told.status == 200, "beginning waits for nobody"
            own = parse_qs(urlsplit(told.json["to"]).query)["state"][0]
            cookie = told.header("set-cookie").partition(";")[0]
            place = f"{RETURN}?state={own}&code=bad"
            await ask("GET", place, None, {"cookie": cookie})
            tries["anew"] += 1

    async def crowd() -> list[Told]:
        nonlocal going
        others = [asyncio.create_task(repeat()) for _ in range(hostile // 2)]
        others += [asyncio.create_task(renew()) for _ in range(hostile // 2)]
        await asyncio.sleep(0.1)
        back = [signing.collector.ask("GET", place, None, {"cookie": own}) for place, own in ready]
        found = await asyncio.gather(*back)
        going = False
        await asyncio.gather(*others)
        return found

    assert [outcome(one) for one in signing.collector.run(crowd())] == [""] * honest
    assert min(tries.values()) >= hostile // 2, tries
    assert provider.asked("/token") == honest + 1 + tries["anew"], "a flow is exchanged once"
    assert len(caplog.records) <= 1


def test_networks_wait_apart_and_who_hangs_up_asks_for_nothing(
    provider: Provider, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Networks by the header that rate limits read; a flow is spent by who has a turn alone."""
    monkeypatch.setattr(waiting_line, "MOST", 2)
    monkeypatch.setattr(waiting_line, "PLACES", 1)
    signing = Signing(provider, str(database))
    provider.now = lambda: NOW.timestamp()

    async def crowd() -> list[Told]:
        gone = asyncio.Event()

        def back(number: int, network: str, gone: asyncio.Event | None = None) -> Any:
            place, cookie = ready[number]
            given = {"cookie": cookie, "x-client-address": f"{network}.{number}:5000"}
            return asyncio.create_task(signing.collector.ask("GET", place, None, given, gone=gone))

        first = back(0, "203.0.113")
        leaving = [back(number, "203.0.113", gone) for number in (1, 2)]
        await asyncio.sleep(0.02)
        honest = back(3, "198.51.100")
        gone.set()
        assert [one.status for one in await asyncio.gather(*leaving)] == [0, 0]
        assert not first.done()
        return [await first, await honest, await back(1, "203.0.113")]

    with Within(signing.app(limit_header="x-client-address")) as signing.collector:
        begun = [signing.begin() for _ in range(4)]
        ready = [(signing.visit(told), cookie) for told, cookie in begun]
        provider.slow = 0.1
        assert [outcome(one) for one in signing.collector.run(crowd())] == ["", "", ""]
    assert provider.asked("/token") == 3


def test_a_warning_that_visitors_cause_is_one_line_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = [0.0]
    notices = Notices("about", lambda: now[0])
    for second in range(150):
        now[0] = float(second)
        notices.warn("one")
        notices.warn("two")
    assert [one.message for one in caplog.records] == [
        "about: one", "about: two",
        "about: one (59 times more before)", "about: two (59 times more before)",
        "about: one (59 times more before)", "about: two (59 times more before)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/.well-known/openid-configuration", "/keys", "/token", "/userinfo"]
)
def test_an_answer_without_end_is_not_read(
    signing: Signing, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = signing.provider
    if path == "/userinfo":
        provider.person = {"sub": "7"}
    late = path in ("/token", "/userinfo")
    for pause in (0.0, 0.05):
        if pause:
            monkeypatch.setattr("sudare.collector.operator_api.provider.SECONDS", 0.3)
        begun, cookie = signing.begin() if late else (None, "")
        place = signing.visit(begun) if begun else ""
        provider.flood, provider.poured = (path, pause), 0
        start = time.monotonic()
        if late:
            assert outcome(signing.back(place, cookie)) == "down"
        else:
            assert signing.begin()[0].status == 503
        assert time.monotonic() - start < 8
        assert provider.poured < 32 << 20, "a little lies in the sockets"
        provider.flood = ("", 0.0)


def test_several_processes_know_of_each_other(provider: Provider, address: str) -> None:
    """What one has begun another finishes; what one has finished none finishes again."""
    one = Signing(provider, address)
    provider.now, provider.sloppy = (lambda: NOW.timestamp()), True
    with Within(one.app()) as one.collector, Within(one.app()) as other:
        two = replace(one, collector=other)
        begun, cookie = one.begin()
        place = one.visit(begun)
        told = two.back(place, cookie)
        assert outcome(told) == ""
        assert one.session(told).json["name"] == "ann@example.org"
        assert outcome(one.back(place, cookie)) == "over"


def test_without_a_provider_none_is_offered(database: Path, tea: Collection) -> None:
    with Within(create_app([tea], database)) as collector:
        told = collector.request("GET", f"{PREFIX}/oidc")
        assert told.json == {"offered": False, "name": ""}
        asked = collector.request("POST", f"{PREFIX}/oidc", ASKED, {"origin": HERE})
        assert (asked.status, collector.request("GET", f"{RETURN}?code=1").status) == (404, 404)


def test_settings_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    signing = Signing(Provider("https://id.example"), str(tmp_path / "x.db"))
    secret, empty = tmp_path / "secret", tmp_path / "empty"
    secret.write_text("a secret\n")
    empty.write_text("\n")
    wrong = (
        {"oidc_issuer": ""},
        {"oidc_client": ""},
        {"oidc_rights": []},
        {"oidc_secret": ""},
        {"oidc_secret_file": str(secret)},
        {"oidc_secret": "", "oidc_secret_file": str(tmp_path / "none")},
        {"oidc_secret": "", "oidc_secret_file": str(empty)},
    )
    for given in wrong:
        with pytest.raises(DomainError, match="oidc_"):
            single_sign_on.SingleSignOn.of(signing.settings(**given), lambda: NOW)
    for given in ({"oidc_issuer": "http://id.example"}, {"oidc_rights": ["staff: fly"]}):
        with pytest.raises(DomainError, match="oidc_"):
            signing.settings(**given)
    for file in ("oidc_secret = 7", 'oidc_secret = ""'):
        secret.with_suffix(".toml").write_text(file)
        with pytest.raises(DomainError, match="oidc_secret must be text; in quotation marks"):
            Settings.load(secret.with_suffix(".toml"))
    told = signing.settings(oidc_secret="", oidc_secret_file=str(secret))
    found = single_sign_on.SingleSignOn.of(told, lambda: NOW)
    assert found is not None
    assert found.provider.secret == "a secret"
    assert "a secret" not in repr(found)
    assert SECRET not in repr(signing.settings())
    create_app([], tmp_path / "y.db", settings=signing.settings())  # operators upload surveys
    with pytest.raises(DomainError, match="oidc_client"):
        create_app([], tmp_path / "y.db", settings=signing.settings(oidc_client=""))
