"""What the codes of a column stand for: each text once, or each number of more than 63 bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError
from sudare.files.people import BLANK

_FEW = 1 << 12
"""So many are a list in any case."""

_WIDE = Context(prec=80)


class Labels:
    """Values that differ, in the order of their codes.

    Args:
        values: a list, or an Arrow array of text or of whole numbers as decimals, without nulls.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Any) -> None:
        is_long = isinstance(values, list) or len(values) > _FEW
        self._values: Any = values if is_long else _listed(values)

    def __len__(self) -> int:
        return len(self._values)

    def listed(self) -> list[Any]:
        """Return all of them as Python has them."""
        found: list[Any] = self._values
        return found if isinstance(found, list) else _listed(found)

    def taken(self, codes: Integers) -> Any:
        """Return the labels of some codes, as a list or an Arrow array."""
        if isinstance(self._values, list):
            return [self._values[code] for code in codes.tolist()]
        import pyarrow as pa

        return self._values.take(pa.array(codes))

    def places(self, index: Mapping[Any, int], other: int) -> Integers:
        """Return the place of each label, by what is given for some; of all else and of none, at
        the end, ``other``.
        """
        out = np.full(len(self) + 1, other, dtype=np.int64)
        if isinstance(self._values, list):
            found = (index.get(one, other) for one in self._values)
            out[:-1] = np.fromiter(found, dtype=np.int64, count=len(self))
        elif keys := self._alike(index):
            from pyarrow import compute as pc

            near = pc.index_in(self._values, value_set=self._array(keys))
            places = np.array([*keys.values(), other], dtype=np.int64)
            out[:-1] = places[pc.fill_null(near, len(keys)).to_numpy(zero_copy_only=False)]
        return out

    def codes(self, of: Labels) -> Integers:
        """Return the place here of each label of others; of what is not here, and at the end, -1.

        Both are of text.
        """
        mine, theirs = self._values, of._values
        if isinstance(mine, list) or isinstance(theirs, list):
            return of.places({one: place for place, one in enumerate(self.listed())}, -1)
        import pyarrow as pa
        from pyarrow import compute as pc

        wide = pa.large_string()
        near = pc.index_in(theirs.cast(wide), value_set=mine.cast(wide))
        found = pc.fill_null(near, -1).to_numpy(zero_copy_only=False)
        return np.append(found.astype(np.int64), -1)

    def _alike(self, index: Mapping[Any, int]) -> dict[Any, int]:
        """Return those keys that can stand in the array, as it has them."""
        out = {}
        for key, place in index.items():
            one = key if isinstance(key, str) else _decimal(key)
            try:
                self._array([one])
            except (ValueError, TypeError):  # no such text, or too long a number
                continue
            if one is not None:
                out[one] = place
        return out

    def _array(self, keys: Iterable[Any]) -> Any:
        import pyarrow as pa

        return pa.array(list(keys), self._values.type)

    def is_blank(self) -> bool:
        """Tell whether one of them says that there is no value, or shows nothing at all."""
        return any(isinstance(one, str) and _is_blank(one) for one in self._odd())

    def is_spaced(self) -> bool:
        """Tell whether two of them differ by the space around them alone."""
        odd = [one for one in self._odd() if isinstance(one, str)]
        inner = {one.strip(): 0 for one in odd}
        if len(inner) < len(odd):
            return True
        spaced = {one.strip(): 0 for one in odd if one != one.strip()}
        return bool(spaced) and bool((self.places(spaced, 1) == 0).any())

    def _odd(self) -> list[Any]:
        """Return those that may be blank or have space around them: of arrays not all."""
        if isinstance(self._values, list):
            return self._values
        import pyarrow as pa
        from pyarrow import compute as pc

        if pa.types.is_decimal(self._values.type):
            return []
        blank = pc.is_in(pc.ascii_lower(self._values), value_set=self._array(BLANK))
        hidden = pc.invert(pc.match_substring_regex(self._values, "^[!-~]+$"))
        return _listed(pc.filter(self._values, pc.or_(blank, hidden)))


def _listed(values: Any) -> list[Any]:
    try:
        found: list[Any] = values.to_pylist()
    except UnicodeDecodeError:  # it shows the text
        raise DomainError("frame", "must hold text in UTF-8", "write it so") from None
    return found


def _is_blank(text: str) -> bool:
    if not text.isprintable():
        text = "".join(filter(str.isprintable, text))
    return text.strip().lower() in BLANK


def _decimal(key: Any) -> Decimal | None:
    return _WIDE.create_decimal(int(key)) if key.denominator == 1 else None
