"""``sudare plan --low --high``: the mechanisms for the distribution of a number."""

from __future__ import annotations

from sudare.cli import console
from sudare.errors import WrongTypeError
from sudare.planning import DistributionPlan


def edges_from_text(text: str) -> list[float]:
    """Return the numbers of ``"0,10,20,50"``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        rule = "must be numbers with commas between them"
        raise WrongTypeError("--edges", rule, "such as 0,10,20,50", got=text) from None


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
