"""The files in ``deploy``: parsed, checked, and the unit's command run."""

from __future__ import annotations

import configparser
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from teas import TEA

from sudare.cli.main import build_parser
from sudare.collection import Collection
from sudare.collector import BackgroundCollector
from sudare.collector.database import is_address
from sudare.collector.operator_api.opening import open_register
from sudare.collector.settings import Settings
from sudare.operators import Tokens
from tests.cases import cases

DEPLOY = Path(__file__).parents[2] / "deploy"
pytestmark = pytest.mark.skipif(not DEPLOY.is_dir(), reason="not in this distribution")


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string((DEPLOY / "sudare.service").read_text())
    return parser


def test_the_unit_bounds_memory():
    service = unit()["Service"]
    assert (service["MemoryMax"], service["MemoryHigh"]) == ("2G", "1500M")


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_the_command_of_the_unit_runs_and_ends(tmp_path):
    words = shlex.split(unit()["Service"]["ExecStart"])
    assert words[0] == "/opt/sudare/bin/sudare"
    settings = Path(words[words.index("--settings") + 1])
    survey = tmp_path / "surveys" / "survey.toml"
    survey.parent.mkdir()
    shutil.copy(DEPLOY.parent / "examples" / "survey.toml", survey)
    text = (DEPLOY / settings.name).read_text()
    here = tmp_path / settings.name
    here.write_text(text.replace("/var/lib/sudare", str(tmp_path)) + "port = 0\n")
    own = [str(here) if word == str(settings) else word for word in words[1:]]
    own_variables = ("SUDARE_", "PYTHONUNBUFFERED")  # what is printed comes at once without it
    environment = {k: v for k, v in os.environ.items() if not k.startswith(own_variables)}
    with open_register(tmp_path / "sudare.sqlite3") as register:
        Tokens(register).issue("ann", ["read"])
    child = subprocess.Popen(
        [sys.executable, "-m", "sudare", *own, "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        told = ""
        while not told.endswith("}\n") or told.count("{") != told.count("}"):
            line = child.stdout.readline()
            assert line, told
            told += line
        said = json.loads(told)
        for address in (f"{said['url']}/readyz", said["operators"]):
            with urllib.request.urlopen(address, timeout=60) as answer:
                assert answer.status == 200
        start = time.monotonic()
        child.send_signal(getattr(signal, unit()["Service"]["KillSignal"]))
        child.wait(30)
        assert time.monotonic() - start < int(unit()["Service"]["TimeoutStopSec"])
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    assert (tmp_path / "sudare.sqlite3").exists()


def test_the_unit_is_hardened():
    service = unit()["Service"]
    for name, value in {
        "DynamicUser": "yes",
        "NoNewPrivileges": "yes",
        "ProtectSystem": "strict",
        "CapabilityBoundingSet": "",
        "StateDirectory": "sudare",
    }.items():
        assert service[name] == value


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_understands_the_unit(tmp_path):
    here = tmp_path / "sudare.service"
    program = shutil.which("true")
    here.write_text((DEPLOY / here.name).read_text().replace("/opt/sudare/bin/sudare", program))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(here)], capture_output=True, text=True, timeout=60
    )
    assert not [line for line in done.stderr.splitlines() if "sudare.service" in line], done.stderr


def test_the_settings_are_ones_that_are_known():
    found = Settings.load(DEPLOY / "settings.toml")
    assert found.database == "/var/lib/sudare/sudare.sqlite3"
    assert found.surveys == (str(DEPLOY / "surveys" / "survey.toml"),)


def instructions() -> list[tuple[str, str]]:
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.partition(" ")[2]) for line in lines]


