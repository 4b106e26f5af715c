"""Composition against exact laws: never below them, and near them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numpy as np
import pytest

from sudare.ledger import Plan, epsilon_of
from sudare.ledger.losses import Composition, choice, choices, gaussian, pure
from tests.cases import cases

AT = (0.0, 0.05, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0)
TINY = 1e-20


def delta_of(losses: Sequence[Sequence[tuple[float, float]]], epsilon: float) -> float:
    """Return δ of a composition of laws of loss by enumeration: pairs of a loss and its P."""
    terms = []
    for picked in itertools.product(*losses):
        whole = math.fsum(loss for loss, _ in picked)
        if whole > epsilon:
            terms.append(math.prod(p for _, p in picked) * -math.expm1(epsilon - whole))
    return math.fsum(terms)


def responses(epsilon: float) -> list[tuple[float, float]]:
    likely = 1 / (1 + math.exp(-epsilon))
    return [(epsilon, likely), (-epsilon, 1 - likely)]


def discrete_gaussian(rho: float, shift: Sequence[int]) -> list[tuple[float, float]]:
    """Return the loss of discrete Gaussian noise on each of the numbers that move."""
    variance = sum(v * v for v in shift) / (2 * rho)
    reach = math.ceil(7 * math.sqrt(variance))
    weights = {y: math.exp(-y * y / (2 * variance)) for y in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    one = [
        [((v * v - 2 * v * y) / (2 * variance), w / total) for y, w in weights.items()]
        for v in shift
    ]
    return [
        (sum(loss for loss, _ in some), math.prod(p for _, p in some))
        for some in itertools.product(*one)
    ]


def near(found: float, exact: Callable[[float], float], at: float, slack: float) -> bool:
    """Tell whether δ is never below the exact one, and no more than it is a little to the left."""
    return exact(at) * (1 - 1e-10) <= found <= exact(at - slack) * (1 + 1e-6) + 1e-15


@cases(
    "epsilons",
    [(0.1,), (1.0, 1.0), (0.3, 0.7, 1.1), (0.1, 0.1, 0.1, 2.0), (0.01, 3.0), (0.37,) * 8],
)
def test_pure_answers(epsilons: tuple[float, ...]) -> None:
    exact = [responses(one) for one in epsilons]
    found = Composition.of([(one, 1) for one in epsilons], [], 0.0, TINY)
    spread = math.sqrt(sum(one**2 for one in epsilons))
    for epsilon in AT:
        at = partial(delta_of, exact)
        assert near(found.delta(epsilon), at, epsilon, spread / 100), epsilon


@cases("epsilon, n", [(0.1, 100), (0.5, 40), (0.01, 3000), (0.002, 50_000)])
def test_many_alike(epsilon: float, n: int) -> None:
    """Against the binomial law; with a control: of a hundredth less each, it is below."""
    p = 1 / (1 + math.exp(-epsilon))
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(n + 1)
    ]  # fmt: skip
    found = Composition.of([(epsilon, n)], [], 0.0, TINY)
    below = Composition.of([(epsilon * 0.99, n)], [], 0.0, TINY)
    for at in (0.5, 1.0, 2.0, 4.0):
        losses = [(2 * k - n) * epsilon for k in range(n + 1)]
        exact = math.fsum(
            math.exp(log) * -math.expm1(at - loss)
            for log, loss in zip(logs, losses, strict=True)
            if loss > at
        )
        assert exact * (1 - 1e-7) <= found.delta(at) <= exact * 1.01 + 1e-17
        assert below.delta(at) < exact or exact < 1e-15


@cases("rho", [0.005, 0.05, 0.2])
@cases("shift", [(1,), (3,), (1, -1), (2, -1)])
def test_discrete_gaussian_noise(rho: float, shift: tuple[int, ...]) -> None:
    """Exact laws of whole numbers, of few steps, with one of pure ε beside them."""
    law = discrete_gaussian(rho, shift)
    variance = 2 * rho / (1 - 4 * rho)
    found = Composition.of([], [], variance, TINY)
    beside = Composition.of([(0.4, 1)], [], variance, TINY)
    for at in AT[1::3]:
        assert delta_of([law], at) * (1 - 1e-10) <= found.delta(at)
        assert delta_of([law, responses(0.4)], at) * (1 - 1e-10) <= beside.delta(at)
    if rho == 0.005:
        exact = delta_of([law], 0.3)
        assert found.delta(0.3) <= exact * 1.4
        assert Composition.of([], [], 2 * rho * 0.98, TINY).delta(0.3) < exact, "a control"


def test_a_gaussian_law_on_the_grid() -> None:
    """δ of Gaussian noise as Balle and Wang 2018 have it, theorem 8."""

    def normal(z: float) -> float:
        return math.erfc(-z / math.sqrt(2)) / 2

    for mu, step in ((1.0, 0.005), (0.1, 0.0005), (0.1, 0.2), (4.0, 0.02)):
        law = gaussian(mu * mu, step, TINY)
        assert law.mass.sum() + law.beyond == pytest.approx(1, abs=1e-12)
        found = Composition(law, None)
        for at in (0.0, mu, 3 * mu, 5 * mu):
            exact = normal(mu / 2 - at / mu) - math.exp(at) * normal(-mu / 2 - at / mu)
            assert found.delta(at) >= exact * (1 - 1e-9) - 1e-16
            coarse = Composition(gaussian(mu * mu, step, 1e-3), None)
            assert coarse.losses.mass.sum() + coarse.losses.beyond == pytest.approx(1, abs=1e-12)
            assert coarse.delta(at) >= exact * (1 - 1e-9) - 1e-16
            if step < mu:
                assert found.delta(at) <= exact * 1.002 + 1e-15


def ends(epsilon: float, t: float) -> list[tuple[float, float]]:
    """Return the law of a loss that is t or t - ε."""
    p = math.expm1(t - epsilon) / math.expm1(-epsilon)
    return [(t, p), (t - epsilon, 1 - p)]


@cache
def game(items: tuple[tuple[str, float], ...], epsilon: float, points: int) -> float:
    """Return the most δ that who asks can reach: any order, any stop, any ends of a choice."""
    best = max(0.0, -math.expm1(epsilon))
    for i, (kind, size) in enumerate(items):
        rest = items[:i] + items[i + 1 :]
        laws: Iterator[list[tuple[float, float]]] = iter([responses(size)])
        if kind == "choice":
            laws = (ends(size, size * j / points) for j in range(points + 1))
        for law in laws:
            best = max(best, math.fsum(p * game(rest, epsilon - x, points) for x, p in law))
    return best


@cases(
    "items",
    [
        (("choice", 1.0),),
        (("choice", 1.0), ("choice", 1.0)),
        (("pure", 0.5), ("choice", 1.0), ("pure", 1.2)),
        (("pure", 0.3), ("choice", 0.6), ("choice", 0.6)),
        (("choice", 0.5), ("choice", 1.5)),
    ],
)
def test_any_order_any_stop_and_any_choice(items: tuple[tuple[str, float], ...]) -> None:
    """Against the best strategy of who asks, searched; with a control that is below it."""

    def found(factor: float) -> Composition:
        sizes = {kind: [x * factor for k, x in items if k == kind] for kind in ("pure", "choice")}
        pures = [(size, 1) for size in sizes["pure"]]
        return Composition.of(
            pures, [(x, sizes["choice"].count(x)) for x in {*sizes["choice"]}], 0.0, TINY
        )

    whole, less = found(1.0), found(0.97)
    mixed = len({x for kind, x in items if kind == "choice"}) > 1
    for at in (0.0, 0.3, 0.8, 1.3):
        searched = game(items, at, 20)
        assert searched <= whole.delta(at) * (1 + 1e-12)
        if searched > 0.05:
            assert whole.delta(at) <= searched * (1.3 if mixed else 1.03)
            assert mixed or less.delta(at) < searched, "a control"


def test_prices_that_follow_answers_exceed_what_each_list_keeps() -> None:
    """Why a plan's prices are fixed: both lists keep (0.65, δ), who picks between them does not."""
    first, at = responses(0.5), 0.65
    lists = [[responses(1.0)], [responses(0.6), responses(0.6)]]
    kept = max(delta_of([first, *rest], at) for rest in lists)
    followed = math.fsum(p * max(delta_of(rest, at - x) for rest in lists) for x, p in first)
    assert (round(kept, 3), round(followed, 3)) == (0.261, 0.268)
    rho = (0.5**2 + 1.0**2) / 2  # of the dearer list: by ρ either may follow
    assert epsilon_of(rho, kept) > at


