"""Our bounds and conversions against OpenDP's and dp-accounting's: never less than is true."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import Any

import pytest

from sudare.ledger import Cost, Plan, epsilon_of, rho_of
from sudare.ledger.losses import Composition
from sudare.release import bound_of, epsilon_for
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation

pytestmark = pytest.mark.oracle

SCALES = [Fraction(1, 2), Fraction(1), Fraction(3), Fraction(10), Fraction(1000), Fraction(12345)]
MISSES = [0.5, 0.3, 0.1, 0.05, 0.01, 1e-3, 1e-6]


# -- how far noise reaches -------------------------------------------------------------------------

# OpenDP's accuracy is the a with P(|noise| >= a) = miss, for a real a; ours the least whole t with
# P(|noise| > t) = P(|noise| >= t + 1) <= miss. Hence t + 1 = ceil(a): the whole number below a, or
# a - 1 where a is whole.


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_reach_of_laplace_noise(accuracy: Any, scale: Fraction) -> None:
    noise = Noise(Cost.of(epsilon=1), scale)
    for miss in MISSES:
        reach = noise.reach(miss)
        tolerance = accuracy.discrete_laplacian_scale_to_accuracy(float(scale), miss)
        assert reach == math.ceil(tolerance) - 1
        least, most = (
            accuracy.accuracy_to_discrete_laplacian_scale(float(a), miss)
            for a in (reach or 1e-9, reach + 1)
        )
        assert least < scale <= most * (1 + 1e-12)


@pytest.mark.parametrize("scale", SCALES[:-1], ids=str)
def test_reach_of_gaussian_noise(accuracy: Any, scale: Fraction) -> None:
    """OpenDP sums the law; ours takes the continuous one's, which is at most a step more."""
    noise = Noise(Cost.of(rho=1), scale * scale)
    for miss in MISSES:
        exact = accuracy.discrete_gaussian_scale_to_accuracy(float(scale), miss) - 1
        assert exact <= noise.reach(miss) <= exact + 1


def test_bounds_before_anything_is_spent(accuracy: Any) -> None:
    steps = accuracy.discrete_laplacian_scale_to_accuracy(1000.0, 0.05)
    assert bound_of("mean", epsilon=0.1, n=100_000, bounds=(0, 100)) == math.floor(steps) / 100_000
    for bound in (1, 5, 30, 300):
        scale = accuracy.accuracy_to_discrete_laplacian_scale(float(bound + 1), 0.05)
        assert 1 / epsilon_for("count", bound) == pytest.approx(scale, rel=1e-9)


# -- what noise costs ------------------------------------------------------------------------------


def spaces(opendp: Any, bounds: tuple[int, int], size: int | None) -> Any:
    rows = opendp.vector_domain(opendp.atom_domain(bounds=bounds, T=int), size=size)
    return rows, opendp.symmetric_distance()


@pytest.mark.parametrize("bounds", [(0, 100), (-50, 20), (3, 8)], ids=str)
@pytest.mark.parametrize(("relation", "size", "apart"), [
    ("replace-one", 1000, 2), ("add-remove", None, 1),
])  # fmt: skip
def test_cost_of_sums(
    opendp: Any, relation: Any, size: int | None, apart: int, bounds: tuple[int, int]
) -> None:
    """A row replaced is one removed and one added: a symmetric distance of 2."""
    summed = opendp.t.make_sum(*spaces(opendp, bounds, size))
    sensitivity = NeighbourRelation(relation).of_sum(*bounds)
    assert summed.map(apart) == sensitivity
    for epsilon in (0.1, 1.0, 3.0):
        noise = Noise.of(Cost.of(epsilon=epsilon), sensitivity)
        measurement = summed >> opendp.m.then_laplace(float(noise.scale))
        assert measurement.map(apart) == pytest.approx(epsilon, rel=1e-12)
        noise = Noise.of(Cost.of(rho=epsilon), sensitivity)
        measurement = summed >> opendp.m.then_gaussian(math.sqrt(noise.scale))
        assert measurement.map(apart) == pytest.approx(epsilon, rel=1e-12)


def test_cost_of_a_mean(opendp: Any) -> None:
    """OpenDP's sum of floats adds what rounding may do; ours has whole steps and nothing to add."""
    rows = opendp.vector_domain(opendp.atom_domain(bounds=(0.0, 100.0), nan=False), size=100_000)
    mean = opendp.t.make_mean(rows, opendp.symmetric_distance())
    noise = Noise.of(Cost.of(epsilon=0.1), NeighbourRelation("replace-one").of_sum(0, 100))
    measurement = mean >> opendp.m.then_laplace(float(noise.scale) / 100_000)
    assert measurement.map(2) == pytest.approx(0.1, rel=1e-6)
    assert measurement.map(2) >= 0.1


