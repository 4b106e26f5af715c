"""``sudare estimate`` of whole submissions: files of ``sudare export --what reports``."""

from __future__ import annotations

import argparse
from pathlib import Path

from sudare.cli import console
from sudare.cli.results import print_question
from sudare.errors import DomainError, ReportError
from sudare.files.places import STANDARD
from sudare.files.replacing import replacing
from sudare.files.submissions import are_submissions, read_submissions
from sudare.files.tables import TABLES, write_table

_LEFT_OUT = ("mechanism", "k", "epsilon", "master")


def takes(arguments: argparse.Namespace) -> bool:
    """Tell whether the first file holds whole submissions."""
    return are_submissions(arguments.reports[0])


def run(arguments: argparse.Namespace) -> None:
    """Tally, estimate every question, print or write."""
    from sudare.collector.exporting import CHARTS, figure_records, write_records
    from sudare.collector.results import results_json
    from sudare.collector.tallies import Snapshot

    if arguments.method != "unbiased" or any(getattr(arguments, one) for one in _LEFT_OUT):
        rule = "--method, --mechanism, -k, --epsilon and --master must be left out"
        raise DomainError("reports", rule, "a file of whole submissions says what was asked")
    out = arguments.out
    if out not in (None, STANDARD) and Path(out).suffix not in (*TABLES, *CHARTS):
        raise DomainError("--out", f"must end in {', '.join((*TABLES, *CHARTS))}", got=out)
    read = [read_submissions(path) for path in arguments.reports]
    collection, data = read[0][0], b"".join(own for _, own in read)
    if any(one.fingerprint != collection.fingerprint for one, _ in read):
        rule = "must be of one collection, and of one round where there are rounds"
        raise ReportError("reports", rule, "estimate each by itself")
    counts = collection.tally(data)
    nothing = collection.tally(b"")  # was public before
    shown = Snapshot(counts, (None,) * len(counts), None, False, nothing)
    asked = {"target": arguments.target, "confidence": arguments.confidence}
    found = results_json(collection, shown, **asked)
    ending = Path(out).suffix if out else ""
    records = figure_records(collection, found, kind=ending)
    if out == STANDARD:
        write_table(STANDARD, records)
        return
    if out:
        with replacing(Path(out), argument="--out") as (part,):
            write_records(part, ending, collection, records)
    if arguments.json:
        told = ("name", "fingerprint", "n", "target", "confidence", "questions")
        console.print_json({name: found[name] for name in told} | {"files": [out] if out else []})
        return
    for question, one in zip(collection.questions, found["questions"], strict=True):
        print_question(question, one, arguments, collection.languages)
    console.print_files([out] if out else [])
