"""Fonts of a figure: from what the machine has, those that hold the letters of its texts."""

from __future__ import annotations

import logging
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

BASE = "DejaVu Sans"
"""What matplotlib brings; a text is written in it as far as it has the letters."""

STYLE: dict[str, Any] = {
    "font.family": [BASE, "sans-serif"],  # the second for browsers: an SVG may lack the first there
    "font.sans-serif": [BASE],
    "svg.fonttype": "none",  # text stays text, so that a browser's fonts write what none here can
    "svg.hashsalt": "sudare",
}
"""Settings of matplotlib for a figure in a file."""

_FIRST = (  # in this order: Japanese forms of the letters that Chinese shares, no serifs
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "TakaoGothic",
    "VL Gothic",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "MS Gothic",
)
_PACKAGES = {
    "fonts-noto-cjk": ("Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"),
    "fonts-symbola": ("symbols",),
}
_log = logging.getLogger("sudare.fonts")
_known_scripts: set[str] = set()


def lacking(letters: Iterable[str]) -> str:
    """Return the letters that no font of this machine has, in their order.

    Examples:
        >>> lacking("tea, Tee, thé")
        ''
    """
    return _choice("".join(sorted(_visible(letters))), (BASE,))[1]


def fit(artist: Any) -> str:
    """Give each text of a figure, or of axes, the fonts that its letters need.

    Fonts that a text has come first. What no font has is drawn as a box.

    Returns:
        The letters that no font has.
    """
    from matplotlib.text import Text

    lack: set[str] = set()
    for text in artist.findobj(Text):
        letters = {one for one in _visible(text.get_text()) if not one.isascii()}
        if letters:
            families = tuple(text.get_fontfamily())
            more, without = _choice("".join(sorted(letters)), families)
            if more:
                text.set_fontfamily([*families, *more])
            lack |= set(without)
    return "".join(sorted(lack))


def report(letters: str) -> None:
    """Log one sentence for the scripts of letters that no font has, once a process."""
    scripts = [one for one in _scripts(letters) if one not in _known_scripts]
    if not scripts:
        return
    _known_scripts.update(scripts)
    packages = sorted({_package(one) for one in scripts})
    _log.warning(
        "sudare: no font on this machine has all letters of these scripts: %s; pictures show boxes "
        "or English words; install one (Debian: %s), or draw .svg, which a browser's fonts write",
        ", ".join(scripts),
        " ".join(packages),
    )


def width(text: str) -> int:
    """Return how wide a text is in narrow letters: those of East Asia are two wide.

    Examples:
        >>> width("tea"), width("お茶")
        (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def note(letters: str) -> str:
    """Return what a picture says below itself of the boxes in it."""
    scripts = ", ".join(_scripts(letters))
    return f"Boxes: no font where this was drawn has all letters of {scripts}. An .svg shows them."


@contextmanager
def quiet() -> Iterator[None]:
    """Keep matplotlib from a warning for each letter that it draws as a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield


def fit_given(axes: Any) -> None:
    """Fit the texts of axes that somebody else will draw, and report what no font has.

    Matplotlib will warn of each of these letters when they are drawn: it is kept from that for
    these letters alone.
    """
    letters = fit(axes)
    report(letters)
    if letters:
        numbers = "|".join(str(ord(one)) for one in letters)
        warnings.filterwarnings("ignore", rf"Glyph ({numbers}) .* missing from", UserWarning)


def _visible(letters: Iterable[str]) -> set[str]:
    """Return the characters that are to be seen: no blanks, controls or selectors of a variant."""
    return {
        one
        for one in set(letters)
        if unicodedata.category(one)[0] not in "CZ"
        and not unicodedata.name(one, "").startswith("VARIATION SELECTOR")
    }


@cache
def _choice(letters: str, families: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return which fonts to add to some that are there, and the letters that still lack."""
    lack = set(letters)
    for family in families:
        lack -= _held(lack, _face_of(family))
    more: list[str] = []
    for anew in (False, True):
        if lack and anew:
            _look_again()
        for entry in _entries() if lack else ():
            if entry.name not in (*families, *more) and (some := _held(lack, _face(entry))):
                more.append(entry.name)
                lack -= some
    return tuple(more), "".join(sorted(lack))


def _held(letters: set[str], face: Any) -> set[str]:
    return {one for one in letters if face is not None and face.get_char_index(ord(one))}


def _entries() -> list[Any]:
    """Return a plain face of each font that matplotlib knows, those with Japanese letters first."""
    from matplotlib import font_manager

    best: dict[str, Any] = {}
    for entry in font_manager.fontManager.ttflist:
        other = best.get(entry.name)
        if other is None or _distance(entry) < _distance(other):
            best[entry.name] = entry
    boxes = re.compile(r"last ?resort", re.IGNORECASE)  # a "letter" of it is a box
    known = [entry for name, entry in sorted(best.items()) if not boxes.search(name)]
    order = {name: place for place, name in enumerate(_FIRST)}
    return sorted(known, key=lambda entry: (order.get(entry.name, len(order)), entry.name))


def _distance(entry: Any) -> tuple[Any, ...]:
    weight = entry.weight if isinstance(entry.weight, int) else 400
    return entry.style != "normal", abs(weight - 400), entry.stretch != "normal", entry.fname


@cache
def _look_again() -> None:
    """Tell matplotlib of fonts that were installed after it wrote its list."""
    from matplotlib import font_manager

    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in font_manager.findSystemFonts():
        if path not in known:
            with suppress(Exception):  # a file that it cannot read, for whatever cause
                font_manager.fontManager.addfont(path)


def _face_of(family: str) -> Any:
    from matplotlib import font_manager

    try:
        found = font_manager.findfont(
            font_manager.FontProperties(family=[family]), fallback_to_default=False
        )
        return font_manager.get_font(found)
    except (ValueError, OSError, RuntimeError):
        return None


def _face(entry: Any) -> Any:
    from matplotlib import font_manager

    place = getattr(font_manager, "FontPath", None)  # Matplotlib 3.11: which font of a collection
    try:
        path = entry.fname if place is None else place(entry.fname, entry.index)
        return font_manager.get_font(path)
    except (OSError, RuntimeError):
        return None


def _scripts(letters: Iterable[str]) -> list[str]:
    return sorted({_script(one) for one in letters})


_SCRIPTS = {"CJK": "Han", "KANGXI": "Han", "IDEOGRAPHIC": "Han"}


def _script(letter: str) -> str:
    """Return the script of a letter by its name in Unicode.

    Examples:
        >>> [_script(one) for one in "茶。おテ차ช☕"]
        ['Han', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'symbols']
    """
    kind, width = unicodedata.category(letter)[0], unicodedata.east_asian_width(letter)
    if kind not in "LM":
        return "Han" if width == "F" or (width == "W" and kind in "PN") else "symbols"
    first = unicodedata.name(letter, "UNNAMED").split()[0].split("-")[0]
    return _SCRIPTS.get(first, first.capitalize())


def _package(script: str) -> str:
    return next((own for own, some in _PACKAGES.items() if script in some), "fonts-noto-core")
