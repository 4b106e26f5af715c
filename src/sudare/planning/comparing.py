"""``compare``: mechanisms on one truth: error, bytes, time, what a report gives away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sudare.alignment import align, count_axes
from sudare.arrays import Integers
from sudare.errors import (
    CollectionError,
    DomainError,
    OutOfReachError,
    PrivacyError,
    WrongTypeError,
)
from sudare.estimation.simplex import largest_remainders
from sudare.exact import as_epsilon, as_integer
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.mechanisms import FrequencyOracle, Mechanism, names
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import lookup
from sudare.mechanisms.values import MAX_RESPONDENTS, as_array, as_floats, as_shares
from sudare.planning.budget_split import (
    BUDGETS,
    BudgetSplit,
    TableMechanism,
    of_several,
    too_little,
    unfit,
    ways,
)
from sudare.planning.comparison import Compared, Comparison, Taken
from sudare.planning.contenders import Contender, Wanted
from sudare.planning.tables import plan_tables, wanted_tables
from sudare.progress import Progress, no_progress

Chosen = str | type[Mechanism]
"""A mechanism by its name or class."""


def compare(
    mechanisms: Sequence[Chosen] | None,
    truth: npt.ArrayLike,
    n: int | None = None,
    epsilons: Sequence[float | Fraction] = (1.0,),
    repetitions: int = 100,
    *,
    order: int | None = None,
    tables: Sequence[Sequence[int]] | None = None,
    rng: Randomness = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Compare mechanisms for one of k categories, or for several attributes, on one truth.

    The error is that of the raw shares of these respondents: the mean over the cells of the squared
    difference, measured over so many collections (tallies drawn from their exact law) and beside it
    its exact expectation. Of several attributes the cells are those of the wanted tables, each
    mechanism spends the ε on the whole answer, and frequency oracles report all attributes as one
    category; the ways are those of :func:`sudare.planning.plan_tables`. Times are the processor's,
    of one batch of reports, at most 100,000 and 64 MiB, on this machine; all else repeats from a
    seed.

    Args:
        mechanisms: names or classes of frequency oracles, those of other packages too, of several
            attributes ``"JointRR"``, ``"MarginalRR"``, ``"SampledPairs"`` and ``"SampledTables"``
            as well; None for all that are registered.
        truth: (k,) how many hold each category, whole numbers, or their shares, which sum to 1; of
            several attributes a table of the shape of their sizes. A dict, a pandas Series and a
            frame count by their labels, so that their order does not matter.
        n: number of respondents; None for the sum of ``truth``, whole numbers. Those are made as
            many as ``n`` in proportion.
        epsilons: each 0.001 to 20.
        repetitions: 2 or more.
        order: of several attributes, all tables of so many are wanted; None for the cells of all.
        tables: instead of ``order``, the wanted tables by their attributes.
        rng: a seed, NumPy generator or Entropy to repeat the errors.
        progress: shows how far it has come.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.
        CollectionError: no such mechanism, or one without a guarantee.
        OutOfReachError: no mechanism reaches any ε.

    Examples:
        >>> import sudare as sd
        >>> found = compare([sd.GRR, "OUE"], [700, 200, 100], epsilons=[1.0, 2.0],
        ...                 rng=sd.Entropy.seeded(b"example"))
        >>> [row.name for row in found]
        ['GRR', 'OUE', 'GRR', 'OUE']
        >>> row = found[0]
        >>> round(row.guess_probability, 4), abs(row.measured_mse / row.expected_mse - 1) < 0.5
        (0.5761, True)
        >>> table = compare(None, [[300, 100], [50, 150], [200, 200]], order=1, repetitions=2)
        >>> table.auto[0].more < 0.01
        True
    """
    people = _respondents(truth, n)
    often = as_integer(repetitions, "repetitions", low=2, high=10**7)
    kinds, asked = _kinds(mechanisms, people.ndim), _epsilons(epsilons)
    depth = people.ndim if order is None else order
    wanted = Wanted(people, wanted_tables(people.ndim, depth, tables))
    source, left_out = as_entropy(rng), list[tuple[str, float, str]]()
    rows: list[Compared] = []
    jobs = [(epsilon, way) for epsilon in asked for way in _ways(kinds, wanted, epsilon, left_out)]
    for epsilon, way in progress(jobs, len(jobs), "comparing"):
        try:
            mechanism = way.make()
        except OutOfReachError as error:
            left_out.append((way.label, float(epsilon), f"{error.argument} {error.rule}"))
        except PrivacyError:
            left_out.append((way.label, float(epsilon), f"it {too_little(wanted.sizes)}"))
        else:
            rows.append(_compared(way.label, Contender(mechanism, wanted), often, source))
    if not rows:
        name, _, rule = left_out[0]
        raise OutOfReachError("mechanisms", f"must reach some ε, but of {name} {rule}")
    rows.sort(key=lambda row: (row.mechanism.requested_epsilon, row.expected_mse))
    taken = [_taken(epsilon, wanted, rows) for epsilon in asked]
    return Comparison(
        people, wanted.tables, often, tuple(rows), tuple(left_out), tuple(filter(None, taken))
    )


