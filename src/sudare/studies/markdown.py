"""The report as Markdown, with its figures beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sudare.studies import labels
from sudare.studies.frame import Frame
from sudare.studies.labels import cell_text, is_number
from sudare.studies.parts import Block, Claim, Figure, Table
from sudare.studies.words import Words

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")


def page(frame: Frame) -> str:
    """Return the whole report."""
    return "\n\n".join(_parts(frame)) + "\n"


def _parts(frame: Frame) -> Iterator[str]:
    def say(words: Words) -> str:
        return _escape(frame.say(words))

    yield f"# {_escape(frame.title)}"
    yield f"{say(labels.SOURCE)}: {say(frame.study.source)}"
    yield f"{say(labels.MADE_BY)}: `{frame.maker}`"
    yield f"## {say(labels.FINDINGS)}"
    yield "\n".join(f"- {say(finding)}" for finding in frame.report.findings)
    yield f"## {say(labels.CLAIMS)}"
    yield _grid(
        [say(labels.VERDICT), say(labels.HOW_MANY)],
        [[f"{v.sign} {say(v.words)}", str(many)] for v, many in frame.report.verdicts.items()],
        [False, True],
    )
    yield _grid(
        [say(labels.NUMBER), say(labels.PLACE), say(labels.CLAIM), say(labels.VERDICT)],
        [
            [str(i), say(c.place), say(c.claim), f"{c.verdict.sign} {say(c.verdict.words)}"]
            for i, c in enumerate(frame.report.claims, 1)
        ],
        [True, False, False, False],
    )
    for section in frame.report.sections:
        yield f"## {say(section.title)}"
        for block in section.blocks:
            yield from _block(frame, block)
    yield f"## {say(labels.DATA)}"
    yield "\n".join(
        f"- {_escape(d['cite'])} {say(labels.LICENCE)}: {_escape(d['licence'])}"
        for d in frame.report.data
    ) or say(labels.ALL_DRAWN)
    yield say(labels.BESIDE)
    if not frame.same_letters:
        yield say(labels.ENGLISH_LETTERS)


def _block(frame: Frame, block: Block) -> Iterator[str]:
    def say(words: Words) -> str:
        return _escape(frame.say(words))

    if isinstance(block, Claim):
        verdict = f"{block.verdict.sign} {say(block.verdict.words)}"
        yield f"### {frame.number(block)}. {say(block.place)}: {verdict}"
        lines = [
            (labels.CLAIM, block.claim),
            (labels.PRINTED, block.printed),
            (labels.OURS, block.ours),
            (labels.RULE, block.rule),
            (labels.REASON, block.reason),
        ]
        yield "\n".join(f"- **{say(a)}**: {say(b)}" for a, b in lines if frame.say(b))
    elif isinstance(block, Table):
        caption = f"**{say(labels.TABLE)} {frame.number(block)}.** {say(block.caption)}"
        if not block.in_report:
            caption += f" ({say(labels.ONLY_FILE)})"
        yield f"{caption} [CSV](tables/{block.name}.csv)"
        if block.in_report:
            columns = block.columns
            yield _grid(
                [say(column.title) for column in columns],
                [
                    [
                        _escape(cell_text(cell, column, frame.language))
                        for cell, column in zip(row, columns, strict=True)
                    ]
                    for row in block.rows
                ],
                [is_number(cell) for cell in block.rows[0]],
            )
    elif isinstance(block, Figure):
        yield f"![{say(block.alt)}](figures/{block.name}.png)"
        yield (
            f"**{say(labels.FIGURE)} {frame.number(block)}.** {say(block.caption)} "
            f"[PNG](figures/{block.name}.png) · [SVG](figures/{block.name}.svg)"
        )
    else:
        yield say(block)


def _grid(head: list[str], rows: list[list[str]], right: list[bool]) -> str:
    rule = ["---:" if to_the_right else "---" for to_the_right in right]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
