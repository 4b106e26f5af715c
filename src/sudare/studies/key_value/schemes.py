"""What is compared: a mechanism and how its counts are estimated, all trials at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import sudare.mechanisms.keyvalue as kv
from sudare.arrays import Floats, Integers
from sudare.estimation import Counts
from sudare.exact import Entropy
from sudare.mechanisms.keyvalue import KeyValue
from sudare.studies.key_value.populations import Population

FEW = 40
"""Most trials of what takes longer: rounds one after another, and a grid for each trial."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A mechanism, and the estimates made from its reports.

    Attributes:
        make: the mechanism of d keys at an ε, with a padding where it takes one.
        methods: label to method of ``estimate``.
    """

    label: str
    make: Callable[[int, float, int], KeyValue]
    methods: dict[str, str]


SCHEMES = (
    Scheme(
        "half",
        lambda d, e, _: kv.PrivKV(d, e, "half"),
        {"PrivKV": "privkv", "EM 1e-4": "em", "EM": "em", "MLE": "mle"},
    ),
    Scheme("KVM2", lambda d, e, _: kv.PrivKVM(d, e, 2), {"PrivKVM c=2": "privkv"}),
    Scheme("KVM3", lambda d, e, _: kv.PrivKVM(d, e, 3), {"PrivKVM c=3": "privkv"}),
    Scheme(
        "tight",
        lambda d, e, _: kv.PrivKV(d, e, "tight"),
        {"PrivKV tight": "privkv", "MLE tight": "mle", "Bayes tight": "bayes"},
    ),
    Scheme("StateRR", lambda d, e, _: kv.StateRR(d, e), {"StateRR": "mle"}),
    Scheme("PCKV-UE", kv.PCKVUE, {"PCKV-UE": "mle"}),
    Scheme("PCKV-GRR", kv.PCKVGRR, {"PCKV-GRR": "mle"}),
)
CAPPED = frozenset({"PrivKVM c=2", "PrivKVM c=3", "Bayes tight"})
"""The methods that are tried so often at most."""
EARLY = {"EM 1e-4": 1e-4}
"""Where the early-stopped EM ends: when no share moves by so much."""
HALF = SCHEMES[0]
"""The source's, and so EM's."""
METHODS = tuple(method for scheme in SCHEMES for method in scheme.methods)


def supports(
    mechanism: KeyValue, population: Population, n: int, trials: int, rng: Entropy
) -> Integers:
    """Return the counts of each trial: (trials, d, 3), or (trials, rounds, d, 3).

    Each key's counts have their exact law. Several keys in one report (PCKV) are drawn apart: no
    error of a key depends on another's counts.
    """
    if isinstance(mechanism, kv.PrivKVM):
        f, m = population.frequency, population.mean
        few = [mechanism.simulate(n, f, m, rng=rng).support for _ in range(min(trials, FEW))]
        return np.stack(few)
    generator, d = rng.generator(), mechanism.d
    law = (population.states(mechanism) @ mechanism.channel.dense().T).clip(0)
    reports = np.full((trials, d), n)
    if isinstance(mechanism, kv.PrivKV | kv.StateRR):  # one key a person, drawn uniformly
        reports = generator.multinomial(n, np.full(d, 1 / d), size=trials)
    return generator.multinomial(reports, law / law.sum(axis=1, keepdims=True)).astype(np.int64)


def estimates(
    scheme: Scheme, mechanism: KeyValue, drawn: Integers, n: int, method: str
) -> tuple[Floats, Floats]:
    """Return the frequencies and means of each trial, (trials, d); a mean not defined is 0.

    All but empirical Bayes look at each key by itself: the trials are estimated as one with so
    many times the keys, where the channel does not depend on the number of keys.
    """
    name = scheme.methods[method]
    if name == "bayes":
        drawn = drawn[:FEW]
    if name == "bayes" or isinstance(mechanism, kv.PCKVGRR):
        found = [mechanism.estimate(Counts(support, n), name) for support in drawn]
        f = np.stack([one.frequency for one in found])
        m = np.stack([one.mean for one in found])
    else:
        trials, d = len(drawn), mechanism.d
        wide = scheme.make(trials * d, float(mechanism.requested_epsilon), mechanism.padding)
        support = np.concatenate(list(drawn), axis=-2)
        total = n if isinstance(mechanism, kv.PCKVUE) else n * trials
        estimate = wide.estimate(Counts(support, total), name, tolerance=EARLY.get(method))
        f, m = estimate.frequency.reshape(trials, d), estimate.mean.reshape(trials, d)
    return f, np.nan_to_num(m, nan=0.0)
