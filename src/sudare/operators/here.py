"""Who somebody is that works on the machine itself."""

from __future__ import annotations

import getpass
import os

COMMAND_LINE = "command line"
"""What the names of those begin with; nobody else's does."""


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
