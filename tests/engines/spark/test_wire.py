"""What executors get and give, without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sudare as sd
from sudare.engines import Job, Plan, Unit
from sudare.engines.spark import plans
from sudare.engines.spark.sessions import spoken
from sudare.engines.spark.wire import ANSWERS_BYTES, batched, read_answers, work
from sudare.errors import DomainError, EngineError, EstimationError, ReportError

ALONE = """
import pickle, sys
sys.modules["sudare"] = None  # not installed
from pyspark import cloudpickle
run = cloudpickle.loads(open(sys.argv[1], "rb").read())
print(list(run([]))[0].to_pylist())
"""


@pytest.mark.spark
def test_an_executor_without_sudare_says_so(tmp_path: Path) -> None:
    from pyspark import cloudpickle

    function = tmp_path / "function"
    function.write_bytes(cloudpickle.dumps(work("count_units", None, ())))
    said = subprocess.run(
        [sys.executable, "-c", ALONE, str(function)], capture_output=True, text=True, check=True
    ).stdout
    assert said.strip() == "[{'place': -1, 'counted': None, 'refused': 'none'}]"
    with pytest.raises(EngineError, match=r"executors must have Sudare .* found none"):
        list(read_answers([(-1, None, "none")]))


def test_a_refusal_keeps_its_type_and_words() -> None:
    from sudare.engines.spark.wire import answer

    def refuse() -> None:
        raise DomainError("file", "must not change", "plan again", got="a.parquet")

    place, counted, refused = answer(3, refuse)
    assert (place, counted) == (3, None)
    with pytest.raises(DomainError) as error:
        list(read_answers([(3, None, refused)]))
    assert str(error.value) == "file must not change, got 'a.parquet'; plan again"
    assert (error.value.argument, error.value.remedy) == ("file", "plan again")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Job aborted: ModuleNotFoundError: No module named 'pyarrow'\n", "must have pyarrow as"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version", "driver's Python, 3."),
        ("cell 4711", "could not finish the work; Java must be there"),
    ],
)
def test_what_executors_lack_is_told_and_no_more_of_what_spark_says(said: str, told: str) -> None:
    kind = type("PythonException", (Exception,), {"__module__": "pyspark.errors"})
    with pytest.raises(EngineError) as error, spoken():
        raise kind(said)
    assert told in str(error.value)
    assert "4711" not in str(error.value)
    assert ("PYSPARK_PYTHON" in str(error.value)) == ("4711" not in said)


@pytest.mark.parametrize(
    ("rows", "cores", "tasks"),
    [([100], 2, 1), ([100] * 9, 2, 2), ([1 << 26] * 20, 4, 12), ([1 << 30] * 5, 2, 5)],
)
def test_tasks_are_enough_for_cores_and_few(rows: list[int], cores: int, tasks: int) -> None:
    job = Job.of(sd.GRR(3, 1.0))
    units = [Unit("a.parquet", ".parquet", "", i, i + 1, n, 0) for i, n in enumerate(rows)]
    assert plans._tasks(Plan(job, tuple(units)), cores) == tasks


def test_answers_travel_together_but_not_without_end() -> None:
    text = "x" * (ANSWERS_BYTES // 2)
    sizes = [one.num_rows for one in batched([(i, text, None) for i in range(5)])]
    assert sizes == [2, 2, 1]


@pytest.mark.parametrize("text", ["", "[1]", "null", '{"rows": 1}'])
def test_other_answers_are_refused(text: str) -> None:
    with pytest.raises((EstimationError, ReportError)):
        list(read_answers([(0, text, None)]))
