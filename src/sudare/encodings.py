"""Encodings of text files: which one a file is in, and which one it may be in instead."""

from __future__ import annotations

import codecs
import gzip
import io
import re
from pathlib import Path
from typing import Any

from sudare.errors import DomainError

UTF_8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GZIP = b"\x1f\x8b"
_SAMPLE = 1 << 20
_LIKELY = (  # the name of a codec, as people say it, and as iconv does
    ("euc_jp", "EUC-JP", "euc-jp"),
    ("cp932", "Shift_JIS", "cp932"),
    ("cp1252", "Windows-1252", "cp1252"),
)
_OPTION = {"cp932": "shift_jis", "euc_jp": "euc-jp", "cp1252": "windows-1252"}


def codec_of(encoding: str, argument: str = "encoding") -> str:
    """Return the codec of an encoding's name; Shift_JIS is what Windows writes under that name.

    Raises:
        DomainError: Python knows no such encoding of text.

    Examples:
        >>> codec_of("Shift_JIS"), codec_of("EUC-JP"), codec_of("utf8")
        ('cp932', 'euc_jp', 'utf-8')
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)  # hex and the like are no text
    except (LookupError, TypeError, ValueError):
        rule, remedy = "must be the name of an encoding", "such as utf-8, shift_jis or euc-jp"
        raise DomainError(argument, rule, remedy, got=encoding) from None
    return "cp932" if name == "shift_jis" else name


class Utf8Stream(io.RawIOBase):
    """A text file, compressed by gzip or not, as bytes of UTF-8 without a byte order mark.

    A mark decides; without one the text is in the encoding that is given, or in UTF-8.

    Args:
        path: of the file.
        encoding: its name; None for UTF-8.

    Attributes:
        codec: that the text is in.
        mark: bytes of the mark.

    Raises:
        DomainError: while reading, with the line: bytes that the encoding does not have; which one
            the text looks like is told. What is no text is not shown.
    """

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        given = UTF_8 if encoding is None else codec_of(encoding)
        with path.open("rb") as file:
            self.compressed = file.read(2) == _GZIP
        self._raw: Any = (gzip.open if self.compressed else open)(path, "rb")
        try:
            start = self._raw.read(4)
        except (OSError, EOFError):
            self._raw.close()
            raise
        mark, marked = next((one for one in _MARKS if start.startswith(one[0])), (b"", given))
        self.codec, self.mark = marked, len(mark) if marked == UTF_8 else 0
        self._raw.seek(self.mark)
        self._decoder = codecs.getincrementaldecoder(self.codec)()
        self._line, self._inside, self._kept = 1, False, b""
        self._is_called_gzip = path.suffix.lower() == ".gz"

    def readable(self) -> bool:  # noqa: D102 - of Python's streams
        return True

    def close(self) -> None:  # noqa: D102
        self._raw.close()
        super().close()

    def readinto(self, buffer: Any) -> int:  # noqa: D102
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def read(self, size: int = -1) -> bytes:
        """Return at most so many bytes, at least one unless the text has ended."""
        while not self._kept:
            piece = self._raw.read(size)
            text = self._checked(piece)
            if not piece:
                return text
            self._kept = text
        if size < 0 or len(self._kept) <= size:
            out, self._kept = self._kept, b""
        else:
            out, self._kept = self._kept[:size], self._kept[size:]
        return out

    def _checked(self, piece: bytes) -> bytes:
        if self.codec == UTF_8 and piece and not self._inside and piece.isascii():
            self._line += piece.count(b"\n")
            return piece
        try:
            text = self._decoder.decode(piece, final=not piece)
        except UnicodeError as error:  # without a place: UTF-16 and UTF-32 need a mark
            line = self._line + piece.count(b"\n", 0, getattr(error, "start", 0))
            raise self._refusal(line, piece) from None
        self._line += text.count("\n")
        if self.codec == UTF_8:
            self._inside = bool(self._decoder.getstate()[0])
            return piece
        return text.encode(UTF_8, "surrogatepass")

    def _refusal(self, line: int, piece: bytes) -> DomainError:
        if self.codec != UTF_8:
            rule = f"is not text in {self.codec} (line {line})"
            return DomainError("file", rule, "give the encoding that it is in")
        if self._is_called_gzip and not self.compressed and likely(piece) is None:
            rule = "must be compressed by gzip, as its name says, and is no text either"
            return DomainError("file", rule, "get it again, or name it as what it is")
        return not_utf8(piece, line)


def text_of(data: bytes, argument: str = "file") -> str:
    """Return the text of a whole small file: UTF-8, or what a mark says.

    Raises:
        DomainError: it is in another encoding; which one it looks like is told.
    """
    mark, codec = next((one for one in _MARKS if data.startswith(one[0])), (b"", UTF_8))
    try:
        return data.removeprefix(mark).decode() if codec == UTF_8 else data.decode(codec)
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise not_utf8(data, line, argument, option=False) from None


def not_utf8(data: bytes, line: int, argument: str = "file", *, option: bool = True) -> DomainError:
    """Return the error of text that is not UTF-8: what it looks like, and what to do.

    Args:
        data: the text, or a part of it.
        line: where it is not.
        argument: that is wrong.
        option: whether the encoding can be given instead.
    """
    codec = likely(data)
    if codec is None:
        remedy = "convert it: iconv -f ENCODING -t utf-8"
        return DomainError(argument, f"is not UTF-8 (line {line})", remedy)
    known = {one: (said, iconv) for one, said, iconv in _LIKELY}
    said, iconv = known[codec]
    remedy = f"convert it: iconv -f {iconv} -t utf-8"
    if option:
        remedy += f', or give encoding="{_OPTION[codec]}"'
    return DomainError(argument, f"is not UTF-8, looks like {said} (line {line})", remedy)


_HIGH = re.compile(rb"[\x80-\xff]")
_KANA = re.compile("[\uff61-\uff9f]{2,}")  # one by itself is a letter with an accent elsewhere
_EUC = re.compile(rb"(?:[\x00-\x7f]|[\xa1-\xfe]{2}|\x8e[\xa1-\xdf]|\x8f[\xa1-\xfe]{2})*")


def likely(data: bytes) -> str | None:
    """Return the codec that bytes which are not UTF-8 look like; None where none fits.

    Examples:
        >>> likely("北区,南".encode("cp932")), likely("北区,南".encode("euc_jp"))
        ('cp932', 'euc_jp')
        >>> likely("Größe,öfter".encode("latin-1"))
        'cp1252'
    """
    stop = max(data.rfind(b"\n", 0, _SAMPLE), data.rfind(b"\r", 0, _SAMPLE))
    sample = data[: stop + 1] or data
    high = len(_HIGH.findall(sample))
    if _decodes(sample, "euc_jp") and _EUC.fullmatch(sample):
        return "euc_jp"
    if _decodes(sample, "cp932"):
        text = sample.decode("cp932")
        usual = sum(map(_is_japanese, text)) + sum(map(len, _KANA.findall(text)))
        if 2 * usual >= high / 2 + 0.5:
            return "cp932"
    return "cp1252" if _decodes(sample, "cp1252") else None


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _is_japanese(letter: str) -> bool:
    """Tell kana, full-width signs and the kanji of the first level, which European text has not."""
    if "\u3000" <= letter <= "\u33ff" or "\uff01" <= letter <= "\uff60" or "①" <= letter <= "⑳":
        return True
    return "\u4e00" <= letter <= "\u9fff" and letter.encode("cp932")[0] <= 0x98
