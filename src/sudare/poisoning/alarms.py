"""Alarms: what honest devices would hardly have sent, with how often that happens all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.counts import as_counts
from sudare.mechanisms import GRR, KeyValue, Mechanism
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.values import as_floats
from sudare.poisoning.band_limits import Banded, BandLimits
from sudare.poisoning.bits import bit_count_rates
from sudare.poisoning.distributions import deciles_within, mean_of_bins
from sudare.poisoning.false_alarms import BETAS, DIGITS, FOUR_SIGMA, MOST_TRIALS
from sudare.poisoning.feasible import honest_rates, infeasible
from sudare.poisoning.key_alarms import key_alarms
from sudare.poisoning.recovery import recover
from sudare.poisoning.sampled_groups import SampledEstimate
from sudare.poisoning.sums import ScaleMean, scale_mean, with_tables
from sudare.poisoning.validation import as_beta


def alarms(
    mechanism: Mechanism,
    counts: Counts,
    *,
    index_control: bool = False,
    bits: npt.ArrayLike | None = None,
    false_alarm: float = FOUR_SIGMA,
    sizes: Sequence[int] | None = None,
    scores: npt.ArrayLike | None = None,
) -> dict[str, Any]:
    """Return what looks poisoned in the counts of a question, as JSON data.

    Of key-value reports:

    - **count** (where a report names a drawn key): the reports about a key against Bin(n, 1/d). The
      alarm is raised from the least count on whose exact upper tail is at most that of 4 standard
      deviations, 3.2e-5 a key.
    - **feasibility**: twice the log-likelihood ratio of any law of the key's reports against the
      most likely one of honest devices, above 22. Honest ones exceed it with at most 1.7e-5 a key
      in the limit of many reports, and in no enumerated case of few with more than 1e-4.
    - **bands**: see :func:`manipulation_band`, for 1, 2, 5 and 10 % of fakes among all n reports;
      within [0, 1] and [-1, 1]. Where devices draw the keys, all β n fakes may stand in any one
      key's reports; where the collector does, the share β of each key's. ``moved`` is the largest
      distance of an end of the bands of frequencies from the inversion of all reports, and
      ``moved_drawn`` what it were had the collector drawn the keys.

    Of every other kind:

    - **feasibility**: each cell's count against the largest and the least chance with which any
      honest answer supports it (:func:`~sudare.poisoning.feasible.infeasible`); where reports are
      rows of bits, all supports together too: shares that add up to far more or less than 1.
    - **bits**: how many reports have 0, 1, ... ones, against their law, where that is counted.
    - **bands**: ``low``, ``high`` of each estimate, within what the truth lies between, and
      ``moved``, the largest distance of an end from the estimate, both as they are; empty where no
      estimate is linear, or nothing collected. Of pairs the estimates are the cells of all pairs in
      their order, then of each attribute alone, of sampled attributes those of each: all fakes may
      be about one pair or attribute, but where the collector has drawn it
      (:mod:`sudare.poisoning.sampled_groups`). A sum of cells can be moved further than any one of
      them: with ``sizes`` the tables of every two attributes, where these are not all, and of each
      alone follow the cells. With ``scores`` there is ``mean``: ``low``, ``high`` and ``moved`` of
      the mean of those who answered, or None where it may be that nobody honest has
      (:mod:`sudare.poisoning.sums`). Of a distribution the estimates are the shares below the inner
      edges; beside them stand ``mean``, that of the middles of the bins, and nine ``deciles``,
      ``p``, ``low`` and ``high`` of each (:mod:`sudare.poisoning.distributions`).

    No alarm does not say that there are no fakes, and an alarm not which reports are. Fakes that
    answer as an honest device with their answer would are never seen.

    Args:
        mechanism: what was collected by.
        counts: of all reports.
        index_control: the collector drew the keys of key-value reports, or the pairs or attributes
            of sampled ones.
        bits: (k + 1,) how many reports have 0, 1, ... ones (:func:`bit_counts` counts them).
        false_alarm: with how much chance honest reports may raise the alarm. Key-value data have
            their own, a key.
        sizes: of the attributes whose cells a frequency oracle, or a joint mechanism, reports, the
            last attribute fastest.
        scores: one for each category, None or NaN for none (did not answer).

    Returns:
        ``raised`` and ``bands`` always. Of key-value data ``many`` and ``infeasible``, the keys of
        each alarm; ``reports``, ``z`` and ``ratio`` of each key; ``count`` and ``feasibility``, the
        rules with their false-alarm rates for a key and for any of d keys (Bonferroni);
        ``index_control``. Of others ``above`` and ``below``, the cells with too many and too few;
        ``ones``, None or "many" or "few"; ``bits``, the numbers of ones that occur too often or too
        seldom, None where they were not counted; ``false_alarm``, of all together; ``tested``,
        whether anything could be; ``recovered``, for each share of fakes the ``shares`` that
        :func:`recover` guesses, where an alarm is raised on GRR or a unary encoding, else None.
        Figures have six decimal places.

    Raises:
        WrongTypeError: no mechanism, or no flag.
        DomainError: not such a chance, or sizes or scores not those of the categories.
        EstimationError: no counts of this mechanism, or of more than 2**40 reports.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKV(d=3, epsilon=1.0)
        >>> honest = m.simulate(3000, [0.5, 0.5, 0.5], [0, 0, 0], rng=sd.Entropy.seeded(b"a"))
        >>> sd.poisoning.alarms(m, honest)["raised"]
        False
        >>> fakes = sd.poisoning.M2GA([1]).simulate(m, 300)
        >>> sd.poisoning.alarms(m, honest + fakes)["many"]
        [1]
        >>> oue = sd.OUE(k=43, epsilon=1.0)
        >>> answers = oue.simulate([200] * 43, rng=sd.Entropy.seeded(b"a"))
        >>> all_ones = sd.Counts([400] * 43, 400)
        >>> sd.poisoning.alarms(oue, answers + all_ones)["ones"]
        'many'
    """
    if not isinstance(mechanism, Mechanism):
        raise WrongTypeError("mechanism", "must be a mechanism", "such as sudare.GRR(4, 1.0)")
    if not isinstance(index_control, bool):
        raise WrongTypeError("index_control", "must be True or False")
    _check(mechanism, counts)
    own = _alarms_of_family(mechanism, counts, index_control)
    if own is not None:
        return own
    found = with_tables(mechanism, counts, sizes) if counts.n else None
    mean: Banded | ScaleMean | None = mean_of_bins(mechanism, counts) if counts.n else None
    if counts.n and scores is not None and mean is None:
        mean = scale_mean(mechanism, counts, scores)
    if isinstance(found, SampledEstimate):
        found = replace(found, drawn=index_control)
    if isinstance(mean, SampledEstimate):
        mean = replace(mean, drawn=index_control)
    bands = _bands(mechanism, found, mean)
    return _cell_alarms(mechanism, counts, bits, as_beta(false_alarm, "false_alarm"), bands)


@singledispatch
def _alarms_of_family(
    mechanism: Mechanism, counts: Counts, index_control: bool
) -> dict[str, Any] | None:
    """Return the alarms of a family that has its own; None of all others, looked at by cell."""
    return None


@_alarms_of_family.register
def _(mechanism: KeyValue, counts: Counts, index_control: bool) -> dict[str, Any]:
    return key_alarms(mechanism, counts, index_control)


def _cell_alarms(
    mechanism: Mechanism,
    counts: Counts,
    bits: npt.ArrayLike | None,
    false_alarm: float,
    bands: list[dict[str, Any]],
) -> dict[str, Any]:
    cells, ones = honest_rates(mechanism), None if bits is None else bit_count_rates(mechanism)
    level = false_alarm if ones is None else false_alarm / 2
    found = None if cells is None else infeasible(cells, counts.support, counts.n, level)
    odd = None
    if ones is not None:
        counted = as_floats(bits, "bits", ones.low.shape, remedy="how many reports have 0, 1, ...")
        if counted.min() < 0 or counted.sum() != counts.n:
            raise DomainError("bits", f"must be counts that add up to {counts.n:,}")
        parts = infeasible(ones, counted, counts.n, level)
        odd = np.flatnonzero(parts.above | parts.below).tolist()
    raised = bool((found is not None and found.raised) or odd)
    return {
        "raised": raised,
        "tested": found is not None,
        "above": [] if found is None else np.flatnonzero(found.above).tolist(),
        "below": [] if found is None else np.flatnonzero(found.below).tolist(),
        "ones": None if found is None else found.ones,
        "bits": odd,
        "false_alarm": false_alarm,
        "bands": bands,
        "recovered": _recovered(mechanism, counts) if raised else None,
    }


def _bands(
    mechanism: Mechanism, estimate: Banded | None, mean: Banded | ScaleMean | None
) -> list[dict[str, Any]]:
    if estimate is None:
        return []
    out = []
    for beta in BETAS:
        found = estimate.band(beta)
        told = {"beta": beta, **_told(found)}
        if mean is not None:
            told["mean"] = _of_one(mean.band(beta))
        deciles = deciles_within(mechanism, found)
        if deciles is not None:
            told["deciles"] = deciles
        out.append(told)
    return out


def _told(end: BandLimits) -> dict[str, Any]:
    return {
        "moved": round(end.moved, DIGITS),
        "low": end.low.round(DIGITS).tolist(),
        "high": end.high.round(DIGITS).tolist(),
    }


def _of_one(end: BandLimits | None) -> dict[str, float] | None:
    if end is None:
        return None
    told = _told(end)
    return {"moved": told["moved"], "low": told["low"][0], "high": told["high"][0]}


@singledispatch
def _recovered(mechanism: Mechanism, counts: Counts) -> list[dict[str, Any]] | None:
    """Return the shares if so many were fakes of one category each, spread evenly (LDPRecover)."""
    return None


@_recovered.register
def _(mechanism: GRR | Unary, counts: Counts) -> list[dict[str, Any]]:
    estimate = mechanism.estimate(counts)
    return [
        {"beta": beta, "shares": recover(mechanism, estimate, None, beta).round(DIGITS).tolist()}
        for beta in BETAS
    ]


def _check(mechanism: Mechanism, counts: Counts) -> None:
    as_counts(counts)
    if counts.n > MOST_TRIALS:
        raise EstimationError("counts.n", "must be at most 2**40", "look at fewer reports")
    if counts.n:
        mechanism.check_counts(counts)
    elif counts.support.shape != mechanism.shape:
        raise EstimationError("counts.support", f"must have the shape {mechanism.shape}")
