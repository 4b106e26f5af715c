"""Mechanisms of other packages: the example that ships, and broken ones that must harm nobody."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import sudare as sd
from sudare.errors import PluginWarning
from sudare.mechanisms import FrequencyOracle, Mechanism, registry

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin-subset-selection"
SHIPPED = registry.names(FrequencyOracle, plugins=False)


def install(
    site: Path, points: dict[str, str], distribution: str = "somebodys-plugin", version: str = "1.5"
) -> None:
    """Write what an installer writes of a distribution: its metadata and its entry points."""
    folder = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n", "utf-8"
    )
    lines = [f"{name} = {target}\n" for name, target in points.items()]
    (folder / "entry_points.txt").write_text("[sudare.mechanisms]\n" + "".join(lines), "utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages for this process; what they register is forgotten."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    registry.registered(Mechanism)  # which loads what ships
    before = dict(registry._MECHANISMS)
    yield folder
    registry._MECHANISMS.clear()
    registry._MECHANISMS.update(before)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the example package installed."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["sudare.mechanisms"]
    install(site, points, project["name"], project["version"])
    package = "sudare_subset_selection"
    shutil.copytree(EXAMPLE / "src" / package, site / package)
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**os.environ, "PYTHONPATH": path}


def python(environment: dict[str, str], *arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=cwd
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_example_passes_its_own_tests(example: dict[str, str]) -> None:
    python(example, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=EXAMPLE)


@pytest.mark.slow
def test_the_command_line_has_the_example(example: dict[str, str], tmp_path: Path) -> None:
    rows = ["north"] * 3000 + ["south"] * 1500 + ["west"] * 500
    (tmp_path / "people.csv").write_text("region\n" + "\n".join(rows), "utf-8")
    sudare = ("-c", "import sys; from sudare.cli import main; sys.exit(main())")
    arguments = ("people.csv", "--column", "region", "--epsilon", "0.5", "--json")
    out = python(example, *sudare, "simulate", *arguments, "--mechanism", "ListedSubsets",
                 cwd=tmp_path)  # fmt: skip
    simulated = json.loads(out)
    assert simulated["mechanism"] == {"name": "ListedSubsets", "k": 3, "epsilon": "0.5"}
    assert sum(cell["share"] for cell in simulated["cells"]) == pytest.approx(1, abs=1e-4)
    planned = json.loads(python(example, *sudare, "plan", "-k", "8", "-n", "1000", "--epsilon", "1",
                                "--json", cwd=tmp_path))  # fmt: skip
    assert "ListedSubsets" in [option["mechanism"] for option in planned["options"][:2]]


BROKEN = {
    "Missing": ("raise ImportError('no module named gone')", "gone"),
    "Leaving": ("raise SystemExit(3)", "SystemExit"),
    "Nothing": ("", "has no attribute 'Nothing'"),
    "Number": ("Number = 5", "must name a subclass of Mechanism"),
    "Other": ("class Other: name = 'Other'", "must name a subclass of Mechanism"),
    "Half": (
        "from sudare.mechanisms import FrequencyOracle\nclass Half(FrequencyOracle): name = 'Half'",
        "Half must implement _compile",
    ),
    "Alias": (
        "import sudare as sd\nclass Alias(sd.GRR): name = 'Another'",
        "Alias.name must be 'Alias'",
    ),
    "GRR": (
        "import sudare as sd\nclass GRR(sd.GRR): name = 'GRR'",
        "must not be that of a mechanism of Sudare, got 'GRR'",
    ),
    "Sneaky": (
        "import sudare as sd\nfrom sudare.mechanisms import register\n"
        "@register\nclass Sneaky(sd.OUE): name = 'OUE'",
        "must not be that of a mechanism of Sudare, got 'OUE'",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_harms_nobody(site: Path, name: str) -> None:
    source, reason = BROKEN[name]
    module = f"broken_{name.lower()}"
    (site / f"{module}.py").write_text(source, "utf-8")
    install(site, {name: f"{module}:{name}"})
    working = "import sudare as sd\nclass Working(sd.GRR): name = 'Working'"
    (site / f"working_{module}.py").write_text(working, "utf-8")
    install(site, {"Working": f"working_{module}:Working"}, "another-plugin")
    with pytest.warns(PluginWarning) as warned:
        found = registry.names(FrequencyOracle)
    assert found == sorted([*SHIPPED, "Working"])
    (message,) = {str(warning.message) for warning in warned}
    assert message.startswith(f"somebodys-plugin 1.5: mechanism {name!r} is left out: ")
    assert reason in message
    for shipped in SHIPPED:
        assert registry.lookup(shipped, FrequencyOracle).__module__.startswith("sudare.")


def test_two_packages_with_one_name_are_both_left_out(site: Path) -> None:
    (site / "rivals.py").write_text(
        "import sudare as sd\nclass Rival(sd.GRR): name = 'Rival'", "utf-8"
    )
    for distribution in ("first-rival", "second-rival"):
        install(site, {"Rival": "rivals:Rival"}, distribution)
    with pytest.warns(PluginWarning, match="must come from one package") as warned:
        assert registry.names(FrequencyOracle) == SHIPPED
    assert {str(w.message).split(" ")[0] for w in warned} == {"first-rival", "second-rival"}


def test_a_broken_plugin_asked_for_by_name(site: Path) -> None:
    install(site, {"Gone": "nowhere_to_be_found:Gone"})
    with (
        pytest.warns(PluginWarning, match="nowhere_to_be_found"),
        pytest.raises(sd.CollectionError, match=r"must be one of .*'GRR'.*got 'Gone'"),
    ):
        registry.lookup("Gone", FrequencyOracle)


def test_the_command_line_says_it_in_one_line(site: Path) -> None:
    install(site, {"Gone": "nowhere_to_be_found:Gone"})
    environment = {**os.environ}
    path = [str(site), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path).rstrip(os.pathsep)
    code = "import sys; from sudare.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "plan", "-k", "5", "-n", "100", "--epsilon", "1", "--json"],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert len(json.loads(done.stdout)["options"]) == len(SHIPPED)
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("sudare: somebodys-plugin 1.5: mechanism 'Gone' is left out")


def test_a_mechanism_can_be_registered_again() -> None:
    registry.registered(Mechanism)
    before = dict(registry._MECHANISMS)
    try:
        for _ in range(2):  # as in a notebook whose cell runs twice
            registry.register(type("Mine", (sd.GRR,), {"name": "Mine"}))
        assert "Mine" in registry.names(FrequencyOracle)
    finally:
        registry._MECHANISMS.clear()
        registry._MECHANISMS.update(before)
