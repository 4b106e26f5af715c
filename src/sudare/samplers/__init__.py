"""The closed set of sampler programs: what runs on a respondent's device.

A program is a frozen value of integers. It is interpreted here and, alike, in the browser
(``web/js/samplers``); shared test vectors hold the two together byte for byte. Each kind brings
its law, its exact guarantee, its wire codec and its alphabet check in one file.
"""

from sudare.samplers.base import Program, from_json
from sudare.samplers.bits import Bits
from sudare.samplers.keep import Keep
from sudare.samplers.offset import Offset
from sudare.samplers.pick import Pick
from sudare.samplers.product import Product
from sudare.samplers.round import Round
from sudare.samplers.subset import Subset
from sudare.samplers.table import Table

__all__ = [
    "Bits",
    "Keep",
    "Offset",
    "Pick",
    "Product",
    "Program",
    "Round",
    "Subset",
    "Table",
    "from_json",
]
