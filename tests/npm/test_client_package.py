"""The npm package: built from the modules as they are, packed, installed, used and typed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sudare._version import __version__
from sudare.collection import Collection
from sudare.collection.upload import fetch

ROOT = Path(__file__).parents[2]
MODULES = files("sudare") / "web/js"
TEA = """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["oi-ocha", "iyemon"]
"""
TYPED = """
import { BudgetExceeded, TextStorage, connect, type Delivery, type Storage } from "@sudare/client";
const storage: Storage = new TextStorage({ read: async () => null, write: async () => {} });
const survey = await connect("https://survey.example", "tea", { storage });
const said: Delivery = await survey.answer({ brand: "iyemon" });
import { connect as lean } from "@sudare/client/core";
import { choice } from "@sudare/client/questions/choice";
import { answer } from "@sudare/client/questions/choice/answer";
import { keep } from "@sudare/client/kinds/keep";
export const known: string[] = [choice.type, answer.type, keep.kind];
export const same: typeof connect = lean;
const state: "accepted" | "pending" | "refused" = said.state;
export const wrong = (error: unknown): string =>
  error instanceof BudgetExceeded ? error.argument : state;
"""
ASYNC_STORAGE = """
const kept = new Map();
const later = (work) => new Promise((resolve, reject) => setImmediate(() => {
  try { resolve(work()); } catch (error) { reject(error); }
}));
const text = (one) => {
  if (typeof one !== "string") throw new TypeError("keys and values are text");
  return one;
};
export default {
  getItem: (key) => later(() => kept.get(text(key)) ?? null),
  setItem: (key, value) => later(() => void kept.set(text(key), text(value))),
  removeItem: (key) => later(() => void kept.delete(text(key))),
  getAllKeys: () => later(() => [...kept.keys()]),
};
"""
PHONE = """
AbortSignal.timeout = undefined;
const { openSurvey } = await import("./react-native.js");
const { default: AsyncStorage } = await import("@react-native-async-storage/async-storage");
const url = process.argv[2];
const [states, ids] = [[], []];
for (const written of [url, `${url}/`]) {
  const survey = await openSurvey(written, "tea");
  const { state, submission } = await survey.answer({ brand: "iyemon" });
  states.push(state);
  ids.push(submission.id);
}
const other = (await openSurvey(url, "tea")).answer({ brand: "oi-ocha" });
const refused = await other.then(() => "", (error) => error.name);
console.log(JSON.stringify({ states, ids, refused, keys: await AsyncStorage.getAllKeys() }));
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("npm") is None or not (ROOT / "node_modules/typescript").is_dir(),
        reason="npm or typescript is not installed",
    ),
]


def run(*words: str, at: Path) -> str:
    done = subprocess.run(words, cwd=at, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: Any) -> Path:
    """A folder in which the packed package is installed."""
    folder = tmp_path_factory.mktemp("npm")
    run("node", str(ROOT / "npm/build.js"), str(folder / "package"), str(MODULES), at=ROOT)
    (packed,) = json.loads(run("npm", "pack", "--json", "--offline", at=folder / "package"))
    (folder / "package.json").write_text('{"type": "module"}')
    tarball = str(folder / "package" / packed["filename"])
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", tarball, at=folder)
    return folder


def test_what_is_in_it(installed: Path) -> None:
    """Modules as they are, types for each, and nothing of the pages."""
    package = installed / "node_modules/@sudare/client"
    told = json.loads((package / "package.json").read_text())
    assert (told["name"], told["version"]) == ("@sudare/client", __version__)
    assert "dependencies" not in told
    own = sorted(one.relative_to(package / "js").as_posix() for one in package.rglob("js/**/*.js"))
    assert "client.js" in own
    assert not {"survey.js", "results.js", "page.js", "shell.js", "frame.js"} & set(own)
    for name in own:
        assert (package / "js" / name).read_bytes() == (MODULES / name).read_bytes()
        assert (package / "types" / name).with_suffix(".d.ts").is_file(), name