def test_one_choice_has_the_profile_of_its_proof() -> None:
    for epsilon in (0.1, 1.0, 3.0):

        def exact(x: float, e: float = epsilon) -> float:
            return (math.expm1((x - e) / 2)) ** 2 / -math.expm1(-e)

        stepwise, alone = choices(epsilon, 1, TINY), Composition(choice(epsilon), None)
        for x in np.linspace(-0.9, 0.99, 12) * epsilon:
            for found in (float(stepwise(np.array([x]))[0]), alone.delta(float(x))):
                assert found >= exact(x) * (1 - 1e-10)
                assert found <= exact(x - epsilon / 50)


def test_the_figures_that_the_pages_state() -> None:
    def of(text: str, delta: float = 1e-6) -> float:
        return Plan.parse(text).epsilon(delta)

    assert 4.7745 < of("100 epsilon=0.1") <= 4.78 < 5.2215 < epsilon_of(0.5, 1e-6)
    assert 2.24 < of("100 choice=0.1") <= 2.26 < 2.4190 < epsilon_of(0.125, 1e-6) <= 2.42
    mixed = "40 epsilon=0.1, 30 choice=0.1, 30 rho="
    assert of(mixed + "0.0035") <= 3.90 < 4.16 < of(mixed + "0.005") <= 4.20
    assert of(mixed + "0.005", 1e-5) <= 3.90
    assert of("1 epsilon=0.1") <= 0.1
    assert of("100 rho=0.005") == pytest.approx(4.94, abs=0.02)
    assert of("3 rho=2") == epsilon_of(6, 1e-6), "by ρ alone where the noise is narrow"


@cases("delta", [1e-3, 1e-9, 1e-30, 1e-90])
def test_never_worse_than_by_rho(delta: float) -> None:
    for text in ("100000 epsilon=0.001", "2000 choice=0.02", "1 epsilon=3, 7 choice=1, 2 rho=0.1"):
        plan = Plan.parse(text)
        assert 0 < plan.epsilon(delta) <= plan.epsilon_one_by_one(delta)


def test_what_is_cut_off_goes_up() -> None:
    law = pure(0.1).times(50, TINY, 1.0)
    for tiny in (1e-12, 1e-6, 1e-2):
        cut = law.cut(tiny)
        assert cut.mass.sum() + cut.beyond == pytest.approx(1, abs=1e-14)
        assert cut.beyond <= tiny
        for step in (0.03, 0.11, 0.7):
            moved: Callable[[float], float] = Composition(cut.onto(step), None).delta
            for at in (0.0, 0.4, 1.0):
                assert moved(at) >= Composition(law, None).delta(at) * (1 - 1e-9)
