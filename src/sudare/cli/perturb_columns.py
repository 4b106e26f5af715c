"""Several columns of a file, each randomised on its own."""

from __future__ import annotations

import argparse
from fractions import Fraction

from sudare.errors import DomainError
from sudare.exact import epsilon_from_text
from sudare.files.columns import Column
from sudare.mechanisms.joint import JointRR


def names_of(text: str) -> tuple[str, ...]:
    """Return the columns of ``a,b,c``."""
    names = tuple(text.split(","))
    if len(names) < 2 or len(set(names)) < len(names) or "" in names:
        raise DomainError("--columns", "must name at least two columns, each once")
    return names


def epsilons_of(text: str, columns: int) -> list[Fraction]:
    """Return ε of each column alone, from one number for all or one for each."""
    epsilons = [epsilon_from_text(one, "--epsilon") for one in text.split(",")]
    epsilons = epsilons * columns if len(epsilons) == 1 else epsilons
    if len(epsilons) != columns:
        raise DomainError("--epsilon", f"must be one number, or {columns}: one a column")
    return epsilons


def joint(arguments: argparse.Namespace, columns: list[Column]) -> JointRR:
    """Return the mechanism of several columns."""
    epsilons = epsilons_of(arguments.epsilon, len(columns))
    if arguments.mechanism not in ("auto", JointRR.name):
        raise DomainError(
            "--mechanism", f"must be {JointRR.name} for several columns", got=arguments.mechanism
        )
    return JointRR([len(column.categories) for column in columns], epsilon=epsilons)
