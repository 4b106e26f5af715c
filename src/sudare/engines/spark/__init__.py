"""Spark (3.5 or newer): the same counts where one machine is outgrown.

Executors run the same :func:`~sudare.engines.count_unit`; what they counted comes back as rows of
data, which the driver merges after checking that each unit is there once. So the counts are those
of one thread, to the last digit, whatever Spark runs again after a lost executor or twice by
speculation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.engines.spark.frames import counts as counts
    from sudare.engines.spark.plans import count_plan as count_plan
    from sudare.engines.spark.sessions import session as session

_HOMES = {"frames": ("counts",), "plans": ("count_plan",), "sessions": ("session",)}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
