"""Show a survey file's page as its respondents will see it: nothing is sent, nothing is stored.

example: sudare preview survey.toml --open
"""

from __future__ import annotations

import argparse
import sys
import webbrowser

from sudare.cli import console, options


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", metavar="survey.toml", help="definition file, a draft or not")
    add("--port", type=int, default=0, help="port; 0 takes a free one")
    add("--open", action="store_true", help="open the page in this machine's browser")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Serve the page on this machine alone until interrupted."""
    from sudare.collector.previewing import preview

    def ready(url: str) -> None:
        if arguments.json:
            console.print_json({"preview": f"{url}/"})
        else:
            console.out().print(
                f"preview  {url}/\nIt sends nothing. Reload it after a change of the file; "
                "Ctrl-C ends it."
            )
        sys.stdout.flush()
        if arguments.open:
            webbrowser.open(f"{url}/")

    preview(arguments.collection, port=arguments.port, on_ready=ready)
