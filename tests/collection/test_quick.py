"""A browser draws a report at once, however many categories there are."""

from __future__ import annotations

from fractions import Fraction

from in_node import ask

from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import registered
from sudare.samplers.base import Unsent

K = 1000


def test_one_report_of_a_thousand_categories_takes_less_than_five_milliseconds() -> None:
    """Of every oracle that devices run; processor time in node, which runs what a browser does."""
    kinds = [
        kind
        for kind in registered(FrequencyOracle)
        if not kind.studies_only and kind.most_categories(Fraction(1, 2)) >= K
    ]
    made = [kind(K, epsilon) for kind in kinds for epsilon in (0.5, 2.0, 5.0)]
    sent = [m for m in made if not isinstance(m.program, Unsent)]
    assert {m.name for m in sent} >= {"SubsetSelection", "ProjectiveGeometry", "LinearHashing"}
    spent = ask("clock.js", [m.program.to_json() for m in sent])
    assert [(m, one) for m, one in zip(sent, spent, strict=True) if one > 5000] == []
    assert len(spent) == len(sent)
