"""Kinds of queries: a file each for those that share their arithmetic."""

from sudare.release.queries import bins, counts, group_ranks, groups, moments, ranks, unlisted
from sudare.release.queries.base import (
    KINDS,
    Categories,
    Category,
    Field,
    Keys,
    Name,
    Names,
    Query,
    Share,
    register,
    unregister,
)
from sudare.release.queries.filters import Condition, Filtered, Where

__all__ = [
    "KINDS",
    "Categories",
    "Category",
    "Condition",
    "Field",
    "Filtered",
    "Keys",
    "Name",
    "Names",
    "Query",
    "Share",
    "Where",
    "bins",
    "counts",
    "group_ranks",
    "groups",
    "moments",
    "ranks",
    "register",
    "unlisted",
    "unregister",
]