@pytest.mark.parametrize("rows", [1, 3])
def test_cost_of_counts(opendp: Any, rows: int) -> None:
    """One count, and groups that share no row: both ways to be neighbours."""
    count = opendp.t.make_count(*spaces(opendp, (0, 1), None))
    removed = NeighbourRelation("add-remove", rows, "who" if rows > 1 else None)
    noise = Noise.of(Cost.of(epsilon=0.5), removed.of_count)
    measurement = count >> opendp.m.then_laplace(float(noise.scale))
    assert measurement.map(rows) == pytest.approx(0.5, rel=1e-12)

    replaced = NeighbourRelation("replace-one", rows, "who" if rows > 1 else None)
    many = opendp.vector_domain(opendp.atom_domain(T=int))
    for protection, apart, root in (
        (removed, rows, rows),
        (replaced, 2 * rows, rows * math.sqrt(2)),
    ):
        scale = float(Noise.of_counts(Cost.of(epsilon=0.5), protection).scale)
        laplace = opendp.m.make_laplace(many, opendp.l1_distance(T=int), scale=scale)
        assert laplace.map(apart) == pytest.approx(0.5, rel=1e-12)
        scale = math.sqrt(Noise.of_counts(Cost.of(rho=0.5), protection).scale)
        gaussian = opendp.m.make_gaussian(many, opendp.l2_distance(T=float), scale=scale)
        assert gaussian.map(root) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("monotone", [False, True])
def test_cost_of_a_choice(opendp: Any, monotone: bool) -> None:
    """The rate ε / (2 sensitivity), and ε / sensitivity where all scores move one way."""
    epsilon, sensitivity = Fraction(3, 10), 2
    rate = epsilon / ((1 if monotone else 2) * sensitivity)
    space = opendp.vector_domain(opendp.atom_domain(T=int))
    metric = opendp.linf_distance(T=int, monotonic=monotone)
    select = opendp.m.make_noisy_max(space, metric, opendp.max_divergence(), scale=float(1 / rate))
    assert select.map(sensitivity) == pytest.approx(float(epsilon), rel=1e-12)


# -- ρ and (ε, δ) ----------------------------------------------------------------------------------

RHOS = [Fraction(1, 10**4), Fraction(1, 200), Fraction(1, 10), Fraction(1, 2), Fraction(10)]
DELTAS = [1e-3, 1e-6, 1e-10]


def tight(accounting: Any, event: Any, delta: float) -> float:
    """Return ε of an event by its privacy loss distribution, in steps of 1e-4, rounded up."""
    accountant = accounting.pld.PLDAccountant(value_discretization_interval=1e-4)
    return float(accountant.compose(event).get_epsilon(delta))


def of_any(opendp: Any, rho: Fraction, delta: float) -> float:
    """Return ε of anything that keeps ρ, as OpenDP converts it (Canonne et al. 2020, lemma 9)."""
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    gaussian = opendp.m.make_gaussian(*space, scale=math.sqrt(1 / (2 * rho)))
    return float(opendp.c.make_zCDP_to_approxDP(gaussian).map(1).epsilon(delta))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_epsilon_of_rho(opendp: Any, accounting: Any, rho: Fraction, delta: float) -> None:
    """Never less than the Gaussian mechanism's own ε, nor than the best for all that keeps ρ."""
    own = epsilon_of(rho, delta)
    gaussian = tight(accounting, accounting.GaussianDpEvent(math.sqrt(1 / (2 * rho))), delta)
    any_other = of_any(opendp, rho, delta)
    assert gaussian <= any_other * (1 + 1e-9)
    assert any_other * (1 - 1e-9) <= own <= any_other * (1 + 1e-6)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_rho_of_epsilon(opendp: Any, accounting: Any, epsilon: float, delta: float) -> None:
    rho = rho_of(epsilon, delta)
    sigma = math.sqrt(1 / (2 * rho))
    assert tight(accounting, accounting.GaussianDpEvent(sigma), delta) <= epsilon
    assert of_any(opendp, rho, delta) <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize(("epsilon", "times"), [(0.1, 1), (0.1, 100), (0.5, 20), (1.0, 3)])
def test_laplace_noise_in_an_account_of_rho(accounting: Any, epsilon: float, times: int) -> None:
    """So many answers of pure ε, each charged ε² / 2, against their composition."""
    rho = times * Cost.of(epsilon=epsilon).within("rho").amount
    event = accounting.SelfComposedDpEvent(accounting.LaplaceDpEvent(1 / epsilon), times)
    for delta in DELTAS:
        assert tight(accounting, event, delta) <= epsilon_of(rho, delta)


