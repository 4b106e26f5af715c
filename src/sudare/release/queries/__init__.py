"""Kinds of queries: a file each for those that share their arithmetic."""

from sudare.release.queries import counts, groups, moments, ranks
from sudare.release.queries.base import (
    KINDS,
    Categories,
    Category,
    Field,
    Keys,
    Name,
    Query,
    Share,
    register,
    unregister,
)

__all__ = [
    "KINDS",
    "Categories",
    "Category",
    "Field",
    "Keys",
    "Name",
    "Query",
    "Share",
    "counts",
    "groups",
    "moments",
    "ranks",
    "register",
    "unregister",
]
