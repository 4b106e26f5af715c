"""What every mechanism is: a frozen value with a sampler program; the guarantee follows from it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.errors import EstimationError
from sudare.estimation import Counts
from sudare.estimation.conclude import AnyEstimate, EstimateRequest, check_method
from sudare.estimation.counts import as_counts
from sudare.estimation.estimate import Target, check_target
from sudare.exact import floor_float
from sudare.exact.entropy import Entropy, EntropySource, Randomness, as_entropy_source
from sudare.frozen import set_fields
from sudare.guesses import Guessed
from sudare.mechanisms.bulk import in_blocks
from sudare.mechanisms.parameters import BadValue, Parameter, parsed
from sudare.samplers import Program

if TYPE_CHECKING:
    from sudare.estimation import SparseCounts


class Mechanism(Guessed, ABC):
    """A randomiser with known integer weights. A frozen value.

    Its parameters are declared in ``parameters`` (:mod:`sudare.mechanisms.parameters`): checks,
    JSON, pickles, equality and ``repr`` are derived from there.

    Must implement: ``parameters``, a constructor that hands them to ``_take``, ``_build`` (what
    follows from them: at least :attr:`program`), ``_values`` and ``_value`` (what a respondent may
    hold), ``shape`` (of the support counts), ``aggregate`` and ``estimate``. Guarantee,
    randomising and the wire are derived from :attr:`program`.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    arguments: ClassVar[tuple[Parameter, ...]] = ()
    """What the constructor takes, where that is something else than the parameters."""
    covers: ClassVar[str] = "one answer"
    methods: ClassVar[tuple[str, ...]] = ("unbiased",)
    """Names of the methods of :meth:`estimate`."""
    conformance: ClassVar[str] = ""
    """Module whose ``FAMILY`` tells :func:`sudare.testing.check_mechanism` about the family."""
    studies_only: ClassVar[bool] = False
    """True for a baseline without a guarantee: nothing ranks it, no collection takes it."""
    once: ClassVar[bool | None] = None
    """Where categories are asked for: whether in a question that is asked once (True) or again and
    again (False). A family in which one of them is said has no others; None has all."""
    dominated_by: ClassVar[str] = ""
    """The mechanism that errs no more wherever both exist, of one that is there to be compared
    with: a plan names it, and no choice among several takes this one."""
    __slots__ = ("program", "requested_epsilon")
    program: Program
    requested_epsilon: Fraction

    # -- a frozen value ----------------------------------------------------------------------

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def _take(self, **values: Any) -> None:
        """Check and keep the parameters, one after the other, and build what follows from them."""
        for parameter in self.parameters:
            set_fields(self, **{parameter.kept_as: parameter.read(values[parameter.name], self)})
        self._build()

    @abstractmethod
    def _build(self) -> None:
        """Keep what follows from the parameters: :attr:`program`, and the family's own fields."""

    @classmethod
    def _restored(cls, *values: Any) -> Self:
        """Return the mechanism of these parameters, in the order in which they are declared."""
        self = cls.__new__(cls)
        self._take(**dict(zip((one.name for one in cls.parameters), values, strict=True)))
        return self

    def __repr__(self) -> str:
        shown = [one.shown(getattr(self, one.kept_as)) for one in self.parameters]
        return f"{type(self).__name__}({', '.join(part for part in shown if part)})"

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, one.kept_as) for one in self.parameters)
        return type(self)._restored, values

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.name, self.shape, self.requested_epsilon))

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: its name and its parameters, ε as exact text."""
        data = {one.written_as: one.write(getattr(self, one.kept_as)) for one in self.parameters}
        return {"name": self.name} | {name: own for name, own in data.items() if own is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            WrongTypeError, DomainError, PrivacyError: a parameter is out of range.
        """
        return cls._restored(*parsed(cls.name, cls.parameters, data))

    # -- for tests ---------------------------------------------------------------------------

    @classmethod
    def example_arguments(cls) -> list[dict[str, Any]]:
        """Return the constructor's arguments for some small mechanisms.

        Every example value of every argument occurs.
        """
        own = [one for one in cls.arguments or cls.parameters if one.examples]
        number = max(len(one.examples) for one in own)
        return [
            {one.name: one.examples[i % len(one.examples)] for one in own} for i in range(number)
        ]

    @classmethod
    def examples(cls) -> list[Self]:
        """Return some small mechanisms of this class, for tests that take any.

        Examples:
            >>> import sudare as sd
            >>> sd.SetUnary.examples()[1]
            SetUnary(k=2, epsilon=0.5, most=1)
        """
        make: Callable[..., Self] = cls
        return [make(**arguments) for arguments in cls.example_arguments()]

    @classmethod
    def bad_values(cls) -> list[BadValue]:
        """Return arguments that the constructor must refuse, each by the error named.

        Examples:
            >>> import sudare as sd
            >>> sd.SetUnary.bad_values()[0]
            BadValue(arguments={'k': 1, ...}, wrong='k', error=<class 'sudare.errors.DomainError'>)
        """
        good = cls.example_arguments()[0]
        return [
            BadValue({**good, one.name: value}, one.name, error)
            for one in cls.arguments or cls.parameters
            for value, error in one.bad
        ]

    # -- the guarantee -----------------------------------------------------------------------

    @property
    def epsilon(self) -> float:
        """Realised ε from the integer weights, rounded down; at most the one asked for."""
        return self.program.epsilon

    @property
    def due_epsilon(self) -> Fraction:
        """ε that a report is to spend, within 1e-6: the one asked for, but where a published
        account pays for more than is sent."""
        return self.requested_epsilon

    @property
    def gamma(self) -> float:
        """Realised ``e**ε``: the largest ratio of two probabilities of one report, rounded down;
        infinite beyond all floats."""
        try:
            return floor_float(self.program.ratio)
        except OverflowError:
            return math.inf

    # -- the respondent's side ---------------------------------------------------------------

    @abstractmethod
    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the values of n respondents, checked, as the program takes them."""

    @abstractmethod
    def _value(self, value: Any) -> Any:
        """Return one respondent's value, checked, as the program takes it."""

    @abstractmethod
    def perturb(self, *args: Any, **kwargs: Any) -> npt.NDArray[Any]:
        """Randomise what n respondents hold; each family says in which form they give it."""

    def perturb_one(self, value: Any, *, entropy: EntropySource | None = None) -> Any:
        """Randomise one value with the layout of entropy that the browser uses too."""
        return self.program.draw_one(self._value(value), as_entropy_source(entropy))

    @property
    def sent(self) -> dict[str, Any]:
        """What a device runs, as JSON data: the program."""
        return self.program.to_json()

    @property
    def report_bytes(self) -> int:
        """Length of one encoded report."""
        return self.program.report_bytes

    # -- the analyst's side ------------------------------------------------------------------

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the support counts."""

    @abstractmethod
    def aggregate(self, reports: npt.ArrayLike) -> Counts | SparseCounts:
        """Tally reports: how many support each cell, in the shape :attr:`shape`.

        Raises:
            WrongTypeError, ReportError: the array is not made of this mechanism's reports.
        """

    @abstractmethod
    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> AnyEstimate | tuple[AnyEstimate, ...]:
        """Estimate what the respondents hold, with standard errors."""

    def _asked(self, counts: Counts, method: object, target: object) -> EstimateRequest:
        """Check what every estimator is asked: target, method, counts."""
        whose, known = check_target(target), check_method(self.methods, method)
        self.check_counts(counts)
        return EstimateRequest(counts, known, whose, self.epsilon, self.covers)

    def _counts(self, support: npt.NDArray[np.int64], n: int) -> Counts:
        return Counts(support, n, self.to_json())

    def check_counts(self, counts: Counts) -> None:
        """Raise EstimationError unless the counts can be this mechanism's."""
        as_counts(counts)
        if counts.mechanism is not None and counts.mechanism != self.to_json():
            raise EstimationError(
                "counts", "must come from this mechanism", "estimate by the one that made them"
            )
        if counts.support.shape != self.shape:
            raise EstimationError("counts.support", f"must have the shape {self.shape}")
        if counts.n == 0:
            raise EstimationError("counts", "must hold at least one report", "collect some first")
        if not self._adds_up(counts):
            raise EstimationError("counts.support", "must sum to n", "tally reports by aggregate()")

    def _adds_up(self, counts: Counts) -> bool:
        """Whether the supports can be those of n reports: each supports one cell."""
        return adds_up_to(counts.support, counts.n)


class OneValue(Mechanism):
    """A mechanism of one value from each respondent, whatever a value is."""

    __slots__ = ()

    def perturb(self, values: npt.ArrayLike, *, rng: Randomness = None) -> npt.NDArray[Any]:
        """Randomise the values of n respondents.

        Args:
            values: respondents on axis 0; for one of k categories (n,) whole numbers in [0, k).
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            Reports, respondents on axis 0, in the smallest dtype that holds them.

        Raises:
            WrongTypeError, DomainError: a value is outside the domain; nothing is randomised or
                returned, and the message never shows the value.
        """

        def draw(given: npt.ArrayLike, rng: Entropy) -> npt.NDArray[Any]:
            reports: npt.NDArray[Any] = self.program.draw(self._values(given), rng)
            return reports

        return in_blocks(draw, rng, values, report_bytes=self.report_bytes)


def adds_up_to(support: npt.NDArray[np.int64], n: int) -> bool:
    """Whether these are n together: their sum in int64 could have wrapped around to it."""
    return int(support.sum()) == n and float(support.sum(dtype=np.float64)) < 2**63
