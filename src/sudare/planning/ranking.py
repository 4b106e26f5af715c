"""``plan``: every mechanism's exact expected error for k, n and ε, best first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy.typing as npt

from sudare import fonts, frames, notebook, plots
from sudare.alignment import align
from sudare.errors import counted
from sudare.estimation.estimate import Target, check_target, normal_quantile
from sudare.exact import as_epsilon, as_integer
from sudare.guesses import Guessed
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.values import as_categories_count, as_shares

_MANY, _FAR = 100, 4


@dataclass(frozen=True, slots=True)
class Option:
    """One mechanism of a plan.

    Attributes:
        mechanism: ready to use.
        expected_mse: mean over the k cells of the expected squared error of a share.
        half_width: half the width of a typical 95 % interval, ``1.96 sqrt(expected_mse)``.
        report_bytes: length of one report.
        dominated_by: the name of one that never errs more, for those to compare with; else empty.
        shrunk_mse: the same error of ``method="shrunk"``, where the true shares are stated.
    """

    mechanism: FrequencyOracle
    expected_mse: float
    half_width: float
    report_bytes: int
    dominated_by: str = ""
    shrunk_mse: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the option as JSON data."""
        drawn = {} if self.shrunk_mse is None else {"shrunk_mse": self.shrunk_mse}
        return {
            "mechanism": self.mechanism.name,
            "expected_mse": self.expected_mse,
            "half_width_95": self.half_width,
            "report_bytes": self.report_bytes,
            "epsilon": self.mechanism.epsilon,
            "dominated_by": self.dominated_by,
            **drawn,
        }


@dataclass(frozen=True)
class Plan(Guessed):
    """Ranked options for one question; the first is the best. A sequence of :class:`Option`."""

    k: int
    n: int
    epsilon: Fraction
    target: Target
    options: tuple[Option, ...]

    def __iter__(self) -> Iterator[Option]:
        return iter(self.options)

    def __len__(self) -> int:
        return len(self.options)

    def __getitem__(self, index: int) -> Option:
        return self.options[index]

    @property
    def best(self) -> FrequencyOracle:
        """The mechanism with the least expected error."""
        return self.options[0].mechanism

    @property
    def mostly_noise(self) -> bool:
        """Whether a typical share of many categories is far below its interval's half width."""
        return self.k >= _MANY and self.options[0].half_width > _FAR / self.k

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of the figures, in sentences: empty for most plans."""
        out = []
        if self.k > self.n:
            out.append(
                f"more categories (k = {self.k:,}) than people (n = {self.n:,}): "
                "k is the number of categories, n that of people"
            )
        if self.options[0].half_width >= 1:
            out.append("no share can be told: its interval is wider than all shares from 0 to 1")
        elif self.mostly_noise:
            out.append(
                "most shares will be less than their noise: estimate by the method shrunk, too"
            )
        return tuple(out)

    def __repr__(self) -> str:
        head = f"Plan(k={self.k}, n={self.n}, epsilon={float(self.epsilon)}, {self.target})"
        rows = [
            f"  {o.mechanism.name:<12} expected MSE {o.expected_mse:.4g}  "
            f"95 % ± {o.half_width:.3g}  {counted(o.report_bytes, 'byte')}"
            + ("" if o.shrunk_mse is None else f"  shrunk {o.shrunk_mse:.4g}")
            for o in self.options
        ]
        return "\n".join([head, *rows, *(f"  note: {note}" for note in self.notes)])

    def plot(self, ax: Any = None) -> Any:
        """Draw how wide a typical 95 % interval is by each mechanism, on axes of matplotlib.

        Args:
            ax: axes of matplotlib; None for those of a new figure.

        Returns:
            The axes.

        Raises:
            MissingExtraError: matplotlib is not installed.
            WrongTypeError: no axes.
        """
        axes = plots.axes_for(ax)
        widths = {one.mechanism.name: one.half_width for one in self.options}
        pale = [one.mechanism.name for one in self.options if one.dominated_by]
        plots.draw_widths(axes, widths, pale)
        fonts.fit_given(axes)
        return axes

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        rows = [
            (
                o.mechanism.name,
                f"{o.expected_mse:.4g}",
                notebook.percent(o.half_width),
                f"{o.report_bytes:,}",
            )
            for o in self.options
        ]
        facts = {"k =": f"{self.k:,}", "n =": f"{self.n:,}", "ε =": float(self.epsilon)}
        head = ("mechanism", "expected MSE", "95 % interval ±", "bytes a report")
        facts = {**facts, "of the": self.target}
        return notebook.table("Plan", facts, head, rows, notes=self.notes)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row an option."""
        rows = [option.to_json() for option in self.options]
        return frames.build({name: [row[name] for row in rows] for name in rows[0]}, library)


def plan(
    k: int,
    n: int,
    epsilon: float | Fraction,
    target: Target = "population",
    *,
    shares: npt.ArrayLike | None = None,
) -> Plan:
    """Rank the mechanisms for one of ``k`` categories asked of ``n`` respondents.

    The expected errors are exact, f-terms included; for the population uniform true shares are
    assumed unless others are stated (which change all options by the same amount).

    Args:
        k: number of categories.
        n: number of respondents.
        epsilon: ε of the answer.
        target: whose shares the error is about.
        shares: (k,) what the true shares may be; the options then also tell what is left of the
            error after shrinking.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.

    Examples:
        >>> plan(k=43, n=49742, epsilon=4.0).best
        GRR(k=43, epsilon=4.0)
        >>> plan(k=10, n=49742, epsilon=1.0).best
        SubsetSelection(k=10, epsilon=1.0)
        >>> option = plan(k=1000, n=500, epsilon=1.0, shares=[0.5] + [0.5 / 999] * 999)[0]
        >>> option.expected_mse > 20 * option.shrunk_mse
        True
    """
    size, people = as_categories_count(k), as_integer(n, "n", low=1, high=2**62)
    exact = as_epsilon(epsilon)
    stated = None if shares is None else as_shares(align(shares, (None,), "shares"), size)
    ranked = rank(size, exact, people, check_target(target), shares=stated)
    z = normal_quantile(0.95)
    options = tuple(
        Option(
            mechanism=m,
            expected_mse=mse,
            half_width=z * math.sqrt(mse),
            report_bytes=m.report_bytes,
            dominated_by=_dominator(m, mse, ranked),
            shrunk_mse=None if stated is None else m.expected_mse(people, stated, target, "shrunk"),
        )
        for mse, m in ranked
    )
    return Plan(size, people, exact, target, options)


def _dominator(
    mechanism: FrequencyOracle, error: float, ranked: list[tuple[float, FrequencyOracle]]
) -> str:
    """Return the name of what dominates a mechanism; of the best where that one does not exist."""
    if not mechanism.dominated_by:
        return ""
    if any(other.name == mechanism.dominated_by for _, other in ranked):
        return mechanism.dominated_by
    least, best = ranked[0]
    return best.name if least <= error else ""
