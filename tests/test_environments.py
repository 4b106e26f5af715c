"""Each documented line of installation, in an environment of its own.

What works because something else was installed shows here alone: all other tests run where every
extra is. An environment costs seconds, so these are slow.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
SURVEY = TOP / "examples" / "survey.toml"
PAGES = [
    *TOP.glob("*.md"),
    *TOP.glob("docs/**/*.md"),
    *TOP.glob("docs/**/*.py"),
    *TOP.glob("src/**/*.py"),
    *TOP.glob(".github/**/*.yml"),
    TOP / "deploy" / "Containerfile",
]
ELSEWHERE = {
    "bench": "benchmarks/, gigabytes of other libraries",
    "dev": "what CONTRIBUTING calls for; .ci/run makes its like",
    "release,oracle": "benchmarks/error_peers.py",
    "oracle": ".ci/run runs these tests",
    "site": ".ci/run builds the site with it",
    "spark": ".ci/run counts by Spark with it",
    "test": ".ci/run runs the README's command",
    "{extra}": "the template of an error",
    "x": "no extra",
}
"""Documented extras that are tried elsewhere, and where."""

GRR = """import sudare as sd
m = sd.GRR(3, 1.0)
reports = m.perturb([0, 1, 2] * 100)
"""
HELD = """import sudare as sd
db = sd.release.Dataset({'a': [1, 2]}, bounds={'a': (0, 5)}, budget=9)
"""
SERVED = ["sudare", "serve", str(SURVEY), "--port", "0", "--database", "{here}/served.sqlite3"]
TRIED: dict[str, list[list[str]]] = {
    "all": [
        ["sudare", "completion", "bash"],
        ["sudare", "plan", "-k", "5", "-n", "100", "--epsilon", "1"],
        ["sudare", "preview", str(SURVEY)],
        SERVED,
    ],
    "analysis": [["python", "-c", GRR + "sd.testing.check_mechanism(m)"]],
    "all,postgres": [SERVED],
    "cli": [["sudare", "--help"]],
    "cli,analysis,collector": [
        SERVED,
        ["sudare", "preview", str(SURVEY)],
        ["sudare", "check", str(SURVEY)],
    ],
    "cli,analysis,collector,postgres": [
        SERVED,
        ["python", "-c", "import sudare.collector.postgres"],
    ],
    "cli,studies": [["sudare", "study", "laplace", "--out", "{here}/study", "--repetitions", "2"]],
    "collector": [["python", "-c", "from sudare.collector import create_app"]],
    "frames": [["python", "-c", GRR + "sd.files.write_reports('{here}/r.parquet', m, [reports])"]],
    "models": [
        [
            "python",
            "-c",
            GRR + "print(sd.models.logistic(reports, m, {'x': list(range(300))},"
            " formula='x', category=1).coefficients)",
        ],
    ],
    "oidc": [["python", "-c", "import authlib, httpx2"]],
    "plots": [["python", "-c", GRR + "m.estimate(m.aggregate(reports)).plot()"]],
    "postgres": [["python", "-c", HELD + "import psycopg; db.mean('a', epsilon=1)"]],
    "release": [["python", "-c", HELD + "db.mean('a', epsilon=1)"]],
    "sql": [["python", "-c", HELD + "db.sql('SELECT AVG(a) FROM data', epsilon=1)"]],
    "studies": [["python", "-c", GRR + "sd.studies.run('laplace', out='{here}/s', repetitions=2)"]],
    "tiles": [["python", "-c", "import pmtiles, mapbox_vector_tile"]],
}
"""What an environment with these extras has to do. A command that serves is met at its address."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="an environment's programs are in bin"),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """A function that returns the folder of programs of an environment with these extras."""
    folder = tmp_path_factory.mktemp("environments")

    @cache
    def make(extras: str, source: Path = TOP) -> Path:
        place = folder / (extras or "none")
        uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
        package = f"{source}[{extras}]" if extras else str(source)
        if uv:
            steps = [
                [uv, "venv", "-q", "--clear", "--python", sys.executable, str(place)],
                [uv, "pip", "install", "-q", "--python", str(place / "bin/python"), package],
            ]
        else:
            steps = [
                [sys.executable, "-m", "venv", "--clear", str(place)],
                [str(place / "bin/pip"), "install", "-q", package],
            ]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, timeout=600, check=False)
            assert done.returncode == 0, done.stderr
        return place / "bin"

    yield make
    shutil.rmtree(folder, ignore_errors=True)


