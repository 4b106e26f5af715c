"""A table whose rows stay with an engine: it sums over them and sends only the sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from sudare.errors import DomainError
from sudare.release.column import Column
from sudare.release.stored import Stored

if TYPE_CHECKING:
    from sudare.release.private_data import PrivateData


class RemoteTableError(DomainError):
    """A question wants rows that are elsewhere."""

    def __init__(self, kind: str = "of this kind") -> None:
        remedy = "open the data without the engine for it"
        super().__init__("query", f"{kind} needs rows that only the engine has", remedy)


@dataclass(frozen=True, eq=False)
class RemoteTable(Stored):
    """A table whose rows stay where they are."""

    @abstractmethod
    def total(
        self, of: PrivateData, work: Callable[[PrivateData], Any], names: Sequence[str]
    ) -> Any:
        """Return the sum of what is worked out from some rows at a time: whole numbers alone.

        Of each person all rows that count are among the same ones.

        Args:
            of: the data set.
            work: gets a data set of some of the rows.
            names: the columns that it looks at.
        """

    def column(self, name: str) -> NoReturn:
        """Refuse to bring a whole column here."""
        raise RemoteTableError

    def parts(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Refuse to bring rows here."""
        raise RemoteTableError
