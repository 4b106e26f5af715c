"""The query API against its own description: schemathesis drives it over HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sudare.ledger import check_events
from sudare.release.api import openapi


def drive(where: str, service: Any, folder: Path, *more: str) -> str:
    """Run all checks on all operations; return the report, which must be without a failure."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", where, "--request-timeout", "100"]
    header = f"Authorization: Bearer {service.secret}"
    done = subprocess.run(
        [*command, "-H", header, "--seed", "1", "--no-color", "--continue-on-failure", *more],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    return done.stdout


@pytest.fixture
def rich(service: Any) -> Any:
    """Return the service with budgets that last."""
    for name in ("scores", "ann"):
        service.ledger.set_budget(name, epsilon=1_000_000)
    return service


@pytest.mark.slow
def test_as_it_is_served(rich: Any, tmp_path: Path) -> None:
    queries = ("--include-path-regex", "datasets", "--phases", "fuzzing")
    report = drive(f"{rich.url}/openapi.json", rich, tmp_path, "--max-examples", "60", *queries)
    assert "Tested: 5" in report
    check_events(rich.ledger.events())


@pytest.mark.slow
def test_the_rest_of_the_service(service: Any, tmp_path: Path) -> None:
    """What a report may be, and which questions there are, no schema says: such may be refused.

    Operators' calls have a table of tests of their own: after a few wrong tokens all are refused.
    """
    report = drive(
        f"{service.url}/openapi.json", service, tmp_path,
        "--exclude-path-regex", "datasets|operator", "--max-examples", "4",
        "--exclude-checks", "positive_data_acceptance",
    )  # fmt: skip
    assert int(re.findall(r"Tested: (\d+)", report)[0]) >= 14


@pytest.mark.slow
def test_with_names_that_are_there(rich: Any, tmp_path: Path) -> None:
    """What a data set can answer no schema says: valid requests may be refused here."""
    told = openapi()
    for path, operations in told["paths"].items():
        if "{id}" in path:
            operations["parameters"][0]["schema"] = {"enum": ["scores", "tea"]}
    for kind in told["components"]["schemas"].values():
        known = kind.get("properties", {})
        for field in {"column", "by"} & set(known):
            known[field] = {"enum": ["score", "height", "sex"]}
        for field in ("rho", "where"):
            known.pop(field, None)
    plain = {}
    for name, kind in told["components"]["schemas"].items():
        if set(kind.get("required", ())) == {"query", "column"}:
            kind["required"].append("epsilon")
            kind["properties"]["epsilon"] = kind["properties"]["epsilon"]["anyOf"][0]
            plain[name] = kind
    asked = told["paths"]["/api/v1/datasets/{id}/queries"]["post"]["requestBody"]
    schema = asked["content"]["application/json"]["schema"]
    schema["anyOf"] = [one for one in schema["anyOf"] if one["$ref"].rpartition("/")[2] in plain]
    del schema["discriminator"]
    (tmp_path / "narrow.json").write_text(json.dumps(told))
    drive(
        str(tmp_path / "narrow.json"), rich, tmp_path, "-u", rich.url,
        "--max-examples", "50", "--exclude-checks", "positive_data_acceptance",
    )  # fmt: skip
    events = rich.ledger.events()
    check_events(events)
    answered = {one["body"]["query"]["query"] for one in events if one["kind"] == "query"}
    assert len(answered) >= 2, "it got through to the data"


@pytest.mark.slow
def test_a_description_that_lies_is_found_out(
    rich: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: an answer without a field that the description requires."""
    told = openapi()
    told["components"]["schemas"]["Summaries"]["properties"]["more"] = {"type": "string"}
    told["components"]["schemas"]["Summaries"]["required"].append("more")
    (tmp_path / "lie.json").write_text(json.dumps(told))
    with pytest.raises(AssertionError, match="more"):
        drive(
            str(tmp_path / "lie.json"),
            rich,
            tmp_path,
            "-u",
            rich.url,
            "--include-path",
            "/api/v1/datasets",
        )
