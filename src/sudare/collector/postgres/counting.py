"""What several processes have counted of addresses within the hour, under one key.

Both tables are not logged: neither a replica nor the write-ahead log has them. With the hour they
are emptied by ``TRUNCATE``.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from sudare.collector.database import Database, transaction

KEY_BYTES = 32

_ADD = """
INSERT INTO rate (mark, count)
SELECT * FROM unnest(?::bytea[], ?::bigint[]) AS one (a, b) ORDER BY a
ON CONFLICT (mark) DO UPDATE SET count = rate.count + excluded.count
RETURNING mark, count
"""


def count_marks(
    connection: Database, hour: int, counted: Mapping[bytes, int]
) -> tuple[bytes, dict[bytes, int]]:
    """Add to the counts of an hour; return its key, and the sums of those marks."""
    key = _key(connection, hour)
    if not counted:
        return key, {}
    columns = (list(counted), list(counted.values()))
    return key, {bytes(mark): total for mark, total in connection.execute(_ADD, columns)}


def _key(connection: Database, hour: int) -> bytes:
    found = connection.execute("SELECT hour, key FROM rate_key").fetchone()
    if found is None or found[0] < hour:
        with transaction(connection):  # one process draws it
            found = connection.execute("SELECT hour, key FROM rate_key").fetchone()
            if found is None or found[0] < hour:
                connection.execute("TRUNCATE rate, rate_key")
                found = (hour, secrets.token_bytes(KEY_BYTES))
                connection.execute("INSERT INTO rate_key (hour, key) VALUES (?, ?)", found)
    return bytes(found[1])
