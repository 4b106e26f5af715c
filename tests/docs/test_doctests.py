"""The examples in the docstrings of the installed package run as they stand."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import doc_pages as pages

import sudare
from tests.cases import cases

MODULES = [found.name for found in pkgutil.walk_packages(sudare.__path__, "sudare.")]


@cases("name", ["sudare", *MODULES], parts=18)
def test_docstrings_of_a_module(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(name)
    with pages.undisturbed(tmp_path):
        failures, _ = doctest.testmod(module, optionflags=pages.FLAGS)
    assert failures == 0


def test_docstrings_have_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(bool(test.examples) for test in found) >= 20
