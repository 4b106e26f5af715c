"""Programs that pay from a ledger: in processes of their own, killed where they are told to."""

from __future__ import annotations

import os
import signal
import sys

import psycopg
import sqlalchemy.dialects.postgresql.psycopg
import sqlalchemy.dialects.sqlite

from sudare.errors import BudgetExceeded
from sudare.ledger import Cost, Ledger, ledger as module, tables

LOADED = (psycopg, sqlalchemy, tables)  # once, before the forks


def many(where: str, times: int, who: str) -> None:
    """Pay 1/1000 so many times; print how many were answered."""
    answered = 0
    with Ledger(where) as ledger:
        for i in range(times):
            try:
                query = {"who": who, "number": i}
                ledger.pay(["survey"], Cost.of(epsilon=0.001), query, lambda i=i: i)
                answered += 1
            except BudgetExceeded:
                pass
    print(answered)


def forked(where: str, times: int) -> None:
    """Pay from a ledger that was open, and used, before four forks; print what was answered."""
    with Ledger(where) as ledger:
        ledger.accounts()
        children = []
        for who in "abcd":
            reading, writing = os.pipe()
            if (child := os.fork()) == 0:
                answered = 0
                for i in range(times):
                    try:
                        ledger.pay(["survey"], Cost.of(epsilon=0.001), {who: i}, lambda: 1)
                        answered += 1
                    except BudgetExceeded:
                        pass
                os.write(writing, b"%d" % answered)
                os._exit(0)
            os.close(writing)
            children.append((child, reading))
        for child, reading in children:
            with os.fdopen(reading) as pipe:
                print(pipe.read() or "failed")
            os.waitpid(child, 0)


def killed(where: str, point: str, times: int) -> None:
    """Pay 1/1000 again and again; print each answer at once; die at a point of the last one."""

    def step(name: str) -> None:
        if name == point and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    module.step = step
    with Ledger(where) as ledger:
        for left in range(times - 1, -1, -1):
            paid = ledger.pay(["survey"], Cost.of(epsilon=0.001), {"left": left}, lambda: 1)
            print(paid.event, flush=True)


def each_killed(where: str) -> None:
    """For each line "point times": a child that dies there; print how many answers it gave."""
    for line in sys.stdin:
        point, times = line.split()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(writing, 1)
            killed(where, point, int(times))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answered = len(pipe.read().split())
        _, status = os.waitpid(child, 0)
        print(answered, os.WTERMSIG(status) == signal.SIGKILL, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "many":
        many(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    elif sys.argv[1] == "forked":
        forked(sys.argv[2], int(sys.argv[3]))
    else:
        each_killed(sys.argv[2])
