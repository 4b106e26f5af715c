"""MovieLens (GroupLens, ml-latest-small): which of the most rated films people rated, and how."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from functools import partial

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.data.files import DataFile, as_text, locate, member
from sudare.exact import as_integer
from sudare.progress import Progress, no_progress

MOVIELENS = (
    "F. M. Harper, J. A. Konstan: The MovieLens Datasets: History and Context. ACM TiiS 5(4):19, "
    "2015, doi:10.1145/2827872. Edition ml-latest-small of 26 September 2018, GroupLens, "
    "University of Minnesota."
)
LICENCE = (
    "GroupLens: research use; acknowledge the data set in publications; imply no endorsement by "
    "the University of Minnesota; no commercial use without permission; pass it on, transformed "
    "too, only under these same conditions; no warranty"
)
"""The provider's conditions, short; its README has them whole."""
_MEMBER = "ml-latest-small/ratings.csv"
_file = partial(DataFile, size=None, url="", licence=LICENCE, cite=MOVIELENS)
EXTRACT = _file(
    "ml_latest_small_2018_ratings.csv.gz",
    "84c9dc4cc96fbf83d095ab80be12863ca7e96bf758ce42ccfbf5b1e8218261f9",
)
"""The provider's ratings without their times."""
ORIGINAL = _file(
    "ml-latest-small.zip",
    "aa289ca83157595d0df6aea1be6a4ded676ddc4385472e8313a8ed9805352646",
    url="https://files.grouplens.org/datasets/movielens/ml-latest-small.zip",
    digest=member(_MEMBER),
)
"""The provider's archive; the checksum is that of its ratings."""
FILMS = 9_724
_LOWEST, _HIGHEST = 0.5, 5.0


@dataclass(frozen=True, slots=True)
class Holdings:
    """Which keys each person holds, and the values: what ``KeyValue.perturb`` takes.

    Attributes:
        keys: names of the d keys.
        held: (n, d) booleans.
        values: (n, d) numbers in [-1, 1]; 0 where the key is not held.
        attribution: whom to credit.
        licence: what one may do with the data.
    """

    keys: tuple[str, ...]
    held: Booleans
    values: Floats
    attribution: str
    licence: str

    @property
    def n(self) -> int:
        """Number of people."""
        return len(self.held)

    @property
    def frequency(self) -> Floats:
        """(d,) share of the people who hold each key."""
        out: Floats = self.held.mean(axis=0)
        return out

    @property
    def mean(self) -> Floats:
        """(d,) mean of the holders' values; NaN where nobody holds the key."""
        with np.errstate(invalid="ignore"):
            out: Floats = self.values.sum(axis=0) / self.held.sum(axis=0)
        return out


def movielens(
    films: int = 50, *, download: bool = False, progress: Progress = no_progress
) -> Holdings:
    """Return which of the most rated films each of 610 people rated, and the ratings.

    Half a star is -1, five stars are +1. People who rated none of these films are there too.
    Reads the extract ``ml_latest_small_2018_ratings.csv.gz`` or the provider's archive. The
    provider's conditions stand in ``licence``: show them with what is made of the data.

    Args:
        films: how many, the most rated ones first (2 to 9,724); of equals the lower number.
        download: fetch the provider's archive when neither is here.
        progress: shows how far a download has come.

    Raises:
        WrongTypeError, DomainError: no such number of films.
        StorageError: no file, a wrong one, or a download that fails.
    """
    many = as_integer(films, "films", low=2, high=FILMS)
    _, path = locate(EXTRACT, ORIGINAL, download=download, progress=progress)
    with as_text(path, _MEMBER) as stream:
        rows = [(row["userId"], row["movieId"], row["rating"]) for row in csv.DictReader(stream)]
    rated = Counter(film for _, film, _ in rows)
    keys = tuple(sorted(rated, key=lambda film: (-rated[film], int(film)))[:many])
    people = {person: i for i, person in enumerate(dict.fromkeys(person for person, _, _ in rows))}
    places = {film: j for j, film in enumerate(keys)}
    held = np.zeros((len(people), len(keys)), dtype=np.bool_)
    values = np.zeros(held.shape)
    middle, half = (_HIGHEST + _LOWEST) / 2, (_HIGHEST - _LOWEST) / 2
    for person, film, rating in rows:
        if (j := places.get(film)) is not None:
            held[people[person], j] = True
            values[people[person], j] = (float(rating) - middle) / half
    return Holdings(keys, held, values, MOVIELENS, LICENCE)
