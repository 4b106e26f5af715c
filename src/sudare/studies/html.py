"""The report as one HTML file: nothing is loaded from elsewhere, no script, pictures inside."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from sudare.page import document
from sudare.studies import labels
from sudare.studies.frame import Frame
from sudare.studies.labels import cell_text, is_number
from sudare.studies.parts import Block, Claim, Figure, Section, Table, Verdict

_POWER = re.compile(r"\^(\w+)")


def page(frame: Frame, folder: Path) -> str:
    """Return the whole report; the figures' SVG files are read from ``folder``."""
    body = [
        *_head(frame),
        "<main>",
        *_glance(frame),
        *(
            line
            for i, section in enumerate(frame.report.sections, 1)
            for line in _section(frame, i, section, folder)
        ),
        *_foot(frame),
        "</main>",
    ]
    style = files("sudare.studies").joinpath("report.css").read_text(encoding="utf-8")
    return document(body, title=frame.title, language=frame.language, style=style)


def _rich(text: str) -> str:
    """Escape, and set e^ε with a raised exponent."""
    return _POWER.sub(r"<sup>\1</sup>", escape(text))


def _head(frame: Frame) -> Iterator[str]:
    say = frame.say
    yield "<header>"
    yield f"<h1>{escape(frame.title)}</h1>"
    yield f"<p>{escape(say(labels.SOURCE))}: {escape(say(frame.study.source))}</p>"
    yield f"<p>{escape(say(labels.MADE_BY))}: <code>{escape(frame.maker)}</code></p>"
    yield "</header>"
    yield f'<nav aria-label="{escape(say(labels.CONTENTS))}"><ol>'
    yield f'<li><a href="#findings">{escape(say(labels.FINDINGS))}</a></li>'
    yield f'<li><a href="#claims">{escape(say(labels.CLAIMS))}</a></li>'
    for i, section in enumerate(frame.report.sections, 1):
        yield f'<li><a href="#section-{i}">{escape(say(section.title))}</a></li>'
    yield "</ol></nav>"


def _glance(frame: Frame) -> Iterator[str]:
    say = frame.say
    yield f'<section id="findings"><h2>{escape(say(labels.FINDINGS))}</h2><ul>'
    yield from (f"<li>{_rich(say(finding))}</li>" for finding in frame.report.findings)
    yield "</ul></section>"
    yield f'<section id="claims"><h2>{escape(say(labels.CLAIMS))}</h2>'
    yield '<ul class="tally">'
    for verdict, many in frame.report.verdicts.items():
        yield f"<li>{_badge(frame, verdict)} <b>{many}</b></li>"
    yield "</ul>"
    yield '<ol class="glance">'
    for i, claim in enumerate(frame.report.claims, 1):
        yield (
            f'<li><a href="#claim-{i}">{_rich(say(claim.place))}</a>: {_rich(say(claim.claim))} '
            f"{_badge(frame, claim.verdict)}</li>"
        )
    yield "</ol></section>"


def _section(frame: Frame, i: int, section: Section, folder: Path) -> Iterator[str]:
    yield f'<section id="section-{i}"><h2>{escape(frame.say(section.title))}</h2>'
    for block in section.blocks:
        yield from _block(frame, block, folder)
    yield "</section>"


def _block(frame: Frame, block: Block, folder: Path) -> Iterator[str]:
    if isinstance(block, Claim):
        yield from _claim(frame, block)
    elif isinstance(block, Table):
        yield from _table(frame, block)
    elif isinstance(block, Figure):
        yield from _figure(frame, block, folder)
    else:
        yield f"<p>{_rich(frame.say(block))}</p>"


def _badge(frame: Frame, verdict: Verdict) -> str:
    words = escape(frame.say(verdict.words))
    return f'<span class="verdict {verdict.name.lower()}">{verdict.sign} {words}</span>'


def _claim(frame: Frame, claim: Claim) -> Iterator[str]:
    number = frame.number(claim)
    yield f'<article class="claim" id="claim-{number}">'
    yield (f"<h3>{number}. {_rich(frame.say(claim.place))} {_badge(frame, claim.verdict)}</h3><dl>")
    for name, words in (
        (labels.CLAIM, claim.claim),
        (labels.PRINTED, claim.printed),
        (labels.OURS, claim.ours),
        (labels.RULE, claim.rule),
        (labels.REASON, claim.reason),
    ):
        if text := frame.say(words):
            yield f"<div><dt>{escape(frame.say(name))}</dt><dd>{_rich(text)}</dd></div>"
    yield "</dl></article>"


def _table(frame: Frame, table: Table) -> Iterator[str]:
    number, say = frame.number(table), frame.say
    caption = (
        f'<b>{escape(say(labels.TABLE))} {number}.</b> <span id="table-{number}">'
        f"{_rich(say(table.caption))}</span> "
        f'<a href="tables/{table.name}.csv">CSV</a>'
    )
    if not table.in_report:
        yield f"<p>{caption} ({escape(say(labels.ONLY_FILE))})</p>"
        return
    yield (
        f'<div class="wide" role="region" tabindex="0" aria-labelledby="table-{number}">'
        f'<table><caption><div class="stay">{caption}</div></caption><thead><tr>'
    )
    right = [is_number(cell) for cell in table.rows[0]]
    for column, number_like in zip(table.columns, right, strict=True):
        yield f'<th scope="col"{_right(number_like)}>{_rich(say(column.title))}</th>'
    yield "</tr></thead><tbody>"
    for row in table.rows:
        cells = [
            f"<{tag}{_right(number_like)}>{_rich(cell_text(cell, column, frame.language))}</{end}>"
            for tag, end, cell, column, number_like in zip(
                ('th scope="row"', *["td"] * (len(row) - 1)),
                ("th", *["td"] * (len(row) - 1)),
                row,
                table.columns,
                right,
                strict=True,
            )
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _right(number_like: bool) -> str:
    return ' class="number"' if number_like else ""


def _figure(frame: Frame, figure: Figure, folder: Path) -> Iterator[str]:
    number, say = frame.number(figure), frame.say
    svg = (folder / "figures" / f"{figure.name}.svg").read_bytes()
    picture = base64.b64encode(svg).decode("ascii")
    yield (
        f'<figure><div class="wide picture" role="region" tabindex="0" '
        f'aria-label="{escape(say(labels.FIGURE))} {number} {escape(say(labels.SCROLLS))}">'
        f'<img src="data:image/svg+xml;base64,{picture}" alt="{escape(say(figure.alt))}" '
        f'width="{round(100 * figure.size[0])}" height="{round(100 * figure.size[1])}"></div>'
    )
    yield (
        f"<figcaption><b>{escape(say(labels.FIGURE))} {number}.</b> "
        f"{_rich(say(figure.caption))} "
        f'<a href="figures/{figure.name}.png">PNG</a> · <a href="figures/{figure.name}.svg">SVG</a>'
        "</figcaption></figure>"
    )


def _foot(frame: Frame) -> Iterator[str]:
    say = frame.say
    yield f'<section id="data"><h2>{escape(say(labels.DATA))}</h2>'
    if frame.report.data:
        yield "<ul>"
        for data in frame.report.data:
            licence = f"{escape(say(labels.LICENCE))}: {escape(data['licence'])}"
            yield f"<li>{escape(data['cite'])} {licence}</li>"
        yield "</ul>"
    else:
        yield f"<p>{escape(say(labels.ALL_DRAWN))}</p>"
    yield f"<p>{escape(say(labels.BESIDE))}</p>"
    if not frame.same_letters:
        yield f"<p>{escape(say(labels.ENGLISH_LETTERS))}</p>"
    yield "</section>"
