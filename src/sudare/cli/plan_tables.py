"""The plan of several attributes on the terminal."""

from __future__ import annotations

from sudare.cli import console
from sudare.errors import WrongTypeError
from sudare.exact import as_integer
from sudare.mechanisms.values import MAX_CATEGORIES
from sudare.planning import TablePlan
from sudare.planning.tables import tables_text


def sizes_from_text(text: str) -> list[int]:
    """Return the numbers of categories of ``"16,5"``, each at least 2."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise WrongTypeError(
            "--sizes", "must be whole numbers with commas between them", "such as 16,5", got=text
        )
    return [as_integer(int(part), "--sizes", low=2, high=MAX_CATEGORIES) for part in parts]


def print_tables(ranked: TablePlan) -> None:
    """Print the ways to spend the budget, and why one is left out."""
    sizes = " x ".join(str(size) for size in ranked.sizes)
    wanted = tables_text(len(ranked.tables))
    console.print_table(
        f"{sizes}, {wanted}, n = {ranked.n:,}, ε = {float(ranked.epsilon):g}, {ranked.target}",
        ("budget", "mechanism", "expected MSE", "95 % interval", "report bytes"),
        [
            (o.budget, o.mechanism.name, f"{o.expected_mse:.3e}",
             f"± {console.percent(o.half_width)}", f"{o.mechanism.report_bytes:,}")
            for o in ranked
        ],
    )  # fmt: skip
    for o in ranked:
        console.out().print(
            f"{o.budget}: ε = {console.epsilon(o.mechanism.epsilon)} for the whole submission, "
            f"at most {console.epsilon(o.attribute_epsilon)} an attribute."
        )
    for budget, reason in ranked.left_out.items():
        console.out().print(f"{budget} {reason}.")
