"""``compare``: mechanisms on one truth: error, bytes, time, what a report gives away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare import frames
from sudare.arrays import Integers
from sudare.errors import CollectionError, DomainError, OutOfReachError, ReportError, WrongTypeError
from sudare.estimation.simplex import largest_remainders
from sudare.exact import as_epsilon, as_integer
from sudare.exact.entropy import Entropy, as_entropy
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.registry import lookup
from sudare.mechanisms.values import MAX_RESPONDENTS, as_array, as_floats, as_shares
from sudare.progress import Progress, no_progress

Chosen = str | type[FrequencyOracle]
"""A mechanism by its name or class."""

_TIMED = 100_000  # respondents whose reports are timed
_TIMED_BYTES = 1 << 26  # of their reports
_PASSES, _LONG = 5, 0.5  # passes at most, and seconds after which there is no further one


@dataclass(frozen=True, slots=True)
class Compared:
    """One mechanism at one ε.

    Attributes:
        mechanism: ready to use.
        expected_mse: mean over the k cells of the expected squared error of a share, exact.
        measured_mse: the same over the repetitions.
        measured_stderr: standard error of ``measured_mse``.
        report_bytes: length of one report.
        perturb_seconds: for one respondent, in a batch.
        estimate_seconds: from reports to estimates, for one respondent of that batch.
        guess_probability: how probably the best guess from one report is right where all k values
            are alike (1 / k without a report); None where the law is too large to tell.
    """

    mechanism: FrequencyOracle
    expected_mse: float
    measured_mse: float
    measured_stderr: float
    report_bytes: int
    perturb_seconds: float
    estimate_seconds: float
    guess_probability: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            "mechanism": self.mechanism.name,
            "epsilon": float(self.mechanism.requested_epsilon),
            "expected_mse": self.expected_mse,
            "measured_mse": self.measured_mse,
            "measured_stderr": self.measured_stderr,
            "report_bytes": self.report_bytes,
            "perturb_seconds": self.perturb_seconds,
            "estimate_seconds": self.estimate_seconds,
            "guess_probability": self.guess_probability,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """A row a mechanism and ε; of each ε the least expected error first. A sequence of rows.

    Attributes:
        truth: (k,) how many of the n respondents hold each category.
        left_out: why a mechanism is not there: name, ε, the rule that it breaks.
    """

    truth: Integers
    repetitions: int
    rows: tuple[Compared, ...]
    left_out: tuple[tuple[str, float, str], ...]

    @property
    def k(self) -> int:
        """Number of categories."""
        return self.truth.size

    @property
    def n(self) -> int:
        """Number of respondents."""
        return int(self.truth.sum())

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Each ε, increasing."""
        return tuple(sorted({float(row.mechanism.requested_epsilon) for row in self.rows}))

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Compared:
        return self.rows[index]

    def __repr__(self) -> str:
        head = f"Comparison(k={self.k}, n={self.n}, {self.repetitions} repetitions)"
        rows = [
            f"  ε {float(row.mechanism.requested_epsilon):<5g} {row.mechanism.name:<16} "
            f"MSE {row.measured_mse:.4g} (expected {row.expected_mse:.4g})  "
            f"{row.report_bytes} bytes"
            for row in self.rows
        ]
        return "\n".join([head, *rows])

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        return {
            "k": self.k,
            "n": self.n,
            "repetitions": self.repetitions,
            "rows": [row.to_json() for row in self.rows],
            "left_out": [
                {"mechanism": name, "epsilon": epsilon, "rule": rule}
                for name, epsilon, rule in self.left_out
            ],
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row a mechanism and ε."""
        rows = [row.to_json() for row in self.rows]
        return frames.build({name: [row[name] for row in rows] for name in rows[0]}, library)


def compare(
    mechanisms: Sequence[Chosen] | None,
    truth: npt.ArrayLike,
    n: int | None = None,
    epsilons: Sequence[float | Fraction] = (1.0,),
    repetitions: int = 100,
    *,
    rng: Entropy | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Compare mechanisms for one of k categories on the same respondents.

    The error is that of the raw shares of these respondents: the mean over the cells of the squared
    difference, measured over so many collections (tallies drawn from their exact law) and beside it
    its exact expectation. Times are those of one batch of reports, at most 100,000 and 64 MiB, on
    this machine; all else repeats from a seed.

    Args:
        mechanisms: names or classes of frequency oracles, those of other packages too; None for
            all that are registered.
        truth: (k,) how many hold each category, whole numbers, or their shares, which sum to 1.
        n: number of respondents; None for the sum of ``truth``, whole numbers. Those are made as
            many as ``n`` in proportion.
        epsilons: each 0.001 to 20.
        repetitions: 2 or more.
        rng: :meth:`Entropy.seeded` to repeat the errors.
        progress: shows how far it has come.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.
        CollectionError: no such mechanism, or one without a guarantee.
        OutOfReachError: no mechanism reaches any ε.

    Examples:
        >>> import sudare as sd
        >>> found = compare([sd.GRR, "OUE"], [700, 200, 100], epsilons=[1.0, 2.0],
        ...                 rng=sd.Entropy.seeded(b"example"))
        >>> [row.mechanism.name for row in found]
        ['GRR', 'OUE', 'GRR', 'OUE']
        >>> row = found[0]
        >>> round(row.guess_probability, 4), abs(row.measured_mse / row.expected_mse - 1) < 0.5
        (0.5761, True)
    """
    people = _respondents(truth, n)
    often = as_integer(repetitions, "repetitions", low=2, high=10**7)
    kinds, asked = _kinds(mechanisms), _epsilons(epsilons)
    source = as_entropy(rng)
    rows: list[Compared] = []
    left_out: list[tuple[str, float, str]] = []
    jobs = list(product(asked, kinds))
    for epsilon, kind in progress(jobs, len(jobs), "comparing"):
        try:
            mechanism = kind(people.size, epsilon)
        except OutOfReachError as error:
            left_out.append((kind.name, float(epsilon), f"{error.argument} {error.rule}"))
            continue
        rows.append(_compared(mechanism, people, often, source))
    if not rows:
        name, _, rule = left_out[0]
        raise OutOfReachError("mechanisms", f"must reach some ε, but of {name} {rule}")
    rows.sort(key=lambda row: (row.mechanism.requested_epsilon, row.expected_mse))
    return Comparison(people, often, tuple(rows), tuple(left_out))


def _respondents(truth: npt.ArrayLike, n: int | None) -> Integers:
    """Return how many of n respondents hold each category."""
    array = as_array(truth)
    if array is None or array.ndim != 1 or array.dtype.kind not in "iuf" or array.size < 2:
        raise WrongTypeError("truth", "must be a list of at least two numbers", "one a category")
    numbers = as_floats(truth, "truth", array.shape)
    total = float(numbers.sum())
    if not np.isfinite(numbers).all() or numbers.min() < 0 or not total > 0:
        raise DomainError("truth", "must be >= 0 and not all 0")
    if n is None:
        if array.dtype.kind == "f" or total > MAX_RESPONDENTS:
            rule = f"must be whole numbers that sum to at most {MAX_RESPONDENTS}"
            raise DomainError("truth", rule, "or give n beside shares")
        return array.astype(np.int64)
    people = as_integer(n, "n", low=1, high=MAX_RESPONDENTS)
    if array.dtype.kind == "f":
        as_shares(numbers, array.size, argument="truth")
    return largest_remainders(people * (numbers / total), people)


def _kinds(mechanisms: Sequence[Chosen] | None) -> list[type[FrequencyOracle]]:
    if mechanisms is None:
        mechanisms = names(FrequencyOracle)
    if isinstance(mechanisms, str) or not isinstance(mechanisms, Sequence):
        raise WrongTypeError("mechanisms", "must be a list of names or classes", 'such as ["GRR"]')
    kinds = [_kind(chosen) for chosen in mechanisms]
    if not kinds:
        raise DomainError("mechanisms", "must not be empty", "None compares all")
    return list(dict.fromkeys(kinds))


def _kind(chosen: object) -> type[FrequencyOracle]:
    if not isinstance(chosen, type):
        return lookup(chosen, FrequencyOracle)
    if not issubclass(chosen, FrequencyOracle):
        raise WrongTypeError("mechanisms", "must be classes of frequency oracles", got=chosen)
    if chosen.studies_only:
        rule = "must give a local privacy guarantee"
        raise CollectionError("mechanisms", rule, got=chosen.name)
    return chosen


def _epsilons(epsilons: Sequence[float | Fraction]) -> list[Fraction]:
    if isinstance(epsilons, str) or not isinstance(epsilons, Sequence | np.ndarray):
        raise WrongTypeError("epsilons", "must be a list of numbers", "such as [1.0, 2.0]")
    asked = sorted({as_epsilon(one, "epsilons") for one in epsilons})
    if not asked:
        raise DomainError("epsilons", "must not be empty", "give at least one")
    return asked


def _compared(m: FrequencyOracle, truth: Integers, often: int, rng: Entropy) -> Compared:
    n = int(truth.sum())
    shares = truth / n
    squares = np.array(
        [
            float(np.square(m.estimate(m.simulate(truth, rng=rng)).shares - shares).mean())
            for _ in range(often)
        ]
    )
    perturb, estimate = _times(m, truth)
    return Compared(
        mechanism=m,
        expected_mse=m.expected_mse(n, target="respondents"),
        measured_mse=float(squares.mean()),
        measured_stderr=float(squares.std(ddof=1) / math.sqrt(often)),
        report_bytes=m.report_bytes,
        perturb_seconds=perturb,
        estimate_seconds=estimate,
        guess_probability=_guess_probability(m),
    )


def _times(m: FrequencyOracle, truth: Integers) -> tuple[float, float]:
    """Return the seconds that one respondent of a batch takes to randomise, and to count.

    Of several passes the fastest: what else the machine does only adds. Their entropy is the
    system's: how many there are depends on the clock.
    """
    n = int(truth.sum())
    size = max(1, min(n, _TIMED, _TIMED_BYTES // m.report_bytes))
    batch = np.repeat(np.arange(m.k), largest_remainders(size * (truth / n), size))
    batch = as_entropy(None).generator().permutation(batch)
    passes: list[tuple[float, float]] = []
    while len(passes) < _PASSES and sum(map(sum, passes)) < _LONG:
        started = perf_counter()
        reports = m.perturb(batch)
        between = perf_counter()
        m.estimate(m.aggregate(reports))
        passes.append((between - started, perf_counter() - between))
    perturb, estimate = (min(seconds) / size for seconds in zip(*passes, strict=True))
    return perturb, estimate


def _guess_probability(m: FrequencyOracle) -> float | None:
    try:
        return m.program.guess_probability
    except ReportError:
        return None
