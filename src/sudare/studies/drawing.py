"""Figures as PNG and SVG files, the same bytes for the same report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sudare import fonts
from sudare.errors import MissingExtraError
from sudare.plots import plain
from sudare.studies.parts import Figure
from sudare.words import Language, Words, say

try:
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas
except ImportError:
    raise MissingExtraError("matplotlib", "plots", "to draw a study's figures") from None

_DPI = 160
_STYLE: Any = {  # its keys are too many to name in a type
    **fonts.STYLE,
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": "#e4e0d6",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "path",  # laid out closely: another font would not fit
    "figure.facecolor": "white",
}


def drawn_language(language: Language) -> Language:
    """Return the language of the letters in the pictures: English where no font has Japanese."""
    return "en" if language == "ja" and fonts.lacking("日本語のフォント") else language


def save(figure: Figure, folder: Path, language: Language) -> tuple[Path, Path]:
    """Draw a figure and write ``NAME.png`` and ``NAME.svg``; return both paths."""
    written = drawn_language(language)
    png, svg = folder / f"{figure.name}.png", folder / f"{figure.name}.svg"

    def speak(words: Words) -> str:
        return plain(say(words, written))

    with mpl.rc_context(_STYLE), fonts.quiet():
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas, speak)
        fonts.report(fonts.fit(canvas))
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")  # laid out once for both files
        canvas.savefig(png, dpi=_DPI, metadata={"Software": "sudare"})
        canvas.savefig(svg, metadata={"Date": None, "Creator": "sudare"})
    return png, svg
