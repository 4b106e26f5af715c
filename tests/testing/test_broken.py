"""Each broken mechanism is refused by the check that fits, whatever the entropy."""

from __future__ import annotations

import pytest
from broken import BROKEN

import sudare as sd
from sudare.mechanisms import FrequencyOracle, registry


@pytest.mark.parametrize(
    ("cls", "k", "epsilon", "check"), BROKEN, ids=[cls.__name__ for cls, *_ in BROKEN]
)
def test_a_broken_mechanism_is_refused(
    cls: type[FrequencyOracle],
    k: int,
    epsilon: float,
    check: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(registry._MECHANISMS, cls.name, cls)
    if hasattr(cls, "calls"):
        cls.calls = 0
    with pytest.raises(sd.ConformanceError, match=f"the check is {check}$"):
        sd.testing.check_mechanism(cls(k, epsilon))
