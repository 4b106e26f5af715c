"""The operators' API, in process: scopes, sessions, other sites, and what is done and recorded."""

from __future__ import annotations

import json
import logging
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from described import Description
from starlette.routing import Route
from teas import TEA
from within import Told, Within

from sudare.catalogues import catalogues
from sudare.collection import Collection
from sudare.collection.drafting import draft
from sudare.collector import change_life, create_app
from sudare.collector.operator_api.authentication import COOKIES
from sudare.collector.operator_api.endpoints import PREFIX, Endpoint
from sudare.collector.operator_api.opening import open_register
from sudare.collector.operator_api.routes import OFFERS, OPEN
from sudare.collector.settings import Settings
from sudare.operators import SCOPES, Sessions, Texts, Tokens, tables

HERE = {"origin": "http://127.0.0.1"}
COFFEE = TEA.replace('name = "tea"', 'name = "coffee"')
INVITED = COFFEE.replace('"coffee"', '"mate"').replace(
    "publish_at = 1", 'publish_at = 1\nadmission = "invited"'
)


@cache
def described() -> Description:
    return Description.of(
        create_app([Collection.from_toml(TEA)], Path(tempfile.mkdtemp()) / "x.db")
    )


@dataclass
class Operated:
    """A collector with operators, whose clock is set by hand."""

    database: Path
    collector: Within
    known: list[str] = field(default_factory=list)
    now: datetime = field(default_factory=lambda: datetime(2026, 6, 1, 12, 30, tzinfo=UTC))

    def token(self, *scopes: str, name: str = "ann", **more: Any) -> str:
        with open_register(self.database) as register:
            return Tokens(register, lambda: self.now).issue(name, scopes or SCOPES, **more)

    def call(self, token: str, method: str, path: str, body: Any = None, **headers: str) -> Told:
        given = {"authorization": f"Bearer {token}"} | headers
        return self.ask(method, PREFIX + path, body, given)

    def ask(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Told:
        """Send a request; whatever is answered must be as the service describes it."""
        told = self.collector.request(method, path, body, headers)
        described().check(method, path, told.status, told.header("content-type"), told.body)
        return told

    def sign_in(self, token: str, origin: str = HERE["origin"]) -> tuple[Told, dict[str, str]]:
        """Sign in; return the answer, and the headers with which the pages go on."""
        host = origin.partition("://")[2]
        headers = {"origin": origin, "host": host}
        told = self.ask("POST", f"{PREFIX}/session", {"token": token}, headers)
        if told.status != 200:
            return told, {}
        cookie = told.header("set-cookie").partition(";")[0]
        return told, {**headers, "cookie": cookie, "x-sudare-csrf": told.json["csrf"]}

    def entries(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call(self.root, "GET", "/audit").json["entries"]
        return found

    @property
    def root(self) -> str:
        """A token that may do everything."""
        if not self.known:
            self.known.append(self.token(name="root"))
        return self.known[0]


@pytest.fixture
def operated(database: Path, tea: Collection) -> Iterator[Operated]:
    found = Operated(database, None)
    app = create_app([tea, Collection.from_toml(INVITED)], database, clock=lambda: found.now)
    with Within(app) as collector:
        found.collector = collector
        yield found


# -- scopes ------------------------------------------------------------------------------------

BODIES: dict[str, Any] = {
    "check": {"text": COFFEE},
    "edit": {"text": COFFEE},
    "open": {},
    "extend": {"until": "2027-01-01T00:00:00Z"},
    "setVisibility": {"visibility": "unlisted"},
    "makeInvites": {"number": 2},
    "makeToken": {"name": "bob", "scopes": ["read"]},
}
SIGNING_IN_ELSEWHERE = ("GET", "/oidc"), ("POST", "/oidc")
CHANGES = [
    one for one in OFFERS if one.method != "GET" and (one.method, one.scope) != ("POST", "read")
]
"""Calls that change something: who may only read sends a body to have something worked out."""


def address(offer: Endpoint, name: str) -> str:
    return offer.path.replace("{name}", name).replace("{id}", "0" * 12)


def test_every_call_has_a_scope_and_no_route_is_beside_the_table(operated: Operated) -> None:
    assert all(one.scope in SCOPES for one in OFFERS)
    free = {(one.method, one.path) for one, _ in OPEN}
    assert free == {(m, PREFIX + p) for m, p in (("POST", "/session"), *SIGNING_IN_ELSEWHERE)}
    told = {(one.method, PREFIX + one.path) for one in OFFERS} | free
    routes = [one for one in operated.collector.app.routes if isinstance(one, Route)]
    own = [one for one in routes if one.path.startswith(PREFIX)]
    found = {(method, one.path) for one in own for method in (one.methods or set()) - {"HEAD"}}
    assert found == told
    for method, path in found - free:
        assert operated.collector.request(method, path, {}).status == 401, path


def test_a_scope_cannot_be_exceeded(operated: Operated) -> None:
    tokens = {one: operated.token(one, name=one) for one in SCOPES}
    other = operated.token(name="other", collections=["elsewhere"])
    for offer, scope in product(OFFERS, SCOPES):
        told = operated.call(tokens[scope], offer.method, address(offer, "none"), {})
        allowed = offer.scope in ("read", scope)
        assert (told.status == 403) is not allowed, (offer.name, scope)
        if not allowed:
            assert told.json["error"]["argument"] == "scope"
    for offer in OFFERS:
        if "{name}" in offer.path:
            told = operated.call(other, offer.method, address(offer, "tea"), BODIES.get(offer.name))
            assert told.status == 404, offer.name
    assert operated.call(other, "GET", "/collections").json == {"collections": []}
    assert [one["act"] for one in operated.entries() if one["act"] != "sign out"] == []


def test_a_token_makes_none_that_allows_more(operated: Operated) -> None:
    until = operated.now + timedelta(days=1)
    limited = operated.token("admin", "run", collections=["tea"], expires=until)
    end = {"expires": "2026-06-02T00:00:00Z"}
    refused = (
        {"scopes": ["run"], "collections": ["tea"]},
        {"scopes": ["run"], "collections": ["tea"], "expires": "2026-06-03T00:00:00Z"},
        {"scopes": ["run"], "collections": ["tea", "coffee"], **end},
        {"scopes": ["run"], **end},
        {"scopes": ["export"], "collections": ["tea"], **end},
    )
    for asked in refused:
        told = operated.call(limited, "POST", "/tokens", {"name": "bob", **asked})
        assert (told.status, told.json["error"]["type"]) == (403, "NotAllowedError"), asked
    fits = {"name": "bob", "scopes": ["run"], "collections": ["tea"], **end}
    made = operated.call(limited, "POST", "/tokens", fits).json
    assert made["scopes"] == ["read", "run"]
    assert operated.call(made["token"], "GET", "/collections/tea").status == 200
    names = {one["name"] for one in operated.call(limited, "GET", "/tokens").json["tokens"]}
    assert names == {"ann", "bob"}, "tokens beyond its own are not there for it"
    everything = operated.call(operated.root, "GET", "/tokens").json["tokens"]
    root = next(one["id"] for one in everything if one["name"] == "root")
    assert operated.call(limited, "DELETE", f"/tokens/{root}").status == 400
    assert operated.call(operated.root, "GET", "/session").status == 200


# -- who is let in -----------------------------------------------------------------------------


def test_a_session_is_told_and_ends(operated: Operated) -> None:
    token = operated.token("run")
    told, headers = operated.sign_in(token)
    cookie = told.header("set-cookie")
    assert cookie.endswith("Path=/; HttpOnly; SameSite=Strict")
    ask = operated.collector.request
    said = ask("GET", f"{PREFIX}/session", None, headers)
    assert said.json == told.json
    assert (said.json["name"], said.json["scopes"]) == ("ann", ["read", "run"])
    assert said.json["expires"] == "2026-06-01T20:30:00Z"
    assert ask("GET", f"{PREFIX}/tokens", None, headers).status == 403
    out = ask("DELETE", f"{PREFIX}/session", None, headers)
    assert "Max-Age=0" in out.header("set-cookie")
    assert ask("GET", f"{PREFIX}/session", None, headers).status == 401


def test_a_session_ends_by_time_and_with_its_token(operated: Operated) -> None:
    ask = operated.collector.request
    _, first = operated.sign_in(operated.token("read"))
    _, second = operated.sign_in(operated.token("read", name="bob"))
    soon = operated.now + timedelta(minutes=10)
    short, third = operated.sign_in(operated.token("read", name="eve", expires=soon))
    assert short.json["expires"] == "2026-06-01T12:40:00Z", "no longer than its token"
    tokens = operated.call(operated.root, "GET", "/tokens").json["tokens"]
    bob = next(one["id"] for one in tokens if one["name"] == "bob")
    assert operated.call(operated.root, "DELETE", f"/tokens/{bob}").status == 200

    def state() -> list[int]:
        return [ask("GET", f"{PREFIX}/session", None, one).status for one in (first, second, third)]

    assert state() == [200, 401, 200]
    operated.now = soon
    assert state() == [200, 401, 401]
    operated.now += timedelta(hours=8)
    assert state() == [401, 401, 401]


def test_revoked_and_expired_tokens_and_wrong_ones(operated: Operated) -> None:
    end = operated.now + timedelta(hours=1)
    good, short = operated.token("read"), operated.token("read", name="bob", expires=end)
    assert operated.call(short, "GET", "/session").status == 200
    operated.now = end
    assert operated.call(short, "GET", "/session").status == 401
    with open_register(operated.database) as register:
        tokens = Tokens(register)
        tokens.revoke(str(tokens.id_of(good)))
    assert operated.call(good, "GET", "/session").status == 401
    for wrong in ("", "x", good[:-1], good[:-1] + "!", good.upper(), "sudare_" + good[10:]):
        told = operated.call(wrong, "GET", "/session")
        assert told.status in (401, 429)
        assert told.header("www-authenticate") == ("Bearer" if told.status == 401 else "")


def test_failures_are_braked_and_keep_nobody_else_out(
    operated: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    for one in operated.collector.app.routes:  # the desk's own brake, on a clock of this test
        if one.path == f"{PREFIX}/session":
            call = one.endpoint._app
            desk = getattr(call.func, "__self__", None) or call.args[0]
            monkeypatch.setattr(desk.door._failures, "_clock", lambda: clock[0])
    good, other = operated.token("read"), operated.token("read", name="bob")
    wrong = good[:-4] + "AAAA"
    statuses = [operated.sign_in(wrong)[0].status for _ in range(7)]
    assert statuses == [401] * 5 + [429] * 2
    told, _ = operated.sign_in(good)
    assert (told.status, told.header("retry-after")) == (429, "1"), "of this token, even the right"
    assert operated.call(good, "GET", "/session").status == 429, "nor by the other door"
    assert operated.sign_in(other)[0].status == 200
    for _ in range(6):
        operated.sign_in("sudare_op_000000000000_" + "A" * 43)
    assert operated.sign_in(other)[0].status == 200, "who guesses keeps nobody out"
    clock[0] = 1.0
    assert operated.sign_in(wrong)[0].status == 401
    told, _ = operated.sign_in(good)
    assert told.header("retry-after") == "2"
    clock[0] = 3.0
    assert operated.sign_in(good)[0].status == 200
    assert [operated.sign_in(wrong)[0].status for _ in range(5)] == [401] * 5, "forgotten"


def test_refused_sign_ins_are_in_the_record_and_cannot_fill_it(operated: Operated) -> None:
    good, root = operated.token("read"), operated.root
    with open_register(operated.database) as register:
        id = Tokens(register).id_of(good)
    stranger = "sudare_op_000000000000_" + "A" * 43
    for _ in range(40):
        operated.sign_in(good[:-4] + "AAAA")  # the ones that have to wait count too
        operated.call(stranger, "GET", "/collections")
    found = [
        (one["detail"]["token"], one["detail"]["number"], one["who"], one["token"])
        for one in operated.call(root, "GET", "/audit").json["entries"]
        if one["act"] == "sign in refused"
    ]
    expected = [(what, 2**i, "unknown", None) for i in range(6) for what in (id, None)]
    assert found == expected[::-1]
    assert not {good[-43:], stranger, "A" * 43} & set(json.dumps(operated.entries()).split('"'))


# -- other sites -------------------------------------------------------------------------------


def test_another_site_cannot_act(operated: Operated) -> None:
    ask, act = operated.collector.request, f"{PREFIX}/collections/tea/close"
    token = operated.token()
    _, own = operated.sign_in(token)
    _, others = operated.sign_in(operated.token(name="bob"))
    forged = [
        {**own, "x-sudare-csrf": ""},
        {**own, "x-sudare-csrf": others["x-sudare-csrf"]},
        {key: value for key, value in own.items() if key != "x-sudare-csrf"},
        {key: value for key, value in own.items() if key != "origin"},
        *({**own, "origin": one} for one in ("null", "http://evil.example", "http://127.0.0.1:1",
                                             "https://127.0.0.1", "http://[", "")),
    ]  # fmt: skip
    for headers in forged:
        assert ask("POST", act, {}, headers).status == 403, headers
        assert ask("DELETE", f"{PREFIX}/session", None, headers).status == 403
    for offer in CHANGES:
        path = PREFIX + address(offer, "tea")
        assert ask(offer.method, path, BODIES.get(offer.name, {}), forged[0]).status == 403
    assert {one["act"] for one in operated.entries()} == {"sign in"}
    for origin in ("null", "http://evil.example", ""):
        headers = {"origin": origin}
        assert ask("POST", f"{PREFIX}/session", {"token": token}, headers).status == 403
    told = ask("GET", f"{PREFIX}/collections/tea", None, {**own, "origin": "http://evil.example"})
    assert not told.header("access-control-allow-origin")
    assert ask("POST", act, {}, own).status == 200, "the page itself can"


def test_by_https_a_cookie_is_for_https_alone(operated: Operated) -> None:
    told, headers = operated.sign_in(operated.token("read"), "https://survey.example")
    cookie = told.header("set-cookie")
    assert cookie.startswith("__Host-sudare-operator=")
    assert cookie.endswith("; Secure")
    ask = operated.collector.request
    assert ask("GET", f"{PREFIX}/session", None, headers).status == 200
    tossed = {**headers, "cookie": headers["cookie"].replace(COOKIES[True], COOKIES[False])}
    assert ask("GET", f"{PREFIX}/session", None, tossed).status == 401
    elsewhere, _ = operated.sign_in(operated.token("read", name="bob"), "http://survey.example")
    assert elsewhere.status == 400


def test_an_origin_that_is_set_is_the_only_one(database: Path, tea: Collection) -> None:
    from sudare.collector.settings import Settings

    app = create_app([tea], database, settings=Settings(origin="https://survey.example"))
    with Within(app) as collector:
        operated = Operated(database, collector, now=datetime.now(UTC))
        token = operated.token("read")
        assert operated.sign_in(token)[0].status == 403
        headers = {"origin": "https://survey.example", "host": "10.0.0.7:8750"}
        told = collector.request("POST", f"{PREFIX}/session", {"token": token}, headers)
        assert told.status == 200


# -- what operators do -------------------------------------------------------------------------


def test_questions_are_crossed_on_request(operated: Operated, item: Any) -> None:
    ask, read = operated.collector.request, operated.token("read", name="reader")

    def cross(query: str) -> Any:
        return operated.call(read, "GET", f"/collections/tea/cross?{query}")

    assert cross("questions=brand,place").status == 400, "nobody has answered"
    fingerprint = ask("GET", "/api/v1/collections/tea").json["fingerprint"]
    for _ in range(4):
        sent = ask(
            "POST", "/api/v1/collections/tea/reports", {"fingerprint": fingerprint, **item()}
        )
        assert sent.status == 202
    before = ask("GET", "/api/v1/collections/tea/results").json["epsilon"]
    told = cross("questions=place,brand&confidence=0.9").json
    assert (told["questions"], told["n"], told["confidence"]) == (["place", "brand"], 4, 0.9)
    assert (len(told["cells"]), told["cells"][0]["choices"]) == (30, ["home", "oi-ocha"])
    assert all(isinstance(one["reports"], int) for one in told["cells"])
    assert told["epsilon"] <= 2.0
    assert told["pairs"][0]["cells"] == told["cells"], "two questions are one pair"
    least = told["least_answers"]
    assert told["pairs"][0]["least_answers"] == least > 4
    alone = ask("GET", "/api/v1/collections/tea/results").json["questions"]
    assert least > max(one["least_answers"] for one in alone), "two randomisations err more"
    assert set(told["pairs"][0]["dependence"]) >= {"value", "low", "high", "left_out"}
    assert ask("GET", "/api/v1/collections/tea/results").json["epsilon"] == before
    for query in (
        "",
        "questions=",
        "questions=brand",
        "questions=brand,brand",
        "questions=brand,x",
    ):
        assert cross(query).json["error"]["argument"] in ("questions", "query"), query
    assert cross("questions=brand,place&target=all").status == 400
    assert operated.collector.request("GET", f"{PREFIX}/collections/tea/cross").status == 401


def test_a_life_by_the_api_alone(operated: Operated, item: Any) -> None:
    token = operated.token()

    def do(method: str, path: str, body: Any = None) -> Any:
        told = operated.call(token, method, f"/collections/coffee{path}", body)
        assert told.status == 200, (path, told.body)
        return told.json

    ask = operated.collector.request
    assert operated.call(token, "GET", "/collections/coffee").status == 404
    told = do("PUT", "/definition", {"text": COFFEE})
    assert told["changes"] == "new"
    assert do("GET", "")["stage"] == "draft"
    assert ask("GET", "/api/v1/collections/coffee").status == 404, "nobody sees a draft"
    assert do("POST", "/publish", {})["stage"] == "open"
    fingerprint = ask("GET", "/api/v1/collections/coffee").json["fingerprint"]
    for _ in range(3):
        body = {"fingerprint": fingerprint, **item()}
        assert ask("POST", "/api/v1/collections/coffee/reports", body).status == 202
    assert do("GET", "")["stored"] == 3
    assert do("GET", "/results")["n"] == 3
    words = COFFEE.replace("[collection]", '[collection]\ntitle = "Coffee"')
    assert do("PUT", "/definition", {"text": words})["changes"] == "texts"
    assert do("GET", "")["edited"] is True
    found = do("POST", "/publish", {})
    assert (found["fingerprint"], found["title"], found["stored"]) == (
        fingerprint, {"en": "Coffee"}, 3
    )  # fmt: skip
    dearer = words.replace("epsilon = 2.0", "epsilon = 1.0")
    assert do("PUT", "/definition", {"text": dearer})["changes"] == "version"
    found = do("POST", "/publish", {})
    assert found["fingerprint"] != fingerprint
    assert [one["n"] for one in found["versions"]] == [3, 0], "both stay visible"
    assert do("POST", "/close", {})["stage"] == "closed"
    assert do("POST", "/extend", {"until": "2026-07-01T00:00:00Z"})["stage"] == "open"
    assert operated.call(token, "DELETE", "/collections/coffee").status == 409, "open"
    do("POST", "/close", {})
    gone = do("DELETE", "")
    assert gone["deleted"]["reports"] == 3
    assert ask("GET", "/api/v1/collections/coffee").status == 410
    assert operated.call(token, "GET", "/collections/coffee").status == 404
    acts = [(one["act"], one["collection"]) for one in reversed(operated.entries())]
    done = ["edit", "publish"] * 3 + ["close", "extend", "delete", "refused", "close", "delete"]
    assert acts == [(one, "coffee") for one in done]


def test_every_change_is_recorded(operated: Operated) -> None:
    token = operated.token()
    bodies = BODIES | {"revokeToken": None}
    operated.call(token, "PUT", "/collections/coffee/definition", {"text": COFFEE})
    operated.call(token, "POST", "/tokens", BODIES["makeToken"])
    for offer in CHANGES:
        if offer.name == "open":
            change_life("tea", operated.database, "close", clock=lambda: operated.now)
        name = {
            **dict.fromkeys(("edit", "dropEdit", "publish", "delete"), "coffee"),
            "makeInvites": "mate",
        }
        path, before = address(offer, name.get(offer.name, "tea")), len(operated.entries())
        if offer.name in ("publish", "dropEdit"):
            operated.call(token, "PUT", "/collections/coffee/definition", {"text": COFFEE})
            before += 1
        if offer.name == "makeToken":
            bodies["makeToken"] = {"name": "eve", "scopes": ["read"]}
        if offer.name == "revokeToken":
            known = operated.call(token, "GET", "/tokens").json["tokens"]
            path = f"/tokens/{next(one['id'] for one in known if one['name'] == 'eve')}"
        if offer.name == "endSession":
            with open_register(operated.database) as register:
                rights = Tokens(register, lambda: operated.now).check(token)
                _, begun = Sessions(register, lambda: operated.now).begin(rights, secure=False)
            path = f"/sessions/{begun.id}"
        told = operated.call(token, offer.method, path, bodies.get(offer.name, {}))
        assert told.status == 200, (offer.name, told.body)
        entries = operated.entries()
        assert len(entries) == before + 1, offer.name
        assert (entries[0]["who"], entries[0]["at"]) == ("ann", "2026-06-01T12:30:00Z")


def test_who_sees_results(operated: Operated, item: Any, tea: Collection) -> None:
    ask, token = operated.collector.request, operated.token()
    shown = ("/tea/results", *(f"/api{v}/collections/tea/{what}" for v in ("", "/v1")
             for what in ("results", "counts", "versions")), "/api/v1/collections/tea/export",
             "/api/v1/datasets/tea")  # fmt: skip
    body = {"fingerprint": tea.fingerprint, **item()}
    assert ask("POST", "/api/v1/collections/tea/reports", body).status == 202

    def listed() -> list[bool]:
        told = ask("GET", "/api/v1/collections").json, ask("GET", "/datasets").json
        return ["tea" in json.dumps(one) for one in told]

    for visibility, statuses, found in (
        ("public", {200}, [True, True]),
        ("unlisted", {200}, [False, False]),
        ("private", {403}, [False, False]),
        ("public", {200}, [True, True]),
    ):
        body = {"visibility": visibility}
        told = operated.call(token, "PUT", "/collections/tea/visibility", body)
        assert (told.status, told.json["visibility"]) == (200, visibility)
        assert {ask("GET", path).status for path in shown} == statuses
        query = ask("POST", "/api/v1/datasets/tea/queries", {"query": "estimate"})
        assert {query.status} == statuses
        assert listed() == found
        assert ask("GET", "/tea").status == 200, "it can be answered"
        assert ("sudare_public_reports 0" in ask("GET", "/metrics").body.decode()) is (
            visibility == "private"
        )
        assert operated.call(token, "GET", "/collections/tea/results").json["n"] == 1
    assert told.json["fingerprint"] == tea.fingerprint


@pytest.fixture
def home(place: str) -> Iterator[str]:
    """A database of each kind, without operators before and after."""
    yield place
    with open_register(place) as register:
        tables.METADATA.drop_all(register._engine)


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)  # one server serves a file
def test_two_servers_learn_from_each_other(home: str, item: Any) -> None:
    with open_register(home) as register:
        token = Tokens(register).issue("ann", ["run", "admin"])
    headers, path = {"authorization": f"Bearer {token}"}, f"{PREFIX}/collections/coffee"
    with Within(create_app([], home)) as first, Within(create_app([], home)) as second:
        _, own = Operated(Path(), first).sign_in(token)
        assert second.request("GET", f"{PREFIX}/session", None, own).status == 200
        first.request("PUT", f"{path}/definition", {"text": COFFEE}, headers)
        told = first.request("POST", f"{path}/publish", {}, headers)
        first.request("PUT", f"{path}/visibility", {"visibility": "private"}, headers)
        second.until(lambda: second.request("GET", "/api/v1/collections/coffee").status == 200)
        assert second.request("GET", "/api/v1/collections/coffee/results").status == 403
        body = {"fingerprint": told.json["fingerprint"], **item()}
        assert second.request("POST", "/api/v1/collections/coffee/reports", body).status == 202
        assert first.request("GET", path, None, headers).json["stored"] == 1
        second.request("POST", f"{path}/close", {}, headers)
        first.until(lambda: first.request("GET", path, None, headers).json["stage"] == "closed")
        gone = first.request("DELETE", path, None, headers)
        assert gone.json["deleted"]["reports"] == 1
        second.until(lambda: second.request("GET", "/api/v1/collections/coffee").status == 410)


def test_a_server_takes_up_what_was_uploaded(home: str) -> None:
    database = home
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["run"])
    headers = {"authorization": f"Bearer {token}"}
    with Within(create_app([], database)) as first:
        path = f"{PREFIX}/collections/coffee"
        first.request("PUT", f"{path}/definition", {"text": COFFEE}, headers)
        first.request("POST", f"{path}/publish", {}, headers)
        first.request("PUT", f"{path}/visibility", {"visibility": "private"}, headers)
        results = first.request("GET", "/api/v1/collections/coffee/results")
        assert results.status == 403
    with Within(create_app([], database)) as second:
        assert second.request("GET", "/api/v1/collections/coffee").status == 200
        assert second.request("GET", "/api/v1/collections/coffee/results").status == 403
        mine = Collection.from_toml(COFFEE.replace("train", "tram"))
        own = second.request("GET", path, None, headers).json
        assert own["fingerprint"] != mine.fingerprint
    named = Settings(surveys=("/etc/sudare/my-coffee.toml",))
    with Within(create_app([mine], database, settings=named)) as third:  # before what was uploaded
        own = third.request("GET", path, None, headers).json
        assert (own["fingerprint"], own["editable"]) == (mine.fingerprint, False)
        edit = third.request("PUT", f"{path}/definition", {"text": COFFEE}, headers)
        assert edit.status == 409
        assert "is defined by my-coffee.toml," in edit.json["error"]["message"]
        assert "/etc" not in edit.body.decode()
        told = third.request("GET", f"{path}/definition", None, headers).json
        assert (told["editable"], told["file"]) == (False, "my-coffee.toml")


OLD = COFFEE.replace(
    "publish_at = 1",
    'publish_at = 1\ntexts.en = { "how.chance" = "Certified: all is safe.", loading = "A moment" }',
)
"""As a collector of an earlier version took it."""


def test_a_survey_of_an_earlier_version_goes_on_in_words_of_sudare(home: str) -> None:
    """An operator who edits it next mends it; the record then lists what the owner has written."""
    with open_register(home) as register:
        token = Tokens(register).issue("ann", ["run", "admin"])
        Texts(register).edit("coffee", OLD)
        Texts(register).serve("coffee", OLD)
    headers, path = {"authorization": f"Bearer {token}"}, f"{PREFIX}/collections/coffee/definition"
    with Within(create_app([], home)) as running:
        served = running.request("GET", "/api/v1/collections/coffee").json
        assert served["fingerprint"] == Collection.from_toml(COFFEE).fingerprint
        page = running.request("GET", "/coffee").body.decode()
        assert "A moment" in page
        assert "Certified" not in page
        assert catalogues()["en"]["how.chance"] in page
        told = running.request("PUT", path, {"text": OLD}, headers)
        assert told.status == 400
        assert told.json["error"]["argument"] == "collection.texts.en.how.chance"
        mended = OLD.replace('"how.chance" = "Certified: all is safe.", ', "")
        assert running.request("PUT", path, {"text": mended}, headers).status == 200
        entry, *_ = running.request("GET", f"{PREFIX}/audit", None, headers).json["entries"]
        assert entry["detail"] == {"changes": "nothing", "replaced": ["en.loading"]}


def test_an_application_that_has_ended_may_run_again(home: str) -> None:
    with open_register(home) as register:
        token = Tokens(register).issue("ann", ["run"])
    app = create_app([], home)
    for _ in range(2):
        with Within(app) as running:
            told = running.request(
                "GET", f"{PREFIX}/collections", None, {"authorization": f"Bearer {token}"}
            )
            assert told.status == 200


def test_a_look_while_somebody_types_is_cheap(operated: Operated) -> None:
    """Least of three, each of another text, of an ordinary survey: about 40 ms."""
    token, took = operated.token(), []
    types = ["choice", "number", "ratings"]
    for epsilon in (2.0, 2.5, 3.0, 3.5):  # the first one imports and begins
        changed = draft("typed", types, languages=["en", "ja"], epsilon=epsilon)
        began = time.process_time()
        told = operated.call(token, "POST", "/check", {"text": changed}).json
        took.append(time.process_time() - began)
        assert len(told["plan"]) == 3
        assert float(told["epsilon"]) == epsilon
    assert min(took[1:]) <= 0.15


def test_what_is_wrong_is_refused(operated: Operated) -> None:
    token = operated.token()
    for method, path, body, status, word in (
        ("PUT", "/collections/coffee/definition", {"text": TEA}, 400, "collection.name"),
        ("PUT", "/collections/tea/definition", {"text": TEA}, 409, "collection"),
        ("PUT", "/collections/operator/definition",
         {"text": TEA.replace('"tea"', '"operator"')}, 400, "collection.name"),
        ("PUT", "/collections/coffee/definition", {"text": "x = ["}, 400, "toml"),
        ("PUT", "/collections/coffee/definition", {"text": 1}, 400, "text"),
        ("PUT", "/collections/coffee/definition", {}, 400, "text"),
        ("POST", "/check", {"text": TEA, "n": True}, 400, "n"),
        ("POST", "/collections/tea/open", {}, 409, "collection"),
        ("POST", "/collections/tea/extend", {}, 400, "until"),
        ("POST", "/collections/tea/extend", {"until": 5}, 400, "until"),
        ("POST", "/collections/tea/close", {"force": True}, 400, "body"),
        ("POST", "/collections/tea/close", [], 400, "body"),
        ("POST", "/collections/tea/close", b"{", 400, "body"),
        ("POST", "/collections/tea/invites", {"number": 1}, 400, "collection.admission"),
        ("POST", "/collections/mate/invites", {"number": 0}, 400, "number"),
        ("PUT", "/collections/tea/visibility", {"visibility": "secret"}, 400, "visibility"),
        ("GET", "/collections/tea/export?format=exe", None, 400, "format"),
        *(("GET", f"/audit?before={one}", None, 400, "before") for one in (-1, 0, "9" * 23)),
        *(("GET", f"/audit?limit={one}", None, 400, "limit") for one in (0, -5, 501, "9" * 8)),
        ("GET", "/collections?x=1", None, 400, "query"),
        ("POST", "/tokens", {"name": "ann", "scopes": ["run"]}, 400, "name"),
        ("POST", "/tokens", {"name": "bob", "scopes": ["root"]}, 400, "scopes"),
        ("POST", "/tokens", {"name": "bob", "scopes": []}, 400, "scopes"),
        ("POST", "/tokens", {"name": "b\n", "scopes": ["run"]}, 400, "name"),
        ("DELETE", "/tokens/none", None, 400, "token"),
    ):  # fmt: skip
        told = operated.call(token, method, path, body)
        assert told.status == status, (path, body, told.body)
        assert told.json["error"]["argument"].startswith(word), (path, told.body)
    long = operated.call(token, "PUT", "/collections/coffee/definition", {"text": "#" * (1 << 20)})
    assert (long.status, long.json["error"]["remedy"]) == (413, "shorten it")


def test_reports_leave_by_their_scope_alone_and_invites_are_told_once(operated: Operated) -> None:
    made = operated.call(operated.token(), "POST", "/collections/mate/invites", {"number": 3}).json
    assert (len(made["codes"]), made["issued"], made["spent"]) == (3, 3, 0)
    counted = operated.call(operated.root, "GET", "/collections/mate/invites").json
    assert counted == {"issued": 3, "spent": 0}
    reader, taker = operated.token("read", name="r"), operated.token("export", name="e")
    assert operated.call(reader, "GET", "/collections/tea/reports").status == 403
    told = operated.call(taker, "GET", "/collections/tea/reports")
    assert (told.status, told.body[:4]) == (200, b"PAR1")
    assert operated.entries()[0]["act"] == "export reports"


def test_secrets_are_nowhere(
    operated: Operated, file_bytes: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    token = operated.token()
    _, headers = operated.sign_in(token)
    cookie = headers["cookie"].partition("=")[2]
    made = operated.call(token, "POST", "/tokens", {"name": "bob", "scopes": ["read"]}).json
    operated.call("canary-in-a-header", "GET", "/session")
    operated.sign_in("canary-in-a-body")
    operated.call(token, "POST", "/tokens", {"name": "eve", "scopes": [made["token"]]})
    said = [operated.call(token, "GET", path).body for path in
            ("/collections", "/collections/tea", "/collections/tea/results", "/tokens", "/audit",
             "/collections/tea/export", "/session")]  # fmt: skip
    said += [operated.collector.request("GET", path).body for path in ("/metrics", "/openapi.json")]
    everything = b"".join(said) + file_bytes() + caplog.text.encode()
    for secret in (token, made["token"], cookie):
        for part in (secret, secret[-43:]):  # with its id, and alone
            assert part.encode() not in everything
    for word in (b"canary-in-a-header", b"canary-in-a-body", headers["x-sudare-csrf"].encode()):
        assert word not in everything


def test_they_can_be_switched_off(database: Path, tea: Collection) -> None:
    from sudare.collector.settings import Settings

    with Within(create_app([tea], database, settings=Settings(operators=False))) as collector:
        for offer in OFFERS:
            path = PREFIX + address(offer, "tea")
            assert collector.request(offer.method, path, {}).status == 404


def test_a_file_that_is_served_begins_no_tables(database: Path, tea: Collection) -> None:
    with Within(create_app([tea], database)) as collector:
        collector.pause(0.01)
    with open_register(database) as register:
        assert not register.is_begun()


def test_a_body_with_a_key_twice_is_refused(operated: Operated) -> None:
    taking = [one for one in OFFERS if one.takes]
    assert len(taking) > 8
    for offer in taking:
        known = BODIES.get(offer.name) or {next(iter(offer.takes)): "x"}
        key = next(iter(known), "until")
        body = json.dumps({**known, key: known.get(key)})[:-1] + f', "{key}": null}}'
        headers = {"authorization": f"Bearer {operated.root}"}
        path = PREFIX + address(offer, "tea")
        told = operated.collector.request(offer.method, path, body.encode(), headers)
        assert (told.status, told.json["error"]["rule"]) == (
            400, "must have each key of an object once"
        ), offer.name  # fmt: skip
    for path in ("/session", "/oidc"):
        told = operated.collector.request("POST", PREFIX + path, b'{"token": "x", "token": "y"}')
        assert told.status in (400, 404), path
