"""Figures with letters of any script, on a machine with and without fonts for them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import font_manager, rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text

import sudare as sd
from sudare import fonts, plots
from sudare.location import draw_map
from sudare.location.maps import words
from sudare.location.maps.drawing import plot_map
from sudare.words import Text as Words

HAN, HANGUL, THAI, SIGN = "緑茶、何ですか？", "녹차", "ชาเขียว", "🍵"
MIXED = f"{HAN} {HANGUL} {THAI} {SIGN}"
GRID = sd.Grid(2, 3, 100, 100)


def counts_of(k: int) -> sd.Estimate:
    return sd.GRR(k=k, epsilon=2.0).estimate(sd.Counts(range(k), sum(range(k))))


def result(path: Path, word: str) -> None:
    row = {"question": "q", "label": word, "value": 0.5, "low": 0.4, "high": 0.6}
    plots.results(path, [{**row, "unit": "share", "n": 9}], {"q": word})


FILES: dict[str, Callable[[Path, str], object]] = {
    "shares": lambda path, word: plots.compare_shares(path, [word] * 3, counts_of(3), title=word),
    "counts": lambda path, word: plots.compare_counts(path, [word], [1], [1], 1, title=word),
    "results": result,
    "widths": lambda path, word: plots.interval_widths(
        path, [1, 2], {word: [0.1, 0.2]}, {1: word}, title=word
    ),
    "errors": lambda path, word: plots.compare_errors(
        path, [1.0, 2], {word: [0.1, 0.2]}, {word: [0.1, 0.2]}, title=word
    ),
    "map": lambda path, word: draw_map(
        GRID, np.arange(6.0), path, title=word, unit=word, language="ja"
    ),
}
"""Each kind of file that is drawn."""


@pytest.mark.parametrize("name", FILES)
def test_without_fonts_a_figure_is_drawn_and_one_sentence_says_what_lacks(
    tmp_path: Path, bundled_fonts: None, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    FILES[name](tmp_path / "x.svg", MIXED)  # warnings are errors
    assert MIXED in (tmp_path / "x.svg").read_text("utf-8")
    assert caplog.records == [], "a browser writes it"
    for kind in ("png", "png", "pdf") if name == "results" else ("png",):
        FILES[name](tmp_path / f"x.{kind}", MIXED)
    (sentence,) = [one.getMessage() for one in caplog.records]
    for word in ("Han, Hangul, Hiragana, Thai, symbols", "fonts-noto-cjk", "fonts-symbola"):
        assert word in sentence
    assert HAN not in sentence
    texts = families(tmp_path / "x.png", FILES[name], "Boxes: no font where this was drawn")
    assert texts == {"DejaVu Sans|sans-serif"}, "who has only the picture reads why"
    assert len(caplog.records) == 1


def test_axes_that_are_given_are_quiet_too(
    bundled_fonts: None, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    figure = Figure()
    panels = figure.subplots(1, 3)
    m = sd.GRR(k=3, epsilon=2.0)
    labels = (HAN, HANGUL, "x")
    replace(m.estimate(sd.Counts((12, 2, 1), 15)), labels=labels).plot(panels[0])
    plot_map(GRID, np.arange(6.0), panels[1], title=HAN, unit=THAI)
    first, second = (one.getMessage() for one in caplog.records)
    assert "scripts: Han, Hangul, Hiragana;" in first
    assert "scripts: Thai;" in second, "each script once"
    figure.savefig(tmp_path / "given.png")
    panels[2].set_title("ᚠ")  # another's own letter: matplotlib tells of it as ever
    with pytest.warns(UserWarning, match="RUNIC LETTER"):
        figure.savefig(tmp_path / "given.png")


def font_of(letters: str, name: str, path: Path) -> Path:
    """Write a font whose letters are all a square."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    letters, builder = "".join(sorted(set(letters))), FontBuilder(1000, isTTF=True)
    glyphs = [".notdef", *(f"u{ord(one):x}" for one in letters)]
    builder.setupGlyphOrder(glyphs)
    builder.setupCharacterMap({ord(one): f"u{ord(one):x}" for one in letters})
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, 700), (700, 700), (700, 0)):
        pen.lineTo(point)
    pen.closePath()
    square = pen.glyph()
    builder.setupGlyf(dict.fromkeys(glyphs, square))
    builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (1000, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": name, "styleName": "Regular"})
    builder.setupOS2(usWeightClass=400)
    builder.setupPost()
    builder.save(path)
    return path


def figure_of(path: Path, draw: Callable[[Path, str], object], word: str) -> Figure:
    """Return the figure that is written to a file."""
    with pytest.MonkeyPatch.context() as patch:
        drawn: list[Figure] = []
        save = Figure.savefig
        patch.setattr(Figure, "savefig", lambda f, *a, **kw: (drawn.append(f), save(f, *a, **kw)))
        draw(path, word)
    return drawn[0]


def families(path: Path, draw: Callable[[Path, str], object], word: str) -> set[str]:
    """Return the fonts of the texts of a figure that have a word."""
    texts = [one for one in figure_of(path, draw, word).findobj(Text) if word in one.get_text()]
    assert texts
    return {"|".join(one.get_fontfamily()) for one in texts}


def test_fonts_of_the_machine_are_used_letter_by_letter(
    tmp_path: Path, bundled_fonts: None, caplog: pytest.LogCaptureFixture
) -> None:
    manager = font_manager.fontManager
    axes = "".join(one.ja for one in (words.EAST, words.NORTH) if not isinstance(one, str))
    for letters, name in ((HAN + axes, "Alpha"), (HANGUL + THAI, "Beta"), ("茶" + SIGN, "Gamma")):
        manager.addfont(font_of(letters, name, tmp_path / f"{name}.ttf"))
    for name, draw in FILES.items():
        (some,) = families(tmp_path / "x.svg", draw, MIXED)
        assert some == "DejaVu Sans|sans-serif|Alpha|Beta|Gamma", name
    assert caplog.records == []
    with rc_context({"font.family": ["DejaVu Serif"]}):
        axes = Figure().subplots()
        axes.set_title(HAN)
        axes.set_xlabel("thé")
        assert fonts.fit(axes) == ""
        assert axes.title.get_fontfamily() == ["DejaVu Serif", "Alpha"]
        assert axes.xaxis.label.get_fontfamily() == ["DejaVu Serif"]


def test_a_font_that_was_installed_later_is_found(
    tmp_path: Path, bundled_fonts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(font_of("茶", "Later", tmp_path / "later.ttf"))
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(broken), path])
    assert fonts.lacking("茶, tea") == ""


