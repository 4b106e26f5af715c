"""What a family of mechanisms is to fake respondents: one view a family, found by its class.

Mechanisms know nothing of attacks. A view of them is registered here::

    @register(MyMechanism)
    class MySurface(CategoriesSurface): ...

and every attack, gain and simulation of its kind works with it (``docs/decisions/families.md``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.poisoning.laws import FakeLaw

MANY = 10**15
"""People who stand for infinitely many: their counts tell every share to 15 digits."""

Population = tuple[Floats, Floats]

_SURFACES: dict[type[Mechanism], type[Surface]] = {}

S = TypeVar("S", bound="Surface")

_REASONS: dict[type[Mechanism], str] = {}


class Fakes(NamedTuple):
    """The laws of a fake report, one for each way to lie.

    Attributes:
        maximal: the report that lifts the targets most.
        random: any report, without regard to the targets.
        honest: an honest report of somebody who holds a random target, surely and with +1.
    """

    maximal: FakeLaw
    random: FakeLaw
    honest: FakeLaw


class Surface(ABC):
    """A mechanism as fake respondents see it.

    Attributes:
        mechanism: what is attacked.
        size: number of keys or categories, of which some are targets.
        methods: what the mechanism estimates by; the first one by default.
        draws_key: whether a report is about one key drawn uniformly, which a collector may fix.
        keyed: whether there are values, and so means, beside the frequencies.
    """

    usual: ClassVar[str]
    """Name of the one that is looked at first."""
    ends: ClassVar[tuple[float, ...]]
    """The least possible frequency and, where there are means, the least mean."""
    together: ClassVar[bool]
    """Whether the supports of all keys add up to all people, or those of each key."""
    instead: ClassVar[str]
    """What to do where a collector cannot draw the keys."""

    def __init__(self, mechanism: Any) -> None:
        self.mechanism = mechanism
        self.size: int = mechanism.shape[0 if len(mechanism.shape) == 1 else -2]
        self.methods: tuple[str, ...] = getattr(mechanism, "methods", ("unbiased",))
        self.draws_key: bool = getattr(mechanism, "draws_key", False)
        self.keyed = len(self.ends) > 1

    def check_control(self, index_control: bool) -> None:
        """Raise DomainError where a collector is to draw keys, and no report names one."""
        if index_control and not self.draws_key:
            rule = f"must be False: no key is drawn for a report of {self.mechanism.name}"
            raise DomainError("index_control", rule, self.instead)

    @abstractmethod
    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return the laws of a fake report; the collector draws its key under index control."""

    # -- what comes of it --------------------------------------------------------------------

    @abstractmethod
    def truth(self, frequency: object, mean: object) -> Population:
        """Return the true frequencies and means, checked."""

    @abstractmethod
    def honest(self, truth: Population) -> Floats:
        """Return the expected support of one honest person."""

    def rates(self, truth: Population, fakes: Floats, beta: float) -> Floats:
        """Return the expected support of one person: a fake one with probability ``beta``."""
        out: Floats = (1 - beta) * self.honest(truth) + beta * fakes
        return out

    def expected(self, truth: Population, fakes: Floats, beta: float) -> Counts:
        """Return the counts of :data:`MANY` people of whom the share ``beta`` are fake."""
        rates = self.rates(truth, fakes, beta)
        states = 3 if self.keyed else 1
        grouped = rates.reshape(-1, states * self.size if self.together else states)
        support = np.rint(grouped * MANY).astype(np.int64)
        if grouped.shape[1] > 1:  # these add up to all people: the rounding goes to the largest
            largest = grouped.argmax(axis=1)
            support[np.arange(len(support)), largest] += MANY - support.sum(axis=1)
        return Counts(support.reshape(rates.shape), MANY, self.mechanism.to_json())

    @abstractmethod
    def draw(self, truth: Population, people: int, rng: Entropy) -> Counts:
        """Draw the counts of honest people."""

    def joined(
        self, before: Counts, truth: Population, fakes: Integers, generator: np.random.Generator
    ) -> Integers:
        """Return the support of honest people, counted ``before``, and of fakes together."""
        out: Integers = before.support + fakes
        return out

    @abstractmethod
    def found(self, estimate: Any, targets: list[int]) -> Floats:
        """Return the targets' estimates, a row for frequencies and one for means."""


def register(*mechanisms: type[Mechanism]) -> Callable[[type[S]], type[S]]:
    """Class decorator: make a view known as that of these mechanisms and what derives from them."""

    def add(view: type[S]) -> type[S]:
        _SURFACES.update(dict.fromkeys(mechanisms, view))
        return view

    return add


def refuse(mechanism: type[Mechanism], reason: str) -> None:
    """Say why there is no view of a mechanism."""
    _REASONS[mechanism] = reason


def surface(mechanism: object, kind: type[S], rule: str = "must be one of {}") -> S:
    """Return what a mechanism is to fake respondents, by its class.

    Raises:
        WrongTypeError: no view of that kind is registered; {} in the rule stands for what has one.
    """
    return view_of(type(mechanism), kind, rule)(mechanism)


def view_of(cls: type, kind: type[S], rule: str = "must be one of {}") -> type[S]:
    """Return the view of a class of mechanisms, as :func:`surface` of one of them."""
    seen = next((_SURFACES[c] for c in cls.__mro__ if c in _SURFACES), None)
    if seen is None or not issubclass(seen, kind):
        known = (cls.__name__ for cls, view in _SURFACES.items() if issubclass(view, kind))
        reason = next((_REASONS[c] for c in cls.__mro__ if c in _REASONS), "")
        raise WrongTypeError("mechanism", rule.format(", ".join(known)), reason)
    return seen
