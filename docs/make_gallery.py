"""Draw the figures of the gallery: run its page, keep what it saves.

    python docs/make_gallery.py
    python docs/make_gallery.py FOLDER

With a folder: a sheet for each study that ``sudare study NAME --out FOLDER/NAME`` has written.
"""

from __future__ import annotations

import contextlib
import doctest
import shutil
import sys
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
        for path in sorted(Path(folder).rglob("*.png")):
            print(shutil.copy(path, OUT))


def sheet(study: Path, columns: int = 4) -> None:
    """Write the figures of a study side by side, small, each under its name."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    paths = sorted(study.glob("figures/*.png"))
    rows = -(-len(paths) // columns)
    with rc_context({"font.size": 7}):
        figure = Figure(figsize=(2.6 * columns, 2.2 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat:
            axes.axis("off")
        for axes, path in zip(grid.flat, paths, strict=False):
            axes.imshow(imread(path), interpolation="antialiased")
            axes.set_title(path.stem)
        target = OUT / f"study-{study.name}.png"
        figure.savefig(target, dpi=110)
    print(target, target.stat().st_size)


if __name__ == "__main__":
    if sys.argv[1:]:
        for report in sorted(Path(sys.argv[1]).glob("*/report.html")):
            sheet(report.parent)
    else:
        run()
