"""The distribution of a number: likely reports around its bin, undone by maximum likelihood."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation import Counts, Estimate
from sudare.estimation.caution import FEW
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.conclude import MethodResult
from sudare.estimation.distribution import Distribution
from sudare.estimation.em import FEWEST_LEFT_OUT, Fit
from sudare.estimation.estimate import Target
from sudare.estimation.smoothing import iterate, neighbours_of_grid
from sudare.exact import exp_bounds
from sudare.exact.entropy import Randomness, as_entropy
from sudare.mechanisms.number.base import Number
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.window import WIDTH, Window
from sudare.mechanisms.parameters import Parameter, whole
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_true_counts
from sudare.samplers import Table
from sudare.samplers.base import index_dtype

MOST_BINS = 512

_SMOOTHED = 64  # bins from which neighbours are taken to be alike


@register
class SquareWave(Binned, Number):
    """The number's bin, or a report near it, or any other, unlikelier by e^ε: for distributions.

    ::

        report j of 0..bins - 1 + 2 b has the weight e^ε where |j - b - bin| <= b, else 1
        b = floor(bins (ε e^ε - e^ε + 1) / (2 e^ε (e^ε - 1 - ε)))

    Guarantee: ε-local differential privacy of one answer (any two numbers are neighbours).
    Reports: (n,) indices in [0, bins + 2 b).

    Args:
        epsilon: ε of one answer, 0.001 to 20.
        low, high: the ends of the range, within ±1e100.
        bins: equal parts of the range, 2 to 512.

    Raises:
        WrongTypeError, DomainError: not such a range, or number of bins.
        WrongTypeError, PrivacyError: ε is out of range.

    Source: Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li 2020, sections 5.2 to 5.5: the square wave of
    discrete bins and its b; the integers are ours.

    Examples:
        >>> import sudare as sd
        >>> m = sd.SquareWave(epsilon=2.0, low=0, high=100, bins=4)
        >>> m.edges.tolist()
        [0.0, 25.0, 50.0, 75.0, 100.0]
        >>> counts = m.simulate([1000, 5000, 3000, 1000], rng=sd.Entropy.seeded(b"example"))
        >>> est = m.estimate(counts, "mle")
        >>> est.shares.round(1).tolist(), round(est.mean(m.centres).value)
        ([0.1, 0.5, 0.3, 0.1], 48)
    """

    name: ClassVar[str] = "SquareWave"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *Number.parameters,
        whole("bins", 2, MOST_BINS, examples=(4, 2, 8)),
    )
    methods: ClassVar[tuple[str, ...]] = ("unbiased", "em", "smoothed", "mle")
    __slots__ = ("bins",)
    program: Table
    bins: int

    def __init__(
        self, epsilon: float | Fraction, low: float = -1.0, high: float = 1.0, bins: int = 64
    ) -> None:
        self._take(epsilon=epsilon, low=low, high=high, bins=bins)

    def _build(self) -> None:
        self._check_edges()
        asked = self.requested_epsilon
        gamma = exp_bounds(asked)[0]
        law = Window.of(gamma, self.bins - 1, 2 * _reach(asked, gamma, self.bins) + 1)
        self._settle(Table.from_weights(law.rows(), WIDTH))

    @property
    def table(self) -> Table:
        """The law from a bin to a report, in 64-bit integers."""
        return self.program

    # -- the respondent's side ---------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return self.bins_of(values).astype(index_dtype(self.bins))

    # -- the analyst's side ------------------------------------------------------------------

    def estimate(
        self, counts: Counts, method: str = "em", target: Target = "population"
    ) -> Estimate:
        """Estimate the share of the people in each bin; ``.mean(m.centres)`` is their mean.

        Args:
            counts: tally of the reports.
            method: ``"em"``: EM maps from equal shares, as many as predict reports left out;
                ``"smoothed"``: EM maps, each followed by an average over neighbouring bins, for
                64 bins or more; ``"mle"``: the most likely shares; ``"unbiased"``: the
                least-squares inverse, not clipped, with standard errors: of the mean, and of shares
                for a large ε and few bins. Those of the others come from :func:`sudare.bootstrap`.
            target: whose shares the standard errors are about.

        Raises:
            EstimationError: no reports (``"em"``: fewer than 100), or counts of another mechanism.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        if method == "unbiased":
            law = ChannelLaw(self.channel, counts.support, counts.n, asked.target)
            found = MethodResult(law.shares, self._few(law.shares, counts.n), law)
        else:
            fit = self._fitted(counts, method)
            found = MethodResult(fit.shares, self._few(fit.shares, counts.n), rule=fit.rule)
        return asked.conclude(found, Estimate)

    def distribution(self, counts: Counts, target: Target = "population") -> Distribution:
        """As every mechanism of bins: of the unbiased shares; shown are those by EM."""
        estimate = self.estimate(counts, "unbiased", target)
        early = "em" if counts.n >= FEWEST_LEFT_OUT else "mle"
        method = "smoothed" if self.bins >= _SMOOTHED else early
        return Distribution(self.edges, estimate, self._fitted(counts, method).shares)

    def _edge_variances(self, n: int, target: Target) -> Floats:
        below = np.arange(1, self.bins) / self.bins
        scores = np.cumsum(self.channel.inverse, axis=0)[:-1]
        known = below * below if target == "population" else below
        out: Floats = (scores**2 @ self.channel.matrix.mean(axis=1) - known) / n
        return out

    def _few(self, shares: Floats, n: int) -> npt.NDArray[np.bool_]:
        """Bins whose own report is expected fewer than 30 times."""
        side = (self.program.outputs - self.bins) // 2
        own = self.channel.apply(shares.clip(0))[side : side + self.bins]
        few: npt.NDArray[np.bool_] = n * own < FEW
        return few

    def _fitted(self, counts: Counts, method: str) -> Fit:
        even = np.full(self.bins, 1 / self.bins)
        return iterate(
            method, self.channel, counts.support, even, lambda x: neighbours_of_grid(x, 1, x.size)
        )

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents in these bins would produce: the exact law of the tally.

        Args:
            true_counts: (bins,) whole numbers >= 0.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not such counts.
        """
        truth = as_true_counts(true_counts, self.bins)
        drawn = self._reports_of(truth, as_entropy(rng).generator())
        return self._counts(drawn, int(truth.sum()))


def _reach(epsilon: Fraction, gamma: Fraction, bins: int) -> int:
    """Return b: how many reports on each side of the bin's own are as likely."""
    part = (epsilon * gamma - gamma + 1) / (2 * gamma * (gamma - 1 - epsilon))
    return floor(bins * part)
