"""Three wrong siblings of any mechanism, derived from its program: nobody has to write them.

A sibling is the mechanism in everything but ``perturb`` (and the rounds of ``perturb_round``),
which draws from another law: with a tenth more ε, with one answer sent as it is, with each report
moved to the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sudare as sd
from sudare.arrays import Floats
from sudare.exact.entropy import as_entropy
from sudare.mechanisms import Mechanism
from sudare.testing.law import Law, law_of


def louder(law: Floats) -> Floats:
    """Return the law with all ratios to the power of 1.1: a tenth more ε."""
    mean = law.mean(axis=1, keepdims=True)
    tilted = law * (law / np.where(mean > 0, mean, 1)) ** 0.1
    return tilted / tilted.sum(axis=0)


def untouched(law: Floats) -> Floats:
    """Return the law with the last answer always sent as its likeliest report."""
    out = law.copy()
    out[:, -1] = 0
    out[int(np.argmax(law[:, -1])), -1] = 1
    return out


def off_by_one(law: Floats) -> Floats:
    """Return the law with each report moved to the next that can be sent."""
    out, sent = law.copy(), np.flatnonzero(law.any(axis=1))
    out[sent] = np.roll(law[sent], 1, axis=0)
    return out


WRONG: tuple[Callable[[Floats], Floats], ...] = (louder, untouched, off_by_one)


def sibling(m: Mechanism, wrong: Callable[[Floats], Floats], *, shared: bool = False) -> Any:
    """Return the mechanism with a wrong law, or with noise that each two neighbours share."""
    law = law_of(m)
    assert law is not None
    draws = _Draws(law, wrong(law.table), shared)

    class Wrong(type(m)):
        def perturb(self, *batch: Any, rng: Any = None) -> Any:
            drawn = draws(batch, rng)
            return super().perturb(*batch, rng=rng) if drawn is None else drawn

        def perturb_round(self, number: int, *batch: Any, rng: Any = None) -> Any:
            if number == 0:
                draws.rounds = draws(batch[:2], rng)
            return draws.rounds[:, number]

    Wrong.__name__ = f"{wrong.__name__}{type(m).__name__}"
    again = Wrong.__new__(Wrong)
    for cls in type(m).__mro__:
        for slot in getattr(cls, "__slots__", ()):
            if slot != "__dict__" and hasattr(m, slot):
                object.__setattr__(again, slot, getattr(m, slot))
    again.__dict__.update(getattr(m, "__dict__", {}))
    return again


class _Draws:
    """Reports of batches of a law's answers, by a wrong law."""

    rounds: Any

    def __init__(self, law: Law, wrong: Floats, shared: bool) -> None:
        self.shared = shared
        self.ends = np.cumsum(wrong, axis=0)
        self.ends[-1] = 1
        first = law.family.perturb(law.m, law.batch(np.zeros(1, dtype=np.int64)), None)
        self.forms = np.zeros((len(law.wires), *first.shape[1:]), dtype=first.dtype)
        for row in np.flatnonzero(law.table.any(axis=1)).tolist():
            self.forms[row] = law.family.report(law.m, law.wires[row])
        answers = law.batch(np.arange(len(law.answers)))
        self.dtypes = [one.dtype for one in answers]
        self.index = {key: i for i, key in enumerate(self._keys(answers))}

    def _keys(self, batch: Any) -> list[bytes]:
        parts = [np.asarray(one).astype(t) for one, t in zip(batch, self.dtypes, strict=True)]
        return [b"".join(part[i].tobytes() for part in parts) for i in range(len(parts[0]))]

    def __call__(self, batch: Any, rng: Any) -> Any:
        try:
            index = np.array([self.index[key] for key in self._keys(batch)])
            chance = as_entropy(rng).generator().random(index.size)
            if self.shared:
                chance = np.repeat(chance, 2)[: index.size]
        except (KeyError, TypeError, ValueError, IndexError, sd.SudareError):
            return None  # what is no answer of the law is the mechanism's own to refuse
        rows = np.empty(index.size, dtype=np.int64)
        for answer in np.unique(index).tolist():
            own = np.flatnonzero(index == answer)
            rows[own] = np.searchsorted(self.ends[:, answer], chance[own], side="right")
        return self.forms[rows.clip(max=len(self.forms) - 1)]