def documented() -> dict[str, list[str]]:
    """Return each list of extras that a page, an error or a file names, and where."""
    where: dict[str, list[str]] = {}
    for page in PAGES:
        for extras in re.findall(
            r"(?:sudare|/source|\.|whl\)\")\[([\w,{}]+)\]", page.read_text("utf-8")
        ):
            where.setdefault(extras, []).append(page.name)
    return where


@pytest.mark.parametrize("extras", TRIED)
def test_a_documented_line_works_alone(extras, environment, tmp_path):
    programs = environment(extras)
    for words in TRIED[extras]:
        program, *rest = (word.replace("{here}", str(tmp_path)) for word in words)
        serves = {"serve", "preview"} & set(rest)
        child = subprocess.Popen(
            [programs / program, *rest],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
        )  # fmt: skip
        shown = ""
        if serves:
            while "http://127.0.0.1" not in shown:
                line = child.stdout.readline()
                assert line, shown
                shown += line
            child.terminate()
        shown += child.communicate(timeout=300)[0]
        assert child.returncode == 0 or serves, shown
        assert "Traceback" not in shown


def test_every_documented_line_is_tried():
    unknown = {extras: pages for extras, pages in documented().items() if extras not in TRIED}
    assert set(unknown) <= set(ELSEWHERE), unknown


WALK = """
import importlib, json, types
import sudare as sd
found, seen = {}, set()
def walk(module):
    for name in module.__all__:
        try:
            value = getattr(module, name)
        except sd.MissingExtraError as error:
            found[f"{module.__name__}.{name}"] = error.extra
            continue
        if isinstance(value, types.ModuleType) and value.__name__.startswith("sudare"):
            if value.__name__ not in seen and hasattr(value, "__all__"):
                seen.add(value.__name__)
                walk(value)
walk(sd)
print(json.dumps(found))
"""


def test_a_public_name_is_there_or_names_the_extra_that_brings_it(environment):
    """Of the smallest installation, and of each extra alone."""

    def missing(extras: str) -> dict[str, str]:
        words = [environment(extras) / "python", "-c", WALK]
        return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

    least = missing("")
    assert "sudare.collector.serve" in least
    for extra in set(least.values()):
        assert not {name for name in missing(extra) if least.get(name) == extra}


HELP = """
import contextlib, io, json
from sudare.cli.main import COMMANDS, main
found = {}
for name in COMMANDS:
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            status = main([name, "--help"])
        except SystemExit as end:
            status = end.code
    found[name] = status, said.getvalue()
print(json.dumps(found))
"""


def test_a_command_without_its_libraries_names_one_line_that_brings_them(environment, tmp_path):
    programs = environment("")
    done = subprocess.run(
        [programs / "python", "-c", HELP], capture_output=True, text=True, check=True
    )
    lacking = {name: text for name, (status, text) in json.loads(done.stdout).items() if status}
    assert lacking
    for text in lacking.values():
        assert text.count("\n") == 1, text
        assert 'pip install "sudare[all]"' in text, text
    for words in (["serve", str(SURVEY)], ["demo"], ["preview", str(SURVEY)], ["study", "laplace"]):
        done = subprocess.run(
            [programs / "sudare", *words], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.skipif(not (TOP / "src").is_dir(), reason="needs the source; .ci/run tries it there")
def test_the_image_is_built_from_the_files_that_it_copies(environment, tmp_path):
    copied = re.findall(
        r"^COPY (?!--)(.+) (\S+)$", (TOP / "deploy/Containerfile").read_text(), re.M
    )
    for sources, target in copied:
        place = tmp_path / target.removeprefix("/source").strip("/")
        for source in sources.split():
            if (TOP / source).is_dir():
                shutil.copytree(TOP / source, place)
            else:
                shutil.copy(TOP / source, place)
    programs = environment("all,postgres", tmp_path)
    done = subprocess.run(
        [programs / "sudare", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("sudare ")
