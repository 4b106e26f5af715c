"""Exact checks that every mechanism passes: a frozen value, through JSON, and what it spends."""

from __future__ import annotations

import copy
import json

from sudare.errors import PrivacyError
from sudare.exact import floor_float, log_bounds
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism, from_json
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.samplers import from_json as program_from_json
from sudare.testing.suite import BrokenRuleError, demand


def is_a_frozen_value(m: Mechanism, _: Entropy) -> None:
    """Fields cannot be set, a copy is equal, the repr names the class, and ε where JSON does."""
    for field in ("program", "requested_epsilon"):
        try:
            setattr(m, field, getattr(m, field))
        except AttributeError:
            continue
        raise BrokenRuleError(f"must be frozen: {field} can be set")
    again = copy.copy(m)
    demand(again == m and hash(again) == hash(m), "must equal its copy")
    shown = repr(m)
    named = "epsilon" not in m.to_json() or str(float(m.requested_epsilon)) in shown
    demand(
        type(m).__name__ in shown and named,
        "must have a repr that names its class and the ε asked for",
    )


def survives_json(m: Mechanism, _: Entropy) -> None:
    """A trip through JSON changes nothing, and keeps the ε asked for exactly."""
    data = json.loads(json.dumps(m.to_json()))
    demand(data.get("name") == m.name, "must name itself in JSON")
    again = type(m).from_json(data) if m.studies_only else from_json(data, type(m))
    demand(again == m and hash(again) == hash(m), "must equal itself after a trip through JSON")
    demand(
        again.requested_epsilon == m.requested_epsilon and again.program == m.program,
        "must keep its ε and its program through JSON",
    )


def spends_what_it_says(m: Mechanism, _: Entropy) -> None:
    """ε is the program's, rounded down, and at most the ε that is due, which is that asked for."""
    low, _high = log_bounds(m.program.ratio)
    demand(m.due_epsilon <= m.requested_epsilon, "must not owe more ε than asked for")
    demand(low <= m.due_epsilon, "must not spend more ε than asked for")
    demand(m.epsilon == floor_float(low), "must show the ε that it spends, rounded down")


def spends_all_of_it(m: Mechanism, _: Entropy) -> None:
    """ε is within 1e-6 of the one that is due."""
    short = m.due_epsilon - log_bounds(m.program.ratio)[1]
    demand(short <= TOLERANCE, "must spend ε within 1e-6 of the one asked for")


def shows_its_program(m: Mechanism, _: Entropy) -> None:
    """γ, the ε of the program and the length of a report are the program's."""
    ratio = m.program.ratio
    low = floor_float(log_bounds(ratio)[0])
    demand(m.program.epsilon == low, "must show the ε of its program that it spends, rounded down")
    if low < 700:  # beyond, no float holds e^ε
        demand(m.gamma == floor_float(ratio), "must show the γ that it spends, rounded down")
    demand(m.report_bytes == m.program.report_bytes, "must state the length of a report")
    demand(bool(m.covers), "must say what its ε covers")


def is_what_devices_run(m: Mechanism, _: Entropy) -> None:
    """The program is the one that its JSON describes: of one class, one of the closed set.

    A subclass with a draw of its own shows the JSON, and the ε, of a program that it is not. One
    that refuses to be written runs on no device.
    """
    program = m.program
    try:
        data = program.to_json()
    except PrivacyError:
        return
    again = program_from_json(json.loads(json.dumps(data)))
    demand(
        type(again) is type(program) and again == program,
        "must have the program that its JSON describes, since devices run that one",
    )