def test_the_image_runs_the_command_as_nobody_special():
    found = instructions()
    assert {name for name, _ in found} <= {
        *("FROM", "RUN", "COPY", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL"),
        *("HEALTHCHECK", "ENTRYPOINT", "CMD"),
    }
    last = dict(found)
    assert last["USER"].strip() not in ("", "0", "root")
    command = json.loads(last["CMD"])
    parsed = build_parser(command[:1]).parse_args(command)
    assert parsed.settings == "/etc/sudare/settings.toml"
    assert json.loads(last["ENTRYPOINT"]) == ["/opt/sudare/bin/sudare"]
    assert json.loads(last["VOLUME"]) == ["/var/lib/sudare"]
    extras = re.search(r"/source\[([a-z,]+)\]", dict(found)["RUN"] + str(found))
    text = (DEPLOY.parent / "pyproject.toml").read_text()
    for extra in extras[1].split(","):
        assert re.search(rf"^{extra} = ", text, re.M)
    for name, what in found:
        if name == "COPY" and not what.startswith("--"):
            for source in what.split()[:-1]:
                if source != "src":  # which is not there where a wheel is tested
                    assert (DEPLOY.parent / source).exists(), source


def test_the_services_fit_together():
    import yaml

    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = found["services"]
    assert set(services) == {"collector", "caddy"}
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            known_here = source in found["volumes"] or source == "./surveys"
            assert known_here or (DEPLOY / source).is_file(), source
        assert set(service["networks"]) <= set(found["networks"])
    assert "ports" not in services["collector"]
    build = services["collector"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    assert services["caddy"]["environment"]["UPSTREAM"] == "collector:8750"


def test_two_collectors_share_one_postgresql():
    import yaml

    found = yaml.safe_load((DEPLOY / "compose.postgres.yaml").read_text())
    alone = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = found["services"]
    assert set(services) == {"collector", "second", "caddy", "postgres"}
    upstream = services["caddy"]["environment"]["UPSTREAM"].split()
    assert upstream == ["collector:8750", "second:8750"]
    assert services["second"]["extends"]["service"] == "collector"
    for name in ("collector", "second"):
        settings = Settings.gather(services[name]["environment"])
        assert is_address(settings.database)
        assert "/run/secrets/pgpass" in settings.database
        assert services[name]["secrets"] == ["pgpass"]
        assert "ports" not in services[name]
    own = services["postgres"]
    assert own["read_only"] is True
    assert own["cap_drop"] == ["ALL"]
    assert "ports" not in own
    assert set(own["networks"]) <= set(alone["networks"])
    assert own["secrets"][0] in found["secrets"]


def blocks(text: str) -> str:
    """Strip comments; braces must be balanced."""
    bare = "\n".join(re.sub(r"(^|\s)#.*", "", line) for line in text.splitlines())
    assert bare.count("{") == bare.count("}")
    return bare


def test_proxies_write_nothing_about_who_asked():
    caddy, nginx = (blocks((DEPLOY / name).read_text()) for name in ("Caddyfile", "nginx.conf"))
    assert "exclude http.log.access http.log.error" in caddy
    assert not re.search(r"^\s*log\s*(\{|$)", caddy, re.M)  # no site asks for an access log
    assert "header_up -X-Forwarded-For" in caddy
    assert "access_log off;" in nginx
    assert "error_log /dev/null crit;" in nginx
    assert 'proxy_set_header X-Forwarded-For "";' in nginx
    for text in (caddy, nginx):
        assert "/metrics" in text
        assert "8750" in text
    assert Settings().port == 8750


def program(name: str) -> str:
    """Return a linter, of this environment or of the machine."""
    own = Path(sys.executable).parent / name
    found = str(own) if own.exists() else shutil.which(name)
    return found or pytest.skip(f"{name} is not here")


@cases(
    "name, words, file",
    [
        ("caddy", ["validate", "--adapter", "caddyfile", "--config"], "Caddyfile"),
        ("hadolint", [], "Containerfile"),
        ("check-jsonschema", ["--builtin-schema", "vendor.compose-spec"], "compose.yaml"),
    ],
)
def test_a_linter_has_nothing_to_say(name, words, file):
    done = subprocess.run(
        [program(name), *words, str(DEPLOY / file)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nginx_knows_every_directive(tmp_path):
    """As part of a whole configuration, by a parser that knows where each may stand."""
    whole = tmp_path / "nginx.conf"
    whole.write_text(f"events {{}}\nhttp {{ include {DEPLOY / 'nginx.conf'}; }}\n")
    words = [program("crossplane"), "parse", "--strict", str(whole)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert found["status"] == "ok", found["errors"]


def test_a_cookie_passes_to_operators_alone():
    """Respondents have none; who signs in has one, and is answered under two addresses."""
    caddy, nginx = (blocks((DEPLOY / name).read_text()) for name in ("Caddyfile", "nginx.conf"))
    assert "@public not path /operator /operator/* /api/v1/operator/*" in caddy
    assert "request_header @public -Cookie" in caddy
    (pattern,) = re.findall(r"if \(\$uri ~ (\S+)\) \{ set \$kept_cookie \$http_cookie; \}", nginx)
    kept = [p for p in ADDRESSES if re.search(pattern, p)]
    assert kept == ADDRESSES[:3]
    assert "proxy_set_header Cookie $kept_cookie;" in nginx


ADDRESSES = ["/operator", "/operator/c/tea", "/api/v1/operator/session", "/operators", "/tea", "/"]


@pytest.mark.slow  # a real nginx and a collector: 5 s
@pytest.mark.parametrize("scheme", ["https", "http"])
def test_operators_sign_in_behind_nginx_at_any_port(tmp_path, scheme):
    """A browser's origin has the port: so must the host that the collector is told."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("nginx is not installed")
    name = "survey.example.org" if scheme == "https" else "localhost"
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         f"/CN={name}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    collection = Collection.from_toml(TEA)
    database = tmp_path / "tea.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["admin"])
    with BackgroundCollector([collection], database) as running:
        text = (DEPLOY / "nginx.conf").read_text().replace("survey.example.org", name)
        text = re.sub(r"(ssl_certificate(?:_key)?) \S+/(\w+)\.pem;", r"\1 \2;", text)
        text = text.replace("fullchain", str(certificate)).replace("privkey", str(key))
        text = re.sub(r"listen \[::\]:443.*", "", text)
        text = text.replace("listen 443 ssl http2", f"listen {port} ssl http2")
        if scheme == "http":
            text = text.replace(" ssl http2", "").replace("ssl_certificate", "# ssl_certificate")
        text = text.replace("http://127.0.0.1:8750", running.url)
        (tmp_path / "site.conf").write_text(text)
        whole = (
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/log;\nevents {{}}\n"
            f"http {{ client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;\n"
            f"fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; "
            f"scgi_temp_path {tmp_path}/s;\ninclude {tmp_path}/site.conf; }}\n"
        )
        (tmp_path / "nginx.conf").write_text(whole)
        child = subprocess.Popen([program, "-p", tmp_path, "-c", tmp_path / "nginx.conf"])
        try:
            for given, status in ((f"{scheme}://{name}:{port}", 200), (f"{scheme}://{name}:1", 403),
                                  (f"{scheme}://{name}", 403)):  # fmt: skip
                assert _signed_in(scheme, port, f"{name}:{port}", given, token) == status, given
        finally:
            child.terminate()
            child.wait(20)


def _signed_in(scheme: str, port: int, host: str, origin: str, token: str) -> int:
    """Sign in as a browser does; return the status."""
    trusting = ssl._create_unverified_context()
    end = time.monotonic() + 20
    while True:
        if scheme == "https":
            one = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=trusting)
        else:
            one = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        with closing(one):
            headers = {"Host": host, "Origin": origin, "Content-Type": "application/json"}
            try:
                one.request(
                    "POST", "/api/v1/operator/session", json.dumps({"token": token}), headers
                )
                return one.getresponse().status
            except ConnectionRefusedError:
                assert time.monotonic() < end, "nginx did not come up"
                time.sleep(0.05)
