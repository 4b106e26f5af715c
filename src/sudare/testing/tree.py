"""The checks of trees over the bins of a number: reports are about the nodes of one level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.testing.bins import Bins
from sudare.testing.core import resized
from sudare.testing.law import Law

_SMALL = 4  # bins of a tree whose law is written out


class _Tree(Bins):
    def answers(self, m: Any) -> Sequence[Any]:
        return list(m.centres.tolist())

    def subjects(self, m: Any) -> tuple[Any, ...]:
        return (m,) if m.bins <= 2 * _SMALL else (resized(m, bins=_SMALL), m)

    def wire(self, m: Any, report: Any) -> bytes:
        return bytes(report)

    def report(self, m: Any, wire: bytes) -> Any:
        return np.frombuffer(wire, dtype=np.uint8)

    def channels(self, m: Any, law: Law) -> Iterator[tuple[Floats, Floats]]:
        return iter(())


FAMILY = _Tree()
