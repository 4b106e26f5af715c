"""Adult (UCI): people of the census of 1994 by age, race, sex and income."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sudare.arrays import Integers
from sudare.data.counts import ADULT
from sudare.data.files import DataFile, as_text, locate
from sudare.errors import DomainError
from sudare.progress import Progress, no_progress

_FOLDER = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"
_file = partial(DataFile, size=None, url="", licence="CC BY 4.0", cite=ADULT)
EXTRACT = _file("adult.csv.gz", "ae0655a69eefdf7e0186431236d13982bc29cb8c1ab2dcc1bd68dae2ecec0d92")
"""Both parts in one table with a header."""
TRAIN = _file(
    "adult.data",
    "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    url=f"{_FOLDER}/adult.data",
)
"""The provider's first part, without a header."""
TEST = _file(
    "adult.test",
    "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    url=f"{_FOLDER}/adult.test",
)
"""The provider's second part; its first line is a remark, its incomes end with a full stop."""

CATEGORIES = {
    "age": tuple(f"{low}–{low + 4}" for low in range(15, 95, 5)),
    "race": ("White", "Black", "Amer-Indian-Eskimo", "Asian-Pac-Islander", "Other"),
    "sex": ("Female", "Male"),
    "income": ("<=50K", ">50K"),
}
"""The categories of each attribute; ages by five years."""
_PLACES = {"age": 0, "race": 8, "sex": 9, "income": 14}


@dataclass(frozen=True, slots=True)
class People:
    """Respondents with several attributes.

    Attributes:
        names: of the attributes.
        categories: of each attribute.
        values: (n, attributes) places of the respondents' categories.
        attribution: whom to credit.
    """

    names: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...]
    values: Integers
    attribution: str

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of categories of each attribute."""
        return tuple(len(labels) for labels in self.categories)

    @property
    def table(self) -> Integers:
        """How many respondents there are of each cell."""
        places = np.ravel_multi_index(tuple(self.values.T), self.sizes)
        return np.bincount(places, minlength=int(np.prod(self.sizes))).reshape(self.sizes)


def adult(
    attributes: Sequence[str] = ("age", "race"),
    *,
    download: bool = False,
    progress: Progress = no_progress,
) -> People:
    """Return the 45,222 people of the Adult data set without a missing value.

    Reads ``adult.csv.gz`` or the provider's two files ``adult.data`` and ``adult.test``.

    Args:
        attributes: of ``"age"`` (16 classes of five years), ``"race"`` (5), ``"sex"`` (2) and
            ``"income"`` (2), in the order wanted.
        download: fetch the provider's files when none is here.
        progress: shows how far a download has come.

    Raises:
        DomainError: no attributes, another one, or one twice.
        StorageError: no file, a wrong one, or a download that fails.
    """
    names = _names(attributes)
    places = [{label: i for i, label in enumerate(CATEGORIES[name])} for name in names]
    columns = [_PLACES[name] for name in names]
    values = [
        [codes[_label(row[i], i)] for codes, i in zip(places, columns, strict=True)]
        for row in _rows(download, progress)
        if "?" not in row
    ]
    return People(
        names,
        tuple(CATEGORIES[name] for name in names),
        np.array(values, dtype=np.int64),
        f"{ADULT} The people without a missing value, by {', '.join(names)}.",
    )


def _names(attributes: object) -> tuple[str, ...]:
    if isinstance(attributes, str) or not isinstance(attributes, Sequence) or not attributes:
        raise DomainError("attributes", f"must list some of {list(CATEGORIES)}")
    for name in attributes:
        if not isinstance(name, str) or name not in CATEGORIES:
            raise DomainError("attributes", f"must be among {list(CATEGORIES)}", got=name)
    if len(set(attributes)) < len(attributes):
        raise DomainError("attributes", "must name each attribute once")
    return tuple(attributes)


def _label(text: str, place: int) -> str:
    if place != _PLACES["age"]:
        return text
    low = int(text) // 5 * 5
    return f"{low}–{low + 4}"


def _rows(download: bool, progress: Progress) -> Iterator[list[str]]:
    """Yield the fifteen fields of each person, blanks and the test part's full stops removed."""
    form, path = locate(EXTRACT, TRAIN, parts=(TEST,), download=download, progress=progress)
    paths = [path]
    if form is TRAIN:
        paths.append(locate(TEST, download=download, progress=progress)[1])
    for part in paths:
        with as_text(part) as text:
            for row in csv.reader(text, skipinitialspace=True):
                if row and row[0].isdigit():  # no header, no remark, no empty last line
                    yield [*row[:14], row[14].removesuffix(".")]
