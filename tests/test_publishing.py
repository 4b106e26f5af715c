"""What a public forge and an index read of the repository beside the code."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import sudare
from tests.cases import cases

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


def test_the_packages_are_published_by_what_can() -> None:
    """By npm 11.5.1, the first with trusted publishing; with the address that provenance wants."""
    steps = yaml.safe_load((TOP / WORKFLOWS[1]).read_text("utf-8"))["jobs"]["npm"]["steps"]
    words = [step.get("run", "") for step in steps]
    assert any("npm@>=11.5.1" in one for one in words)
    built = next(step for step in steps if "npm/build.js" in step.get("run", ""))
    assert "SUDARE_REPOSITORY" in built["env"]


@cases("address", ["", "https://forge.example/sudare"])
def test_an_index_shows_addresses_and_links_that_need_no_file(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    hooks = ModuleType("hatchling.metadata.plugin.interface")
    hooks.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, hooks.__name__, hooks)
    monkeypatch.setenv("SUDARE_REPOSITORY", address)
    monkeypatch.setenv("SUDARE_ADDRESS", address and "sudare@forge.example")
    spec = importlib.util.spec_from_file_location("hatch_build", TOP / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hook = module.Published()
    hook.root = TOP
    told = {"version": sudare.__version__}
    hook.update(told)
    assert set(told) == {"version", "authors", "readme", "urls"}
    page = told["readme"]["text"]
    if address:
        tag = f"v{sudare.__version__}"
        assert f"]({address}/blob/{tag}/docs/guarantee.md)" in page
        assert f"]({address}/raw/{tag}/docs/images/survey.png)" in page
        assert "](docs/" not in page
        assert told["urls"]["Changelog"] == f"{address}/blob/{tag}/CHANGELOG.md"
        assert told["authors"][0]["email"]
    else:
        assert page == (TOP / "README.md").read_text("utf-8")
        assert not told["urls"]
