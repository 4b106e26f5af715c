"""What every poisoning attack is: fake respondents, their targets, the exact law of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sudare.alignment import as_index
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.values import MAX_CATEGORIES, MAX_RESPONDENTS, as_array
from sudare.poisoning.laws import FakeLaw
from sudare.poisoning.surface import Surface, surface

MOST_REPORTS = 1 << 28


@dataclass(frozen=True)
class Attack:
    """Fake respondents who want their targets to look large. A frozen value.

    Must have ``victims``, the surfaces that it is defined for, and ``way``, which of their fakes it
    sends.

    Args:
        targets: the keys or categories, distinct whole numbers; the gains are theirs. Categories
            may be named by labels; where one reads as a number, a number is the label that it is
            written like.

    Raises:
        WrongTypeError, DomainError: neither numbers nor labels.
    """

    victims: ClassVar[type[Surface]]
    way: ClassVar[Literal["maximal", "random", "honest"]]
    by_label: ClassVar[bool] = False
    """Whether what is attacked may have labels: keys are numbers."""
    targets: Sequence[int | str]

    def __post_init__(self) -> None:
        set_fields(self, targets=_as_targets(self.targets, self.by_label))

    @property
    def name(self) -> str:
        """Its standard name."""
        return type(self).__name__

    def law(self, mechanism: Mechanism, *, index_control: bool = False) -> FakeLaw:
        """Return the exact law of one fake report: ``rates``, ``reports(m, generator)``, ...

        Args:
            mechanism: what is attacked.
            index_control: the collector draws the key of a report, as invites do, and a fake
                respondent has the state alone to choose.

        Raises:
            WrongTypeError: not a mechanism that this attack is defined for, or no flag.
            DomainError: a target is none of its, or no report of it tells a drawn key.
        """
        seen = self.surface(mechanism)
        if not isinstance(index_control, bool):
            raise WrongTypeError("index_control", "must be True or False")
        places = self.places(seen)
        seen.check_control(index_control)
        law: FakeLaw = getattr(seen.fakes(places, index_control), self.way)
        return law

    def places(self, seen: Surface) -> list[int]:
        """Return the places of the targets among the keys or categories of what is attacked.

        Raises:
            WrongTypeError, DomainError: a target is none of these, or named twice.
        """
        labels = getattr(seen.mechanism, "labels", None)
        named = [as_index(one, labels, "targets") for one in self.targets]
        out = [as_integer(one, "targets", low=0, high=seen.size - 1) for one in named]
        if len(set(out)) < len(out):
            raise DomainError("targets", "must name at least one, each once", "such as [0, 3]")
        return out

    @classmethod
    def surface(cls, mechanism: object) -> Surface:
        """Return what the mechanism is to fake respondents; WrongTypeError if not one of those."""
        return surface(mechanism, cls.victims, cls.rule())

    @classmethod
    def rule(cls) -> str:
        """Return what a mechanism must be; {} stands for those that it is for."""
        return f"must be one of those that {cls.__name__} is for: {{}}"

    def reports(
        self,
        mechanism: Mechanism,
        m: int,
        *,
        rng: Randomness = None,
        index_control: bool = False,
    ) -> npt.NDArray[Any]:
        """Make m fake reports, which look as those of ``mechanism.perturb``.

        Raises:
            WrongTypeError, DomainError: as :meth:`law`; m is none.
        """
        people = as_integer(m, "m", low=1, high=MOST_REPORTS)
        law = self.law(mechanism, index_control=index_control)
        return law.reports(people, as_entropy(rng).generator())

    def simulate(
        self,
        mechanism: Mechanism,
        m: int,
        *,
        rng: Randomness = None,
        index_control: bool = False,
    ) -> Counts:
        """Draw the counts of m fake reports, without a loop over them; else as :meth:`reports`."""
        people = as_integer(m, "m", low=1, high=MAX_RESPONDENTS)
        law = self.law(mechanism, index_control=index_control)
        support = law.support(people, as_entropy(rng).generator())
        return Counts(support, people, mechanism.to_json())


def _as_targets(targets: object, by_label: bool) -> tuple[int | str, ...]:
    remedy = "such as [0, 3]"
    if isinstance(targets, str | bytes) or not isinstance(targets, Iterable):
        raise WrongTypeError("targets", "must be a list of whole numbers or labels", remedy)
    array = as_array(targets if isinstance(targets, np.ndarray) else list(targets))
    if array is None or array.ndim != 1:
        raise WrongTypeError("targets", "must be a list of whole numbers or labels", remedy)
    chosen = [targets] if array.ndim == 0 else list(targets)
    out = tuple(
        str(one)
        if by_label and isinstance(one, str)
        else as_integer(one, "targets", low=0, high=MAX_CATEGORIES - 1)
        for one in chosen
    )
    if not out or len(set(out)) < len(out):
        raise DomainError("targets", "must name at least one, each once", remedy)
    return out
