"""Words that nobody listed: reports about prefixes, and what the analyst finds in them."""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.mechanisms.text.pem import PEM as PEM

_HOMES = {"pem": ("PEM",)}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
