"""``sudare plan --longest``: which words that nobody listed can be found."""

from __future__ import annotations

import math

from sudare.cli import console
from sudare.errors import counted
from sudare.planning import WordPlan


def print_words(plan: WordPlan) -> None:
    """Print from which share on words are found."""
    m = plan.mechanism
    console.print_table(
        f"words of at most {counted(m.longest, 'symbol')} ({m.alphabet.name}), n = {plan.n:,}, "
        f"ε = {float(m.requested_epsilon):g}",
        ("found with probability", "words held by"),
        [
            (f"{100 * probability:g} %",
             f"{console.percent(share)} or more" if math.isfinite(share) else "none")
            for probability, share in zip(plan.probabilities, plan.shares, strict=True)
        ],
    )  # fmt: skip
    console.out().print(
        f"A word of nobody is published with probability {100 * plan.false:g} % at most."
    )
