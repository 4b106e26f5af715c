"""Estimated shares: as records, and as files with a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.estimation import Estimate
from sudare.estimation.confidence import check_confidence
from sudare.files.tables import write_csv


def records(
    labels: Sequence[str],
    estimate: Estimate,
    true_shares: npt.NDArray[Any] | None = None,
    *,
    confidence: float = 0.95,
) -> list[dict[str, Any]]:
    """Return one record a category; None where there is no standard error.

    Examples:
        >>> import sudare as sd
        >>> estimate = sd.GRR(2, 1.0).estimate(sd.Counts((600, 400), 1000))
        >>> [round(one["share"], 2) for one in records(["tea", "coffee"], estimate)]
        [0.72, 0.28]
    """
    check_confidence(confidence)
    low = high = estimate.stderr
    if not np.isnan(estimate.stderr).all():  # methods without a formula have no interval
        low, high = estimate.interval(confidence)
    return [
        {
            "category": label,
            **({} if true_shares is None else {"true": float(true_shares[i])}),
            "share": float(estimate.shares[i]),
            "stderr": _known(estimate.stderr[i]),
            "low": _known(low[i]),
            "high": _known(high[i]),
        }
        for i, label in enumerate(labels)
    ]


def _known(number: float) -> float | None:
    return None if math.isnan(number) else float(number)


def as_json(estimate: Estimate, cells: list[dict[str, Any]], files: list[str]) -> dict[str, Any]:
    """Return what an estimate says, as JSON data."""
    return {
        "epsilon": estimate.epsilon,
        "covers": estimate.covers,
        "n": estimate.n,
        "method": estimate.method,
        "target": estimate.target,
        "warnings": list(estimate.warnings),
        "cells": cells,
        "files": files,
    }


def write_shares(
    folder: Path,
    labels: Sequence[str],
    estimate: Estimate,
    true_shares: npt.NDArray[Any] | None = None,
    *,
    confidence: float = 0.95,
    title: str,
) -> list[Path]:
    """Write ``shares.csv`` and ``shares.png``."""
    from sudare.plots import compare_shares

    folder.mkdir(0o700, parents=True, exist_ok=True)
    table = write_csv(
        folder / "shares.csv", records(labels, estimate, true_shares, confidence=confidence)
    )
    picture = compare_shares(
        folder / "shares.png",
        labels,
        estimate,
        None if true_shares is None else true_shares.tolist(),
        confidence=confidence,
        title=title,
    )
    return [table, picture]
