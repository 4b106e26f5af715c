"""Several columns of a file, each randomised on its own, into one file of joint reports."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.cli import console
from sudare.cli.blocks import ending
from sudare.cli.columns import Column
from sudare.cli.replacing import replacing
from sudare.cli.reports import METADATA, compressed
from sudare.errors import DomainError, MissingExtraError
from sudare.exact import Entropy, epsilon_from_text
from sudare.manifest import as_text, manifest, sidecar
from sudare.mechanisms.joint import JointRR
from sudare.samplers.base import index_dtype

Rows = npt.NDArray[Any]
Write = Callable[[Rows], None]


def names_of(text: str) -> tuple[str, ...]:
    """Return the columns of ``a,b,c``."""
    names = tuple(text.split(","))
    if len(names) < 2 or len(set(names)) < len(names) or "" in names:
        raise DomainError("--columns", "must name at least two columns, each once")
    return names


def epsilons_of(text: str, columns: int) -> list[Fraction]:
    """Return ε of each column alone, from one number for all or one for each."""
    epsilons = [epsilon_from_text(one, "--epsilon") for one in text.split(",")]
    epsilons = epsilons * columns if len(epsilons) == 1 else epsilons
    if len(epsilons) != columns:
        raise DomainError("--epsilon", f"must be one number, or {columns}: one a column")
    return epsilons


def perturb_columns(
    arguments: argparse.Namespace, columns: list[Column], rng: Entropy, label: str
) -> int:
    """Randomise block by block; write reports and manifest, or nothing."""
    names = [column.name for column in columns]
    out = Path(arguments.out)
    kind = ending(out, "--out")
    epsilons = epsilons_of(arguments.epsilon, len(columns))
    if arguments.mechanism not in ("auto", JointRR.name):
        raise DomainError(
            "--mechanism", f"must be {JointRR.name} for several columns", got=arguments.mechanism
        )
    mechanism = JointRR([len(column.categories) for column in columns], epsilon=epsilons)
    parameters = {
        "file": Path(columns[0].path).name,
        "columns": names,
        "mechanism": mechanism.to_json(),
        "epsilon": mechanism.epsilon,
        "attribute_epsilons": list(mechanism.attribute_epsilons),
        "covers": mechanism.covers,
        "categories": [list(column.categories) for column in columns],
    }
    n = 0
    with replacing(out, sidecar(out)) as (reports, beside):
        description = as_text(manifest("perturb", parameters, label))
        with _writer(reports, kind, names, mechanism, description) as write:
            parts = zip(
                *(
                    column.blocks("randomising", quiet=arguments.json or i > 0)
                    for i, column in enumerate(columns)
                ),
                strict=True,
            )
            for values in parts:
                write(mechanism.perturb(np.stack(values, axis=1), rng=rng))
                n += values[0].size
        description = as_text(manifest("perturb", {**parameters, "n": n}, label))
        beside.write_text(description, encoding="utf-8")
    files = [str(out), str(sidecar(out))]
    if arguments.json:
        console.print_json({**parameters, "n": n, "files": files})
        return 0
    each = ", ".join(console.epsilon(epsilon) for epsilon in mechanism.attribute_epsilons)
    console.out().print(
        f"{n:,} reports of {len(names)} columns. Each respondent spent ε = "
        f"{console.epsilon(mechanism.epsilon)} on {mechanism.covers}; on each column alone: {each}."
    )
    console.print_files(files)
    return 0


@contextmanager
def _writer(
    path: Path, kind: str, names: list[str], mechanism: JointRR, description: str
) -> Iterator[Write]:
    if kind == ".parquet":
        with _parquet(path, names, mechanism, description) as write:
            yield write
        return
    with path.open("wb") as raw, compressed(raw, kind) as stream:
        if kind != ".jsonl":
            head = io.StringIO(newline="")
            csv.writer(head, lineterminator="\n").writerow(names)
            stream.write(head.getvalue().encode())
        yield lambda rows: stream.write(_lines(rows, names if kind == ".jsonl" else None))


def _lines(rows: Rows, names: list[str] | None) -> bytes:
    if names is None:
        return "".join(",".join(map(str, row)) + "\n" for row in rows.tolist()).encode()
    records = map(dict, map(zip, repeat(names), rows.tolist()))
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()


@contextmanager
def _parquet(path: Path, names: list[str], mechanism: JointRR, description: str) -> Iterator[Write]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "to write Parquet") from None
    kinds = [index_dtype(k) for k in mechanism.sizes]
    fields = [(name, pa.from_numpy_dtype(kind)) for name, kind in zip(names, kinds, strict=True)]
    schema = pa.schema(fields, metadata={METADATA: description.encode()})
    with parquet.ParquetWriter(path, schema) as writer:

        def append(rows: Rows) -> None:
            columns = [pa.array(rows[:, i].astype(kind)) for i, kind in enumerate(kinds)]
            writer.write_batch(pa.record_batch(columns, schema=schema))

        yield append
