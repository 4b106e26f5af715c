"""One spelling for one definition: canonical JSON and its fingerprint."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(data: Any) -> str:
    """Return JSON with sorted keys, no blanks and non-ASCII text as it is.

    Only text, whole numbers, booleans, null, lists and objects occur in a definition, so that
    every language writes the same bytes.

    Examples:
        >>> canonical_json({"b": 1, "a": ["é"]})
        '{"a":["é"],"b":1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(definition: Any) -> str:
    """Return the SHA-256 of the canonical JSON in UTF-8, as lower-case hexadecimal text."""
    return hashlib.sha256(canonical_json(definition).encode()).hexdigest()
