"""Run the experiments of a published source again, draw its figures, judge each of its claims,
and write report.html, report.md, figures, tables and a manifest.

example: sudare study grr-oue --out results
"""

from __future__ import annotations

import argparse
from typing import Any

from sudare.cli import console, options
from sudare.data.files import VARIABLE, DataFile
from sudare.errors import DomainError, counted
from sudare.studies import names, run as run_study, study
from sudare.words import LANGUAGES, say


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    known = names()
    add("name", nargs="?", choices=known, metavar="STUDY", help=f"one of {', '.join(known)}")
    add("--list", action="store_true", help="list the studies and end")
    add("--out", help="folder of the report")
    add("--language", choices=LANGUAGES, default="en", help="of the report")
    each = "of each experiment (default: 100; key-value 200, laplace 100000)"
    add("--repetitions", type=int, help=f"{each}; --list has the sources'")
    add("--short", action="store_true", help="fewer and coarser grids, for a first look")
    add("--seed", default="sudare", help="text; another one draws afresh")
    add("--download", action="store_true", help="fetch data that are not here from their provider")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Run the study, print the verdicts and where the report is."""
    if arguments.list:
        _list(arguments)
        return
    if arguments.name is None:
        raise DomainError("STUDY", f"must be one of {names()}", "or give --list")
    if arguments.out is None:
        raise DomainError("--out", "must name a folder for the report", "try --out results")
    progress: Any = options.progress(arguments, lines=True)
    results = run_study(
        arguments.name,
        arguments.out,
        language=arguments.language,
        repetitions=arguments.repetitions,
        seed=arguments.seed,
        short=arguments.short,
        download=arguments.download,
        progress=progress,
    )
    verdicts = {verdict.value: many for verdict, many in results.report.verdicts.items()}
    open_ones = [claim.needed for claim in results.report.claims if claim.needed]
    if arguments.json:
        console.print_json(
            {
                "study": arguments.name,
                "claims": len(results.report.claims),
                "verdicts": verdicts,
                "repetitions_needed": max(open_ones, default=None),
                "left_out": [
                    [form.provenance() for form in forms] for forms in results.report.missing
                ],
                "folder": str(results.folder),
                "files": list(results.files),
            }
        )
        return
    console.print_table(
        f"{arguments.name}: {counted(len(results.report.claims), 'claim')} of the source",
        ("verdict", "claims"),
        [(verdict, str(many)) for verdict, many in verdicts.items()],
    )
    if open_ones:
        console.out().print(
            f"Claims with too few repetitions: about --repetitions {max(open_ones)} would tell."
        )
    for forms in results.report.missing:
        console.out().print(_left_out(forms))
    console.out().print(f"Report: {results.folder / 'report.html'}")


def _left_out(forms: tuple[DataFile, ...]) -> str:
    """Return what is not here, and the two ways to get it."""
    file, online = forms[0], [form for form in forms if form.url]
    fetched = f", or give --download, which fetches {' and '.join(f.url for f in online)}"
    return (
        f"Left out: what needs {file.name} (SHA-256 {file.sha256}), which is not here. Put it into "
        f"the folder named by {VARIABLE}{fetched if online else ''}."
    )


def _list(arguments: argparse.Namespace) -> None:
    known = [study(name) for name in names()]
    if arguments.json:
        console.print_json(
            [
                {
                    "name": s.name,
                    "title": s.title.en,
                    "source": s.source.en,
                    "repetitions": s.repetitions,
                    "repetitions_of_the_source": say(s.printed, "en"),
                }
                for s in known
            ]
        )
        return
    console.print_table(
        "studies",
        ("name", "title", "repetitions", "of the source"),
        [(s.name, s.title.en, f"{s.repetitions:,}", say(s.printed, "en")) for s in known],
    )
