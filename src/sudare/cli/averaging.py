"""``sudare attack averaging``: what all reports of one person tell of an answer that stays."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from sudare import mechanisms
from sudare.cli import console, options
from sudare.errors import DomainError, as_one_of
from sudare.exact import as_integer, epsilon_from_text
from sudare.manifest import manifest
from sudare.mechanisms.repeated import KINDS
from sudare.poisoning.averaging import MOST_ROUNDS, averaging

NAME = "averaging"
_NOT_HERE = (
    "d", "url", "frequency", "mean", "method", "split", "padding", "branching", "oracle",
    "question", "reports", "invites", "allow_remote",
)  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print."""
    for name in _NOT_HERE:
        if getattr(arguments, name) not in (None, False):
            option = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
            raise DomainError(option, "cannot be given with averaging", "leave it out")
    for name in ("k", "epsilon"):
        if getattr(arguments, name) is None:
            option = f"-{name}" if len(name) == 1 else f"--{name}"
            raise DomainError(option, "must be given", "see sudare attack --help")
    kind = as_one_of(arguments.mechanism or KINDS[0], "--mechanism", KINDS)
    given: dict[str, Any] = {"k": arguments.k, "epsilon": epsilon_from_text(arguments.epsilon)}
    if arguments.permanent is not None:
        given["permanent"] = epsilon_from_text(arguments.permanent, "--permanent")
    m = getattr(mechanisms, kind)(**given)
    last = 1000 if arguments.rounds is None else arguments.rounds
    last = as_integer(last, "--rounds", low=1, high=MOST_ROUNDS)
    steps = sorted({min(10**i, last) for i in range(7)})
    found = averaging(m, steps, people=arguments.n, rng=options.entropy(arguments.seed))
    if arguments.json:
        parameters = {"attack": NAME, "mechanism": m.to_json(), "n": arguments.n}
        label = options.entropy_label(arguments.seed)
        rows = {"guesses": [asdict(one) for one in found]}
        console.print_json({**manifest("attack", parameters, label), **rows})
        return 0
    lines = [
        [f"{one.rounds:,}", f"{one.guessed:.4f} ± {one.stderr:.4f}", f"{one.afresh:.4f}"]
        for one in found
    ]
    console.print_table(
        f"averaging on {m!r}, n = {arguments.n:,}",
        ["rounds", "guessed", "without permanent answers"],
        lines,
    )
    console.out().print(
        f"guessed: how often the answer of a person who gives the same one in each round is "
        f"guessed from all reports; the permanent answer itself gives {found[0].bound:.4f}, and "
        "no number of rounds more."
    )
    return 0
