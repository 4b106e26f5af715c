"""Draw the figures of the gallery: run its page, keep what it saves.

python docs/make_gallery.py
"""

from __future__ import annotations

import contextlib
import doctest
import shutil
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
OUT = DOCS / "images" / "gallery"


def run() -> None:
    """Write the figures."""
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        text = (DOCS / "gallery.md").read_text(encoding="utf-8")
        for example in doctest.DocTestParser().get_examples(text.replace("\n```\n", "\n\n")):
            exec(example.source, names)
        OUT.mkdir(exist_ok=True)
        for path in sorted(Path(folder).glob("*.png")):
            print(shutil.copy(path, OUT))


if __name__ == "__main__":
    run()
