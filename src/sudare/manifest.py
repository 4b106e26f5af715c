"""A manifest beside every output: what made it, with which parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare._version import __version__


def write_manifest(
    folder: Path,
    command: str,
    parameters: Mapping[str, Any],
    entropy: str,
    more: Mapping[str, Any] | None = None,
) -> Path:
    """Write ``manifest.json``: version, command, parameters, entropy label and ``more``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "manifest.json"
    data = {
        "sudare": __version__,
        "command": command,
        "parameters": dict(parameters),
        "entropy": entropy,
        **(more or {}),
    }
    path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return path
