"""Engines: counting the reports of big data, here over threads or elsewhere over machines.

Counts are integers that add up, so that it does not matter who counts which rows, nor in which
order: :func:`plan` divides files into units, :func:`count_unit` counts one, wherever it runs, and
:func:`merge` adds the parts after checking that each unit is there once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.engines import spark as spark
    from sudare.engines.embedded import tally as tally
    from sudare.engines.jobs import AnyCounts as AnyCounts, Job as Job
    from sudare.engines.merging import Merger as Merger, merge as merge, merge_all as merge_all
    from sudare.engines.partial import Partial as Partial, count_unit as count_unit
    from sudare.engines.planning import Plan as Plan, plan as plan
    from sudare.engines.sources import counts_from as counts_from, estimate_from as estimate_from
    from sudare.engines.tables import tables_from as tables_from
    from sudare.engines.units import Unit as Unit

_HOMES = {
    "embedded": ("tally",),
    "jobs": ("AnyCounts", "Job"),
    "merging": ("Merger", "merge", "merge_all"),
    "partial": ("Partial", "count_unit"),
    "planning": ("Plan", "plan"),
    "sources": ("counts_from", "estimate_from"),
    "tables": ("tables_from",),
    "units": ("Unit",),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES, ["spark"])
