"""The report as one self-contained HTML file, and as Markdown with its figures beside it."""

from __future__ import annotations

import base64
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from sudare.page import standalone_page
from sudare.studies.frame import Frame
from sudare.studies.parts import Cell, Column, Figure
from sudare.studies.templates import ENVIRONMENT, fold
from sudare.words import Language, Text, say


def html(frame: Frame, folder: Path) -> str:
    """Return the whole report; the figures' SVG files are read from ``folder``.

    Nothing is loaded from elsewhere, there is no script, and the pictures are inside.
    """

    def svg(figure: Figure) -> str:
        picture = (folder / "figures" / f"{figure.name}.svg").read_bytes()
        return base64.b64encode(picture).decode("ascii")

    body = ENVIRONMENT.get_template("report.html").render(_values(frame), svg=svg)
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    return standalone_page([body], title=frame.title, language=frame.language, style=style)


def markdown(frame: Frame) -> str:
    """Return the whole report."""
    return ENVIRONMENT.get_template("report.md").render(_values(frame)).rstrip() + "\n"


def cell_text(cell: Cell, column: Column, language: Language) -> str:
    """Return a cell as it is printed.

    Examples:
        >>> cell_text(0.78699, Column("p", ".4f"), "en"), cell_text(None, Column("q"), "en")
        ('0.7870', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, int | float):
        shown = format(cell, column.form)
        return f"−{shown[1:]}" if shown.startswith("-") else shown
    return say(cell, language)


def _values(frame: Frame) -> dict[str, Any]:
    """What both templates see: the frame, and its language's words."""
    labels = tomllib.loads(files(__package__).joinpath("labels.toml").read_text("utf-8"))
    language = frame.language
    return {
        "label": {key: fold(say(Text(**both), language), language) for key, both in labels.items()},
        "cell_text": lambda cell, column: cell_text(cell, column, language),
        "is_number": lambda cell: isinstance(cell, int | float),
        "kind_of": lambda block: type(block).__name__,
        **{
            name: getattr(frame, name)
            for name in (
                "title",
                "maker",
                "study",
                "report",
                "say",
                "number",
                "same_letters",
                "short",
            )
        },
    }
