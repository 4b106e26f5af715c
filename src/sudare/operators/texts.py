"""Survey files that operators have uploaded, and who sees a collection's results."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from sudare.errors import as_one_of
from sudare.operators.register import Register
from sudare.operators.tables import META, TEXT, VISIBILITY

Visibility: TypeAlias = Literal["public", "unlisted", "private"]
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
"""``public``: listed, results for everybody. ``unlisted``: for whoever knows the address.
``private``: not listed, results for operators alone.
"""


class Text(NamedTuple):
    """The survey file of a collection.

    Attributes:
        edited: as it stands since its last change; None where nothing is to be published.
        served: as it was published last; None for a draft.
    """

    edited: str | None
    served: str | None


class Known(NamedTuple):
    """What servers have to learn.

    Attributes:
        changes: a number that grows with every change of the others.
        served: the files that are served, by name.
        visibilities: of collections whose results are not for everybody.
    """

    changes: int
    served: dict[str, str]
    visibilities: dict[str, Visibility]


class Texts:
    """The uploaded survey files of a register, and the visibility of results.

    Args:
        register: open.
    """

    def __init__(self, register: Register) -> None:
        self._register = register

    def changes(self) -> int:
        """Return a number that grows with every change that servers have to learn."""
        if not self._register.is_begun():
            return 0
        with self._register.reading() as connection:
            return _changes(connection)

    def known(self) -> Known:
        """Return what servers have to learn; nothing is made where there is nothing."""
        if not self._register.is_begun():
            return Known(0, {}, {})
        with self._register.reading() as connection:
            rows = connection.execute(TEXT.select().where(TEXT.c.served.is_not(None)))
            served = {row.name: row.served for row in rows}
            shown = {row.name: row.visibility for row in connection.execute(VISIBILITY.select())}
            return Known(_changes(connection), served, shown)

    def all(self) -> dict[str, Text]:
        """Return every file, by name."""
        with self._register.reading() as connection:
            rows = connection.execute(TEXT.select().order_by(TEXT.c.name)).all()
        return {row.name: Text(row.edited, row.served) for row in rows}

    def find(self, name: str) -> Text:
        """Return a collection's file; nothing where none was uploaded."""
        with self._register.reading() as connection:
            row = connection.execute(TEXT.select().where(TEXT.c.name == name)).first()
        return Text(None, None) if row is None else Text(row.edited, row.served)

    def edit(self, name: str, text: str | None) -> None:
        """Keep a file as it is edited; None throws the change away."""
        with self._register.replacing(TEXT) as connection:
            before = connection.execute(TEXT.select().where(TEXT.c.name == name)).first()
            if before is None:
                if text is not None:
                    connection.execute(TEXT.insert().values(name=name, edited=text))
            elif text is None and before.served is None:
                connection.execute(TEXT.delete().where(TEXT.c.name == name))
            else:
                connection.execute(TEXT.update().where(TEXT.c.name == name).values(edited=text))

    def serve(self, name: str, text: str) -> None:
        """Note that a file is served from now on."""
        with self._register.replacing(TEXT) as connection:
            connection.execute(
                TEXT.update().where(TEXT.c.name == name).values(edited=None, served=text)
            )
            _change(connection)

    def forget(self, name: str) -> None:
        """Delete what is known of a collection."""
        with self._register.replacing(TEXT) as connection:
            connection.execute(TEXT.delete().where(TEXT.c.name == name))
            connection.execute(VISIBILITY.delete().where(VISIBILITY.c.name == name))
            _change(connection)

    def show(self, name: str, visibility: str) -> None:
        """Say who sees a collection's results.

        Raises:
            DomainError: no such visibility.
        """
        chosen = as_one_of(visibility, "visibility", VISIBILITIES)
        with self._register.writing() as connection:
            connection.execute(VISIBILITY.delete().where(VISIBILITY.c.name == name))
            if chosen != "public":
                connection.execute(VISIBILITY.insert().values(name=name, visibility=chosen))
            _change(connection)


def _changes(connection: Any) -> int:
    row = connection.execute(META.select().where(META.c.name == "changes")).one()
    return int(row.value)


def _change(connection: Any) -> None:
    chosen = META.update().where(META.c.name == "changes")
    connection.execute(chosen.values(value=META.c.value + 1))
