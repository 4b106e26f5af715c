"""One of k categories, asked again and again: a permanent answer, and a report a round about it.

Each is loaded when it is first used. They are no candidates for a question that is asked once: the
registry finds them as ``Repeated``, not as ``FrequencyOracle`` (``Mechanism.once``).
"""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.mechanisms.repeated.base import Repeated as Repeated
    from sudare.mechanisms.repeated.dbitflip import DBitFlipPM as DBitFlipPM
    from sudare.mechanisms.repeated.direct import LGRR as LGRR
    from sudare.mechanisms.repeated.hashed import LOLOHA as LOLOHA
    from sudare.mechanisms.repeated.memory import Memory as Memory
    from sudare.mechanisms.repeated.unary import LOSUE as LOSUE, LSUE as LSUE

KINDS = ("LGRR", "LSUE", "LOSUE", "LOLOHA")
"""The names of those with two steps, in the order in which they are told."""

_HOMES = {
    "base": ("Repeated",),
    "dbitflip": ("DBitFlipPM",),
    "direct": ("LGRR",),
    "hashed": ("LOLOHA",),
    "memory": ("Memory",),
    "unary": ("LOSUE", "LSUE"),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
