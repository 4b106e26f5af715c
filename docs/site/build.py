"""Build the site of docs/ into a folder: pages, search, Python reference, playground, notebooks.

    python docs/site/build.py build/site --archive build/sudare-docs.zip

Needs ``pip install ".[site]"``. Nothing that a page loads comes from another host, and a copy works
from a folder without a server. Any warning ends it with status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import reference
from check import faults
from notebooks import notebook
from pages import ROOT, Gathered, gather, navigation

from sudare.collector.script_bundle import link

HERE = Path(__file__).parent
COMPLAINT = re.compile(r"^\w+: |\d issues? found", re.MULTILINE)  # "Warning: ", "griffe: "
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def main(arguments: list[str] | None = None) -> int:
    """Build it; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder of the site; replaced if it is there")
    parser.add_argument("--archive", type=Path, help="write the site as this .zip too")
    parser.add_argument("--url", default="", help="address at which the site will be read")
    parser.add_argument(
        "--repository",
        default="",
        help="address of the files of the repository; without it those that pages link to travel "
        "with the site",
    )
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as work:
        stage = Path(work)
        write(stage, gather(asked.repository.rstrip("/")), asked.url)
        found = run(stage) or faults(finished(stage / "site"))
        if found:
            print("\n".join(found), file=sys.stderr)
            return 1
        shutil.rmtree(asked.out, ignore_errors=True)
        shutil.copytree(stage / "site", asked.out)
    if asked.archive:
        asked.archive.parent.mkdir(parents=True, exist_ok=True)
        base = asked.archive.with_suffix("").as_posix()
        shutil.make_archive(base, "zip", asked.out.parent, asked.out.name)
    return 0


def write(stage: Path, gathered: Gathered, url: str) -> None:
    """Write what the generator reads."""
    nav = navigation(gathered)
    made = reference.pages()
    next(one for one in nav if "Reference" in one)["Reference"].append({"Python names": list(made)})
    for path, text in {**gathered.pages, **made}.items():
        _put(stage / "docs" / path, text)
    for path in [one for one in gathered.pages if one.startswith("tutorials/")]:
        text = gathered.pages[path]
        _put(stage / "docs" / Path(path).with_suffix(".ipynb"), notebook(text))
        link = f"[As a notebook]({Path(path).stem}.ipynb), with what it shows.\n\n## "
        _put(stage / "docs" / path, text.replace("## ", link, 1))
    for path, source in gathered.files.items():
        target = stage / "docs" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    _put(stage / "docs" / "assets" / "site.css", (HERE / "site.css").read_text(encoding="utf-8"))
    _put(stage / "mkdocs.yml", json.dumps({**config(), "nav": nav, "site_url": url}, indent=1))


def config() -> dict[str, Any]:
    """Return the settings of the generator; JSON is YAML."""
    return {
        "site_name": "Sudare",
        "site_description": "Statistics about people without collecting people.",
        "docs_dir": "docs",
        "site_dir": "site",
        "theme": {
            "name": "material",
            "variant": "classic",
            "font": False,
            "language": "en",
            "features": ["navigation.tabs", "navigation.top", "toc.follow"],
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {scheme})",
                    "scheme": name,
                    "primary": "black",
                    "toggle": {"icon": f"material/weather-{icon}", "name": other},
                }
                for scheme, name, icon, other in (
                    ("light", "default", "night", "Dark page"),
                    ("dark", "slate", "sunny", "Light page"),
                )
            ],
        },
        "markdown_extensions": [
            "attr_list",
            "md_in_html",
            "tables",
            {
                "toc": {
                    "permalink": True,
                    "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}},
                }
            },
            {"pymdownx.highlight": {"pygments_lang_class": True}},
            "pymdownx.superfences",
        ],
        "plugins": [
            {"search": {"lang": ["en", "ja"]}},
            "offline",
            {
                "mkdocstrings": {
                    "handlers": {"python": {"paths": [str(ROOT / "src")], "options": OPTIONS}}
                }
            },
        ],
        "extra": {"generator": False},
        "extra_css": ["assets/site.css"],
    }


OPTIONS = {
    "docstring_style": "google",
    "docstring_section_style": "list",
    "docstring_options": {  # arguments alike share a line: "low, high"
        "warn_unknown_params": False,
        "warn_missing_types": False,
    },
    "show_source": False,
    "show_root_heading": True,
    "show_root_full_path": False,
    "heading_level": 2,
    "show_signature_annotations": True,
    "separate_signature": True,
    "extensions": [str(HERE / "roles.py")],
}


def run(stage: Path) -> list[str]:
    """Run the generator; return its complaints: it ends well with some of them."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
    done = subprocess.run(
        command, cwd=stage, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    said = COLOUR.sub("", done.stdout + done.stderr)
    bad = done.returncode != 0 or COMPLAINT.search(said)
    return said.splitlines() if bad else []


def finished(site: Path) -> Path:
    """Make the pages whole: search from a folder, the playground, the language of Japanese ones."""
    worker = next((site / "assets" / "javascripts" / "workers").glob("search.*.js"))
    modules = link(["docs/site/playground/index.js"], lambda path: (ROOT / path).read_text("utf-8"))
    _put(site / "assets" / "playground.js", modules)
    _put(site / "assets" / "offline.js", OFFLINE % json.dumps(worker.read_text(encoding="utf-8")))
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1) or "./"
        text = page.read_text(encoding="utf-8").replace(SHIM, f"{up}assets/offline.js")
        if page.name == "playground.html":
            text = text.replace(
                "</body>", f'<script src="{up}assets/playground.js"></script></body>'
            )
        text = INNER.sub('<nav class="md-nav" role="none">', text)  # no landmark in a landmark
        text = text.replace("<th></th>", "<td></td>")  # the corner of a table heads nothing
        text = FOLDER.sub(r'href="\1/index.html"', text)  # a folder opens as a list of files
        if page.name.endswith(".ja.html"):
            text = text.replace('<html lang="en"', '<html lang="ja"', 1)
        page.write_text(text, encoding="utf-8")
    return site


FOLDER = re.compile(r'href="((?:\.\./|\./)*\.\.?)"')
INNER = re.compile(r'<nav class="md-nav" aria-label="[^"]*">')  # of the contents, not the tree
SHIM = "https://unpkg.com/iframe-worker/shim"
OFFLINE = """// a table wider than the page is scrolled by keys too
addEventListener("load", () => {
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap")) one.tabIndex = 0;
});
// from a folder a browser starts no worker by its address, but one by its text
if (location.protocol === "file:") {
  const text = %s;
  const Own = Worker;
  window.Worker = class extends Own {
    constructor() {
      super(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    }
  };
}
"""


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
