"""The stages of a collection's life, and what leads from one to the next.

::

    draft -> published -> open -> closed -> archived
                 \\          \\        |  \\       |
                  `---------- `--> open   `--> deleted

A published collection is open while ``opens <= now < closes``. Closed by its owner or by the clock
it stays so, whatever a clock says, until its owner opens it again. Archived is closed for good: its
reports are deleted, their counts are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from sudare.errors import CollectionError

State: TypeAlias = Literal["draft", "published", "closed", "archived", "deleted"]
Stage: TypeAlias = Literal["draft", "published", "open", "closed", "archived", "deleted"]

COMMANDS: dict[str, tuple[Stage, ...]] = {
    "publish": ("draft",),
    "open": ("published", "closed"),
    "close": ("published", "open"),
    "extend": ("published", "open", "closed"),
    "delete": ("draft", "published", "closed", "archived"),
}
"""The stages in which each command is taken; in all others it is refused and changes nothing."""

_REMEDIES: dict[tuple[str, Stage], str] = {
    ("open", "draft"): "publish it first",
    ("publish", "open"): "it is public already; with draft = true its file begins as a draft",
    ("close", "draft"): "nobody can answer it yet",
    ("extend", "draft"): "write the times in its survey file",
    ("delete", "open"): "close it first",
    ("open", "archived"): "its reports are deleted: one that is sent again could not be told",
    ("extend", "archived"): "its reports are deleted: one that is sent again could not be told",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a collection stands, as its store has it.

    Attributes:
        state: what is kept; by itself ``"published"`` does not say whether it is open.
        opens, closes: moments in UTC, or None; of a closed one ``closes`` is when it closed.
        act: what led to it: a command, or ``"created"``, ``"file"``, ``"served"``,
            ``"superseded"``, ``"clock"``, ``"archive"``.
        at: when that was.
    """

    state: State
    opens: datetime | None = None
    closes: datetime | None = None
    act: str = "created"
    at: datetime | None = None

    def stage(self, now: datetime) -> Stage:
        """Return the stage at a moment."""
        if self.state != "published":
            return self.state
        if self.closes is not None and now >= self.closes:
            return "closed"
        return "published" if self.opens is not None and now < self.opens else "open"

    def after(
        self, command: str, now: datetime, until: datetime | None = None, *, ends: bool = False
    ) -> Standing:
        """Return where it stands after a command of its owner.

        Args:
            command: one of :data:`COMMANDS`.
            now: the moment.
            until: a new end; needed to extend, possible to open.
            ends: whether it must have an end, as its figures are published there.

        Raises:
            CollectionError: the command is not for this stage, or the end is none.
        """
        stage, now = self.stage(now), now.replace(microsecond=0)
        if stage not in COMMANDS[command]:
            allowed = " or ".join(COMMANDS[command])
            raise CollectionError(
                "collection",
                f"must be {allowed} for this: it is {stage}",
                _REMEDIES.get((command, stage), ""),
            )
        if until is not None and until <= now:
            raise CollectionError("until", "must be a moment to come", "leave it out for no end")
        known = replace(self, act=command, at=now)
        if command == "publish":
            return replace(known, state="published")
        if command == "close":
            return replace(known, state="closed", closes=now)
        if command == "delete":
            return replace(known, state="deleted")
        return known._opened(stage, now, until, ends=ends)

    def _opened(
        self, stage: Stage, now: datetime, until: datetime | None, *, ends: bool
    ) -> Standing:
        """Return it with its new times: opened now, or with another end."""
        if until is None and (self.act == "extend" or (ends and stage == "closed")):
            raise CollectionError("until", "is needed", "say when it closes")
        closes = until or (None if stage == "closed" else self.closes)
        waits = self.opens is not None and self.opens > now
        opens = now if waits and (self.act == "open" or stage == "closed") else self.opens
        if opens is not None and closes is not None and opens >= closes:
            raise CollectionError("until", "must be after it opens", "open it first, or later")
        return replace(self, state="published", opens=opens, closes=closes)

    def archived(self, days: int | None, now: datetime) -> bool:
        """Tell whether its reports are to be deleted, so many days after it closed."""
        if days is None or self.state != "closed" or self.closes is None:
            return False
        return (now - self.closes).total_seconds() >= 86_400 * days
