"""Other libraries for local differential privacy, each as its own documentation uses it.

Every library gets the same values and gives back reports and estimated shares. What is compiled
is compiled before anything is timed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

import sudare as sd

Values = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """A mechanism at given parameters, and the respondents' values."""

    mechanism: str
    k: int
    epsilon: float
    values: Values

    @property
    def optimal(self) -> bool:
        """OUE, not SUE, where a library has one class for both."""
        return self.mechanism == "OUE"


@dataclass(frozen=True)
class Jobs:
    """What is timed: from values to reports, and from reports to estimated shares."""

    perturb: Callable[[], Any]
    estimate: Callable[[Any], npt.NDArray[np.float64]]


def _hashes_text(module: Any) -> Any:
    """Let a library hash text, which it does and xxhash 4 refuses."""
    xxh32 = importlib.import_module("xxhash").xxh32
    module.xxhash = SimpleNamespace(xxh32=lambda text, seed: xxh32(text.encode(), seed=seed))
    return module


def sudare(task: Task) -> Jobs:
    m = getattr(sd, task.mechanism)(task.k, task.epsilon)
    return Jobs(
        lambda: m.perturb(task.values),
        lambda reports: m.estimate(m.aggregate(reports)).shares,
    )


def sudare_calls(task: Task) -> Jobs:
    """Sudare with one call a report, from a device's answer to the bytes that it sends."""
    m = getattr(sd, task.mechanism)(task.k, task.epsilon)
    encode, decode = m.program.encode_one, m.program.decode
    values = task.values.tolist()
    return Jobs(
        lambda: [encode(m.perturb_one(value)) for value in values],
        lambda reports: m.estimate(m.aggregate(decode(b"".join(reports)))).shares,
    )


def pure_ldp(task: Task) -> Jobs:
    oracles = importlib.import_module("pure_ldp.frequency_oracles")
    parameters = {"epsilon": task.epsilon, "d": task.k, "index_mapper": int}
    kind = {"GRR": "DE", "OLH": "LH"}.get(task.mechanism, "UE")
    if kind == "UE":
        parameters["use_oue"] = task.optimal
    elif kind == "LH":
        parameters["use_olh"] = True
        for side in ("client", "server"):
            _hashes_text(importlib.import_module(f"{oracles.__name__}.local_hashing.lh_{side}"))
    client = getattr(oracles, f"{kind}Client")(**parameters)
    values = task.values.tolist()

    def estimate(reports: list[Any]) -> npt.NDArray[np.float64]:
        server = getattr(oracles, f"{kind}Server")(**parameters)
        for report in reports:
            server.aggregate(report)
        counts = [server.estimate(category, suppress_warnings=True) for category in range(task.k)]
        return np.array(counts) / len(reports)

    return Jobs(lambda: [client.privatise(value) for value in values], estimate)


def multi_freq_ldpy(task: Task) -> Jobs:
    client, estimate = _multi_freq(task)
    values, (k, epsilon) = task.values.tolist(), (task.k, task.epsilon)
    if task.mechanism in ("GRR", "OLH"):
        return Jobs(lambda: [client(value, k, epsilon) for value in values], estimate)
    optimal = task.optimal
    return Jobs(lambda: [client(value, k, epsilon, optimal) for value in values], estimate)


def multi_freq_ldpy_compiled(task: Task) -> Jobs:
    """The same client called from a loop that Numba compiles: better than its own examples."""
    client, estimate = _multi_freq(task)
    k, epsilon, optimal = task.k, task.epsilon, task.optimal
    njit = importlib.import_module("numba").njit

    @njit
    def grr(values: Values) -> Values:
        reports = np.empty(values.size, dtype=np.int64)
        for i in range(values.size):
            reports[i] = client(values[i], k, epsilon)
        return reports

    @njit
    def unary(values: Values) -> npt.NDArray[np.float64]:
        reports = np.empty((values.size, k))
        for i in range(values.size):
            reports[i] = client(values[i], k, epsilon, optimal)
        return reports

    loop = grr if task.mechanism == "GRR" else unary
    return Jobs(lambda: loop(task.values), estimate)


def _multi_freq(task: Task) -> tuple[Callable[..., Any], Callable[[Any], npt.NDArray[np.float64]]]:
    oracles = "multi_freq_ldpy.pure_frequency_oracles"
    if task.mechanism == "GRR":
        module = importlib.import_module(f"{oracles}.GRR")
        return module.GRR_Client, lambda r: module.GRR_Aggregator_MI(r, task.k, task.epsilon)
    if task.mechanism == "OLH":
        module = _hashes_text(importlib.import_module(f"{oracles}.LH"))
        return module.LH_Client, lambda r: module.LH_Aggregator_MI(r, task.k, task.epsilon)
    module = importlib.import_module(f"{oracles}.UE")
    return module.UE_Client, lambda r: module.UE_Aggregator_MI(r, task.epsilon, task.optimal)


def ldp_toolbox(task: Task) -> Jobs:
    protocols = "ldp_toolbox.protocols.frequency"
    if task.mechanism == "GRR":
        module = importlib.import_module(f"{protocols}.grr")
        protocol = module.GeneralizedRandomizedResponse(task.k, task.epsilon)
    elif task.mechanism == "OLH":
        module = _hashes_text(importlib.import_module(f"{protocols}.lh"))
        protocol = module.LocalHashing(task.k, task.epsilon)
    else:
        module = importlib.import_module(f"{protocols}.ue")
        protocol = module.UnaryEncoding(task.k, task.epsilon, task.optimal)
    values = task.values.tolist()
    sequential = importlib.import_module("joblib").parallel_config

    def estimate(reports: list[Any]) -> npt.NDArray[np.float64]:
        with sequential(backend="sequential"):  # one thread, as all others
            return np.asarray(protocol.estimate(reports))

    return Jobs(lambda: [protocol.obfuscate(value) for value in values], estimate)


@dataclass(frozen=True)
class Library:
    """A library, or a way to use it.

    Attributes:
        start: prepare the jobs of a task; ImportError where the library is missing.
        package: what pip installs.
        without: mechanisms that this way is not for.
    """

    start: Callable[[Task], Jobs]
    package: str
    without: tuple[str, ...] = ()


LIBRARIES = {
    "Sudare": Library(sudare, "sudare"),
    "Sudare, one call a report": Library(sudare_calls, "sudare"),
    "multi-freq-ldpy": Library(multi_freq_ldpy, "multi-freq-ldpy"),
    "multi-freq-ldpy, loop compiled": Library(
        multi_freq_ldpy_compiled, "multi-freq-ldpy", without=("OLH",)
    ),
    "pure-ldp": Library(pure_ldp, "pure-ldp"),
    "ldp-toolbox": Library(ldp_toolbox, "ldp-toolbox"),
}
