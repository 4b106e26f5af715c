"""What respondents answer in the sampled checks, and how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle

_CELLS = 1 << 24
_FEW_REPORTS = 1 << 12
_FOCUS = 8
_LAGS = 4

Values = npt.NDArray[np.int64]


def batch_size(m: FrequencyOracle) -> int:
    """Respondents of a batch: more where few reports are different, fewer where k is large."""
    most = 1 << 15 if m.program.outputs <= _FEW_REPORTS else 1 << 12
    return max(1 << 8, min(most, _CELLS // m.k))


def focus(m: FrequencyOracle, rng: Entropy) -> Values:
    """Return a few categories, chosen afresh: the first, the last, others."""
    inner = rng.generator().permutation(np.arange(1, m.k - 1))[: _FOCUS - 2]
    return np.concatenate([[0, m.k - 1], inner]).astype(np.int64)


def mixed_values(m: FrequencyOracle, n: int, rng: Entropy) -> Values:
    """Return shuffled values: half of them spread over all categories, half over a few."""
    generator = rng.generator()
    spread = generator.permutation(m.k)[np.arange(n - n // 2) % m.k]
    few = focus(m, rng)[np.arange(n // 2) % min(m.k, _FOCUS)]
    values: npt.NDArray[Any] = np.concatenate([spread, few]).astype(np.int64)
    generator.shuffle(values)
    return values


def far_apart(n: int, rng: Entropy) -> list[int]:
    """Return a few distances of respondents, chosen afresh."""
    lags: list[int] = rng.generator().integers(1, max(2, n // 2), _LAGS).tolist()
    return lags
