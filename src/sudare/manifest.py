"""A manifest beside every output: what made it, with which parameters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare._version import __version__


def manifest(
    command: str,
    parameters: Mapping[str, Any],
    entropy: str,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return version, command, parameters, entropy label and ``more``."""
    return {
        "sudare": __version__,
        "command": command,
        "parameters": dict(parameters),
        "entropy": entropy,
        **(more or {}),
    }


def write_manifest(
    path: Path,
    command: str,
    parameters: Mapping[str, Any],
    entropy: str,
    more: Mapping[str, Any] | None = None,
) -> Path:
    """Write a manifest as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_text(manifest(command, parameters, entropy, more)), encoding="utf-8")
    return path


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sidecar(path: Path) -> Path:
    """Return where the manifest of a single file is written: beside it, hidden.

    Spark and PyArrow leave names out of a folder of tables that begin with a dot.
    """
    return path.with_name(f".{path.name}.manifest.json")


def sidecars(path: Path) -> tuple[Path, Path]:
    """Return where the manifest of a single file may stand: hidden, or as versions before 0.3
    wrote it."""
    return sidecar(path), path.with_name(f"{path.name}.manifest.json")


def as_text(data: Mapping[str, Any]) -> str:
    """Return a manifest as it stands in a file."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
