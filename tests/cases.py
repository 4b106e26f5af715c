"""Many cases of one assertion in one test: each item of a parametrisation costs every worker."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]


def cases(names: str | Sequence[str], values: Iterable[Any], ids: object = None) -> Any:
    """Try a test with all cases, go on after one that fails, and name those that did.

    It takes what :func:`pytest.mark.parametrize` does; ``ids`` are names for who reads the file.
    A test that asks for ``tmp_path`` gets a new folder for each case.
    """
    inner = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    tried = list(values)

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def every(**fixtures: Any) -> None:
            failures: list[tuple[object, BaseException]] = []
            for number, case in enumerate(tried):
                given = dict(zip(inner, case if len(inner) > 1 else (case,), strict=True))
                if isinstance(folder := fixtures.get("tmp_path"), Path):
                    given["tmp_path"] = folder / str(number)
                    given["tmp_path"].mkdir()
                try:
                    test(**{**fixtures, **given})
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - named below
                    failures.append((case, failure))
            if failures:
                first = failures[0][1]
                first.add_note(f"{len(failures)} of {len(tried)} cases fail:")
                for case, failure in failures[:20]:
                    first.add_note(f"  {case!r:.200}: {type(failure).__name__}")
                raise first

        outer = [part for name, part in signature.parameters.items() if name not in inner]
        every.__signature__ = signature.replace(parameters=outer)  # type: ignore[attr-defined]
        return every

    return decorate
