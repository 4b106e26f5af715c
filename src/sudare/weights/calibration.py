"""Weights that make a skewed sample agree with what is public about the population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sudare.alignment import check_rows
from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, WrongTypeError, counted
from sudare.exact import as_integer
from sudare.weights.labels import as_codes, as_population, in_order
from sudare.weights.sample import Codes, Weights

TOLERANCE = 1e-9
"""Raked weights agree with every margin within this part of it."""
TOTALS = 1e-6
"""Margins contradict each other whose totals differ by more than this part."""


def poststratify(
    strata: Any, population: Mapping[Any, float], *, base: Weights | None = None
) -> Weights:
    """Return weights with which each stratum counts as much as it has people.

    ::

        w_r = d_r N_h / Σ_{s in h} d_s

    Args:
        strata: (n,) public labels of the respondents, such as age groups; tuples for crossed ones.
        population: share, or number, of people of each stratum.
        base: of the design, d; default equal weights.

    Raises:
        WrongTypeError, DomainError: not such labels or numbers; a label that the population lacks,
            or a stratum of the population without respondents.

    Source: Holt, Smith 1979.

    Examples:
        >>> import sudare as sd
        >>> w = sd.weights.poststratify(["young", "young", "young", "old"], {"young": 1, "old": 1})
        >>> w.values.round(3).tolist()
        [0.667, 0.667, 0.667, 2.0]
    """
    codes, labels = as_codes(strata, "strata")
    wanted = in_order(labels, as_population(population, "population"), "population")
    start = _base(base, len(codes), {"strata": strata})
    values = start.values * (wanted / np.bincount(codes, start.values))[codes]
    return _made(start, values, "poststratified", (codes,))


def rake(
    labels: Any,
    margins: Mapping[Any, Mapping[Any, float]],
    *,
    base: Weights | None = None,
    rounds: int = 1000,
) -> Weights:
    """Return weights that agree with several margins, where the crossed strata are not known.

    Iterative proportional fitting: the margins are met one after the other until all are, within
    1e-9. Of all weights that agree, these are closest to the base by ``Σ w log(w / d)``.

    Args:
        labels: of each margin the (n,) public labels of the respondents: a mapping, or a data
            frame with such columns.
        margins: of each the share, or number, of people of each label.
        base: of the design, d; default equal weights.
        rounds: most rounds over all margins.

    Raises:
        WrongTypeError, DomainError: not such labels or numbers; margins whose totals contradict
            each other; a label that a margin lacks, or one without respondents.
        EstimationError: the margins are not met after so many rounds: they contradict each other
            where crossed strata have no respondents.

    Source: Deming, Stephan 1940; Deville, Särndal, Sautory 1993.

    Examples:
        >>> import sudare as sd
        >>> who = {"sex": ["f", "f", "f", "m"], "age": ["old", "young", "old", "young"]}
        >>> sd.weights.rake(who, {"sex": {"f": 2, "m": 2}, "age": {"old": 1, "young": 3}})
        Weights(raked, n=4, from 0.5 to 2, effective_n=3)
    """
    if not isinstance(margins, Mapping) or not margins:
        raise WrongTypeError("margins", "must map names to populations", "see the example")
    most = as_integer(rounds, "rounds", low=1, high=10**6)
    codes, targets = [], []
    for name, population in margins.items():
        try:
            own = labels[name]
        except Exception:  # noqa: BLE001 - a mapping or any data frame, which raises what it likes
            raise DomainError("labels", "must have a column for each margin", got=name) from None
        places, known = as_codes(own, "labels")
        codes.append(places)
        targets.append(in_order(known, as_population(population, "margins"), "margins"))
    if len({len(one) for one in codes}) > 1:
        raise DomainError("labels", "must be of the same respondents in all columns")
    totals = [float(one.sum()) for one in targets]
    if max(totals) - min(totals) > TOTALS * max(totals):
        raise DomainError(
            "margins", "must have one total, or contradict each other", "correct them", got=totals
        )
    start = _base(base, len(codes[0]), {str(name): labels[name] for name in margins})
    shares = [one / one.sum() for one in targets]
    return _made(start, _raked(start.values, codes, shares, most), "raked", tuple(codes))


def _raked(start: Floats, codes: list[Codes], shares: list[Floats], most: int) -> Floats:
    """Return weights that add up to 1 and agree with all margins."""
    cells, places = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    places = places.reshape(-1)
    first = np.bincount(places, start)
    weight = first / first.sum()
    for _ in range(most):
        gap = 0.0
        for axis, wanted in enumerate(shares):
            factor = wanted / np.bincount(cells[:, axis], weight)
            gap = max(gap, float(np.abs(factor - 1).max()))
            weight = weight * factor[cells[:, axis]]
        if gap <= TOLERANCE:
            return np.asarray(start * (weight / first)[places])
        if not (np.isfinite(weight).all() and weight.min() > 0):
            break
    raise EstimationError(
        "margins",
        f"are not met after {most} rounds: they contradict each other, or crossed strata are empty",
        "merge strata, leave a margin out, or take more rounds",
    )


def _base(base: Any, n: int, columns: Mapping[str, Any]) -> Weights:
    """Return the design beneath, whose index is that of these columns."""
    if base is None:
        return Weights(np.ones(n), "design", _index=check_rows(columns))
    if not isinstance(base, Weights):
        raise WrongTypeError("base", "must be Weights", "use sudare.weights.design")
    if base.method != "design":
        raise DomainError("base", "must be of a design", "rake to all margins at once")
    if base.n != n:
        raise DomainError("base", f"must be of {counted(n, 'respondent')}", got=base.n)
    return replace(base, _index=check_rows(columns, base._index))


def _made(base: Weights, values: Floats, method: str, margins: tuple[Codes, ...]) -> Weights:
    even = values / values.sum() * values.size
    return Weights(even, method, margins, base._strata, base._clusters, base._index)
