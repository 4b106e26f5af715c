"""Show an estimate in a notebook."""

from __future__ import annotations

from sudare import notebook
from sudare.estimation.estimate import Estimate


def html(estimate: Estimate) -> str:
    """Return a table of an estimate: 95 % intervals, the first 60 categories.

    Examples:
        >>> import sudare as sd
        >>> est = sd.GRR(["tea", "<b>"], 2.0).estimate(sd.Counts((600, 400), 1000))
        >>> "63.13 %" in html(est), "&lt;b&gt;" in html(est)
        (True, True)
    """
    size, most = estimate.shares.size, notebook.MOST_ROWS
    shares, counts = (part.ravel()[:most].tolist() for part in (estimate.shares, estimate.counts))
    ends = [("–", "–")] * len(shares)
    if estimate._law is not None:
        low, high = (map(notebook.percent, end.ravel()[:most]) for end in estimate.interval())
        ends = list(zip(low, high, strict=True))
    rows = [
        (name, notebook.percent(share), *around, f"{round(count):,}")
        for name, share, around, count in zip(
            estimate._names()[:most], shares, ends, counts, strict=True
        )
    ]
    facts = {
        "n =": f"{estimate.n:,}",
        "ε =": f"{estimate.epsilon:.4g} ({estimate.covers})",
        "of the": estimate.target,
        "method:": estimate.method,
    }
    head = ("category", "share", "from", "to (95 %)", "count")
    notes = estimate.warnings
    return notebook.table("Estimate", facts, head, rows, bars=shares, notes=notes, more=size - most)
