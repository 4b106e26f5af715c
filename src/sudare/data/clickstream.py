"""The clickstream of an online clothing shop (UCI): counts of the clicked models."""

from __future__ import annotations

import csv
from collections import Counter
from functools import partial

from sudare.data.counts import CLICKSTREAM, CountTable
from sudare.data.files import DataFile, as_text, locate
from sudare.errors import as_one_of
from sudare.progress import Progress, no_progress

_file = partial(DataFile, size=None, url="", licence="CC BY 4.0", cite=CLICKSTREAM)
EXTRACT = _file(
    "eshop_clothing_2008.csv.gz",
    "f0baa094ba5b525a89dc11b26206cff2ff9a7b12fe8337b275f904e4572588d8",
    size=378_126,
)
"""Two of the four categories, comma-separated: trousers and blouses."""
ORIGINAL = _file(
    "clickstream+data+for+online+shopping.zip",
    "de43f67460aeb49fd879cb7db3d7d654a5f83e8d6ec466820573ef8a6255a7c6",
    url="https://archive.ics.uci.edu/static/public/553/clickstream+data+for+online+shopping.zip",
)
"""The provider's archive: all four categories, separated by semicolons."""
_MEMBER = "e-shop clothing 2008.csv"
CATEGORIES = {"trousers": "1", "blouses": "3"}


def clickstream(
    category: str = "trousers", *, download: bool = False, progress: Progress = no_progress
) -> CountTable:
    """Return how often each model of a category was clicked, from the data set's own rows.

    Reads the extract ``eshop_clothing_2008.csv.gz`` or the provider's archive.

    Args:
        category: ``"trousers"`` or ``"blouses"``.
        download: fetch the provider's archive when neither is here.
        progress: shows how far a download has come.

    Raises:
        DomainError: another category.
        StorageError: no file, a wrong one, or a download that fails.
    """
    as_one_of(category, "category", CATEGORIES)
    form, path = locate(EXTRACT, ORIGINAL, download=download, progress=progress)
    with as_text(path, _MEMBER) as stream:
        counts = Counter(
            row["page 2 (clothing model)"]
            for row in csv.DictReader(stream, delimiter="," if form is EXTRACT else ";")
            if row["page 1 (main category)"] == CATEGORIES[category]
        )
    models = sorted(counts, key=lambda model: int(model[1:]))
    return CountTable(
        tuple(models),
        tuple(counts[model] for model in models),
        f"{CLICKSTREAM} Counts of the {len(models)} models of the category {category}.",
    )
