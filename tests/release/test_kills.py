"""Answers across kills: whoever is charged and got nothing fetches it by its key; nothing is free.

``SUDARE_KILLS`` says how many there are of each kind of ledger, such as 500.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pytest

from sudare.ledger import Cost, Ledger, check_events, ledger as module
from sudare.release import Dataset
from sudare.release.queries import KINDS, Filtered
from sudare.release.synthetic import Synthetic
from tests.release.test_dry_run import BOUNDS, PEOPLE, WHERE, query_of

POINTS = ("locked", "checked", "reserved", "answered", "settled", "committed")
COST = Cost.of(epsilon=0.01)
NUMBER = int(os.environ.get("SUDARE_KILLS", "8"))


def ask(ledger: Ledger, tag: str, key: str) -> bool:
    """Ask a question once under a key, every other one of some rows; tell whether it was on record.

    Made-up rows are asked together with a count, all or nothing.
    """
    db = Dataset(PEOPLE, bounds=BOUNDS, ledger=ledger).once(key)
    if tag == "synthetic":
        parts = [
            (Synthetic(["score", "height"]), COST.amount / 2),
            (query_of("sum"), COST.amount / 2),
        ]
        both = db.ask_all([(one, Cost("epsilon", part)) for one, part in parts])
        assert both[0].reused is both[1].reused
        return both[0].reused
    query = query_of(tag)
    return db.ask(Filtered(query, WHERE) if int(key) % 2 else query, COST).reused


def killed(where: str) -> None:
    """For each line "kind key when": a child that asks and dies, at a step or after seconds."""

    def die(name: str) -> None:
        if name == when:
            os.kill(os.getpid(), signal.SIGKILL)

    module.step = die
    for line in sys.stdin:
        tag, key, when = line.split()
        child = os.fork()
        if child == 0:
            with Ledger(where) as ledger:
                ask(ledger, tag, key)
            os._exit(0)
        if when not in POINTS:
            time.sleep(float(when))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(os.WIFSIGNALED(status), flush=True)


@pytest.mark.slow
def test_every_kind_is_paid_once_whenever_its_process_is_killed(where: str) -> None:
    draw, kinds = random.Random(18), [*KINDS, "synthetic"]
    command = [sys.executable, "-m", "tests.release.test_kills", where]
    with (
        Ledger(where) as ledger,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        ledger.open("data", epsilon=1000, keys=0.1)
        charges = 0
        for number in range(NUMBER):
            tag, key = draw.choice(kinds), str(number)
            when = draw.choice([*POINTS, f"{draw.uniform(0, 0.2):.4f}"])
            before = ledger.account("data").spent
            process.stdin.write(f"{tag} {key} {when}\n")
            died = process.stdout.readline() == "True\n"
            charged = ledger.account("data").spent - before
            assert charged in (0, Fraction(1, 100))
            if when in POINTS:
                assert died
                assert (charged > 0) is (when == "committed")
            assert ask(ledger, tag, key) is (charged > 0)
            assert ledger.account("data").spent - before == Fraction(1, 100)
            charges += charged > 0
        process.stdin.close()
        assert check_events(ledger.events())["data"] == NUMBER * COST.amount
        print(f"{NUMBER} kills, {charges} of them after the charge", file=sys.stderr)


if __name__ == "__main__":
    killed(sys.argv[1])
