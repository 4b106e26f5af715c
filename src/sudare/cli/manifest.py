"""A manifest beside every output: what made it, with which parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sudare._version import __version__


def manifest(command: str, parameters: dict[str, Any], entropy: str) -> dict[str, Any]:
    """Return version, command, parameters and entropy label."""
    return {
        "sudare": __version__,
        "command": command,
        "parameters": parameters,
        "entropy": entropy,
    }


def write_manifest(path: Path, command: str, parameters: dict[str, Any], entropy: str) -> Path:
    """Write a manifest as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_text(manifest(command, parameters, entropy)), encoding="utf-8")
    return path


def sidecar(path: Path) -> Path:
    """Return where the manifest of a single file stands: beside it."""
    return path.with_name(f"{path.name}.manifest.json")


def as_text(data: dict[str, Any]) -> str:
    """Return a manifest as it stands in a file."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
