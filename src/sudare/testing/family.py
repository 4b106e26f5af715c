"""What conformance has to know of a family of mechanisms; everything else is checked for all alike.

A family names the module of its checks, ``Mechanism.conformance``, which holds a ``FAMILY``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact.entropy import Entropy, Randomness
from sudare.mechanisms import Mechanism
from sudare.testing.suite import Comparison, Total

M = TypeVar("M", bound=Mechanism)
Exact = Callable[[Any, Entropy], object]
Sampled = Callable[[Any, Entropy], Iterable[Comparison | Total]]
Batch = tuple[npt.NDArray[Any], ...]

OUTSIDE = 2**40 + 918_273_645
"""A value that no message may show."""

NOT_NUMBERS = (float("nan"), None, "0", True)


class Family(ABC, Generic[M]):
    """The answers of a family's respondents, and what its estimates are about.

    Attributes:
        exact: checks that no chance decides. They raise
            :class:`~sudare.testing.suite.BrokenRuleError`.
        sampled: checks that return comparisons; the runner shares the false-alarm rate among
            them.
        most: cells of a law, answers times reports, that are written out.
        guarantee: those of ``exact`` that a baseline without a guarantee does not pass.
        at_random: whether a simulation draws its people at random, each on their own.
    """

    exact: ClassVar[tuple[Exact, ...]] = ()
    sampled: ClassVar[tuple[Sampled, ...]] = ()
    guarantee: ClassVar[tuple[Exact, ...]] = ()
    at_random: ClassVar[bool] = False
    most: ClassVar[int] = 1 << 16

    def subjects(self, m: M) -> tuple[M, ...]:
        """Return the mechanisms that are looked at: a small sibling where m is large, and m."""
        return (m,)

    # -- what goes in ------------------------------------------------------------------------

    @abstractmethod
    def answers(self, m: M) -> Sequence[Any]:
        """Return some answers as ``perturb_one`` takes them: all, or those of a grid."""

    def batch(self, m: M, answers: Sequence[Any]) -> Batch:
        """Return the answers of many respondents as the arguments of ``perturb``."""
        return (np.array(answers),)

    def given(self, m: M, answer: Any) -> Any:
        """Return an answer as the program takes it."""
        return m._value(answer)

    def perturb(self, m: M, batch: Batch, rng: Randomness) -> npt.NDArray[Any]:
        """Randomise a batch."""
        return m.perturb(*batch, rng=rng)

    def wire(self, m: M, report: Any) -> bytes:
        """Return the wire form of one report of those that ``perturb`` gives."""
        return bytes(m.program.encode_one(report))

    def report(self, m: M, wire: bytes) -> Any:
        """Return one report in its wire form as ``perturb`` gives it."""
        return split_reports(m.program.decode(wire))[0]

    def alone(self, m: M) -> bool:
        """Whether ``perturb_one`` is for this mechanism."""
        return True

    def bad_answers(self, m: M) -> Iterable[Any]:
        """Return what ``perturb_one`` must refuse."""
        return (*NOT_NUMBERS, -1, 1.5, OUTSIDE)

    def bad_batches(self, m: M) -> Iterator[tuple[Any, ...]]:
        """Yield arguments that ``perturb`` must refuse: bad answers, alone and among others."""
        good = self.answers(m)[0]
        for bad in self.bad_answers(m):
            yield ([bad],)
            yield ([good, bad],)
        yield from (([],), (0,), (None,), ("01",))

    # -- what comes out ----------------------------------------------------------------------

    def attains(self, m: M) -> bool:
        """Whether two of the answers reach the largest ratio that the program states."""
        return True

    def distances(self, m: M, answers: Sequence[Any]) -> Floats | None:
        """Return the distances of the answers where ε is for each unit of one; else None."""
        return None

    def tally(self, m: M, answers: Sequence[Any], weights: Any) -> Any:
        """Return what is true of so many respondents with each answer, as ``simulate`` takes it."""
        return weights

    def truth(self, m: M, answers: Sequence[Any], weights: Floats) -> Floats:
        """Return the true value of what is estimated, of respondents with these answers; NaN where
        the estimate has a bias."""
        out: Floats = np.asarray(self.tally(m, answers, weights), dtype=np.float64).reshape(-1)
        return out

    def estimated(self, m: M, estimate: Any) -> tuple[Floats, Floats]:
        """Return what is estimated, and its standard errors; both flat."""
        return estimate.shares.reshape(-1), estimate.stderr.reshape(-1)

    def channels(self, m: M, law: Any) -> Iterator[tuple[Floats, Floats]]:
        """Yield channels that the mechanism states, each with what it must be by the law."""
        yield from ()

    def method(self, m: M) -> str:
        """Return the method whose standard errors are known."""
        return "unbiased"

    def plausible(self, m: M, answers: Sequence[Any]) -> npt.NDArray[np.bool_]:
        """Return of which answers the estimates are right; others only have a law."""
        return np.ones(len(answers), dtype=np.bool_)

    def exact_errors(self, m: M, target: Target) -> bool | npt.NDArray[np.bool_]:
        """Return whose standard errors are exact, of all or each; others are an upper bound."""
        return True

    # -- what is drawn -----------------------------------------------------------------------

    @abstractmethod
    def look(self, m: M) -> Any:
        """Return how batches of reports are looked at; None where that cannot be."""

    @abstractmethod
    def tallies(self, m: M) -> Any:
        """Return the laws of what ``simulate`` draws; None where they cannot be written out."""

    def simulate(self, m: Any, answers: Sequence[Any], truth: Any, rng: Entropy) -> Counts:
        """Simulate the counts of ``truth[i]`` respondents with answer i."""
        counts: Counts = m.simulate(self.tally(m, answers, truth), rng=rng)
        return counts

    def simulated(self, m: M) -> list[npt.NDArray[np.int64]]:
        """Return groups of cells that a simulation draws by the joint law of the reports."""
        return [np.arange(int(np.prod(m.shape)))]

    def bad_simulations(self, m: M) -> Iterator[tuple[Any, ...]]:
        """Yield arguments that ``simulate`` must refuse."""
        size = int(np.prod(m.shape))
        for bad in (None, [1], np.full(size, -1), np.full(size, 0.5)):
            yield (bad if bad is None or len(bad) == 1 else np.reshape(bad, m.shape),)


def family_of(mechanism: object) -> Family[Any]:
    """Return the family that a mechanism's class names.

    Raises:
        WrongTypeError: not a mechanism, or of a family that names no checks.
    """
    named = getattr(mechanism, "conformance", "") if isinstance(mechanism, Mechanism) else ""
    if not named:
        raise WrongTypeError(
            "mechanism", "must be of a family that has checks", "build one: sudare.GRR(k=5, ...)"
        )
    family: Family[Any] = import_module(named).FAMILY
    return family


def split_reports(decoded: Any) -> list[Any]:
    """Return decoded reports one by one: of an array, of parts, or of a picked part."""
    if isinstance(decoded, list):
        return list(zip(*map(split_reports, decoded), strict=True))
    if isinstance(decoded, tuple):
        index, reports = decoded
        queues = [iter(split_reports(part)) for part in reports]
        return [(i, next(queues[i])) for i in index.tolist()]
    return list(decoded)
