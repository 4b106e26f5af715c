"""The engine that counts: this process, or Spark."""

from __future__ import annotations

import argparse
import os
from typing import Any

from sudare.cli import options
from sudare.errors import DomainError
from sudare.files.places import STANDARD
from sudare.files.stores import is_uri

ENGINES = ("embedded", "spark")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add ``--engine``, and what Spark is told."""
    add = options.adder(parser)
    add("--engine", choices=ENGINES, default="embedded", help="what counts: this process, or Spark")
    add(
        "--master",
        help="of Spark: local[*], spark://host:7077, yarn, k8s://…, or sc://host:15002 (default: "
        "local[*])",
    )
    add(
        "--conf",
        action="append",
        metavar="NAME=VALUE",
        help="a setting of Spark, such as spark.executor.memory=4g; may be repeated",
    )


def reached(path: str, arguments: argparse.Namespace) -> str:
    """Return a file as the engine finds it: executors have a working folder of their own."""
    if arguments.engine != "spark" or path == STANDARD or is_uri(path):
        return path
    return os.path.abspath(path)


def session_of(arguments: argparse.Namespace) -> Any:
    """Return the session of Spark that the options ask for; None where this process counts."""
    if arguments.engine != "spark":
        for name in ("master", "conf"):
            if getattr(arguments, name) is not None:
                raise DomainError(f"--{name}", "is for Spark", "add --engine spark")
        return None
    settings = {}
    for text in arguments.conf or []:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise DomainError("--conf", "must be NAME=VALUE", got=text)
        settings[name] = value
    from sudare.engines import spark

    return spark.session(arguments.master or "local[*]", settings)
