"""What an index shows of this package beside pyproject.toml: its people, addresses, description.

Where the repository is read is known to whoever publishes it, and is said when it is built
(``.github/workflows/release.yml`` does): ``SUDARE_REPOSITORY=https://forge.example/owner/sudare``,
and ``SUDARE_ADDRESS``, an address of its maintainers. With it the links of the README lead to the
tag of this version, for an index shows the page alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def outward(text: str, repository: str, version: str) -> str:
    """Return a page of Markdown whose links and pictures do not need the files beside it."""

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}[{link[2]}]({repository}/{kind}/v{version}/{link[3]})"

    return LINK.sub(absolute, text)


class Published(MetadataHookInterface):
    """Fills in what is dynamic in pyproject.toml."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them."""
        people = {"name": "The Sudare developers"}
        if address := os.environ.get("SUDARE_ADDRESS"):
            people["email"] = address
        metadata["authors"] = [people]
        metadata["urls"] = {}
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if repository := os.environ.get("SUDARE_REPOSITORY", "").rstrip("/"):
            metadata["urls"] = {
                "Homepage": repository,
                **{
                    name: f"{repository}/blob/v{metadata['version']}/{page}"
                    for name, page in (
                        ("Documentation", "docs/index.md"),
                        ("Changelog", "CHANGELOG.md"),
                        ("Security", "SECURITY.md"),
                    )
                },
                "Issues": f"{repository}/issues",
            }
            text = outward(text, repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
