"""Which other sites may show a collection's pages and ask its API: none but those that it names.

It is the collector's business alone: not in the fingerprint, nor in what a device is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import CollectionError

FIELDS = ("allowed_origins", "frame_ancestors")
_HOST = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
_ORIGIN = re.compile(
    rf"https://{_HOST}(?!:443$)(:[1-9][0-9]{{0,4}})?"
    r"|http://(localhost|127\.0\.0\.1)(?!:80$)(:[1-9][0-9]{0,4})?",
    re.ASCII,
)
_MOST = 50


@dataclass(frozen=True, slots=True)
class Embedding:
    """Other sites by their origins, as browsers write them; none unless the owner names some.

    Attributes:
        allowed_origins: whose scripts may ask the API and send reports.
        frame_ancestors: whose pages may hold the survey and its results in a frame.

    Examples:
        >>> Embedding.read({"frame_ancestors": ["https://example.org"]}).frame_ancestors
        ('https://example.org',)
    """

    allowed_origins: tuple[str, ...] = ()
    frame_ancestors: tuple[str, ...] = ()

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Embedding:
        """Read the lists of a survey file.

        Raises:
            CollectionError: one is not a list of origins.
        """
        return cls(*(_origins(table.get(name, []), f"collection.{name}") for name in FIELDS))


def _origins(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > _MOST:
        raise CollectionError(where, f"must be a list of at most {_MOST} origins", got=value)
    for one in value:
        if not isinstance(one, str) or not _ORIGIN.fullmatch(one):
            raise CollectionError(
                where,
                "must hold origins of https as browsers write them: no path, no usual port, no *",
                "such as https://www.example.org",
                got=one,
            )
    return tuple(dict.fromkeys(value))
