"""``sudare plan --low --high``: the mechanisms for the distribution of a number."""

from __future__ import annotations

from sudare.cli import console
from sudare.planning import DistributionPlan


def print_distribution(ranked: DistributionPlan) -> None:
    """Print the mechanisms by the error of the share of people below a number."""
    console.print_table(
        f"{ranked.low:g} to {ranked.high:g}, {ranked.bins} bins, n = {ranked.n:,}, "
        f"ε = {float(ranked.epsilon):g}, {ranked.target}",
        ("mechanism", "branching", "oracle", "share below", "bytes"),
        [
            (o.mechanism.name, str(getattr(o.mechanism, "branching", "")),
             getattr(o.mechanism, "oracle", ""), f"± {console.percent(o.half_width)}",
             f"{o.report_bytes:,}")
            for o in ranked
        ],
    )  # fmt: skip
    console.out().print("share below: half a 95 % interval of the people below an edge of a bin.")
