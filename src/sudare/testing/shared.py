"""Exact checks that the mechanisms of every family share."""

from __future__ import annotations

import copy
import json

from sudare.exact import floor_float, log_bounds
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism, from_json
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.samplers import from_json as program_from_json
from sudare.testing.suite import BrokenRuleError, demand


def is_a_frozen_value(m: Mechanism, _: Entropy) -> None:
    """Fields cannot be set, a copy is equal, the repr names class and ε."""
    for field in ("program", "requested_epsilon"):
        try:
            setattr(m, field, getattr(m, field))
        except AttributeError:
            continue
        raise BrokenRuleError(f"must be frozen: {field} can be set")
    again = copy.copy(m)
    demand(again == m and hash(again) == hash(m), "must equal its copy")
    shown = repr(m)
    demand(
        type(m).__name__ in shown and str(float(m.requested_epsilon)) in shown,
        "must have a repr that names its class and the ε asked for",
    )


def survives_json(m: Mechanism, _: Entropy) -> None:
    """A trip through JSON changes nothing, and keeps the ε asked for exactly."""
    data = json.loads(json.dumps(m.to_json()))
    demand(data.get("name") == m.name, "must name itself in JSON")
    again = from_json(data, type(m))
    demand(again == m and hash(again) == hash(m), "must equal itself after a trip through JSON")
    demand(
        again.requested_epsilon == m.requested_epsilon and again.program == m.program,
        "must keep its ε and its program through JSON",
    )


def spends_what_it_says(m: Mechanism, _: Entropy) -> None:
    """ε and γ are the program's, rounded down; at most the ε asked for, and close to it."""
    low, high = log_bounds(m.program.ratio)
    asked = m.requested_epsilon
    demand(low <= asked, "must not spend more ε than asked for")
    demand(asked - high <= TOLERANCE, "must spend ε within 1e-6 of the one asked for")
    for shown, exact, what in (
        (m.epsilon, low, "ε"),
        (m.program.epsilon, low, "ε of its program"),
        (m.gamma, m.program.ratio, "γ"),
    ):
        demand(shown == floor_float(exact), f"must show the {what} that it spends, rounded down")
    demand(m.report_bytes == m.program.report_bytes, "must state the length of a report")
    demand(bool(m.covers), "must say what its ε covers")


def is_what_devices_run(m: Mechanism, _: Entropy) -> None:
    """The program is the one that its JSON describes: of one class, one of the closed set.

    A subclass with a draw of its own shows the JSON, and the ε, of a program that it is not.
    """
    program = m.program
    again = program_from_json(json.loads(json.dumps(program.to_json())))
    demand(
        type(again) is type(program) and again == program,
        "must have the program that its JSON describes, since devices run that one",
    )
