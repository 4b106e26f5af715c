"""``sudare attack``: what fake respondents can do to an estimate."""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np

from sudare.cli import averaging, console, faking, options
from sudare.errors import DomainError, WrongTypeError, counted
from sudare.exact import as_integer, epsilon_from_text
from sudare.manifest import manifest
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import lookup
from sudare.poisoning import M2GA, MGA, RIA, RKVA, RMA, RPA, Attack, Gain, Simulation, gain
from sudare.poisoning.surface import Surface, view_of

ATTACKS: dict[str, type[Attack]] = {
    cls.__name__.lower(): cls for cls in (M2GA, RMA, RKVA, MGA, RPA, RIA)
}
_SIZES = ("k", "d", "bins")
_OF_ITS_OWN = ("split", "padding", "rounds", "branching", "oracle")
_SENT = ("question", "reports", "invites", "allow_remote")
_SIMULATED = ("mechanism", "d", "k", "epsilon", *_OF_ITS_OWN, "frequency", "mean", "method")
_WHO = {False: "device", True: "collector"}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Compute and simulate how much larger the estimates of an attack's targets become when "
        "a share of the respondents is fake. m2ga, rma and rkva attack key-value data, and "
        "mga, rpa and ria a question with one answer, or the bins of a distribution. averaging "
        "has no fakes: it guesses an answer that stays the same from all rounds of a question."
    )
    parser.epilog = (
        "example: sudare attack m2ga --mechanism PrivKV --split half -d 50 --epsilon 1 "
        "--beta 0.05 --frequency 0.3 --mean 0.2"
    )
    parser.add_argument("attack", choices=[*ATTACKS, averaging.NAME], help="which one")
    parser.add_argument("--mechanism", help="attacked; default PrivKV, or GRR for one answer")
    parser.add_argument("-d", type=int, help="number of keys, for key-value data")
    parser.add_argument("-k", type=int, help="number of categories, for one answer, or of bins")
    parser.add_argument("--epsilon", help="ε of a submission, 0.001 to 20")
    parser.add_argument("--split", help="of PrivKV: tight (default) or half")
    parser.add_argument("--padding", type=int, help="of PCKVUE and PCKVGRR (default: 1)")
    parser.add_argument("--permanent", help="ε of the permanent answer, for averaging")
    parser.add_argument(
        "--rounds", type=int, help="of PrivKVM (default: 2), or seen by averaging (default: 1000)"
    )
    parser.add_argument("--branching", type=int, help="of HierarchicalHistogram (default: 8)")
    parser.add_argument("--oracle", help="of HierarchicalHistogram (default: SubsetSelection)")
    parser.add_argument("--beta", type=float, default=0.05, help="share of fakes (default: 0.05)")
    parser.add_argument("--targets", type=int, default=1, help="how many targets (default: 1)")
    parser.add_argument("--frequency", type=float, help="true one of every key, or of each target")
    parser.add_argument("--mean", type=float, help="true mean of every key (default: 0)")
    parser.add_argument("--method", help="how the collector estimates")
    parser.add_argument("-n", type=int, default=100_000, help="respondents (default: 100000)")
    parser.add_argument("--trials", type=int, default=50, help="simulated (default: 50)")
    parser.add_argument("--seed", help="text to repeat the run; default: fresh randomness")
    parser.add_argument("--url", help="send fakes to this collection, http://127.0.0.1:8000/NAME")
    parser.add_argument("--question", help="of it (default: the first that the attack is for)")
    parser.add_argument("--reports", type=int, help="how many fakes to send")
    parser.add_argument("--invites", help="file of codes, where the collection is by invitation")
    parser.add_argument("--allow-remote", action="store_true", help="the collector is elsewhere")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute, simulate, print."""
    if arguments.attack == averaging.NAME:
        return averaging.run(arguments)
    kind = ATTACKS[arguments.attack]
    _check_where(arguments)
    if arguments.url is not None:
        return faking.send_fakes(arguments, kind, options.entropy(arguments.seed))
    mechanism = _mechanism(arguments, kind)
    seen = kind.surface(mechanism)
    targets = as_integer(arguments.targets, "--targets", low=1, high=seen.size)
    trials = as_integer(arguments.trials, "--trials", low=2, high=1_000_000)
    attack = kind(targets=range(targets))
    truth = _truth(arguments, seen, targets)
    rng = options.entropy(arguments.seed)
    methods = seen.methods
    method = arguments.method or ("privkv" if "privkv" in methods else methods[0])
    rows = []
    for controlled in _controls(seen):
        for clipped in (False, True):
            settings: dict[str, Any] = {
                "method": method,
                "clipped": clipped,
                "index_control": controlled,
            }
            exact = gain(mechanism, attack, arguments.beta, *truth, **settings)
            simulation = Simulation(
                mechanism, attack, arguments.beta, *truth, n=arguments.n, rng=rng, **settings
            )
            what = f"simulating, {'clipped' if clipped else 'raw'}"
            steps = console.progress(range(trials), trials, what, quiet=arguments.json)
            rows.append((controlled, exact, simulation.summary(next(simulation) for _ in steps)))
    parameters = {
        "attack": attack.name,
        "mechanism": mechanism.to_json(),
        "targets": targets,
        "beta": arguments.beta,
        "frequency": arguments.frequency,
        "mean": arguments.mean,
        "method": method,
        "n": arguments.n,
        "trials": trials,
    }
    if arguments.json:
        gains = [_record(*row) for row in rows]
        console.print_json(
            {
                **manifest("attack", parameters, options.entropy_label(arguments.seed)),
                "gains": gains,
            }
        )
        return 0
    _print(attack, seen, arguments, rows)
    return 0


def _check_where(arguments: argparse.Namespace) -> None:
    """Refuse options of a simulation for a collector, and those of a collector without one."""
    sends = arguments.url is not None
    if arguments.permanent is not None:
        raise DomainError("--permanent", "is for averaging", "leave it out")
    for name in _SIMULATED if sends else _SENT:
        if getattr(arguments, name) not in (None, False):
            option = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
            raise DomainError(option, f"cannot be given with{'' if sends else 'out'} --url")
    needed = "reports" if sends else "epsilon"
    if getattr(arguments, needed) is None:
        raise DomainError(f"--{needed}", "must be given", "see sudare attack --help")


def _mechanism(arguments: argparse.Namespace, kind: type[Attack]) -> Any:
    epsilon = epsilon_from_text(arguments.epsilon, "--epsilon")
    cls: Any = lookup(arguments.mechanism or kind.victims.usual, Mechanism)
    view_of(cls, kind.victims, kind.rule())
    names = {parameter.name for parameter in cls.parameters}
    sizes = [name for name in _SIZES if name in names]
    if not sizes:
        raise DomainError("--mechanism", "must be of one number of categories", got=cls.name)
    needed, other = ("d", "k") if sizes == ["d"] else ("k", "d")
    if getattr(arguments, needed) is None or getattr(arguments, other) is not None:
        raise DomainError(
            f"-{needed}", f"must be given, and not -{other}", f"{arguments.attack} needs it"
        )
    given = {name: getattr(arguments, name) for name in _OF_ITS_OWN}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in names:
            raise DomainError(f"--{name}", f"is no parameter of {cls.name}", "leave it out")
    return cls(**{sizes[0]: getattr(arguments, needed), "epsilon": epsilon, **given})


def _truth(arguments: argparse.Namespace, seen: Surface, targets: int) -> tuple[Any, float | None]:
    f, m = arguments.frequency, arguments.mean
    if seen.keyed:
        if f is None:
            raise WrongTypeError("--frequency", "must be given", "such as 0.3")
        return f, 0.0 if m is None else m
    if m is not None:
        raise DomainError("--mean", "is for key-value data", "leave it out")
    if f is None:
        return None, None
    others = seen.size - targets
    if not 0 <= f * targets <= 1 or (others == 0 and f * targets != 1):
        raise DomainError("--frequency", "must leave shares for the other categories", got=f)
    shares = np.full(seen.size, (1 - f * targets) / max(others, 1))
    shares[:targets] = f
    return shares, None


def _controls(seen: Surface) -> tuple[bool, ...]:
    """Return who may draw the key of a report: False for the device, True for the collector."""
    return (False, True) if seen.draws_key else (False,)


def _record(controlled: bool, exact: Gain, simulated: Gain) -> dict[str, Any]:
    return {
        "index_control": controlled,
        "clipped": exact.clipped,
        "frequency": exact.total_frequency,
        "mean": exact.total_mean,
        "simulated_frequency": simulated.total_frequency,
        "stderr_frequency": simulated.stderr_total_frequency,
        "simulated_mean": simulated.total_mean,
        "stderr_mean": simulated.stderr_total_mean,
    }


def _print(
    attack: Attack,
    seen: Surface,
    arguments: argparse.Namespace,
    rows: list[tuple[bool, Gain, Gain]],
) -> None:
    keyed, both = seen.keyed, seen.draws_key
    heads = ["key from"] if both else []
    heads += ["estimate", "G_f", "simulated"]
    heads += ["G_m", "simulated"] if keyed else []
    lines = []
    for controlled, exact, simulated in rows:
        line = [_WHO[controlled]] if both else []
        line += [
            "clipped" if exact.clipped else "raw",
            _number(exact.total_frequency),
            _with_error(simulated.total_frequency, simulated.stderr_total_frequency),
        ]
        if keyed:
            line += [
                _number(exact.total_mean),
                _with_error(simulated.total_mean, simulated.stderr_total_mean),
            ]
        lines.append(line)
    title = (
        f"{attack.name} on {len(attack.targets)} of {seen.mechanism!r}, β = {arguments.beta:g}, "
        f"{rows[0][1].method}, n = {arguments.n:,}"
    )
    console.print_table(title, heads, lines)
    what = (
        "G_f, G_m: how much larger frequencies and means"
        if keyed
        else "G_f: how much larger shares"
    )
    console.out().print(
        f"{what} are with the fake reports than without, summed over the targets; simulated in "
        f"{counted(arguments.trials, 'collection')}."
    )
    if any("– ±" in cell for line in lines for cell in line):
        console.out().print(
            "– : in some of them a target had no reports or no holders, and so no mean; take more "
            "respondents (-n)."
        )


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.4f}"


def _with_error(value: float | None, error: float | None) -> str:
    return f"{_number(value)} ± {_number(error)}"
