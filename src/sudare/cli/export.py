"""Write what a collector's file holds of a collection to a file: estimates with their intervals,
counts, a chart, or the reports themselves in random order. For the operator alone, but with
--public: what everybody sees. The collector may run; nothing is changed.

example: sudare export survey.toml --database survey.sqlite3 --out results.csv
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sudare.cli import console, options
from sudare.cli.recording import record_copy
from sudare.collection import Collection
from sudare.errors import DomainError
from sudare.files.tables import TABLES

WHAT = ("figures", "counts", "reports")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", metavar="survey.toml", help="definition file, as it is served")
    add("--database")
    add("--out", required=True,
        help="what to write: .csv, .json, .jsonl, .parquet, or a chart: .svg, .png")  # fmt: skip
    add("--what", choices=WHAT, default="figures", help="estimates, whole numbers, or submissions")
    add("--public", action="store_true", help="only what is public")
    add("--target")
    add("--confidence", type=float, default=0.95, help="of the intervals")
    add("--round")
    add("--language", help="of labels (default: the survey's first)")


def run(arguments: argparse.Namespace) -> None:
    """Read, estimate, write."""
    from sudare.collector import own_reports, own_view, shown_round
    from sudare.collector.exporting import count_records, figure_records, write_records
    from sudare.collector.previous_versions import load_survey
    from sudare.collector.results import results_json
    from sudare.files.replacing import replacing
    from sudare.files.submissions import write_submissions
    from sudare.files.tables import write_table

    collection = load_survey(arguments.collection, arguments.database)
    _check(arguments, collection)
    path, public = Path(arguments.out), {"figures": "public"} if arguments.public else {}
    told = {"what": arguments.what, "format": path.suffix.lstrip("."), **public}
    record_copy(arguments.database, "export", collection.name, **told)
    collection = shown_round(collection, arguments.database, arguments.round)
    with replacing(path, argument="--out", public=arguments.public) as (part,):
        if arguments.what == "reports":
            write_submissions(part, collection, own_reports(collection, arguments.database))
        else:
            view = own_view(collection, arguments.database)
            shown = view.public if arguments.public else view.stored
            if arguments.what == "counts":
                write_table(part, count_records(collection, shown.counts), path.suffix)
            else:
                asked = {"target": arguments.target, "confidence": arguments.confidence}
                found = results_json(collection, shown, **asked, public=view.public)
                records = figure_records(collection, found, arguments.language, path.suffix)
                write_records(part, path.suffix, collection, records, arguments.language)
    console.print_files([str(path)])


def _check(arguments: argparse.Namespace, collection: Collection) -> None:
    from sudare.collector.exporting import CHARTS

    known = {"figures": (*TABLES, *CHARTS), "counts": TABLES, "reports": (".parquet",)}
    kind = Path(arguments.out).suffix
    if kind not in known[arguments.what]:
        rule = f"must end in {', '.join(known[arguments.what])} for {arguments.what}"
        raise DomainError("--out", rule, got=arguments.out)
    if arguments.public and arguments.what == "reports":
        raise DomainError("--public", "is of figures and counts", "reports are never public")
    if arguments.language not in (None, *collection.languages):
        rule = f"must be one of {', '.join(collection.languages)}"
        raise DomainError("--language", rule, got=arguments.language)
