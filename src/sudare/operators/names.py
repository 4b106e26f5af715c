"""Names of operators, compared as people read them."""

from __future__ import annotations

import getpass
import os
import re
import unicodedata

COMMAND_LINE = "command line"
"""What the names of those begin with who work on the machine itself; nobody else's does."""
UNKNOWN_NAME = "unknown"
"""Whom the record names where a sign-in is refused."""

# Letters that fonts draw alike; a name may have them, and is then compared as if it had the others.
_LIKE_LATIN = str.maketrans(
    "\u0430\u0435\u043e\u0441\u0455\u0501\u04bb\u0456\u0458\u04cf\u043a\u043c\u043f\u0440\u0442"
    "\u0443\u0445\u051b\u051d\u03bf\u03b1\u03b9\u03ba\u03c1\u03c5\u03bd\u03c9\u0585\u057d\u0578"
    "\u0131",
    "aeocsdhijlkmnptyxqwoaikpuvwouni",
)  # Cyrillic, Greek, Armenian, and the i without its dot
# Drawn as nothing, or as an empty place, and yet letters or marks to Unicode: fillers of Hangul,
# the joiner of graphemes, variation selectors, vowels that Khmer inherits, the blank of Braille.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
# Further ones, for reserved names alone: real names differ in them. ``casefold`` has made an i of
# I, and NFKC a sigma of the Greek letter that is drawn as a c.
_LIKE_RESERVED = str.maketrans("i1|\u01c0\u0269\u0251\u03c30", "lllllaco")
_NAMED_LATIN = re.compile(r"LATIN (?:SMALL LETTER|LETTER SMALL CAPITAL) ([A-Z])(?: WITH .*)?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


def seen(text: str) -> str:
    """Return what of a text can be seen: spaces are one each, and none around it.

    Examples:
        >>> seen(" ann \\u200b b\\u00adob ") , seen("\\u3164\\u2800")
        ('ann bob', '')
    """
    shown = (letter for letter in text if unicodedata.category(letter) not in ("Cf", "Cc"))
    return " ".join(_UNSEEN.sub("", "".join(shown)).split())


def is_printable(name: str) -> bool:
    """Tell whether each letter of a name can be seen: none other than a space is drawn as nothing.

    Examples:
        >>> is_printable("ann bee"), is_printable("ann\\ufe0f"), is_printable("ann\\n")
        (True, False, False)
    """
    return name.isprintable() and _UNSEEN.search(name) is None


def alike(name: str) -> str:
    """Return what names have in common that read the same; it is shown nowhere.

    Examples:
        >>> alike("\\uff21nn\\u200b  B") == alike("ann b") == alike("\\u0430nn b")
        True
    """
    plain = seen(unicodedata.normalize("NFKC", seen(name)).casefold())
    # casefold may leave what another normalisation joins
    return unicodedata.normalize("NFKC", plain).translate(_LIKE_LATIN)


def is_reserved(name: str) -> bool:
    """Tell whether a name reads like one that the record gives by itself.

    As one count here, beyond :func:`alike`: l, i, 1 and the bar; o and 0; m and rn; w and vv; Latin
    letters with and without accents, strokes and hooks, and their small capitals.

    Examples:
        >>> [is_reserved(one) for one in ("command line (root)", "C\xf3mrnand-1ine", "ann")]
        [True, True, False]
    """
    letters = _outline(name)
    return letters == _outline(UNKNOWN_NAME) or letters.startswith(_outline(COMMAND_LINE))


def _outline(name: str) -> str:
    """Return what is left of a name once letters that are easily taken for others are these."""
    parts = unicodedata.normalize("NFD", alike(name))
    plain = "".join(map(_plain_latin, parts)).translate(_LIKE_LATIN).translate(_LIKE_RESERVED)
    letters = "".join(filter(str.isalnum, plain))  # accents, which stand apart, go too
    return letters.replace("rn", "m").replace("vv", "w")


def _plain_latin(letter: str) -> str:
    match = _NAMED_LATIN.fullmatch(unicodedata.name(letter, ""))
    return letter if match is None else match[1].lower()


def one_spelling(text: str) -> str:
    """Return an address of e-mail in the one spelling of it; any other text as it is.

    Upper and lower case are one, and so are letters that NFKC joins, as in names of hosts (UTS 46).
    What ``casefold`` joins beyond that, such as ß and ss, are different hosts: nobody may have the
    rights of another's address.

    Examples:
        >>> one_spelling("Ann@Example.ORG"), one_spelling("Staff")
        ('ann@example.org', 'Staff')
    """
    if _ADDRESS.fullmatch(text) is None:
        return text
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())


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
