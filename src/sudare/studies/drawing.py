"""Figures as PNG and SVG files, the same bytes for the same report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sudare.errors import MissingExtraError
from sudare.plots import japanese_font
from sudare.studies.parts import Figure
from sudare.words import Language, Words, say

try:
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas
except ImportError:
    raise MissingExtraError("matplotlib", "plots", "to draw a study's figures") from None

_DPI = 160
_STYLE: dict[str, Any] = {
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
    "svg.fonttype": "path",
    "svg.hashsalt": "sudare",
    "figure.facecolor": "white",
}


def drawn_language(language: Language) -> Language:
    """Return the language of the letters in the pictures: English where no font has Japanese."""
    return "en" if language == "ja" and japanese_font() is None else language


def save(figure: Figure, folder: Path, language: Language) -> tuple[Path, Path]:
    """Draw a figure and write ``NAME.png`` and ``NAME.svg``; return both paths."""
    written = drawn_language(language)
    font = japanese_font() if written == "ja" else None
    family = [font, "DejaVu Sans"] if font else ["DejaVu Sans"]
    png, svg = folder / f"{figure.name}.png", folder / f"{figure.name}.svg"

    def speak(words: Words) -> str:
        return say(words, written).replace("$", r"\$")  # no formulas in people's text

    style: Any = {**_STYLE, "font.family": family}  # its keys are too many to name in a type
    with mpl.rc_context(style):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas, speak)
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")  # laid out once for both files
        canvas.savefig(png, dpi=_DPI, metadata={"Software": "sudare"})
        canvas.savefig(svg, metadata={"Date": None, "Creator": "sudare"})
    return png, svg
