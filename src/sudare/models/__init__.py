"""Regression where the outcome, or covariates, were randomised: what a tally alone cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.models.fit import Fit as Fit
    from sudare.models.lines import linear as linear
    from sudare.models.log_odds import logistic as logistic
    from sudare.models.significance import Test as Test

_HOMES = {
    "fit": ("Fit",),
    "lines": ("linear",),
    "log_odds": ("logistic",),
    "significance": ("Test",),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
