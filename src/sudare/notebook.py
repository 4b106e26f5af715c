"""Tables for notebooks: HTML that stands alone, escaped, in the page's own colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

MOST_ROWS = 60
_LINE = "border-bottom:1px solid rgba(128,128,128,.35)"
_CELL = f"padding:.15em .7em;color:inherit;background:none;{_LINE}"
_BAR = "display:inline-block;height:.7em;background:rgba(90,134,196,.75);min-width:1px"


def percent(share: float) -> str:
    """Return a share as text.

    Examples:
        >>> percent(0.1234), percent(float("nan"))
        ('12.34 %', '–')
    """
    return "–" if share != share else f"{100 * share:.2f} %"


def table(
    title: str,
    facts: Mapping[str, object],
    head: Sequence[str] = (),
    rows: Iterable[Sequence[object]] = (),
    *,
    bars: Sequence[float] = (),
    notes: Iterable[str] = (),
    more: int = 0,
) -> str:
    """Return a small table with what a reader should know around it.

    Nothing is fetched from anywhere, and every text is escaped. Colours are the notebook's own, so
    that light and dark ones look right.

    Args:
        title: the kind of thing.
        facts: words above the table, in their order.
        head: names of columns.
        rows: the first :data:`MOST_ROWS`, a text for each column.
        bars: a share for each row, drawn behind it as a bar.
        notes: sentences below.
        more: how many rows there are beyond those.

    Examples:
        >>> "&lt;b&gt;" in table("Estimate", {}, ["category"], [["<b>"]])
        True
    """
    told = " · ".join(f"{escape(name)} {escape(str(value))}" for name, value in facts.items())
    parts = [f'<div style="color:inherit"><div><b>{escape(title)}</b> {told}</div>']
    if head:
        cells = "".join(_cell("th", name, i) for i, name in enumerate(head))
        names = cells + (f'<th style="{_CELL}"></th>' if bars else "")
        parts.append('<table style="border-collapse:collapse;color:inherit;margin:.4em 0">')
        parts.append(f"<thead><tr>{names}</tr></thead><tbody>")
        for place, row in enumerate(rows):
            body = "".join(_cell("td", value, i) for i, value in enumerate(row))
            parts.append(f"<tr>{body}{_bar(bars[place]) if bars else ''}</tr>")
        parts.append("</tbody></table>")
    if more > 0:
        parts.append(f"<div>… and {more:,} more</div>")
    parts += [f"<div>⚠ {escape(note)}</div>" for note in notes]
    return "".join(parts) + "</div>"


def _cell(kind: str, value: object, column: int) -> str:
    side = "right" if column else "left"
    return f'<{kind} style="text-align:{side};{_CELL}">{escape(str(value))}</{kind}>'


def _bar(share: float) -> str:
    width = 0.0 if share != share else 8 * min(max(share, 0.0), 1.0)
    bar = f'<span style="{_BAR};width:{width:.2f}em"></span>'
    return f'<td style="text-align:left;min-width:8em;{_CELL}">{bar}</td>'
