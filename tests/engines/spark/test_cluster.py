"""A cluster of two workers counts as one thread does, whatever dies or runs twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.engines.spark import plans
from sudare.engines.spark.wire import work
from sudare.release.spark import table
from tests.engines.spark import people
from tests.engines.spark.sources import MECHANISMS, one_thread, planned

pytestmark = pytest.mark.spark

Fault = Callable[[Path, Iterator[Any]], Iterator[Any]]


def faulty(folder: Path, fault: Fault) -> Callable[..., Any]:
    """Return ``work`` whose answers pass a fault, and are noted one by one in a folder.

    Executors get these functions by value: they know nothing of this file.
    """
    place = str(folder)

    def wrapped(entry: str, *given: Any) -> Callable[..., Any]:
        run = work(entry, *given)

        def go(batches: Any) -> Iterator[Any]:
            import os
            from pathlib import Path

            for answer in fault(Path(place), run(batches)):
                for unit in answer.column(0).to_pylist():
                    (Path(place) / "answered" / f"{unit}-{os.getpid()}").touch()
                yield answer

        return go

    return wrapped


def killing(generations: int) -> Fault:
    """Return the fault that kills, once, after answers were given: 0 the Python worker, 2 its
    executor, whose daemon is the worker's parent.
    """

    def fault(folder: Path, answers: Iterator[Any]) -> Iterator[Any]:
        import os
        import signal

        yield next(answers)
        try:
            (folder / "killed").mkdir()
        except FileExistsError:
            yield from answers
            return
        victim = os.getpid()
        for _ in range(generations):
            stat = Path(f"/proc/{victim}/stat").read_text()
            victim = int(stat.rpartition(")")[2].split()[1])
        os.kill(victim, signal.SIGKILL)
        yield from answers

    return fault


def speculated() -> Fault:
    """Return the fault that holds the first task's answers back until Spark has run it twice."""

    def fault(folder: Path, answers: Iterator[Any]) -> Iterator[Any]:
        import time

        from pyspark import TaskContext

        context, found = TaskContext.get(), list(answers)
        own = folder / "attempts"
        if context.partitionId() == 0:
            (own / str(context.taskAttemptId())).touch()
            end = time.monotonic() + 60
            while len(list(own.iterdir())) < 2 and time.monotonic() < end:
                time.sleep(0.02)
        yield from found

    return fault


@pytest.mark.parametrize("name", MECHANISMS)
def test_equals_one_thread(spread: Any, tmp_path: Path, name: str) -> None:
    todo = planned(tmp_path, name)
    assert plans.count_plan(todo, spread) == one_thread(todo)
    frame = spread.read.parquet(str(tmp_path))
    assert sd.spark.counts(frame, MECHANISMS[name], column=todo.job.columns) == one_thread(todo)[0]


@pytest.mark.parametrize("fault", ["worker", "executor", "speculation"])
def test_what_runs_twice_counts_once(
    spread: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    folder = tmp_path / "noted"
    for own in ("answered", "attempts"):
        (folder / own).mkdir(parents=True)
    faults = {"worker": killing(0), "executor": killing(2), "speculation": speculated()}
    (tmp_path / "data").mkdir()
    todo = planned(tmp_path / "data", "GRR")
    monkeypatch.setattr(plans, "work", faulty(folder, faults[fault]))
    assert plans.count_plan(todo, spread, tasks=6) == one_thread(todo)
    answered = [path.name.partition("-")[0] for path in (folder / "answered").iterdir()]
    assert len(set(answered)) == len(todo.units)
    if fault == "speculation":  # Spark may end the slower one before it answers
        assert len(list((folder / "attempts").iterdir())) == 2
    else:
        assert (folder / "killed").is_dir()
        assert len(answered) > len(todo.units)  # some were counted twice


@pytest.mark.parametrize(
    ("unit", "killed", "generations"),
    [(None, 1, 2), (("person", 2), 1, 2), (("person", 2), 2, 0)],
    ids=["units", "cut into buckets", "buckets"],
)
def test_sums_of_releases_that_run_twice_add_once(
    spread: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    unit: Any,
    killed: int,
    generations: int,
) -> None:
    """The executor, or its Python worker, dies in the first or the second pass of a question."""
    monkeypatch.setattr(table, "UNIT_ROWS", 200)
    noted, data = tmp_path / "noted", tmp_path / "data"
    (noted / "answered").mkdir(parents=True)
    data.mkdir()
    people.write(data)
    here, there = (people.opened(data, engine, unit=unit) for engine in (None, spread))
    kill, passes = faulty(noted, killing(generations)), iter(range(1, 9))
    monkeypatch.setattr(
        table, "work", lambda *given: (kill if next(passes) == killed else work)(*given)
    )
    asked = ("region", ["north", "south"], "paid")
    assert there.held.group_sums(*asked) == here.held.group_sums(*asked)
    assert (noted / "killed").is_dir()
    answered = [path.name.partition("-")[0] for path in (noted / "answered").iterdir()]
    assert len(answered) > len(set(answered))  # some were summed twice
