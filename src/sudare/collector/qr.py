"""Codes for cameras, as what an SVG path draws: of links, and of invites to print."""

from __future__ import annotations

from typing import Any

import segno

from sudare.errors import DomainError, WrongTypeError

LONGEST = 1000
"""Characters of a text: beyond, a printed code is hard to read."""


def qr_code(text: str) -> dict[str, Any]:
    """Return a QR code: how many modules wide it is, and the path of its dark ones.

    Error correction is of level M (15 % of the code may be lost); light around it, four modules
    wide, is left to whoever draws it.

    Raises:
        WrongTypeError, DomainError: no text, an empty one, or one that is too long.

    Examples:
        >>> code = qr_code("https://survey.example/tea")
        >>> code["size"], code["path"][:12]
        (25, 'M0 0h7v1h-7z')
    """
    if not isinstance(text, str):
        raise WrongTypeError("text", "must be text", "such as a link", got=text)
    if not 0 < len(text) <= LONGEST:
        raise DomainError("text", f"must have 1 to {LONGEST} characters", "such as a link")
    matrix = segno.make(text, micro=False, error="m", boost_error=False).matrix
    path = "".join(
        f"M{start} {y}h{length}v1h-{length}z"
        for y, row in enumerate(matrix)
        for start, length in _runs(row)
    )
    return {"size": len(matrix), "path": path}


def _runs(row: bytearray) -> list[tuple[int, int]]:
    """Return where dark modules stand side by side in a row: the first, and how many."""
    found: list[tuple[int, int]] = []
    for x, dark in enumerate(row):
        if dark and found and sum(found[-1]) == x:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        elif dark:
            found.append((x, 1))
    return found
