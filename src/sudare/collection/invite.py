"""Invite codes as text: 128 random bits that a person can copy by hand.

The bits and a check number make a number of 140 bits that is a multiple of 4093, in 28 digits to
the base 32 (``0-9`` and ``A-Z`` without I, L, O, U), in groups of four. 4093 is a prime: one wrong
digit, or two neighbours exchanged, never give another code.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from sudare.errors import CollectionError, WrongTypeError

CODE_BYTES = 16
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)} | {"O": 0, "I": 1, "L": 1}
_LENGTH, _GROUP = 28, 4
_CHECK_BITS, _CHECK = 12, 4093
_MOST = 200
_IGNORED = re.compile(r"[^0-9A-Z]")


def write_code(code: bytes) -> str:
    """Return the text of a code of 16 bytes.

    Examples:
        >>> write_code(bytes(range(16)))
        '000G-40R4-0M30-E209-185G-R38E-1ZBP'
    """
    wide = int.from_bytes(code, "big") << _CHECK_BITS
    number = wide + -wide % _CHECK
    digits = [_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH))]
    groups = ("".join(digits[i : i + _GROUP]) for i in range(0, _LENGTH, _GROUP))
    return "-".join(groups)


def read_code(text: object) -> bytes:
    """Return the 16 bytes of a code as somebody typed it.

    Case, width, blanks and dashes do not matter; O is read as 0, I and L as 1.

    Raises:
        WrongTypeError: not text.
        CollectionError: not a code. The message does not show what was typed.

    Examples:
        >>> read_code("ooog 4or4 om30 e209 i85g r38e lzbp") == bytes(range(16))
        True
        >>> read_code("000G-40R4-0M30-E209-185G-R38E-1ZBQ")
        Traceback (most recent call last):
        ...
        sudare.errors.CollectionError: invite must be a code as it was handed out; look for a slip
    """
    if not isinstance(text, str):
        raise WrongTypeError("invite", "must be text", "type the code as it was handed out")
    digits = _IGNORED.sub("", normalize("NFKC", text[:_MOST]).upper())
    if len(digits) == _LENGTH and all(digit in _VALUES for digit in digits):
        number = 0
        for digit in digits:
            number = number << 5 | _VALUES[digit]
        code = (number >> _CHECK_BITS).to_bytes(CODE_BYTES, "big")
        if number % _CHECK == 0 and number & (1 << _CHECK_BITS) - 1 < _CHECK:
            return code
    raise CollectionError("invite", "must be a code as it was handed out", "look for a slip")
