"""The ways to ask one question again on the terminal."""

from __future__ import annotations

from sudare.cli import console
from sudare.planning import RepeatedOption
from sudare.planning.published import rounded_up

_WHO = {
    "steady": "of one whose answer does not change",
    "any": "whatever is answered",
}


def print_repeated(found: list[RepeatedOption], title: str, covers: str) -> None:
    """Print the ranking, and what each ε is about."""
    rows = [
        (
            one.mechanism.name,
            "kept" if one.remembers else "new",
            f"{one.expected_mse:.3e}",
            f"± {console.percent(1.96 * one.expected_mse**0.5)}",
            _shown(one.round_epsilon),
            _shown(one.steady_epsilon),
            _shown(one.total_epsilon),
        )
        for one in found
    ]
    heads = ("mechanism", "answer", "MSE", "95 %", "ε report", "steady", "any")
    console.print_table(title, heads, rows)
    console.out().print(
        f"ranked at one ε over all rounds, {_WHO[covers]}. steady: ε of all rounds of one whose "
        "answer does not change; any: ε of all rounds, whatever is answered."
    )


def _shown(epsilon: float) -> str:
    return f"{rounded_up(epsilon, 2):.2f}"
