"""``Elsewhere``: rows that an engine has; a question gets what adds up over them, and no row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from sudare.arrays import Booleans
from sudare.errors import DomainError
from sudare.release.column import Column

if TYPE_CHECKING:
    from sudare.release.held import Held


class NotHere(DomainError):
    """A question wants rows that are elsewhere."""

    def __init__(self, which: str = "of this kind") -> None:
        remedy = "collect its columns, and open these without engine="
        super().__init__("query", f"{which} needs the rows themselves, which Spark keeps", remedy)


class Elsewhere(ABC):
    """Rows that stay with an engine, as :class:`~sudare.release.stored.Stored` has them here.

    Attributes:
        heads: its columns without their rows.
        only: tells of columns which of the rows that count are wanted; None for all.
        needs: the columns that it looks at.
    """

    heads: Mapping[str, Column]
    only: Callable[[Mapping[str, Column]], Booleans] | None
    needs: tuple[str, ...]

    @abstractmethod
    def total(self, of: Held, work: Callable[[Held], Any], names: Sequence[str]) -> Any:
        """Return the sum of what is worked out from some rows at a time: whole numbers alone.

        Of each person all rows that count are among the same rows.

        Args:
            of: the data set.
            work: gets a data set of some of the rows.
            names: the columns that it looks at.
        """

    @property
    @abstractmethod
    def size(self) -> int:
        """How many rows there are, counting or not."""

    @abstractmethod
    def timed(self, bounded: Mapping[str, Any]) -> Elsewhere:
        """As :meth:`sudare.release.stored.Stored.timed`."""

    @abstractmethod
    def checked(self) -> Elsewhere:
        """As :meth:`sudare.release.stored.Stored.checked`."""

    @abstractmethod
    def kept(self, whose: str, most: int) -> Elsewhere:
        """As :meth:`sudare.release.stored.Stored.kept`."""

    def column(self, name: str) -> NoReturn:
        """Refuse to bring a whole column here."""
        raise NotHere

    def parts(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Refuse to bring rows here."""
        raise NotHere
