"""``Levels``: a respondent picks among offered levels of ε, and says which in clear."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.alignment import check_rows
from sudare.errors import CollectionError, DomainError, EstimationError, WrongTypeError
from sudare.estimation import Counts, Estimate
from sudare.estimation.caution import Caution, few_reports
from sudare.estimation.combining import combine
from sudare.estimation.estimate import Target, check_target
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.bulk import in_blocks
from sudare.mechanisms.frequency import GRR, OUE, FrequencyOracle
from sudare.mechanisms.joint import JointRR
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.picked import OneOfParts, wire_of
from sudare.mechanisms.place.base import Place
from sudare.mechanisms.registry import from_json, register
from sudare.mechanisms.values import as_categories, as_category, as_shares, as_true_counts
from sudare.samplers import Levels as Program

MOST_LEVELS = 16
"""Most levels that can be offered."""

_OFFERED = (FrequencyOracle, JointRR, Place)
"""Families of which a level can be, each with others of its own."""

Part = FrequencyOracle | JointRR | Place


def _as_mechanisms(given: object) -> tuple[Part, ...]:
    remedy = "give one for each level, such as [sd.GRR(4, 0.5), sd.GRR(4, 1.0)]"
    if not isinstance(given, list | tuple) or not all(isinstance(m, _OFFERED) for m in given):
        raise WrongTypeError(
            "mechanisms", "must be frequency oracles, JointRR or places alone", remedy
        )
    if not 2 <= len(given) <= MOST_LEVELS:
        raise DomainError("mechanisms", f"must be 2 to {MOST_LEVELS} levels", got=len(given))
    family = next(one for one in _OFFERED if isinstance(given[0], one))
    if not all(isinstance(m, family) and m.shape == given[0].shape for m in given):
        raise DomainError("mechanisms", "must all be of one family, and of the same categories")
    if any(getattr(m, "labels", None) != getattr(given[0], "labels", None) for m in given):
        raise DomainError("mechanisms", "must all name their categories alike")
    if any(isinstance(m, Place) and _metres(m) != _metres(given[0]) for m in given):
        raise DomainError("mechanisms", "must all be about the same places")
    if any(m.studies_only for m in given):
        raise DomainError("mechanisms", "must each give a local privacy guarantee")
    asked = [m.requested_epsilon for m in given]
    if not all(one < next_ for one, next_ in pairwise(asked)):
        raise DomainError("mechanisms", "must stand in the order of their ε, each above the last")
    return tuple(given)


def _metres(place: Any) -> tuple[Any, Any]:
    """Return what tells how far apart places are: their grid, and their roads if these count."""
    return place.grid, getattr(place, "edges", None)


def _parse(data: Any) -> list[Part]:
    if not isinstance(data, list) or not data:
        raise CollectionError("mechanism.mechanisms", "must list the mechanism of each level")
    return [from_json(one, Mechanism) for one in data]  # type: ignore[misc]


_MECHANISMS = Parameter(
    name="mechanisms",
    read=lambda given, _: _as_mechanisms(given),
    write=lambda parts: [part.to_json() for part in parts],
    parse=_parse,
    show=lambda parts: f"[{', '.join(repr(one).partition('  #')[0] for one in parts)}]",
    attribute="parts",
    examples=(
        (GRR(2, 0.5), GRR(2, 2.0)),
        (JointRR([2, 3], gamma=3), JointRR([2, 3], gamma=9)),
        (OUE(3, 0.5), GRR(3, 1.0), GRR(3, 2.5)),
    ),
    bad=(
        *((value, WrongTypeError) for value in (None, 1, "GRR", GRR(3, 1.0), [1, 2])),
        *(
            (value, DomainError)
            for value in (
                [],
                [GRR(3, 1.0)],
                [GRR(3, 1.0), GRR(3, 1.0)],
                [GRR(3, 2.0), GRR(3, 1.0)],
                [GRR(3, 1.0), GRR(4, 2.0)],
                [GRR(6, 1.0), JointRR([2, 3], gamma=9)],
            )
        ),
    ),
)


@register
class Levels(OneOfParts):
    """Offer several levels of ε: each respondent picks one, and it is told along with the report.

    ::

        report (i, r): the level i in clear, r by mechanism i
        x = Σ_i s_i x_i,   s_i = n_i / n,  x_i estimated from the reports of level i   (unbiased)
        x = Σ_i w_i x_i,   w_i ∝ 1 / Var x_i                                           (pooled)

    The first is right however people pick: it adds up those of each level, of the respondents and
    of a population of which all together are a random sample. The second errs less, and is for a
    population in which the level says nothing of the answer; where it does, it is biased, and no
    report can show that more surely than :meth:`each`.

    Guarantee: a report at level i spends the ε of mechanism i (:attr:`epsilons`) on the answer,
    given the level; :attr:`epsilon` is the largest. The level itself is told: whoever picks it by
    the answer tells that much of the answer with it. Reports: (n, bytes) uint8, the wire form: the
    level, then its mechanism's report. Counts: of each level the number of its reports, then its
    support. Of places each ε is one for each metre. Source: Sei, Ohsuga 2014, discussion (γ of each
    user; groups of equal γ, added). Proof: ``docs/proofs/levels.md``.

    Args:
        mechanisms: of each level, by rising ε: 2 to 16 frequency oracles of one k,
            :class:`~sudare.JointRR` of one table, or mechanisms of the same places.

    Raises:
        WrongTypeError, DomainError: not such mechanisms.

    Examples:
        >>> import sudare as sd
        >>> m = sd.Levels([sd.GRR(3, 0.5), sd.GRR(3, 2.0)])
        >>> m.epsilons, m.report_bytes
        ((0.49999..., 1.99999...), 2)
        >>> counts = m.simulate([[300, 200, 100], [100, 200, 100]], rng=sd.Entropy.seeded(b"two"))
        >>> m.numbers(counts)
        (600, 400)
        >>> est = m.estimate(counts)
        >>> est.n, [est.method, m.estimate(counts, "pooled").method]
        (1000, ['unbiased', 'pooled'])
    """

    name: ClassVar[str] = "Levels"
    conformance: ClassVar[str] = "sudare.testing.levels"
    parameters: ClassVar[tuple[Parameter, ...]] = (_MECHANISMS,)
    methods: ClassVar[tuple[str, ...]] = ("unbiased", "pooled")
    __slots__ = ()
    parts: tuple[Part, ...]
    program: Program

    def __init__(self, mechanisms: Sequence[Part]) -> None:
        self._take(mechanisms=mechanisms)

    def _build(self) -> None:
        set_fields(
            self,
            program=Program(tuple(part.program for part in self.parts)),
            requested_epsilon=max(part.requested_epsilon for part in self.parts),
        )

    @property
    def covers(self) -> str:  # type: ignore[override] # of what the levels are
        """One answer; of places for each metre."""
        return f"{self.parts[-1].covers}, at the level that spends most; the level is told in clear"

    @property
    def epsilon(self) -> float:
        """The largest of :attr:`epsilons`."""
        return max(self.epsilons)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Realised ε of each level, rounded down; of places ε for each metre."""
        return tuple(part.epsilon for part in self.parts)

    @property
    def requested_epsilons(self) -> tuple[Fraction, ...]:
        """ε asked for of each level, exactly."""
        return tuple(part.requested_epsilon for part in self.parts)

    # -- the respondent's side ---------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return self.parts[0]._values(values)

    def _value(self, value: Any) -> tuple[int, Any]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise WrongTypeError("value", "must be a level and a value", "such as (0, 2)")
        level = as_category(value[0], len(self.parts))
        return level, self.parts[level]._value(value[1])

    def perturb(
        self, values: npt.ArrayLike, levels: npt.ArrayLike, *, rng: Randomness = None
    ) -> npt.NDArray[Any]:
        """Randomise the values of n respondents, each by the mechanism of the level picked.

        Args:
            values: as the mechanisms take them, respondents on axis 0.
            levels: (n,) whole numbers below the number of levels.
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            (n, bytes) uint8: reports in their wire form.

        Raises:
            WrongTypeError, DomainError: a value or a level is outside the domain; nothing is
                randomised or returned, and the message never shows the value.
        """
        check_rows({"values": values, "levels": levels})
        return in_blocks(self._draw, rng, values, levels, report_bytes=self.report_bytes)

    def _draw(
        self, values: npt.ArrayLike, levels: npt.ArrayLike, rng: Entropy
    ) -> npt.NDArray[np.uint8]:
        own, picked = self._values(values), as_categories(levels, len(self.parts))
        if len(own) != len(picked):
            raise DomainError("levels", "must be as many as values", "one for each respondent")
        return wire_of(self.program, *self.program.draw((picked, own), rng))

    # -- the analyst's side ------------------------------------------------------------------

    def numbers(self, counts: Counts) -> tuple[int, ...]:
        """Return how many reports each level has.

        Raises:
            EstimationError: counts of another mechanism, or of no reports.
        """
        self.check_counts(counts)
        return tuple(int(own[0]) for own in self.split(counts.support))

    def each(self, counts: Counts, target: Target = "population") -> tuple[Estimate | None, ...]:
        """Return the estimate of each level: of those alone who picked it; None of nobody.

        Args:
            counts: tally of the reports.
            target: whose shares the standard errors are about; the population is that of the
                people who would pick the level.

        Raises:
            EstimationError: counts of another mechanism, or of no reports.
        """
        self.check_counts(counts)
        return tuple(
            part.estimate(own, target=target) if own.n else None
            for part, own in zip(self.parts, self.levels(counts), strict=True)
        )

    def levels(self, counts: Counts) -> tuple[Counts, ...]:
        """Return the counts of each level, as those of its mechanism."""
        return tuple(
            Counts(own[1:].reshape(part.shape), int(own[0]), part.to_json())
            for part, own in zip(self.parts, self.split(counts.support), strict=True)
        )

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Estimate:
        """Estimate the shares of all together.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: each level's estimate by its share of the respondents;
                ``"pooled"``: by its accuracy, for a population in which people pick the level
                independently of the answer (:func:`sudare.combine`).
            target: whose shares the standard errors are about.

        Raises:
            EstimationError: no reports, counts of another mechanism, or the respondents pooled:
                who picked another level may answer otherwise.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        pooled = asked.method == "pooled"
        if pooled and asked.target == "respondents":
            raise EstimationError(
                "target", "must be the population where levels are pooled", "take unbiased"
            )
        groups = [one for one in self.each(counts, asked.target) if one is not None]
        together = combine(groups, independent=pooled, chosen=not pooled)
        return asked.answer(
            Estimate,
            _cautions(groups),
            labels=together.labels,
            shares=together.shares,
            stderr=together.stderr,
            _law=together._law,
        )

    def expected_mse(
        self,
        n: int,
        shares: npt.ArrayLike | None = None,
        target: Target = "population",
        picked: Sequence[float] | None = None,
    ) -> float:
        """Expected mean squared error of the unbiased shares, before anything is collected.

        ::

            E = Σ_i s_i E_i,   E_i that of n respondents of level i, all alike in their answers

        Args:
            n: number of respondents.
            shares: true shares; None stands for uniform ones.
            target: whose shares the error is about.
            picked: share of the respondents who pick each level; None for as many each.

        Raises:
            WrongTypeError, DomainError: n < 1, shares that do not sum to 1, or places, whose error
                depends on where people can be.
        """
        whose = check_target(target)
        if isinstance(self.parts[0], Place):
            raise DomainError("mechanisms", "must not be of places", "plan a survey that asks them")
        parts = as_shares(picked, len(self.parts), argument="picked")
        each: tuple[Any, ...] = self.parts
        own = [part.expected_mse(n, shares, whose) for part in each]
        return float(parts @ np.array(own))

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents with these true counts would produce: exact in law.

        Args:
            true_counts: whole numbers >= 0, (levels, ...) in the shape of the table.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not counts of that shape.
        """
        labels = getattr(self.parts[0], "labels", None)
        shape = (len(self.parts), *self.parts[0].shape)
        truth = as_true_counts(true_counts, *shape, labels=labels)
        entropy, rows = as_entropy(rng), []
        for part, own in zip(self.parts, truth, strict=True):
            drawn = part.simulate(own, rng=entropy).support if own.any() else own
            rows.append(np.append(own.sum(), drawn))
        return self._counts(np.concatenate(rows).astype(np.int64), int(truth.sum()))


def _cautions(groups: Sequence[Estimate]) -> tuple[Caution, ...]:
    """Return that few reports are expected of cells: of those for which every level says so."""
    each = [{cell for one in group.warnings for cell in one.cells} for group in groups]
    cells = sorted(set.intersection(*each))
    return (few_reports(cells, groups[0].shares.shape),) if cells else ()
