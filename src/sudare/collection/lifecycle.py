"""What of a collection may change while it runs, and is told beside its definition.

The fingerprint covers what a report's meaning hangs on. When reports are taken is not part of it:
a compiled document tells it under ``life``, and so under which fingerprints the same collection was
known to earlier versions of Sudare, which covered its times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sudare.collection import schema
from sudare.collection.canonical import fingerprint
from sudare.errors import CollectionError

TIMES = ("opens", "closes")


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """When reports are taken.

    Attributes:
        opens, closes: moments in UTC, or None: open while ``opens <= now < closes``.
        closed: whether it has been closed, whatever a clock says.
        former: the times that the definition has had where its fingerprint covered them.

    Examples:
        >>> Lifecycle().to_json()
        {}
    """

    opens: datetime | None = None
    closes: datetime | None = None
    closed: bool = False
    former: tuple[tuple[datetime | None, datetime | None], ...] = ()

    def __post_init__(self) -> None:
        if self.opens and self.closes and self.opens >= self.closes and not self.closed:
            raise CollectionError("collection.closes", "must be after opens")

    @classmethod
    def read(cls, table: Mapping[str, Any], where: str, former: Sequence[Any] = ()) -> Lifecycle:
        """Read times, of a survey file or of a compiled document."""
        opens, closes = (schema.moment(table.get(name), f"{where}.{name}") for name in TIMES)
        return cls(
            opens,
            closes,
            closed=table.get("closed", False),
            former=tuple(
                (schema.moment(one, f"{where}.former"), schema.moment(two, f"{where}.former"))
                for one, two in former
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """Return what a compiled document says; nothing where a collection is always open."""
        times = {name: getattr(self, name) for name in TIMES if getattr(self, name) is not None}
        return {
            **{name: schema.moment_text(time) for name, time in times.items()},
            **({"closed": True} if self.closed else {}),
            **({"former": [_texts(*one) for one in self.former]} if self.former else {}),
        }

    def require_open(self, now: datetime) -> None:
        """Raise CollectionError unless ``opens <= now < closes`` and it has not been closed."""
        if self.closed or (self.closes is not None and now >= self.closes):
            raise CollectionError("collection", "is closed", "no reports are taken any more")
        if self.opens is not None and now < self.opens:
            raise CollectionError("collection", "is not open yet", "answer once it has opened")

    def former_fingerprints(self, definition: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the fingerprints under which versions before 0.2 knew the definition."""
        return tuple(fingerprint({**definition, **timed(*one)}) for one in self.former)


def timed(opens: datetime | None, closes: datetime | None) -> dict[str, str | None]:
    """Return the times of a definition of before 0.2; of one of today both are None."""
    return dict(zip(TIMES, _texts(opens, closes), strict=True))


def _texts(*times: datetime | None) -> list[str | None]:
    return [schema.moment_text(time) for time in times]
