"""Estimates, errors and intervals of every family stay what they were, to 12 digits."""

from __future__ import annotations

import json
import math
from typing import Any

from golden import FILE, entry, read

from tests.cases import cases

ENTRIES = json.loads(FILE.read_text("utf-8"))
_NOTHING = 1e-13  # what rounding leaves of 0


def differences(found: Any, written: Any, where: str = "") -> list[str]:
    if isinstance(written, dict):
        assert found.keys() == written.keys(), where
        return [d for key in written for d in differences(found[key], written[key], where + key)]
    if isinstance(written, list):
        assert len(found) == len(written), where
        parts = enumerate(zip(found, written, strict=True))
        return [d for i, (a, b) in parts for d in differences(a, b, f"{where}[{i}]")]
    if isinstance(written, float) and isinstance(found, float):
        same = math.isclose(found, written, rel_tol=1e-12, abs_tol=_NOTHING)
        return [] if same else [f"{where}: {found} for {written}"]
    return [] if found == written else [f"{where}: {found} for {written}"]


def test_every_family_is_written_down() -> None:
    assert len({given["mechanism"]["name"] for given in ENTRIES}) >= 20


@cases("given", ENTRIES, parts=2)
def test_numbers_stay(given: dict[str, Any]) -> None:
    found = json.loads(json.dumps(entry(*read(given)), ensure_ascii=False))
    assert not differences(found, given)