def test_a_published_package_names_its_repository(tmp_path: Path, monkeypatch: Any) -> None:
    """npm refuses a provenance whose repository is another one."""
    monkeypatch.setenv("SUDARE_REPOSITORY", "https://forge.example/owner/sudare/")
    run("node", str(ROOT / "npm/build.js"), str(tmp_path), str(MODULES), at=ROOT)
    address = json.loads((tmp_path / "package.json").read_text())["repository"]["url"]
    assert address == "git+https://forge.example/owner/sudare.git"


def test_what_it_weighs(installed: Path) -> None:
    """One choice question needs a fraction of all; the numbers are those that the docs tell."""
    js = installed / "node_modules/@sudare/client/js"
    told = json.loads(run("node", str(ROOT / "npm/weigh.js"), str(js), at=ROOT))
    assert told["all"]["bare"] > 3 * told["choice"]["bare"]
    said = (ROOT / "docs/embedding.md").read_text("utf-8")
    words = re.search(r"\*\*([0-9]+) kB\*\* as they are, \*\*([0-9]+) kB\*\* bare", said)
    assert words is not None
    own = (told["choice"][one] / 1000 for one in ("modules", "bare"))
    assert [round(one) for one in own] == [int(one) for one in words.groups()]
    least = told["core"].get("minified")  # where esbuild is installed
    assert least is None or (round(least / 1000) == 11 and "it is **11 kB** after" in said)


def test_the_example_for_phones_remembers_in_their_storage(installed: Path) -> None:
    """By the interface of AsyncStorage: text by key, promises, null for nothing."""
    from sudare import collector

    shutil.copy(ROOT / "examples/web/react-native.js", installed)
    package = installed / "node_modules/@react-native-async-storage/async-storage"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"type": "module", "exports": "./index.js"}')
    (package / "index.js").write_text(ASYNC_STORAGE)
    (installed / "phone.js").write_text(PHONE)
    tea = Collection.from_toml(TEA)
    with collector.BackgroundCollector([tea], installed / "phone.sqlite3") as running:
        told = json.loads(run("node", "phone.js", running.url, at=installed))
        assert told["states"] == ["accepted", "accepted"]
        assert len(set(told["ids"])) == 1
        assert told["refused"] == "BudgetExceeded"
        assert told["keys"] == [f"sudare {running.url}"]
        assert fetch(running.url, "/api/v1/collections/tea/counts")["n"] == 1


def test_the_example_for_node_answers_a_collector(installed: Path) -> None:
    from sudare import collector

    shutil.copy(ROOT / "examples/web/node.mjs", installed)
    tea = Collection.from_toml(TEA)
    with collector.BackgroundCollector([tea], installed / "tea.sqlite3") as running:
        words = ("node", "node.mjs", running.url, "tea", "memory.json", "brand=iyemon")
        first, second = (json.loads(run(*words, at=installed)) for _ in range(2))
        assert first["state"] == "accepted"
        assert first == second
        assert fetch(running.url, "/api/v1/collections/tea/counts")["n"] == 1
        other = subprocess.run(
            [*words[:-1], "brand=oi-ocha"], cwd=installed, capture_output=True, timeout=60
        )
        assert b"BudgetExceeded" in other.stderr
    assert "iyemon" not in first["id"]


def test_typescript_knows_its_types(installed: Path) -> None:
    (installed / "typed.ts").write_text(TYPED)
    compiler = str(ROOT / "node_modules/typescript/lib/tsc.js")
    options = ["--noEmit", "--strict", "--target", "ES2022", "--module", "NodeNext", "--types", ""]
    run("node", compiler, *options, "typed.ts", at=installed)
    (installed / "typed.ts").write_text(TYPED.replace("error.argument", "error.question"))
    with pytest.raises(AssertionError, match="TS2339"):
        run("node", compiler, *options, "typed.ts", at=installed)