@pytest.mark.parametrize("sensitivity", [1, 7])
def test_whole_noise_by_its_loss(accounting: Any, sensitivity: int) -> None:
    """The discrete laws themselves, of few steps: where they differ most from continuous ones."""
    losses = accounting.pld.privacy_loss_distribution
    for epsilon in (0.3, 2.0):
        noise = Noise.of(Cost.of(epsilon=epsilon), sensitivity)
        law = losses.from_discrete_laplace_mechanism(
            1 / float(noise.scale), sensitivity=sensitivity, value_discretization_interval=1e-4
        )
        assert law.get_epsilon_for_delta(0) == pytest.approx(epsilon, abs=1.1e-4)
    for rho in (Fraction(1, 10), Fraction(2)):
        noise = Noise.of(Cost.of(rho=rho), sensitivity)
        law = losses.from_discrete_gaussian_mechanism(
            math.sqrt(noise.scale), sensitivity=sensitivity, value_discretization_interval=1e-4
        )
        for delta in DELTAS:
            assert law.get_epsilon_for_delta(delta) <= epsilon_of(rho, delta)


@pytest.mark.parametrize(
    ("pures", "normal", "at"),
    [
        ([(0.1, 100)], 0.0, 1e-6),
        ([(0.1, 40)], 0.3, 1e-6),
        ([(0.5, 10), (0.05, 200)], 0.1, 1e-9),
        ([(0.01, 1000)], 0.0, 1e-3),
        ([(2.0, 3), (0.3, 20)], 1.0, 1e-10),
        ([], 2.0, 1e-6),
    ],
)
def test_a_plan_by_its_loss(accounting: Any, pures: Any, normal: float, at: float) -> None:
    """Never below dp-accounting's lower estimate, and within a hundredth of its upper one.

    Discrete Laplace noise of sensitivity 1 has the loss of randomised response: the largest of pure
    ε.
    """
    laws = accounting.pld.privacy_loss_distribution

    def theirs(upper: bool) -> float:
        how = {"value_discretization_interval": 1e-4, "pessimistic_estimate": upper}
        parts = [
            laws.from_discrete_laplace_mechanism(epsilon, sensitivity=1, **how).self_compose(n)
            for epsilon, n in pures
        ]
        if normal:
            parts.append(laws.from_gaussian_mechanism(1 / math.sqrt(normal), **how))
        whole = reduce(lambda one, other: one.compose(other), parts)
        return float(whole.get_epsilon_for_delta(at))

    own = Composition.of(pures, [], normal, at * 1e-10).epsilon(at)
    assert theirs(False) * (1 - 1e-6) <= own <= theirs(True) * 1.01


def test_a_mixed_plan_is_near_the_least_that_any_account_may_state(accounting: Any) -> None:
    """Choices between two, of losses ±ε / 2, are such choices: what they keep is no less."""
    laws = accounting.pld.privacy_loss_distribution
    how = {"value_discretization_interval": 1e-4, "pessimistic_estimate": False}
    pure = laws.from_discrete_laplace_mechanism(0.1, sensitivity=1, **how).self_compose(40)
    chosen = laws.from_discrete_laplace_mechanism(0.05, sensitivity=1, **how).self_compose(30)
    noise = laws.from_discrete_gaussian_mechanism(10.0, sensitivity=1, **how).self_compose(30)
    least = pure.compose(chosen).compose(noise).get_epsilon_for_delta(1e-6)
    own = Plan.parse("40 epsilon=0.1, 30 choice=0.1, 30 rho=0.005").epsilon(1e-6)
    assert 4.16 < least < own < 1.01 * least


@pytest.mark.parametrize("sensitivity", [1, 5])
@pytest.mark.parametrize("rho", [0.005, 0.05, 0.2])
def test_discrete_gaussian_noise_in_a_plan(accounting: Any, rho: float, sensitivity: int) -> None:
    """Taken for continuous noise that is a little narrower, it is never below its own law."""
    law = accounting.pld.privacy_loss_distribution.from_discrete_gaussian_mechanism(
        sensitivity / math.sqrt(2 * rho),
        sensitivity=sensitivity,
        value_discretization_interval=1e-4,
        pessimistic_estimate=False,
    ).self_compose(5)
    for delta in DELTAS:
        own = Composition.of([], [], 5 * 2 * rho / (1 - 4 * rho), delta * 1e-10).epsilon(delta)
        assert law.get_epsilon_for_delta(delta) <= own
