"""The privacy statement of a release, for machines: whom it protects, at what price, how exactly.

Its fields stand in ``docs/release.md``; a change to what one means is another :data:`VERSION`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sudare._version import __version__
from sudare.errors import DomainError
from sudare.exact import exact_text
from sudare.ledger import Cost, epsilon_of
from sudare.release.consistency import SUMMING
from sudare.release.dataset import Dataset
from sudare.release.released import Released, finite

FORMAT = "sudare privacy statement"
VERSION = 1


def statement(
    db: Dataset,
    asks: Sequence[str],
    answers: Sequence[Released[Any]],
    guarantee: dict[str, Any],
    confidence: float,
) -> dict[str, Any]:
    """Return what is to be said of answers (:func:`consistent` ones), as JSON data."""
    whole = sum((one.cost.amount for one in answers), start=Fraction(0))
    pairs = enumerate(zip(asks, answers, strict=True), start=1)
    return {
        "format": FORMAT,
        "version": VERSION,
        "sudare": __version__,
        "dataset": db.held.name,
        "simulated": db.held.is_simulated,
        "protection": {
            "relation": db.held.protection.neighbours,
            "words": db.neighbours,
            "unit": db.held.protection.unit,
            "rows_of_a_person": db.held.protection.rows,
            "rows": db.n if db.size_is_public else None,
        },
        "cost": _with_keys(guarantee, answers),
        "confidence": confidence,
        "columns": _columns(answers),
        "missing": db.held.missing,
        "outside": db.held.outside,
        "questions": [
            {"table": i, "question": text, **_answer(one, whole, confidence)}
            for i, (text, one) in pairs
        ],
    }


def price(cost: Cost, delta: float | None) -> dict[str, Any]:
    """Return what all answers together cost, and the (ε, δ) of it."""
    epsilon: float | None = float(cost.amount)
    if cost.unit == "rho":
        epsilon = None if delta is None else epsilon_of(cost.amount, delta)
    elif delta is not None:
        raise DomainError("delta", "is for a price in rho: pure ε has none", "leave it out")
    return {
        "unit": cost.unit,
        "amount": exact_text(cost.amount),
        "epsilon": epsilon,
        "delta": 0.0 if cost.unit == "epsilon" else delta,
    }


def _with_keys(guarantee: dict[str, Any], answers: Sequence[Released[Any]]) -> dict[str, Any]:
    """Return what all answers cost, with the δ of keys that nobody listed."""
    keys = sum((one.cost.delta for one in answers), start=Fraction(0))
    if not keys or guarantee["delta"] is None:
        return guarantee
    return {**guarantee, "delta": guarantee["delta"] + float(keys)}


def _columns(answers: Sequence[Released[Any]]) -> dict[str, Any]:
    """Return bounds and grid of each column of numbers that was asked about."""
    about = [
        told
        for one in answers
        for told in (one.query, *one.query.get("others", ()))
        if "bounds" in told
    ]
    return {one["column"]: {"bounds": one["bounds"], "grid": one["grid"]} for one in about}


def _answer(one: Released[Any], whole: Fraction, confidence: float) -> dict[str, Any]:
    drawn = one if one.raw is None else one.raw
    after = None
    if one.raw is not None:
        after = {
            "rule": "nearest of the sum" if SUMMING in one.notes else "not below 0",
            "whole": True,
            "bound": one.bound(confidence),
        }
    return {
        "query": one.query,
        "cost": exact_text(one.cost.amount),
        "part": exact_text(one.cost.amount / whole),
        "event": one.event,
        "reused": one.reused,
        "noise": [dict(law) for law in one.noise],
        "bound": finite(drawn.bound(confidence)),
        "bound_in": one.bound_in,
        "sampling_stderr": one.sampling_stderr,
        "post_processing": after,
        "notes": list(one.notes),
    }
