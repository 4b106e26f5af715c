"""Other libraries of the field as oracles: skipped where they are missing, but for CI."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def wanted(module: str, package: str) -> Any:
    """Import a library, or skip; fail where the environment says that it must be there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        reason = f'{package} is not installed: pip install "sudare[oracle]"'
        if os.environ.get("SUDARE_REQUIRE_ORACLE"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def opendp() -> Any:
    """Return OpenDP."""
    found = wanted("opendp.prelude", "opendp")
    found.enable_features("contrib")
    return found


@pytest.fixture(scope="session")
def accuracy(opendp: Any) -> Any:
    """Return OpenDP's conversions between scales and bounds."""
    return importlib.import_module("opendp.accuracy")


@pytest.fixture(scope="session")
def accounting() -> Any:
    """Return dp-accounting with its privacy loss distributions."""
    found = wanted("dp_accounting", "dp-accounting")
    importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    return found
