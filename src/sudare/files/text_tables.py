"""The one reader of tables that are text: CSV, its separator and encoding whichever they are."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sudare.encodings import UTF_8, Utf8Stream
from sudare.errors import DomainError, SudareError
from sudare.files.places import arrow

BLOCK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 14
_MOST_HEAD = 1 << 20
SEPARATORS = (",", ";", "\t")
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs"}
_END_OF_DOS = "\x1a"
_SEP = re.compile(r'"?sep=.?"?[,;\t]*', re.IGNORECASE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_AROUND = {separator: np.isin(np.arange(256), list(f'{separator}"\r\n'.encode()))
           for separator in SEPARATORS}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text whose head has been read. Its cells are text; an empty one is missing.

    ``docs/decisions/tables.md`` says which rules hold.

    Attributes:
        path: of the file.
        encoding: as given; None for UTF-8, or what a mark says.
        columns: their names, no two alike.
        separator: of its cells: the one by which the head has most names.
        start: bytes before the first row, in the file itself if that is plain.
        plain: whether the file is UTF-8 and not compressed, so that the place of a row is that of
            its bytes.
        ends_in_newline: whether the head's line does, as those of nearly all files.

    Examples:
        >>> path = Path("people.csv")
        >>> _ = path.write_text("name;region\\nann;north\\nbob;\\n")
        >>> table = TextTable.of(path)
        >>> table.columns, table.note
        (('name', 'region'), 'its columns are separated by semicolons')
        >>> [row for block in table.blocks(["region"]) for row in block["region"].to_pylist()]
        ['north', None]
    """

    path: Path
    encoding: str | None
    columns: tuple[str, ...]
    separator: str
    start: int
    plain: bool
    ends_in_newline: bool

    @classmethod
    def of(cls, path: Path, encoding: str | None = None) -> TextTable:
        """Read the head of a table.

        Raises:
            DomainError: an empty file, another encoding, or columns that are called alike.
        """
        with Utf8Stream(path, encoding) as stream:
            plain, mark = stream.codec == UTF_8 and not stream.compressed, stream.mark
            known = SEPARATORS[-1:] if _is_tsv(path) else SEPARATORS
            data = b""
            while True:
                piece = stream.read(_HEAD_BYTES)
                data += piece
                text = data.decode(UTF_8, "ignore")
                try:
                    separator, columns, size = _head(text, known)
                    if size < len(text) or not piece:
                        break
                except DomainError:
                    if not piece:
                        raise
                if len(data) > _MOST_HEAD:
                    rule = f"must have a first line of at most {_MOST_HEAD:,} bytes"
                    raise DomainError("file", rule, "does its quotation mark close?")
        _check_head(columns, text, size)
        columns = tuple(name.strip() for name in columns)
        head = len(text[:size].encode(UTF_8))
        twice = next((i for i, one in enumerate(columns) if one in columns[:i]), None)
        if twice is not None:  # without a head the names are a person's cells
            places = f"{columns.index(columns[twice]) + 1} and {twice + 1}"
            rule = f"must have columns of different names: {places} are called alike"
            raise DomainError("file", rule, "rename one")
        start = mark + head if plain else head
        return cls(path, encoding, columns, separator, start, plain, text[:size].endswith("\n"))

    @property
    def note(self) -> str | None:
        """What was found from the head and somebody may want to know."""
        if self.separator == "," or _is_tsv(self.path):
            return None
        return f"its columns are separated by {_NAMES[self.separator]}"

    @property
    def form(self) -> Any:
        """How Arrow reads its lines.

        Of one column, each line is a row: an empty one is a respondent without an answer.
        """
        from pyarrow import csv as reader

        return reader.ParseOptions(
            delimiter=self.separator,
            newlines_in_values=True,
            ignore_empty_lines=len(self.columns) > 1,
        )

    def cells(self, columns: Sequence[str], kind: Any) -> Any:
        """Return what Arrow makes of cells: some columns of one type, empty ones missing."""
        from pyarrow import csv as reader

        return reader.ConvertOptions(
            include_columns=list(columns),
            column_types=dict.fromkeys(columns, kind),
            null_values=[""],
            strings_can_be_null=True,
            check_utf8=False,  # the stream has
        )

    def blocks(self, columns: Sequence[str], kind: Any = None) -> Iterator[Any]:
        """Yield record batches of some columns, in the order of the rows.

        Args:
            columns: their names.
            kind: Arrow's type of their cells; None for text.

        Raises:
            DomainError: while reading: a line with more or fewer cells than the head, a quotation
                mark that does not close or has text after it, another encoding; the line is named.
        """
        pa = arrow("to read files", "csv")
        with self._rest() as stream:
            watched = _Watched(stream, self)
            options = pa.csv.ReadOptions(column_names=self.columns, block_size=BLOCK_BYTES)
            try:
                if watched.is_empty():
                    return
                with pa.csv.open_csv(
                    watched, options, self.form, self.cells(columns, kind or pa.string())
                ) as reader:
                    yield from reader
            except SudareError:
                raise
            except (pa.ArrowException, ValueError):
                if self.check():
                    raise
                return  # blank lines alone

    def check_rows(self) -> None:
        """Refuse a head alone."""
        if next(self.rows(), None) is None:
            rule = f"must have at least one row, and line {self._head_lines()}, its head, is all"
            raise DomainError("file", rule, "choose another file")

    def check(self) -> int:
        """Return how many rows there are, after a look at each: slow, it tells what is wrong.

        Raises:
            DomainError: as :meth:`blocks`.
        """
        return sum(1 for _ in self.rows())

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row's first line and its cells."""
        with self._rest() as stream:
            text = io.TextIOWrapper(io.BufferedReader(stream), UTF_8, "surrogatepass", newline="")
            reader = csv.reader(text, delimiter=self.separator, strict=True)
            before, line = self._head_lines(), 0
            while True:
                line = before + reader.line_num + 1
                try:
                    row = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    raise _refusal(str(error), line) from None
                if not row:
                    if len(self.columns) > 1:
                        continue
                    row = [""]
                if row[-1].endswith(_END_OF_DOS):
                    rule = "ends in the byte 0x1A, which ended files of DOS"
                    raise DomainError(f"line {line}", rule, "delete the byte")
                if any("\0" in cell for cell in row):
                    raise _nul(line)
                if len(row) != len(self.columns):
                    raise self._ragged(line, len(row) > len(self.columns))
                yield line, row

    def line_of(self, row: int) -> int:
        """Return the line in which a row begins, both counted from the start of the file."""
        return next(line for i, (line, _) in enumerate(self.rows()) if i == row)

    def _ragged(self, line: int, more: bool) -> DomainError:
        sign = {"\t": "a tab"}.get(self.separator, self.separator)
        if more:
            rule, remedy = "more", f'put a cell with {sign} in it between quotation marks ("")'
        else:
            rule, remedy = "fewer", f"write {sign} for an empty cell too"
        return DomainError(f"line {line}", f"has {rule} fields than the head", remedy)

    def _rest(self) -> Utf8Stream:
        """Return the text after the head."""
        stream = Utf8Stream(self.path, self.encoding)
        left = self.start - (stream.mark if self.plain else 0)
        while left and (piece := stream.read(left)):
            left -= len(piece)
        return stream

    def _head_lines(self) -> int:
        with Utf8Stream(self.path, self.encoding) as stream:
            left = self.start - (stream.mark if self.plain else 0)
            data = b""
            while len(data) < left and (piece := stream.read(left - len(data))):
                data += piece
        return len(_LINE.findall(data.decode(UTF_8))) - 1


