"""The closed set of sampler programs: what runs on a respondent's device.

A program is a frozen value of integers. It is interpreted here and, alike, in the browser
(``web/js/samplers``); shared test vectors hold the two together byte for byte. Each kind brings
its law, its exact guarantee, its wire codec and its alphabet check in one file.
"""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.samplers.base import Program as Program, from_json as from_json
    from sudare.samplers.bits import Bits as Bits
    from sudare.samplers.choose import Choose as Choose
    from sudare.samplers.hash import Hash as Hash
    from sudare.samplers.hyperplane import Hyperplane as Hyperplane
    from sudare.samplers.keep import Keep as Keep
    from sudare.samplers.levels import Levels as Levels
    from sudare.samplers.offset import Offset as Offset
    from sudare.samplers.pick import Pick as Pick
    from sudare.samplers.prefix import Prefix as Prefix
    from sudare.samplers.product import Product as Product
    from sudare.samplers.round import Round as Round
    from sudare.samplers.subset import Subset as Subset
    from sudare.samplers.table import Table as Table

_HOMES = {
    "base": ("Program", "from_json"),
    "bits": ("Bits",),
    "choose": ("Choose",),
    "hash": ("Hash",),
    "hyperplane": ("Hyperplane",),
    "keep": ("Keep",),
    "levels": ("Levels",),
    "offset": ("Offset",),
    "pick": ("Pick",),
    "prefix": ("Prefix",),
    "product": ("Product",),
    "round": ("Round",),
    "subset": ("Subset",),
    "table": ("Table",),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
