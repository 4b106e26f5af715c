"""The words that every report shares, and cells as text."""

from __future__ import annotations

from sudare.studies.parts import Cell, Column
from sudare.studies.words import Language, Text, say

FINDINGS = Text("What we found", "結果の要点")
CLAIMS = Text("Claims at a glance", "主張の一覧")
NUMBER = Text("No.", "番号")
PLACE = Text("Place in the source", "原典の箇所")
CLAIM = Text("The source says", "原典の主張")
PRINTED = Text("Figure in the source", "原典の数値")
OURS = Text("Ours", "本報告の値")
VERDICT = Text("Verdict", "判定")
REASON = Text("Reason", "理由")
RULE = Text("Holds if", "成立の条件")
HOW_MANY = Text("Claims", "件数")
SOURCE = Text("Source", "原典")
MADE_BY = Text("Made by", "作成")
CONTENTS = Text("Contents", "目次")
FIGURE = Text("Figure", "図")
TABLE = Text("Table", "表")
DATA = Text("Data", "データ")
LICENCE = Text("Licence", "ライセンス")
ONLY_FILE = Text("only as a file", "ファイルのみ")
SCROLLS = Text("(scrolls sideways)", "（横にスクロールできます）")
ALL_DRAWN = Text(
    "All data of this run were made by the program, drawn from its seed.",
    "この実行のデータはすべて、シードから抽出して作ったものです。",
)
BESIDE = Text(
    "Beside this report: figures/ (PNG and SVG), tables/ (CSV, full precision), "
    "manifest.json (version, parameters, entropy, data, checksums).",
    "この報告書と同じフォルダに、figures/（PNG・SVG）、tables/（CSV、丸めなし）、"
    "manifest.json（版、条件、乱数、データ、チェックサム）があります。",
)
ENGLISH_LETTERS = Text(
    "The letters in the figures are English.",
    "日本語フォントが見つからないため、図の中の文字は英語です"
    "（fonts-noto-cjk などを入れると日本語になります）。",
)


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


def is_number(cell: Cell) -> bool:
    """Tell whether a cell stands to the right."""
    return isinstance(cell, int | float)
