"""An estimate as JSON text, and back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, NoReturn

import numpy as np

from sudare.arrays import Floats
from sudare.errors import EstimationError, ReportError, SudareError
from sudare.estimation.caution import Caution
from sudare.estimation.confidence import two_sided
from sudare.estimation.counts import Counts
from sudare.estimation.estimate import Estimate, Kind, check_target
from sudare.exact import as_integer

FORMAT = "sudare-estimate/1"
_REGISTRY = "sudare.mechanisms.registry"  # stands above: known by name, as plug-ins are
_ORACLES = "sudare.mechanisms.frequency.base"


@dataclass(frozen=True, eq=False)
class StoredLaw:
    """The standard errors of an estimate that was read, and no more of how its shares vary."""

    exclusive: ClassVar[bool] = True
    shares: Floats
    stderr: Floats

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return normal intervals, of all at once by Bonferroni."""
        if kind == "score":
            rule = "must be normal or auto: JSON keeps the standard errors alone"
            raise EstimationError("kind", rule, "keep the counts, and estimate them again")
        half = two_sided(miss / self.shares.size if simultaneous else miss) * self.stderr
        return self.shares - half, self.shares + half

    def _unknown(self, *_: Any) -> NoReturn:
        rule = "is not known of an estimate that was read from JSON"
        raise EstimationError("covariance", rule, "keep the counts, and estimate them again")

    at = variance = spread = _unknown


def write(estimate: Estimate) -> str:
    """Return an estimate as JSON text: its numbers, and the counts that it was made of."""
    made = None
    if estimate._made is not None and math.isfinite(estimate.epsilon):  # baselines have no way back
        counts, method = estimate._made
        made = {"counts": json.loads(counts.to_json()), "method": method}
    return json.dumps(
        {
            "format": FORMAT,
            "shares": _written(estimate.shares),
            "stderr": _written(estimate.stderr),
            "n": estimate.n,
            "epsilon": estimate.epsilon if math.isfinite(estimate.epsilon) else None,
            "covers": estimate.covers,
            "method": estimate.method,
            "target": estimate.target,
            "warnings": [
                {"text": str(one), "code": one.code, "cells": list(one.cells)}
                for one in estimate.warnings
            ],
            "labels": None if estimate.labels is None else list(estimate.labels),
            "made": made,
        },
        ensure_ascii=False,
    )


def read(text: object) -> Estimate:
    """Return the estimate of :func:`write`.

    Raises:
        ReportError: the text is not an estimate of this format, or not that of its counts.
    """
    try:
        data = json.loads(text)  # type: ignore[arg-type]
        if data["format"] != FORMAT:
            raise KeyError("format")
        shares, stderr = _read(data["shares"]), _read(data["stderr"])
        labels = data["labels"]
        if shares.shape != stderr.shape or not shares.size or not np.isfinite(shares).all():
            raise KeyError("shares")
        if (stderr < 0).any() or np.isinf(stderr).any():
            raise KeyError("stderr")
        if labels is not None and [type(one) for one in labels] != [str] * shares.size:
            raise KeyError("labels")
        if data["made"] is not None:
            again = _again(data["made"], data["target"], shares)
            named = again.labels or (None if labels is None else tuple(labels))
            return replace(again, labels=named)
        epsilon = math.inf if data["epsilon"] is None else float(data["epsilon"])
        if not epsilon > 0:
            raise KeyError("epsilon")
        known = None if np.isnan(stderr).all() else StoredLaw(shares, stderr)
        return Estimate(
            shares=shares,
            stderr=stderr,
            n=as_integer(data["n"], "n", low=1, high=2**62),
            epsilon=epsilon,
            covers=str(data["covers"]),
            method=str(data["method"]),
            target=check_target(data["target"]),
            warnings=tuple(Caution(w["text"], w["code"], w["cells"]) for w in data["warnings"]),
            labels=None if labels is None else tuple(labels),
            _law=known,
        )
    except SudareError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ReportError("estimate", f"must be JSON of the format {FORMAT}") from None


def _again(made: Any, target: Any, shares: Floats) -> Estimate:
    """Return the estimate of the counts that it was made of."""
    counts = Counts.from_json(json.dumps(made["counts"]))
    registry = import_module(_REGISTRY)
    mechanism = registry.from_json(counts.mechanism, import_module(_ORACLES).FrequencyOracle)
    again: Estimate = mechanism.estimate(counts, made["method"], target)
    if again.shares.shape != shares.shape or not np.allclose(again.shares, shares, atol=1e-9):
        raise ReportError("estimate", "must be that of its counts", "estimate the counts again")
    return again


def _written(numbers: Floats) -> Any:
    """Return numbers as JSON has them: null for NaN."""
    if numbers.ndim > 1:
        return [_written(row) for row in numbers]
    return [None if math.isnan(one) else one for one in numbers.tolist()]


def _read(numbers: Any) -> Floats:
    return np.array(numbers, dtype=np.float64)
