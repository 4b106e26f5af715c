"""Tally files of reports and estimate the shares, with standard errors and intervals. The
mechanism is read from the manifests beside the files. Of a file of whole submissions, as sudare
export --what reports writes it, every question is estimated, words too.

example: sudare estimate reports.csv --out results
# on a cluster, of a folder of Parquet files that every machine reaches:
sudare estimate /shared/reports --engine spark --master spark://host:7077
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sudare.cli import console, estimate_survey, options
from sudare.cli.engine import add_engine, reached, session_of
from sudare.cli.shares import print_shares
from sudare.errors import DomainError
from sudare.estimation import Estimate
from sudare.exact import epsilon_from_text
from sudare.files.manifests import manifested, replacing_manifested, write_beside
from sudare.files.places import STANDARD
from sudare.files.reports import COLUMN, Reports, read_reports
from sudare.files.shares import as_json, records, write_shares
from sudare.files.tables import TABLES, write_table
from sudare.manifest import as_text, manifest, write_manifest
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.registry import lookup

REMEDIES = {
    "mechanism=": "--mechanism, -k and --epsilon",
    "mechanism must be the manifest's": "--mechanism, -k and --epsilon must be the manifest's",
    "by read_report_rows": "by sudare tables",
    **options.ENCODINGS,
}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add(
        "reports",
        nargs="+",
        help="files that sudare perturb wrote, or others with a column report, folders or URIs of "
        "such; - for standard input",
    )
    add("--column", default=COLUMN, help="the reports' column")
    add("--encoding")
    add_engine(parser)
    known = ", ".join(names(FrequencyOracle))
    add("--mechanism", help=f"without a manifest: one of {known}")
    add("-k", type=int, help="without a manifest: number of categories")
    add("--epsilon", help="without a manifest: ε of each answer, 0.001 to 20")
    add("--method", default="unbiased", help="how to estimate")
    add("--target")
    add("--confidence", type=float, default=0.95, help="of the intervals")
    add(
        "--out",
        help="folder for shares.csv, shares.png and manifest.json; or one file: .csv, .json, "
        ".jsonl or .parquet, of submissions .svg or .png too; - for CSV to standard output",
    )
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Tally, estimate, print, write."""
    options.refuse_json_beside_rows(arguments)
    if estimate_survey.takes(arguments):
        estimate_survey.run(arguments)
        return
    what = _read(arguments)
    if not isinstance(what.mechanism, FrequencyOracle):
        rule = "must be of categories for a table of shares"
        remedy = "estimate others by sudare.estimate_from"
        raise DomainError("mechanism", rule, remedy, got=what.mechanism.name)
    estimate = what.mechanism.estimate(what.counts, arguments.method, arguments.target)
    cells = records(what.categories, estimate, confidence=arguments.confidence)
    if arguments.out == STANDARD:
        write_table(STANDARD, cells)
        for warning in estimate.warnings:
            console.warn("estimate", warning)
        return
    title = f"{what.mechanism!r}, n = {estimate.n:,}, {estimate.target}"
    files = _write(arguments, what, estimate, cells, title) if arguments.out else []
    if arguments.json:
        data = as_json(estimate, cells, files)
        confidence = {"confidence": arguments.confidence}
        console.print_json({"mechanism": what.mechanism.to_json(), **confidence, **data})
        return
    print_shares(title, what.categories, estimate, confidence=arguments.confidence)
    console.print_files(files)


def _read(arguments: argparse.Namespace) -> Reports:
    """Return what the engine that the options name counts."""
    mechanism, session = _mechanism(arguments), session_of(arguments)
    how: dict[str, Any] = {"column": arguments.column, "encoding": arguments.encoding}
    how["progress"] = options.progress(arguments)
    if session is None:
        for path in arguments.reports:
            options.tell_form("estimate", path, arguments.encoding)
        return read_reports(arguments.reports, mechanism, **how)
    from sudare.engines.spark import reports

    files = [reached(one, arguments) for one in arguments.reports]
    return reports.read_reports(files, session, mechanism, **how)


def _mechanism(arguments: argparse.Namespace) -> FrequencyOracle | None:
    """Return the mechanism that the options name; None for that of the manifests."""
    given = {"--mechanism": arguments.mechanism, "-k": arguments.k, "--epsilon": arguments.epsilon}
    absent = [name for name, value in given.items() if value is None]
    if len(absent) == len(given):
        return None
    if absent:
        raise DomainError(
            ", ".join(absent), "must be given too", "or leave all three to the manifest"
        )
    cls = lookup(arguments.mechanism, FrequencyOracle)
    return cls(arguments.k, epsilon_from_text(arguments.epsilon))


def _write(
    arguments: argparse.Namespace,
    what: Reports,
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
        text = as_text(manifest("estimate", parameters, "none"))
        with replacing_manifested(out, "--out") as files:
            write_table(files[0], cells, out.suffix, manifest=text)
            write_beside(files, "estimate", parameters, "none")
        return list(map(str, manifested(out)))
    drawn = write_shares(
        out, what.categories, estimate, confidence=arguments.confidence, title=title
    )
    drawn.append(write_manifest(out / "manifest.json", "estimate", parameters, "none"))
    return [str(path) for path in drawn]
