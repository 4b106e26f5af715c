"""A family's view of itself: registered once, and every attack of its kind works with it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import sudare as sd
from sudare.poisoning import M2GA, MGA, RIA, RPA, Attack, gain, simulate_gain, surface
from sudare.poisoning.choice import OneCategorySurface
from tests.cases import cases


class Renamed(sd.NegativeSurvey):
    """A mechanism of a family that no attack knows."""

    name = "Renamed"


@pytest.fixture
def registered() -> Iterator[None]:
    surface.register(Renamed)(type("RenamedSurface", (OneCategorySurface,), {}))
    yield
    del surface._SURFACES[Renamed]


ATTACKS: list[Attack] = [MGA([0, 2]), RPA([0, 2]), RIA([0, 2])]


@cases("attack", ATTACKS)
def test_an_unknown_family_is_refused_by_name(attack: Attack) -> None:
    with pytest.raises(
        sd.WrongTypeError,
        match=rf"that {attack.name} is for: GRR, .*HierarchicalHistogram, SubsetSelection; ",
    ):
        gain(Renamed(4), attack, 0.1)


@cases("attack", ATTACKS)
@pytest.mark.usefixtures("registered")
def test_a_registered_view_is_all_that_attacks_need(attack: Attack) -> None:
    m, beta, f = Renamed(4), 0.1, np.array([0.4, 0.3, 0.2, 0.1])
    p, q = (float(one) for one in m.support_probabilities)
    fakes = (attack.law(m).rates[[0, 2]] - q) / (p - q)
    exact = gain(m, attack, beta, f)
    assert np.allclose(exact.frequency, beta * (fakes - f[[0, 2]]), atol=1e-9)
    assert exact.mean is None
    rng = sd.Entropy.seeded(b"a registered view")
    drawn = simulate_gain(m, attack, beta, f, n=20_000, trials=40, rng=rng)
    assert abs(drawn.total_frequency - exact.total_frequency) < 5 * drawn.stderr_total_frequency


@pytest.mark.usefixtures("registered")
def test_a_view_of_the_other_kind_is_refused() -> None:
    with pytest.raises(sd.WrongTypeError, match="M2GA is for: PrivKV, StateRR, PrivKVM, PCKVUE"):
        M2GA([0]).law(Renamed(4))


def test_what_derives_from_a_family_has_its_view() -> None:
    class Louder(sd.GRR):
        name = "Louder"

    assert gain(Louder(4, 1.0), MGA([1]), 0.1).total_frequency == pytest.approx(
        gain(sd.GRR(4, 1.0), MGA([1]), 0.1).total_frequency
    )