def test_a_map_speaks_english_where_a_picture_would_show_boxes(
    tmp_path: Path, bundled_fonts: None, caplog: pytest.LogCaptureFixture
) -> None:
    title = Words("People", "人々")
    for kind, word in (("png", "People"), ("svg", "人々")):
        path = tmp_path / f"map.{kind}"

        def draw(path: Path, _: str) -> object:
            return draw_map(GRID, np.arange(6.0), path, title=title, language="ja")

        assert families(path, draw, word)
    assert len(caplog.records) == 1


@pytest.mark.slow  # a process of its own, whose standard error pytest has not taken
def test_a_command_says_it_once_on_standard_error(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from conftest import only_bundled_fonts\n"
        "from sudare.cli import main\n"
        "with only_bundled_fonts():\n"
        "    sys.exit(main(sys.argv[1:]))\n"
    )
    (tmp_path / "tea.csv").write_text("tea\n" + "緑茶\n紅茶\n" * 40, "utf-8")
    line = ["release", tmp_path / "tea.csv", "--ask", "histogram:tea=緑茶,紅茶", "--epsilon", "2"]
    ended = subprocess.run(
        [sys.executable, "-c", program, *map(str, line), "--out", str(tmp_path / "out")],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    said = [line for line in ended.stderr.splitlines() if "font" in line.lower()]
    assert len(said) == 1, ended.stderr
    assert said[0].startswith(
        "sudare: no font on this machine has all letters of these scripts: Han"
    )


def test_wide_labels_do_not_overlap(tmp_path: Path, bundled_fonts: None) -> None:
    for label in ("緑茶と紅茶とほうじ茶も毎日飲みます", "a label that has as many letters"):
        (axes,) = figure_of(tmp_path / "x.svg", FILES["shares"], label).axes
        assert {one.get_rotation() for one in axes.get_xticklabels()} == {60}


def test_other_letters_than_those_of_words_are_not_looked_for(bundled_fonts: None) -> None:
    assert fonts.lacking("a\n\u200d\ufe0f\u00a0\u3000") == ""
    assert fonts.lacking("茶a緑") == "緑茶"
