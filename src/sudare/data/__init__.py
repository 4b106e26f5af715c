"""Data: count tables that ship, loaders of public data sets, and where files are looked for."""

from sudare.data.adult import People, adult
from sudare.data.clickstream import clickstream
from sudare.data.clothing import KeyCounts, clothing
from sudare.data.counts import CountTable, adult_table, trousers
from sudare.data.files import DataFile, cache_folder, find, locate
from sudare.data.movielens import Holdings, movielens
from sudare.data.tokyo import Squares, tokyo, tokyo_shapes

__all__ = [
    "CountTable",
    "DataFile",
    "Holdings",
    "KeyCounts",
    "People",
    "Squares",
    "adult",
    "adult_table",
    "cache_folder",
    "clickstream",
    "clothing",
    "find",
    "locate",
    "movielens",
    "tokyo",
    "tokyo_shapes",
    "trousers",
]