def _respondents(truth: npt.ArrayLike, n: int | None) -> Integers:
    """Return how many of n respondents hold each category, or each cell of a table."""
    truth = align(truth, (None,) * count_axes(truth), "truth")
    array = as_array(truth)
    if array is None or array.ndim < 1 or array.dtype.kind not in "iuf" or min(array.shape) < 2:
        rule = "must be a list of at least two numbers, or a table of attributes of as many each"
        raise WrongTypeError("truth", rule, "one a category")
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
        as_shares(numbers, *array.shape, argument="truth")
    return largest_remainders(people * (numbers.ravel() / total), people).reshape(array.shape)


def _kinds(mechanisms: Sequence[Chosen] | None, attributes: int) -> list[type[Mechanism]]:
    """Return the classes to compare: frequency oracles, of several attributes others too."""
    several = of_several() if attributes > 1 else ()
    if mechanisms is None:
        return [*several, *(lookup(name, FrequencyOracle) for name in names(FrequencyOracle))]
    if isinstance(mechanisms, str) or not isinstance(mechanisms, Sequence):
        raise WrongTypeError("mechanisms", "must be a list of names or classes", 'such as ["GRR"]')
    kinds = [_kind(chosen, several) for chosen in mechanisms]
    if not kinds:
        raise DomainError("mechanisms", "must not be empty", "None compares all")
    return list(dict.fromkeys(kinds))


def _kind(chosen: object, several: tuple[type[Mechanism], ...]) -> type[Mechanism]:
    if not isinstance(chosen, type):
        known = {kind.name: kind for kind in several}
        return known.get(str(chosen)) or lookup(chosen, FrequencyOracle)
    if not (issubclass(chosen, Mechanism) and issubclass(chosen, (FrequencyOracle, *several))):
        rule = "must be classes of frequency oracles"
        if several:
            rule += f", or {', '.join(kind.name for kind in several)}"
        raise WrongTypeError("mechanisms", rule, got=chosen)
    if chosen.studies_only:
        rule = "must give a local privacy guarantee"
        raise CollectionError("mechanisms", rule, got=chosen.name)
    return chosen


def _ways(
    kinds: list[type[Mechanism]],
    wanted: Wanted,
    epsilon: Fraction,
    left_out: list[tuple[str, float, str]],
) -> Iterator[BudgetSplit]:
    """Yield the ways by these classes that can give the wanted tables; tell why others cannot."""
    oracles = [kind for kind in kinds if issubclass(kind, FrequencyOracle)]
    order = max(map(len, wanted.tables))
    for budget in BUDGETS if len(wanted.sizes) > 1 else ("flat",):
        reason = unfit(budget, wanted.sizes, order)
        for way in ways(budget, wanted.sizes, epsilon, oracles):
            if way.kind not in kinds:
                continue
            if reason:
                left_out.append((way.label, float(epsilon), f"it {reason}"))
            else:
                yield way


def _epsilons(epsilons: Sequence[float | Fraction]) -> list[Fraction]:
    if isinstance(epsilons, str) or not isinstance(epsilons, Sequence | np.ndarray):
        raise WrongTypeError("epsilons", "must be a list of numbers", "such as [1.0, 2.0]")
    asked = sorted({as_epsilon(one, "epsilons") for one in epsilons})
    if not asked:
        raise DomainError("epsilons", "must not be empty", "give at least one")
    return asked


def _compared(name: str, one: Contender, often: int, rng: Entropy) -> Compared:
    measured, spread = one.measured(often, rng)
    perturb, estimate = one.seconds()
    return Compared(
        name=name,
        mechanism=one.mechanism,
        expected_mse=one.wanted.error_of(one.mechanism),
        measured_mse=measured,
        measured_stderr=spread,
        report_bytes=one.mechanism.report_bytes,
        perturb_seconds=perturb,
        estimate_seconds=estimate,
        guess_probability=one.guess_probability(),
    )


def _taken(epsilon: Fraction, wanted: Wanted, rows: list[Compared]) -> Taken | None:
    """Return what ``auto`` takes, beside the least error of the rows of that ε, if any."""
    own = [row for row in rows if row.mechanism.requested_epsilon == epsilon]
    if not own:
        return None
    mechanism: TableMechanism
    if len(wanted.sizes) == 1:
        mechanism = rank(wanted.sizes[0], epsilon, wanted.n, plugins=False)[0][1]
    else:
        mechanism = plan_tables(wanted.sizes, wanted.n, epsilon, tables=wanted.tables).best
    name = next((row.name for row in own if row.mechanism == mechanism), mechanism.name)
    error = wanted.error_of(mechanism)
    more = max(0.0, error / min(row.expected_mse for row in own) - 1)
    return Taken(float(epsilon), name, error, more)
