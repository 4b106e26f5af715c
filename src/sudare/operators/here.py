"""Who somebody is that works on the machine itself."""

from __future__ import annotations

import getpass
import os
import unicodedata

COMMAND_LINE = "command line"
"""What the names of those begin with; nobody else's does."""
UNKNOWN_NAME = "unknown"
"""Whom the record names where a sign-in is refused."""


def is_reserved(name: str) -> bool:
    """Tell whether a name reads like one that the record gives by itself.

    Examples:
        >>> [is_reserved(one) for one in ("command line (root)", "Command-Line", "unknown", "ann")]
        [True, True, True, False]
    """
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))
    return letters == UNKNOWN_NAME or letters.startswith(COMMAND_LINE.replace(" ", ""))


def command_line() -> str:
    """Return whom the record names for a command: the system's user that runs it.

    Examples:
        >>> command_line()                                                  # doctest: +SKIP
        'command line (ann)'
    """
    return f"{COMMAND_LINE} ({_user()})"


def _user() -> str:
    try:
        import pwd
    except ImportError:  # Windows
        return getpass.getuser()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # as in containers
        return str(os.getuid())
