"""``Comparison``: what mechanisms err on one truth, and what their reports cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sudare import fonts, frames, notebook, plots
from sudare.arrays import Integers
from sudare.errors import counted
from sudare.guesses import Guessed
from sudare.planning.budget_split import TableMechanism


@dataclass(frozen=True, slots=True)
class Compared:
    """One mechanism at one ε.

    Attributes:
        name: of the mechanism; of several attributes with what it is made of.
        mechanism: ready to use.
        expected_mse: mean over the wanted cells of the expected squared error of a share, exact.
        measured_mse: the same over the repetitions.
        measured_stderr: standard error of ``measured_mse``.
        report_bytes: length of one report.
        perturb_seconds: of the processor, for one respondent in a batch.
        estimate_seconds: the same from reports to estimates.
        guess_probability: how probably the best guess of the whole answer from one report is right
            where all cells are alike (1 / k without a report); None where the law is too large to
            tell.
    """

    name: str
    mechanism: TableMechanism
    expected_mse: float
    measured_mse: float
    measured_stderr: float
    report_bytes: int
    perturb_seconds: float
    estimate_seconds: float
    guess_probability: float | None

    @property
    def epsilon(self) -> float:
        """ε of the whole answer, as asked for."""
        return float(self.mechanism.requested_epsilon)

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            "mechanism": self.name,
            "epsilon": self.epsilon,
            "expected_mse": self.expected_mse,
            "measured_mse": self.measured_mse,
            "measured_stderr": self.measured_stderr,
            "report_bytes": self.report_bytes,
            "perturb_seconds": self.perturb_seconds,
            "estimate_seconds": self.estimate_seconds,
            "guess_probability": self.guess_probability,
        }


@dataclass(frozen=True, slots=True)
class Taken:
    """What ``auto`` takes at one ε; of several attributes, what a plan of their tables has first.

    Attributes:
        epsilon: of the whole answer.
        name: of the mechanism.
        expected_mse: its error on the same respondents.
        more: by which part that is more than the least of those compared; 0 where it is none.
    """

    epsilon: float
    name: str
    expected_mse: float
    more: float

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "epsilon": self.epsilon,
            "mechanism": self.name,
            "expected_mse": self.expected_mse,
            "more_than_least": self.more,
        }


@dataclass(frozen=True, eq=False)
class Comparison(Guessed):
    """A row a mechanism and ε; of each ε the least expected error first. A sequence of rows.

    Attributes:
        truth: how many of the n respondents hold each category, (k,), or each cell of several
            attributes.
        tables: of several attributes those of each wanted table.
        left_out: why a mechanism is not there: name, ε, the rule that it breaks.
        auto: what ``auto`` takes at each ε.
    """

    truth: Integers
    tables: tuple[tuple[int, ...], ...]
    repetitions: int
    rows: tuple[Compared, ...]
    left_out: tuple[tuple[str, float, str], ...]
    auto: tuple[Taken, ...]

    @property
    def k(self) -> int:
        """Number of categories, or of cells."""
        return self.truth.size

    @property
    def n(self) -> int:
        """Number of respondents."""
        return int(self.truth.sum())

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Each ε, increasing."""
        return tuple(sorted({row.epsilon for row in self.rows}))

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Compared:
        return self.rows[index]

    def __repr__(self) -> str:
        head = f"Comparison(k={self.k}, n={self.n}, {counted(self.repetitions, 'repetition')})"
        rows = [
            f"  ε {row.epsilon:<5g} {row.name:<16} "
            f"MSE {row.measured_mse:.4g} (expected {row.expected_mse:.4g})  "
            f"{counted(row.report_bytes, 'byte')}"
            for row in self.rows
        ]
        return "\n".join([head, *rows])

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        several = {"sizes": list(self.truth.shape), "tables": [list(axes) for axes in self.tables]}
        return {
            "k": self.k,
            **(several if self.truth.ndim > 1 else {}),
            "n": self.n,
            "repetitions": self.repetitions,
            "rows": [row.to_json() for row in self.rows],
            "left_out": [
                {"mechanism": name, "epsilon": epsilon, "rule": rule}
                for name, epsilon, rule in self.left_out
            ],
            "auto": [one.to_json() for one in self.auto],
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw errors over ε on axes of matplotlib: lines as expected, points as measured.

        Args:
            ax: axes of matplotlib; None for those of a new figure.

        Returns:
            The axes.

        Raises:
            MissingExtraError: matplotlib is not installed.
            WrongTypeError: no axes.
        """
        axes = plots.axes_for(ax)
        plots.draw_errors(axes, self.epsilons, *self.lines().values())
        fonts.fit_given(axes)
        return axes

    def lines(self) -> dict[str, dict[str, list[float]]]:
        """Return, of ``expected_mse`` and ``measured_mse``, each mechanism's errors over ε.

        NaN where it is left out.
        """
        names = dict.fromkeys(row.name for row in self.rows)
        found = {(row.name, row.epsilon): row for row in self.rows}
        return {
            what: {
                name: [getattr(found.get((name, e)), what, math.nan) for e in self.epsilons]
                for name in names
            }
            for what in ("expected_mse", "measured_mse")
        }

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the first 60 rows."""
        rows = [
            (
                row.name,
                f"{row.epsilon:g}",
                f"{row.measured_mse:.4g}",
                f"{row.expected_mse:.4g}",
                f"{row.report_bytes:,}",
            )
            for row in self.rows[: notebook.MOST_ROWS]
        ]
        facts = {"k =": f"{self.k:,}", "n =": f"{self.n:,}", "repetitions:": self.repetitions}
        head = ("mechanism", "ε", "measured MSE", "expected MSE", "bytes a report")
        notes = [f"{name} is left out at ε = {at:g}: {rule}" for name, at, rule in self.left_out]
        more = len(self.rows) - len(rows)
        return notebook.table("Comparison", facts, head, rows, notes=notes, more=more)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row a mechanism and ε."""
        rows = [row.to_json() for row in self.rows]
        return frames.build({name: [row[name] for row in rows] for name in rows[0]}, library)
