"""``Weights``: how much each respondent counts, and how the sample was drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sudare.alignment import check_rows
from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError
from sudare.estimation import Estimate, NumberEstimate, Quantity, TableEstimate, as_table
from sudare.estimation.caution import FEW, FEW_REPORTS, Caution
from sudare.estimation.memory import require_memory
from sudare.mechanisms import FrequencyOracle, Mechanism
from sudare.mechanisms.crossed import TOGETHER, as_questions
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.scores import scores
from sudare.samplers import Product
from sudare.weights.law import Groups, Question, Range, Tested, WeightedLaw

Codes = npt.NDArray[np.intp]

FEW_UNITS = 10
"""Units of strata below which the intervals say that they are rough."""

_WEIGHTS = 64
"""Different weights from which on they are taken in as many groups."""

_ALONE = 1 - 1e-9
"""Leverage of a respondent who alone decides the weighted mean of a stratum."""


@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    """How much each of n respondents counts.

    Attributes:
        values: (n,) float64 above 0, 1 on the average.
        method: ``"design"``, ``"poststratified"`` or ``"raked"``.
    """

    values: Floats
    method: str
    _margins: tuple[Codes, ...] = ()
    _strata: Codes | None = None
    _clusters: Codes | None = None
    _index: Any = None  # of pandas: which row each respondent is

    def __repr__(self) -> str:
        low, high = float(self.values.min()), float(self.values.max())
        return (
            f"Weights({self.method}, n={self.n}, from {low:.3g} to {high:.3g}, "
            f"effective_n={self.effective_n:.0f})"
        )

    @property
    def n(self) -> int:
        """Number of respondents."""
        return self.values.size

    @property
    def effective_n(self) -> float:
        """``(Σ w)² / Σ w²``: respondents of equal weight that would tell as much (Kish 1965)."""
        return float(self.values.sum() ** 2 / (self.values**2).sum())

    def estimate(
        self, mechanism: Mechanism, reports: npt.ArrayLike
    ) -> Estimate | TableEstimate | NumberEstimate:
        """Estimate what the population holds from the reports of the weighted respondents.

        ::

            x = Σ_r w_r y_r / Σ_r w_r,   y_r: what report r says, unbiased
            e_r = (y_r - fit_r) / sqrt(1 - h_r)
            z_c = Σ_{r in c} w_r e_r / Σ w
            Var x = Σ_s m_s / (m_s - 1) Σ_{c in s} (z_c - mean_s)²

        with fit the regression of y on what the weights were made to agree with (strata: their
        weighted means; margins: their sums), h its leverage, c the clusters (respondents, where
        there are none) and s the strata of the design with m_s clusters; without both
        ``Σ_r z_r²``. Where few respondents decide, it is at least ``mean(e²) Σ w² / (Σ w)²``.
        As y_r varies by who was asked and by what the device drew, so does z_c: the
        standard error holds randomisation, sampling and weighting. Clusters are taken as drawn
        with replacement, which is on the safe side. The target is the population.

        Args:
            mechanism: that made the reports: of one of k categories, of several attributes
                (JointRR), or of the mean of a number.
            reports: of the n respondents, in the order of the weights.

        Returns:
            An :class:`~sudare.Estimate`; of several attributes one with ``marginal`` and
            ``dependence``; of a number one with ``mean``. Intervals are by a score test of each
            share, mean, sum or difference by the mechanism's law there (Laud 2017); of sums over a
            table whose weights are no product by Student's law, moved as far as it is skewed
            (Johnson 1978). It holds n rows of numbers a cell.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports.
            EstimationError: not as many as weights, a mechanism of another family, or a respondent
                who is alone in a stratum.

        Source: Särndal, Swensson, Wretman 1992, section 7.6 (post-stratification); Deville, Särndal
        1992 (raking: as regression); Chaudhuri 2011 (randomised reports in designs).

        Examples:
            >>> import sudare as sd
            >>> m = sd.GRR(2, 3.0)
            >>> age = ["young"] * 60 + ["old"] * 40
            >>> reports = m.perturb([1] * 60 + [0] * 40, rng=sd.Entropy.seeded(b"weights"))
            >>> half = sd.weights.poststratify(age, {"young": 1, "old": 1})
            >>> half.estimate(m, reports).shares.round(2).tolist()
            [0.5, 0.5]
        """
        check_rows({"reports": reports}, self._index)
        y = scores(mechanism, reports)
        labels = getattr(mechanism, "labels", None)
        parts = mechanism.parts if isinstance(mechanism, Joint) else (mechanism,)
        return self._estimated(y, mechanism.epsilon, mechanism.covers, parts, labels)

    def cross(
        self, mechanisms: Sequence[FrequencyOracle], reports: Sequence[npt.ArrayLike]
    ) -> TableEstimate:
        """Estimate the joint table of two or three questions in the population.

        Args:
            mechanisms, reports: as of :func:`sudare.cross`, of the n respondents in the order of
                the weights.

        Returns:
            As :meth:`estimate` of several attributes.

        Raises:
            WrongTypeError, ReportError, DomainError, EstimationError: as of both.

        Examples:
            >>> import sudare as sd
            >>> m = sd.GRR(2, 4.0)
            >>> tea, cups = ([0, 1, 1, 1, 0] * 20 for _ in range(2))
            >>> w = sd.weights.poststratify(tea, {0: 1, 1: 1})
            >>> w.cross([m, m], [tea, cups]).shares.round(2).tolist()
            [[0.52, -0.02], [-0.02, 0.52]]
        """
        own = as_questions(mechanisms, reports)
        check_rows({f"reports[{at}]": one for at, one in enumerate(reports)}, self._index)
        y: Floats = np.ones((self.n, 1))
        for m, rows in zip(own, reports, strict=True):
            each = scores(m, rows)
            self._check(len(each))
            y = (y[:, :, None] * each[:, None, :]).reshape(self.n, -1)
        epsilon = Product(tuple(m.program for m in own)).epsilon
        shape = tuple(m.k for m in own)
        table = self._estimated(y.reshape(self.n, *shape), epsilon, TOGETHER, own)
        return cast(TableEstimate, table)  # of two attributes at least

    def _check(self, n: int) -> None:
        if n != self.n:
            raise EstimationError("reports", f"must be {self.n}, one a weight", got=n)

    def _estimated(
        self,
        y: Floats,
        epsilon: float,
        covers: str,
        parts: Sequence[Any],
        labels: tuple[str, ...] | None = None,
    ) -> Estimate | TableEstimate | NumberEstimate:
        """Return the estimate of what the reports say: a row a respondent."""
        self._check(len(y))
        low, span = (parts[0].low, parts[0].high - parts[0].low) if y.ndim == 1 else (0.0, 1.0)
        flat = (y.reshape(self.n, -1) - low) / span
        cells = flat.shape[1]
        require_memory(24 * cells * self.n, "reports", "estimate sub-tables")
        x = self.values @ flat / self.values.sum()
        told: dict[str, Any] = {
            "n": self.n,
            "epsilon": epsilon,
            "covers": covers,
            "method": self.method,
            "target": "population",
            "warnings": self._cautions(),
        }
        units, groups, fits, freedom = self._units(flat)
        law = WeightedLaw(x, freedom, units, groups, fits)
        if y.ndim == 1:
            m = parts[0]
            said = (m.numbers - low) / span
            moments = np.stack([said**2, said**3]) @ m.channel.dense()
            spread = Tested.of_number(law, moments)
            mean = Quantity(
                low + span * float(x[0]),
                span * float(law.stderr[0]),
                _bounds=Range(spread, low, span),
            )
            return NumberEstimate(mean=mean, **told)
        questions = tuple(Question.of(m.law, m.k) for m in parts)
        law = replace(law, questions=questions, sizes=y.shape[1:], kept=tuple(range(y.ndim - 1)))
        whole = Estimate(shares=x, stderr=law.stderr, labels=labels, _law=law, **told)
        return whole if y.ndim == 2 else as_table(whole, y.shape[1:])

    def _cautions(self) -> tuple[Caution, ...]:
        if self.effective_n < FEW:
            text = "weights count as fewer than 30 respondents: the intervals are rough"
        elif (units := self._freedom() + 1) < FEW_UNITS:
            text = f"strata of few decide the error as if of {units:.0f} units: intervals are rough"
        else:
            return ()
        return (Caution(text, FEW_REPORTS),)

    def _freedom(self) -> float:
        """Return the degrees of freedom, as if all units vary alike: the least of any division.

        ::

            (Σ_h a_h)² / Σ_h (a_h² / (m_h - 1)),   a_h: the sum of w² of the m_h units of h

        Source: Satterthwaite 1946.
        """
        units = np.arange(self.n) if self._clusters is None else self._clusters
        weight = np.bincount(units, self.values)
        drawn = np.zeros(len(weight), np.intp)
        if self._strata is not None:
            drawn[units] = self._strata
        found = math.inf
        margins = (*self._margins, *((self._cells,) if len(self._margins) > 1 else ()))
        for own, w in ((drawn, weight), *((margin, self.values) for margin in margins)):
            part = np.bincount(own, w * w) / (w @ w)
            many = np.maximum(np.bincount(own) - 1, 1)
            found = min(found, 1 / float((part * part / many).sum()))
        return found

    @property
    def _cells(self) -> Codes:
        """Which cell of the crossed margins each respondent is in."""
        crossed = np.stack(self._margins, axis=1)
        return np.unique(crossed, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)

    def _grouped(self, fit: Floats, leverage: Floats) -> tuple[Groups, Floats]:
        """Return respondents of about one weight in a cell of the margins, and what fits them."""
        weight = np.unique(self.values, return_inverse=True)[1].reshape(-1)
        if int(weight.max()) >= _WEIGHTS:
            edges = np.quantile(self.values, np.linspace(0, 1, _WEIGHTS + 1)[1:-1])
            weight = np.searchsorted(edges, self.values)
        keys = np.stack([*self._margins, weight], axis=1)
        found = np.unique(keys, axis=0, return_index=True, return_inverse=True, return_counts=True)
        _, some, places, many = found
        part = self.values / self.values.sum()
        codes, freed = places.reshape(-1), np.maximum(1 - leverage, 1e-12)
        first, second, third = (
            np.bincount(codes, one).astype(np.float64) for one in (part, part**2 / freed, part**3)
        )
        way = first / many
        return Groups(first, second, third, way / way.max()), fit[some]

    def _units(self, y: Floats) -> tuple[Floats, Groups, Floats, float]:
        """Return what each unit adds to the variance of the weighted means, groups of respondents,
        what fits these, and the freedom of the units.

        Where few decide, the variance is at least that of as many respondents who vary as all do:
        it is met by two rows a cell that differ in their sign.
        """
        fit, leverage, columns = self._fitted(y)
        residuals = (y - fit) / np.sqrt(np.maximum(1 - leverage, 1e-12))[:, None]
        part = self.values / self.values.sum()
        least = (residuals**2).mean(axis=0) * (part @ part)
        units, freedom = self._seen(residuals * part[:, None], columns)
        if (rough := self._freedom()) < FEW_UNITS - 1:
            lacks = np.diag(np.sqrt(np.maximum(least - (units**2).sum(axis=0), 0) / 2))
            units = np.concatenate([units, lacks, -lacks])
        return units, *self._grouped(fit, leverage), min(freedom, rough)

    def _seen(self, residuals: Floats, columns: int) -> tuple[Floats, float]:
        """Return what each unit was seen to add, and the freedom of as many units."""
        if self._strata is None and self._clusters is None:
            return residuals, float(self.n - columns)
        units = np.arange(self.n) if self._clusters is None else self._clusters
        sums = np.zeros((int(units.max()) + 1, residuals.shape[1]))
        np.add.at(sums, units, residuals)
        strata = np.zeros(len(sums), np.intp)
        if self._strata is not None:
            strata[units] = self._strata
        many = np.bincount(strata)
        means = np.zeros((len(many), residuals.shape[1]))
        np.add.at(means, strata, sums)
        sums -= (means / many[:, None])[strata]
        sums *= np.sqrt(many / (many - 1))[strata, None]
        return sums, float(len(sums) - len(many))

    def _fitted(self, y: Floats) -> tuple[Floats, Floats, int]:
        """Return what the calibration fits of y, its leverages, and how many numbers it fits."""
        margins = self._margins or (np.zeros(self.n, np.intp),)
        cells, places = np.unique(np.stack(margins, axis=1), axis=0, return_inverse=True)
        places = places.reshape(-1)
        design = np.concatenate([np.eye(int(c.max()) + 1)[c] for c in cells.T], axis=1)
        weight = np.bincount(places, self.values)
        normal = design.T @ (weight[:, None] * design)
        sums = np.zeros((len(cells), y.shape[1]))
        np.add.at(sums, places, self.values[:, None] * y)
        inverse = np.linalg.pinv(normal, hermitian=True)
        fit = design @ (inverse @ (design.T @ sums))
        leverage = self.values * ((design @ inverse) * design).sum(axis=1)[places]
        if self._margins and leverage.max() > _ALONE:
            raise EstimationError(
                "weights", "must leave no respondent alone in a stratum", "merge strata"
            )
        return fit[places], leverage, int(np.linalg.matrix_rank(normal))


def design(
    n: int | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    strata: Any = None,
    clusters: Any = None,
) -> Weights:
    """Return the weights of a design: how likely each respondent was drawn, and together with whom.

    Args:
        n: number of respondents, where nothing else tells it.
        weights: (n,) above 0, such as 1 / the chance to be drawn; default equal ones.
        strata: (n,) labels of the strata from which respondents, or clusters, were drawn apart.
        clusters: (n,) labels of what was drawn: households, classes, villages. A label means one
            cluster within its stratum.

    Raises:
        WrongTypeError, DomainError: not such numbers or labels, or of different lengths.
        EstimationError: a stratum with one cluster: how far clusters differ is unknown there.

    Examples:
        >>> import sudare as sd
        >>> sd.weights.design(weights=[1, 1, 2, 2], clusters=["a", "a", "b", "c"])
        Weights(design, n=4, from 0.667 to 1.33, effective_n=4)
    """
    from sudare.weights.labels import as_codes, as_positive, one_length

    index = check_rows({"weights": weights, "strata": strata, "clusters": clusters})
    values = None if weights is None else as_positive(weights, "weights")
    drawn = None if strata is None else as_codes(strata, "strata")[0]
    groups = None if clusters is None else as_codes(clusters, "clusters")[0]
    size = one_length(n, {"weights": values, "strata": drawn, "clusters": groups})
    if groups is not None and drawn is not None:
        pairs = np.stack([drawn, groups], axis=1)
        groups = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)
    _check_units(size, drawn, groups)
    own = np.ones(size) if values is None else values / math.fsum(values) * size
    return Weights(own, "design", (), drawn, groups, index)


def _check_units(n: int, strata: Codes | None, clusters: Codes | None) -> None:
    """Refuse strata of one unit: nothing tells how far units differ there."""
    if n < 2:
        raise DomainError("n", "must be at least 2", got=n)
    units = np.arange(n) if clusters is None else clusters
    owners = np.zeros(int(units.max()) + 1, np.intp)
    if strata is not None:
        owners[units] = strata
    what = "respondents" if clusters is None else "clusters"
    if (strata is not None or clusters is not None) and np.bincount(owners).min() < 2:
        raise EstimationError("strata", f"must hold at least two {what} each", "merge strata")
