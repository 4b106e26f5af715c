"""Cases of a test that run as one item: collecting an item costs every worker two milliseconds."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import sudare as sd
from tests.conftest import KEYS

LONGEST_SHOWN = 300


def cases(
    names: str, values: Iterable[Any], *, parts: int = 1
) -> Callable[[Callable[..., None]], Any]:
    """Run a test once with each of the values, as ``pytest.mark.parametrize`` does, in one item.

    All cases run; those that fail are named together. Each draws from streams of its own, and
    starts with a ``rng``, a ``tmp_path``, a ``monkeypatch`` and a log that no other case has used.
    For cases that take no time, as one worker runs all of them; more than a second of them is
    shared out over ``parts`` items.
    """
    keys = [name.strip() for name in names.split(",")]
    rows = [row_of(value, len(keys)) for value in values]
    if not rows:
        raise ValueError(f"no cases for {names}: such a test can never fail")

    def decorate(test: Callable[..., None]) -> Any:
        signature = inspect.signature(test)
        kept = [kind for name, kind in signature.parameters.items() if name not in keys]
        if parts > 1:
            kept.append(inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY))

        @functools.wraps(test)
        def run(*args: Any, part: int = 0, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            for number, row in list(enumerate(rows))[part::parts]:
                with KEYS.of(f"{test.__module__}::{test.__qualname__}[{number}]"):
                    try:
                        with untouched(fixtures, number) as own:
                            test(*args, **own, **dict(zip(keys, row, strict=True)))
                    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001
                        said = ", ".join(f"{k}={v!r}" for k, v in zip(keys, row, strict=True))
                        error.add_note(f"case {number}: {said[:LONGEST_SHOWN]}")
                        failures.append(error)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} cases failed", failures)

        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("part", range(parts))(run) if parts > 1 else run

    return decorate


def row_of(value: Any, count: int) -> tuple[Any, ...]:
    """Return the values of one case; marks belong to ``pytest.mark.parametrize``."""
    if isinstance(value, type(pytest.param())):
        if value.marks:
            raise ValueError(f"a case cannot be marked: {value.marks}")
        return tuple(value.values)
    row = (value,) if count == 1 else tuple(value)
    if len(row) != count:
        raise ValueError(f"a case needs {count} values, got {row!r}")
    return row


@contextmanager
def untouched(fixtures: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Give a case fixtures that no earlier case has changed."""
    with pytest.MonkeyPatch.context() as patch:
        own = dict(fixtures)
        if "rng" in own:
            own["rng"] = sd.Entropy.seeded(b"tests")
        if "tmp_path" in own:
            own["tmp_path"] = own["tmp_path"] / str(number)
            own["tmp_path"].mkdir()
        if "monkeypatch" in own:
            own["monkeypatch"] = patch
        yield own
        if "capsys" in own:
            own["capsys"].readouterr()
        if "caplog" in own:
            own["caplog"].clear()
