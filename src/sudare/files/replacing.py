"""Files and folders that are there whole, or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from sudare.errors import DomainError


def beside(path: Path) -> Path:
    """Return the temporary path beside one that this process is about to write."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def undone_when_killed() -> Iterator[None]:
    """Let SIGTERM end the block as an exception does, so that what is half written is removed.

    By default the signal ends a process on the spot. A handler that somebody set is left alone, and
    other threads cannot set one.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def replacing(*paths: Path, argument: str = "path", public: bool = False) -> Iterator[list[Path]]:
    """Yield a temporary path beside each of ``paths``; put them in place if all went well.

    Args:
        paths: of the files, which are their owner's alone to read, as are folders made for them:
            reports and what is counted from them.
        argument: what errors call them.
        public: whether others may read them too, as far as the system's mask says.

    Raises:
        DomainError: one of them is a folder.
    """
    for path in paths:
        if path.is_dir():
            raise DomainError(argument, "must not be a folder", "name a file", got=str(path))
        path.parent.mkdir(0o777 if public else 0o700, parents=True, exist_ok=True)
    temporary = [beside(path) for path in paths]
    with undone_when_killed():
        try:
            for part in temporary:
                if not public:
                    make_private(part)
            yield temporary
            for part, path in zip(temporary, paths, strict=True):
                part.replace(path)
        finally:
            for part in temporary:
                part.unlink(missing_ok=True)


@contextmanager
def creating(path: Path, argument: str = "path") -> Iterator[Path]:
    """Yield a temporary path beside a file that must not exist yet; put it in place if all is well.

    The file is its owner's alone to read.

    Raises:
        DomainError: it exists.
    """
    require_absent(path, argument)
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    part = beside(path)
    with undone_when_killed():
        part.touch(mode=0o600, exist_ok=False)
        try:
            yield part
            try:
                path.touch(mode=0o600, exist_ok=False)  # whoever does so has the name
            except FileExistsError:
                raise _exists(path, argument) from None
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def check_folder_can_be_made(folder: Path) -> None:
    """Raise OSError where :func:`filling` could not write; leaves nothing behind."""
    place = folder if folder.is_dir() else next(p for p in folder.absolute().parents if p.exists())
    probe = beside(place / "probe")
    probe.mkdir()
    probe.rmdir()


@contextmanager
def filling(folder: Path, former: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a temporary folder; its files are put into ``folder`` if all went well.

    A folder that is not there yet appears by one renaming. One that is there may be a mount or
    somebody's working directory, so that it stays itself: files of the same names make room at the
    end, and so do ``former`` ones of an earlier writing; all come back where that fails.
    """
    home = folder.resolve()
    there = home.is_dir()
    part = beside(home / "content") if there else beside(home)
    with undone_when_killed():
        try:
            part.mkdir(parents=True)
            yield part
            if there:
                _exchange(home, part, former)
            else:
                part.rename(home)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _exchange(home: Path, part: Path, former: Iterable[str]) -> None:
    """Move the files of ``part`` into ``home``, and what makes room for them out; or nothing."""
    new = [one.relative_to(part) for one in part.rglob("*") if not one.is_dir()]
    old = [one for one in {*new, *map(Path, former)} if (home / one).is_file()]
    room = part / beside(part).name
    moves = [(home / one, room / one) for one in old] + [(part / one, home / one) for one in new]
    moved: list[tuple[Path, Path]] = []
    made: list[Path] = []
    try:
        for source, target in moves:
            above = [one for one in target.parents if one.is_relative_to(home) and not one.exists()]
            made += reversed(above)
            target.parent.mkdir(parents=True, exist_ok=True)
            moved.append((source, target))
            source.rename(target)
    except BaseException:
        for source, target in reversed(moved):
            if target.exists() and not source.exists():
                target.rename(source)
        for one in reversed(made):
            with suppress(OSError):
                one.rmdir()
        raise


def make_private(path: str | os.PathLike[str]) -> None:
    """Make an empty file that its owner alone may read; one that is there stays as it is."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def require_absent(path: Path, argument: str = "path") -> None:
    """Raise DomainError where there is something at a path."""
    if path.exists() or path.is_symlink():
        raise _exists(path, argument)


def _exists(path: Path, argument: str) -> DomainError:
    return DomainError(argument, "must not exist yet", "name a new file", got=str(path))
