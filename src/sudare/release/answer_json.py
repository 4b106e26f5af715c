"""Write a released answer as JSON and read it back; show it in a notebook."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, get_args

from sudare import notebook
from sudare.errors import DomainError, ReportError, SudareError, WrongTypeError, as_one_of
from sudare.exact import exact_text, read_exact
from sudare.ledger import Cost
from sudare.release.released import BoundIn, Released, finite

FORMAT = "sudare-released/1"
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
"""Confidences whose bounds are written."""

_ALONE = str | int | float | bool | None
_PLAIN: dict[str, Any] = {
    "neighbours": str,
    "sampling_stderr": int | float | None,
    "query": dict,
    "bound_in": str,
    "event": int,
    "reused": bool,
}


def write(answer: Released[Any]) -> str:
    """Return an answer as JSON text."""
    return json.dumps(_data(answer), ensure_ascii=False)


def _data(answer: Released[Any]) -> dict[str, Any]:
    cost = answer.cost
    grouped = isinstance(answer.value, Mapping)
    return {
        "format": FORMAT,
        "value": _value(answer.value),
        "cost": {
            "unit": cost.unit,
            "amount": exact_text(cost.amount),
            "delta": exact_text(cost.delta),
            "law": cost.law,
        },
        **{name: getattr(answer, name) for name in _PLAIN},
        "notes": list(answer.notes),
        "noise": [dict(one) for one in answer.noise],
        "remaining": {name: exact_text(left) for name, left in answer.remaining.items()},
        "rows": _value(answer.rows),
        "raw": None if answer.raw is None else _data(answer.raw),
        "bounds": [finite(answer.bound(level)) for level in LEVELS],
        "group_bounds": [[finite(b) for b in answer.bounds(level).values()] for level in LEVELS]
        if grouped
        else None,
        "intervals": [[_ends(two) for two in answer.intervals(one).values()] for one in LEVELS]
        if answer.of_population
        else None,
    }


def _ends(two: tuple[float, float]) -> list[float | None]:
    return [finite(two[0]), finite(two[1])]


def _value(value: Any) -> Any:
    """Return a number, or pairs of groups and their numbers, as JSON has them."""
    if isinstance(value, Mapping):
        return {"groups": [[_key(group), _plain(one)] for group, one in value.items()]}
    return _plain(value)


def _key(group: Any) -> Any:
    return [_plain(one) for one in group] if isinstance(group, tuple) else _plain(group)


def _plain(one: Any) -> Any:
    if not isinstance(one, _ALONE):
        remedy = "made-up rows have write_synthetic; dates and times can be written as text first"
        raise WrongTypeError("value", "must be numbers, texts or truth values to be JSON", remedy)
    return one


def read(text: object) -> Released[Any]:
    """Return the answer of :func:`write`.

    Raises:
        ReportError: the text is not an answer of this format.
    """
    try:
        return _answer(json.loads(text))  # type: ignore[arg-type]
    except SudareError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ReportError("answer", f"must be JSON of the format {FORMAT}") from None


def _answer(data: Any) -> Released[Any]:
    if data["format"] != FORMAT:
        raise KeyError("format")
    cost, groups, around = data["cost"], data["group_bounds"], data["intervals"]
    if not all(isinstance(data[name], kind) for name, kind in _PLAIN.items()):
        raise TypeError("a field of another type")
    as_one_of(data["bound_in"], "bound_in", get_args(BoundIn), ReportError)
    value = _read(data["value"])
    size = len(value) if isinstance(value, dict) else 0
    if any(len(one) != size for one in [*(groups or []), *(around or [])]):
        raise KeyError("groups")
    return Released(
        value=value,
        cost=Cost(cost["unit"], _exact(cost["amount"]), cost["law"], _exact(cost["delta"])),
        **{name: data[name] for name in _PLAIN},
        notes=tuple(map(str, data["notes"])),
        noise=tuple(map(dict, data["noise"])),
        remaining={name: _exact(left) for name, left in data["remaining"].items()},
        rows=_read(data["rows"]),
        raw=None if data["raw"] is None else _answer(data["raw"]),
        _reach=_kept([_far(one) for one in data["bounds"]]),
        _reaches=None if groups is None else _kept([[_far(b) for b in one] for one in groups]),
        _intervals=None
        if around is None
        else _kept([[_two(*ends) for ends in one] for one in around]),
    )


def _read(value: Any) -> Any:
    if not isinstance(value, dict):
        return _plain(value)
    pairs = value["groups"]
    found = {tuple(key) if isinstance(key, list) else key: _plain(one) for key, one in pairs}
    if len(found) != len(pairs):
        raise KeyError("groups")
    return found


def _exact(text: Any) -> Fraction:
    number = read_exact(text)
    if number is None:
        raise KeyError("number")
    return number


def _far(bound: float | None) -> float:
    return math.inf if bound is None else float(bound)


def _two(low: float | None, high: float | None) -> tuple[float, float]:
    return -math.inf if low is None else float(low), _far(high)


def _kept(each: list[Any]) -> Callable[[float], Any]:
    """Return what is kept for a probability to miss: the next confidence that was written."""
    if len(each) != len(LEVELS):
        raise KeyError("levels")

    def at(miss: float) -> Any:
        for level, one in zip(LEVELS, each, strict=True):
            if miss >= (1 - level) * (1 - 1e-9):
                return one
        rule = f"must be at most {LEVELS[-1]} of an answer that was read from JSON"
        raise DomainError("confidence", rule, "ask the answer itself", got=1 - miss)

    return at


def html(answer: Released[Any]) -> str:
    """Return a table of an answer for notebooks: value and 95 % bound, the first 60 groups."""
    cost, size = answer.cost, 1
    facts = {
        f"{'ε' if cost.unit == 'epsilon' else 'ρ'} =": f"{float(cost.amount):.4g}",
        **({"δ =": f"{float(cost.delta):.2g}"} if cost.delta else {}),
        "protects:": answer.neighbours,
    }
    bound = "± (95 %)" if answer.bound_in == "value" else f"± {answer.bound_in} (95 %)"
    if not isinstance(answer.value, Mapping):
        rows: list[tuple[str, ...]] = [(_shown(answer.value), _shown(answer.bound()))]
        head: tuple[str, ...] = ("value", bound)
    else:
        size, bounds = len(answer.value), answer.bounds()
        groups = list(answer.value)[: notebook.MOST_ROWS]
        rows = [(_shown(one), _shown(answer.value[one]), _shown(bounds[one])) for one in groups]
        head = ("group", "value", bound)
    return notebook.table("Released", facts, head, rows, notes=answer.notes, more=size - len(rows))


def _shown(one: Any) -> str:
    if isinstance(one, float):
        return f"{one:,.6g}" if math.isfinite(one) else "not known"
    if one is None:
        return "(others)"
    text = ", ".join(map(str, one)) if isinstance(one, tuple) else str(one)
    return text if len(text) <= 80 else f"{text[:79]}…"
