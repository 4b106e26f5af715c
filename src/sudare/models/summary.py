"""The table of a regression, laid out as statsmodels prints it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sudare.errors import EstimationError
from sudare.estimation.confidence import check_confidence

if TYPE_CHECKING:
    from sudare.models.fit import Fit

_WIDE = 78
_HALF = 38
_COLUMNS = 10


def table(fit: Fit, confidence: float) -> str:
    """Return the table as text."""
    title = f"{fit.kind.capitalize()} Regression on Randomised Answers"
    above = _about(fit)
    pairs = zip(above[::2], above[1::2], strict=True)
    name = max(14, *(len(one) for one in fit.names))
    wide = max(_WIDE, name + 6 * _COLUMNS + 4)
    rule, thin = "=" * wide, "-" * wide
    lines = [title.center(wide).rstrip(), rule]
    lines += [_pair(*left) + "  " + _pair(*right) for left, right in pairs]
    lines += [rule, *_coefficients(fit, confidence, name, thin), rule]
    return "\n".join([*lines, *(f"Randomised: {one}" for one in fit.randomised)])


def _about(fit: Fit) -> list[tuple[str, str]]:
    """Return what stands above the coefficients, left and right in turn."""
    p, likely = len(fit.names), not math.isnan(fit.log_likelihood)
    model = "Logit" if fit.kind == "logistic" else "Normal" if likely else "OLS"
    out = [
        ("Model:", model),
        ("No. Observations:", str(fit.n)),
        ("Method:", "MLE" if likely else "Least Squares"),
        ("Df Residuals:", str(fit.n - fit.parameters)),
        ("Covariance Type:", fit.errors),
        ("Df Model:", str(p - bool(fit.intercept))),
    ]
    if not likely:
        return out
    tested: tuple[str, str] = ("LLR p-value:", "")
    if p > bool(fit.intercept):
        try:
            tested = ("LLR p-value:", f"{fit.likelihood_ratio().p_value:.4g}")
        except EstimationError:  # there is no highest point without them
            tested = ("LLR p-value:", "nan")
    scale = ("Scale:", f"{fit.scale:.4f}") if fit.kind == "linear" else ("BIC:", f"{fit.bic:.1f}")
    return [
        *out,
        ("AIC:", f"{fit.aic:.1f}"),
        ("Log-Likelihood:", f"{fit.log_likelihood:.2f}"),
        scale,
        tested,
    ]


def _pair(label: str, value: str) -> str:
    return f"{label}{value:>{_HALF - len(label)}}"


def _coefficients(fit: Fit, confidence: float, name: int, line: str) -> list[str]:
    low, high = fit.interval(check_confidence(confidence))
    miss = (1 - confidence) / 2
    heads = ["coef", "std err", "z", "P>|z|", f"[{miss:.3g}", f"{1 - miss:.3g}]"]
    out = ["".join([" " * name, *(f"{head:>{_COLUMNS}}" for head in heads)]), line]
    for place, title in enumerate(fit.names):
        cells = [
            f"{fit.coefficients[place]:.4f}",
            f"{fit.stderr[place]:.3f}",
            f"{fit.z[place]:.3f}",
            f"{fit.p_values[place]:.3f}",
            f"{low[place]:.3f}",
            f"{high[place]:.3f}",
        ]
        out.append(f"{title:<{name}}" + "".join(f"{cell:>{_COLUMNS}}" for cell in cells))
    return out
