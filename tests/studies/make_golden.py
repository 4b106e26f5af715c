"""Write what each study finds in a small setting: facts and verdicts that must stay.

``python tests/studies/make_golden.py [NAME ...]`` writes ``golden/NAME.json.gz``.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import sudare as sd
from sudare.data import Holdings
from sudare.data.tokyo import Squares
from sudare.studies import Report, study
from sudare.words import Text

HERE = Path(__file__).parent
SETTINGS = {"grr-oue": 2, "joint": 2, "key-value": 4, "laplace": 100_000, "location": 4}
"""Repetitions of each study's small run; the seed is ``tests``."""


def some_squares() -> Squares:
    """Return a bay of 8 × 9 squares with an island."""
    rng = np.random.default_rng(1)
    grid = sd.Grid.from_mesh(533936, "1/2", rows=8, columns=9)
    row, column = np.divmod(np.arange(grid.cells), 9)
    land = np.where((column < 5) | (row < 2) | ((row == 5) & (column == 7)), 1.0, 0.1)
    people = np.where(land > 0.5, rng.integers(1, 500, grid.cells), 0)
    return Squares(grid, np.arange(grid.cells), land, people, "Nobody, 2026.", "free")


def some_people() -> Holdings:
    """Return 300 people, each with some of 8 keys."""
    rng = np.random.default_rng(7)
    held = rng.random((300, 8)) < np.linspace(0.1, 0.8, 8)
    values = np.where(held, rng.choice([-1.0, 0.5, 1.0], held.shape), 0.0)
    return Holdings(tuple("abcdefgh"), held, values, "Nobody 2026.", "none")


GRIDS: dict[str, dict[str, Any]] = {
    "grr-oue": {},
    "joint": {},
    "location": {
        "cap": lambda grid, epsilon, _: sd.PlanarLaplace(grid, epsilon),  # the program is slow
        "squares": lambda _: some_squares(),
    },
    "key-value": {"films": lambda _: some_people(), "clothes": lambda _: None},
    "laplace": {},
}
for _name, _grid in GRIDS.items():
    GRIDS[_name] = {**study(_name).setting.SHORT, **_grid}
"""The short grids of each study, and data of the test's own."""


def written(part: Any) -> Any:
    """Return words as ``[en, ja]`` (plain text once), anything else as JSON has it."""
    if isinstance(part, Text):
        return [part.en, part.ja]
    return part.item() if hasattr(part, "item") else part


def english(words: Any) -> str:
    """Return the English of written words."""
    found: str = words if isinstance(words, str) else words[0]
    return found


def snapshot(report: Report) -> dict[str, Any]:
    """Return claims, findings, sections' texts, tables and figures of a report."""
    return {
        "findings": [written(finding) for finding in report.findings],
        "sections": [
            {
                "title": written(section.title),
                "texts": [written(b) for b in section.blocks if isinstance(b, Text | str)],
                "order": [type(b).__name__ for b in section.blocks],
            }
            for section in report.sections
        ],
        "claims": [
            {
                "verdict": claim.verdict.name,
                **{
                    name: written(getattr(claim, name))
                    for name in ("place", "claim", "printed", "ours", "reason", "rule")
                },
            }
            for claim in report.claims
        ],
        "tables": [
            {
                "name": table.name,
                "caption": written(table.caption),
                "columns": [[written(column.title), column.form] for column in table.columns],
                "in_report": table.in_report,
                "rows": [[written(cell) for cell in row] for row in table.rows],
            }
            for table in report.tables
        ],
        "figures": [
            {
                "name": figure.name,
                "caption": written(figure.caption),
                "alt": written(figure.alt),
                "size": list(figure.size),
            }
            for figure in report.figures
        ],
    }


def small_run(name: str) -> Report:
    """Run a study in the small setting of its tests."""
    chosen = study(name)
    return chosen.build(chosen.setting(SETTINGS[name], "tests", **GRIDS[name]))


def golden(name: str) -> dict[str, Any]:
    """Return the snapshot that stands."""
    found: dict[str, Any] = json.loads(
        gzip.decompress((HERE / "golden" / f"{name}.json.gz").read_bytes())
    )
    return found


def main(names: list[str]) -> None:
    """Write the snapshots of these studies, or of all."""
    (HERE / "golden").mkdir(exist_ok=True)
    for name in names or SETTINGS:
        text = json.dumps(snapshot(small_run(name)), ensure_ascii=False, indent=0)
        path = HERE / "golden" / f"{name}.json.gz"
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
