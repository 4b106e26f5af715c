"""What a public forge and an index read of the repository beside the code."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import sudare

TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = [f".github/workflows/{name}.yml" for name in ("tests", "release")]


def test_the_citation_is_of_this_version_under_this_licence() -> None:
    told = yaml.safe_load((TOP / "CITATION.cff").read_text("utf-8"))
    assert told["version"] == sudare.__version__
    assert told["license"] == PROJECT["license"]


def test_the_forge_tries_every_python_that_the_package_names() -> None:
    named = [one.split(" :: ")[-1] for one in PROJECT["classifiers"] if " :: 3." in one]
    jobs = yaml.safe_load((TOP / WORKFLOWS[0]).read_text("utf-8"))["jobs"]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.dependabot", [".github/dependabot.yml"]),
    ],
)
def test_files_of_the_forge_follow_their_schema(schema: str, files: list[str]) -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
    found = subprocess.run(words, cwd=TOP, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
