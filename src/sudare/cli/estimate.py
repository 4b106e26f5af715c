"""``sudare estimate``: shares with error bars from files of reports."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sudare.cli import console, options
from sudare.cli.replacing import replacing
from sudare.cli.report_manifest import Described, described, has_manifest
from sudare.cli.reports import COLUMN, tally_reports
from sudare.cli.shares import as_json, print_shares, records, write_shares
from sudare.cli.table_files import TABLES, write_table
from sudare.errors import DomainError, ReportError
from sudare.estimation import Counts, Estimate
from sudare.exact import epsilon_from_text
from sudare.manifest import as_text, manifest, sidecar, write_manifest
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.registry import lookup


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Tally files of reports and estimate the shares, with standard errors and intervals. "
        "The mechanism is read from the manifests beside the files."
    )
    parser.epilog = "example: sudare estimate reports.csv --out results"
    parser.add_argument(
        "reports", nargs="+", help="files that sudare perturb wrote, or others with a column report"
    )
    parser.add_argument(
        "--column", default=COLUMN, help="the reports' column (default: %(default)s)"
    )
    known = ", ".join(names(FrequencyOracle))
    parser.add_argument("--mechanism", help=f"without a manifest: one of {known}")
    parser.add_argument("-k", type=int, help="without a manifest: number of categories")
    parser.add_argument("--epsilon", help="without a manifest: ε of each answer, 0.001 to 20")
    parser.add_argument(
        "--method", default="unbiased", help="how to estimate (default: %(default)s)"
    )
    options.add_target(parser)
    parser.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals (default: %(default)s)"
    )
    parser.add_argument(
        "--out",
        help=(
            "folder for shares.csv, shares.png and manifest.json; or one file: "
            ".csv, .json, .jsonl or .parquet"
        ),
    )
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Tally, estimate, print, write."""
    _refuse_twice(arguments.reports)
    what = _described(arguments)
    counts: Counts | None = None
    for path in arguments.reports:
        part = tally_reports(path, arguments.column, what.mechanism, quiet=arguments.json)
        counts = part if counts is None else counts + part
    assert counts is not None  # noqa: S101 - argparse asks for one file at least
    estimate = what.mechanism.estimate(counts, arguments.method, arguments.target)
    cells = records(what.categories, estimate, confidence=arguments.confidence)
    title = f"{what.mechanism!r}, n = {estimate.n:,}, {estimate.target}"
    files = _write(arguments, what, estimate, cells, title) if arguments.out else []
    if arguments.json:
        data = as_json(estimate, cells, files)
        confidence = {"confidence": arguments.confidence}
        console.print_json({"mechanism": what.mechanism.to_json(), **confidence, **data})
        return 0
    print_shares(title, what.categories, estimate, confidence=arguments.confidence)
    console.print_files(files)
    return 0


def _refuse_twice(paths: list[str]) -> None:
    """Refuse a file that is named twice: its people would be counted twice."""
    real = [Path(path).resolve() for path in paths]
    for i, path in enumerate(real):
        if path in real[:i]:
            raise DomainError(
                "reports", "must not name a file twice", "leave one out", got=paths[i]
            )


def _described(arguments: argparse.Namespace) -> Described:
    """Return the mechanism that the options name, or the one of the manifests."""
    given = {"--mechanism": arguments.mechanism, "-k": arguments.k, "--epsilon": arguments.epsilon}
    absent = [name for name, value in given.items() if value is None]
    if len(absent) == len(given):
        return described(arguments.reports)
    if absent:
        raise DomainError(
            ", ".join(absent), "must be given too", "or leave all three to the manifest"
        )
    cls = lookup(arguments.mechanism, FrequencyOracle)
    mechanism = cls(arguments.k, epsilon_from_text(arguments.epsilon))
    if any(has_manifest(path) for path in arguments.reports):
        what = described(arguments.reports)
        if what.mechanism != mechanism:
            raise ReportError(
                "--mechanism",
                f"must be the manifest's, {what.mechanism!r}",
                "leave out --mechanism, -k and --epsilon",
                got=repr(mechanism),
            )
        return what
    return Described(mechanism, tuple(str(value) for value in range(mechanism.k)))


def _write(
    arguments: argparse.Namespace,
    what: Described,
    estimate: Estimate,
    cells: list[dict[str, Any]],
    title: str,
) -> list[str]:
    out = Path(arguments.out)
    parameters = {
        "files": [Path(path).name for path in arguments.reports],
        "mechanism": what.mechanism.to_json(),
        "method": estimate.method,
        "target": estimate.target,
        "confidence": arguments.confidence,
        "n": estimate.n,
    }
    if out.suffix in TABLES:
        with replacing(out, sidecar(out)) as (table, beside):
            write_table(table, out.suffix, cells)
            beside.write_text(as_text(manifest("estimate", parameters, "none")), encoding="utf-8")
        return [str(out), str(sidecar(out))]
    drawn = write_shares(
        out, what.categories, estimate, confidence=arguments.confidence, title=title
    )
    drawn.append(write_manifest(out / "manifest.json", "estimate", parameters, "none"))
    return [str(path) for path in drawn]
