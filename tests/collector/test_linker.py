"""Modules as one script: the forms that are linked, and those that are refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

from sudare.collector.script_bundle import link, parse
from sudare.errors import DomainError
from tests.cases import cases

NODE = shutil.which("node")
WEB = files("sudare").joinpath("web", "js")
PAGES = ("index.js", "survey.js", "results.js", "preview.js", "operator/index.js")
MODULES = {
    "main.js": """import { one, two as zwei } from "./low/first.js";
import * as second from "./low/second.js";
import {
  Third,
} from "./third.js";
import {} from "./low/ran.js";

/** @type {import("./low/first.js").Nothing} */
out.push(one(), zwei, new Third().name, Object.keys(second).join());
""",
    "low/first.js": """import { twice } from "./second.js";

out.push("first");
// a line of its own
export const two = twice(1); // the rest of a line
export function one() {
  return `${late} // no comment`;
}
const late = /** @type {number} */ (1);
""",
    "low/second.js": """out.push("second");
export async function later() {}
export function twice(x) {
  return 2 * x;
}
""",
    "low/ran.js": """out.push("ran");
""",
    "third.js": """export class Third {
  name = "third";
}
""",
}


def read(path):
    return WEB.joinpath(path).read_text(encoding="utf-8")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_linked_script_does_what_the_modules_do(tmp_path):
    for path, source in MODULES.items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(source, encoding="utf-8")
    (tmp_path / "linked.js").write_text(link(["main.js"], MODULES.__getitem__), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    said = []
    for name in ("main", "linked"):
        code = (
            f'globalThis.out = []; await import("./{name}.js"); console.log(JSON.stringify(out));'
        )
        (tmp_path / "run.js").write_text(code, encoding="utf-8")
        done = subprocess.run([NODE, "run.js"], cwd=tmp_path, capture_output=True, check=True)
        said.append(json.loads(done.stdout))
    assert said[0] == ["second", "first", "ran", "1 // no comment", 2, "third", "later,twice"]
    assert said[1] == said[0]


def test_each_module_stands_once_after_what_it_needs():
    script = link(["low/first.js", "main.js"], MODULES.__getitem__)
    assert script.count('out.push("second")') == 1
    assert script.index('out.push("second")') < script.index('out.push("first")')
    assert "@type" not in script
    assert "import" not in script


@cases(
    "source",
    [
        'import "./third.js";\n',
        'import third from "./third.js";\n',
        'import { a } from "https://elsewhere/x.js";\n',
        'import { a } from "bare";\n',
        "import { a as default } from './third.js';\n",
        'export { a } from "./third.js";\n',
        "export default 1;\n",
        "export let changing = 1;\n",
        "export const { a, b } = { a: 1, b: 2 };\n",
        'const a = await import("./third.js");\n',
        "const here = import.meta.url;\n",
        'import { absent } from "./third.js";\n',
        'import { a } from "./absent.js";\n',
        'import { a } from "./main.js";\n',
    ],
)
def test_other_forms_are_refused(source):
    """Whoever writes a module in another form learns so at the start, not from a respondent."""
    modules = {**MODULES, "main.js": source}
    with pytest.raises(DomainError, match=r"module (main|absent)\.js "):
        link(["main.js"], modules.__getitem__)


@cases("page", PAGES)
def test_the_pages_are_linked(page):
    folders = sorted(one.name for one in WEB.joinpath("questions").iterdir() if one.is_dir())
    script = link([*(f"questions/{name}/index.js" for name in folders), page], read)
    types = [name for name in folders if name != "levels"]  # which stand before those of any type
    assert all(f'type: "{name}"' in script for name in types)


def test_a_module_keeps_its_lines():
    """Imports, `export`, comments and indentation are taken out; nothing is written anew."""
    for page in ("index.js", "survey.js", "results.js"):
        source = read(page)
        body = parse(page, source).body
        lines = {line.lstrip() for line in source.replace("export ", "").splitlines()}
        assert set(body.splitlines()) <= lines