def _is_tsv(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(".tsv")


def _head(text: str, separators: Sequence[str]) -> tuple[str, tuple[str, ...], int]:
    """Return the separator, the names and the length of the head, which is the first line with
    text; of several separators the one that gives most names, of equally many the first.
    """
    for start, codec in ((1, "utf-16le"), (0, "utf-16be")):
        if text[start : start + 3 : 2] == "\0\0":
            remedy = f"convert it: iconv -f {codec} -t utf-8"
            raise DomainError("file", "must be text; it looks like UTF-16 without a mark", remedy)
    heads = []
    for separator in separators:
        lines = _Lines(text)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        try:
            row = next(filter(None, reader), None)
        except csv.Error as error:
            broken = _refusal(str(error), 1)
            continue
        if row is None:
            raise DomainError("file", "must not be empty", "give it a head and rows")
        inner = any('"' in name for name in row)  # a quoted name that was cut
        heads.append((not inner, len(row), separator, tuple(row), lines.size))
    if not heads:
        raise broken
    _, _, separator, names, size = max(heads, key=lambda head: head[:2])
    return separator, names, size


def _check_head(columns: Sequence[str], text: str, size: int) -> None:
    """Refuse a first line that is none of names, by its form and that of the next line alone."""
    line = len(re.findall(r"\r\n|\r|\n", text[:size].rstrip("\r\n"))) + 1
    place, head = f"line {line}", text[:size].strip()
    if "\0" in head:
        raise _nul(line)
    if _SEP.fullmatch(head):
        rule = "says what separates cells, as Excel writes it, and names no columns"
        raise DomainError(place, rule, "delete the line")
    after = next((one for one in _LINE.findall(text[size:]) if one.strip()), "")
    if head.startswith("#") and after:
        most = max(after.count(separator) for separator in SEPARATORS)
        if most + 1 > len(columns):
            raise DomainError(place, "is a comment, and names no columns", "delete the line")
    if len(columns) == 1 and "|" in head and ("|" in after or not after):
        rule = "has | between its names; cells are separated by , or ; or a tab"
        raise DomainError(place, rule, "write , for |")


def _nul(line: int) -> DomainError:
    return DomainError(f"line {line}", "has a NUL byte", "delete it, as tr -d '\\000' does")


class _Lines:
    """Physical lines of text, and how many characters have been taken."""

    def __init__(self, text: str) -> None:
        self._found = _LINE.finditer(text)
        self.size = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._found:
            self.size = line.end()
            yield line.group()


def _refusal(told: str, line: int) -> DomainError:
    if "limit" in told:
        rule = f"has a cell of more than {csv.field_size_limit():,} characters"
        return DomainError(f"line {line}", rule, "does its quotation mark close?")
    if "end of data" in told:
        return DomainError(f"line {line}", "opens a quotation mark that does not close", "close it")
    return DomainError(
        f"line {line}",
        "has text after a closing quotation mark",
        'write a quotation mark within a quoted cell as ""',
    )


class _Watched:
    """The bytes of a table on their way to Arrow's reader, which takes quotation marks lightly.

    It reads on behind a mark that closes within a cell, and to the end where one does not close.
    All marks are looked at as they pass; where one stands oddly, Python's strict reader judges.
    """

    def __init__(self, stream: Utf8Stream, table: TextTable) -> None:
        self._stream, self._table = stream, table
        self._around = _AROUND[table.separator]
        self._last, self._open, self._closed = ord("\n"), False, False
        self._is_judged, self._end = False, b""
        self._first: bytes | None = None
        self.closed = False

    def is_empty(self) -> bool:
        """Tell whether nothing follows the head."""
        self._first = self.read(BLOCK_BYTES)
        return not self._first

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def read(self, size: int) -> bytes:
        if self._first is not None:
            piece, self._first = self._first, None
            return piece
        piece = self._stream.read(size)
        is_odd = b"\0" in piece or (not piece and self._end == _END_OF_DOS.encode())
        self._end = piece[-1:]
        if not self._is_judged and (is_odd or self._is_odd(piece)):
            self._table.check()
            self._is_judged = True
        return piece

    def _is_odd(self, piece: bytes) -> bool:
        if not piece:
            return self._open
        if self._closed and not self._around[piece[0]]:
            return True
        self._closed = False
        if b'"' in piece:
            data = np.frombuffer(piece, dtype=np.uint8)
            marks = np.flatnonzero(data == ord('"'))
            opening, closing = marks[self._open :: 2], marks[not self._open :: 2]
            before = data[opening - 1]
            if opening.size and opening[0] == 0:
                before[0] = self._last
            if not self._around[before].all():
                return True
            self._open ^= bool(marks.size % 2)
            if closing.size and closing[-1] == len(piece) - 1:
                self._closed, closing = True, closing[:-1]
            if not self._around[data[closing + 1]].all():
                return True
        self._last = piece[-1]
        return False
