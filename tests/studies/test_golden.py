"""What the studies find in their small settings is what they found before, but for mended claims.

The snapshots are written by ``make_golden.py``; ``golden/mended.toml`` lists what may differ.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_golden
import pytest

from sudare.studies import Report

HERE = Path(__file__).parent
MENDED = tomllib.loads((HERE / "golden" / "mended.toml").read_text("utf-8"))


def same(ours: Any, theirs: Any, within: float = 1e-9) -> bool:
    """Equal, numbers up to the last bits, which libraries of another version may round."""
    if isinstance(ours, float) and isinstance(theirs, int | float):
        both_nan = math.isnan(ours) and math.isnan(theirs)
        return both_nan or math.isclose(ours, theirs, rel_tol=within, abs_tol=1e-12)
    if isinstance(ours, str) and isinstance(theirs, list):
        return theirs == [ours, ours]
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(
            same(a, b, within) for a, b in zip(ours, theirs, strict=True)
        )
    if isinstance(ours, str) and isinstance(theirs, str):
        return re.sub(r"\s+", " ", ours).strip() == re.sub(r"\s+", " ", theirs).strip()
    return bool(ours == theirs)


def joined(texts: list[Any], language: int) -> str:
    parts = [t if isinstance(t, str) else t[language] for t in texts]
    return "\n".join(" ".join(part.split()) for part in parts)


@pytest.fixture(params=tuple(make_golden.SETTINGS))
def pair(
    request: pytest.FixtureRequest, small: Callable[[str], Report]
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    name = request.param
    return name, make_golden.snapshot(small(name)), make_golden.golden(name)


def test_claims_and_verdicts(pair: Any) -> None:
    name, found, golden = pair
    mended = MENDED.get(name, {})
    listed = mended.get("claims", {})
    new = {place for place, fields in listed.items() if "new" in fields}
    known = [c for c in found["claims"] if make_golden.english(c["place"]) not in new]
    assert len(found["claims"]) - len(known) == len(new), "a claim listed as new is not there"
    places = [make_golden.english(c["place"]) for c in golden["claims"]]
    assert [make_golden.english(c["place"]) for c in known] == places
    for ours, theirs in zip(known, golden["claims"], strict=True):
        place = make_golden.english(theirs["place"])
        free = {*mended.get("every", ()), *listed.get(place, ())}
        for field in theirs:
            if field not in free:
                assert same(ours[field], theirs[field]), (place, field)


def test_tables_and_figures(pair: Any) -> None:
    name, found, golden = pair
    words = MENDED.get(name, {}).get("words", False)
    free, rough = (MENDED.get(name, {}).get(kind, ()) for kind in ("tables", "rough"))
    for kind in ("tables", "figures"):
        assert [p["name"] for p in found[kind]] == [p["name"] for p in golden[kind]]
        for ours, theirs in zip(found[kind], golden[kind], strict=True):
            if kind == "tables" and theirs["name"] in free:
                assert len(ours["rows"]) == len(theirs["rows"])
                continue
            for field in theirs:
                if field == "rows" or not words:
                    within = 0.01 if theirs["name"] in rough else 1e-9
                    assert same(ours[field], theirs[field], within), (theirs["name"], field)


def test_prose(pair: Any) -> None:
    name, found, golden = pair
    if MENDED.get(name, {}).get("words", False):
        return
    for ours, theirs in zip(found["sections"], golden["sections"], strict=True):
        assert same(ours["title"], theirs["title"])
        for language in (0, 1):
            assert joined(ours["texts"], language) == joined(theirs["texts"], language)
    for ours, theirs in zip(found["findings"], golden["findings"], strict=True):
        assert same(ours, theirs)
