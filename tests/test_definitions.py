"""Text of TOML is looked at once before it is parsed: what a parser would take hours for goes."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import tomllib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sudare.definitions import MOST_DOTS, load, tables
from sudare.errors import DomainError
from sudare.request_json import read_json

K = 40_000
LONG = {
    "a key": ".".join("a" * (K // 2)) + " = 1",
    "a table": f"[{'.'.join('a' * (K // 2))}]",
    "a table of several": f"[[{'.'.join('a' * (K // 2))}]]",
    "an inline table": f"x = {{{'.'.join('a' * (K // 2))} = 1}}",
    "quoted parts": ".".join(['"a"', "'b'"] * (K // 8)) + " = 1",
    "spaces": " . ".join("a" * (K // 4)) + " = 1",
    "after strings": 'x = "\\"#"\ny = """\n"a"""\nz = \'\'\'#\'\'\'\n' + "a." * K + "a = 1",
    "after a comment": 'x = 1 # "\n' + "a." * K + "a = 1",
    "many tables": "\n".join(f"[k{i}{'.a' * 12}]" for i in range(5_000)),
}
SLOW = {
    "escapes": 'x = "' + '\\"' * K,
    "escapes of several lines": 'x = """' + '\\"""' * K,
    "opened again": 'x = """\\' * K,
    "quotes": '"' * K,
    "other quotes": "'" * K,
    "both": "'\"" * K,
    "brackets": "x = " + "[" * K,
    "braces": "x = " + "{a = " * K,
    "dots": "x = " + "." * K,
    "keys": "\n".join(f"k{i}.a = 1" for i in range(K)),
}


def test_keys_of_very_many_parts_are_refused_at_once() -> None:
    for text in LONG.values():
        with pytest.raises(DomainError, match="16 dots in a key"):
            tables(text, "toml", DomainError)
    for text in SLOW.values():  # each takes a second at the most, or the test is seen to hang
        try:
            tables(text, "toml", DomainError)
        except DomainError as error:
            assert len(str(error)) < 300


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
def test_what_is_refused_takes_no_memory_and_no_time() -> None:
    code = """
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
        from sudare.collection import Collection
        from sudare.errors import SudareError
        for text in (".".join("a" * 20_000) + " = 1", "[" + ".".join("a" * 200_000) + "]"):
            try:
                Collection.from_toml(text)
            except SudareError as error:
                print(error.argument)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["toml", "toml"]


PIECES = st.sampled_from(
    [
        *("a", "b", ".", " ", "\n", "=", "1", "1.5", "#", ",", "[", "]", "\\"),
        *('"', "'", '"""', "'''", "{", "}", "é", "\r\n", "\t", "-"),
        *('"a.b.c"', "a.b.c", '\\"', "\0"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_nothing_else_is_refused_than_what_the_parser_refuses(text: str) -> None:
    try:
        expected = tomllib.loads(text)
    except (ValueError, TypeError, AttributeError, RecursionError):
        expected = None
    try:
        found = tables(text, "toml", DomainError)
    except DomainError as error:
        found = None if "is not valid" in str(error) else error
    assert str(found) == str(expected)


def test_dots_elsewhere_are_none_of_a_key() -> None:
    dots = ".".join("a" * 1000)
    for text in (
        f'x = "{dots}"',
        f"x = '{dots}'",
        f'x = """\n{dots}"""',
        f"x = '''{dots}''''",
        f"# {dots}\nx = 1",
        f'"{dots}" = 1',
        "x = [" + "1.5, " * 100_000 + "]",
        f"{'.'.join('a' * (MOST_DOTS + 1))} = 1",
        f'x = """a"" \\" {dots}"""""',
        f'x = """"{dots}"""\ny = 1',
    ):
        assert tables(text, "toml", DomainError) == tomllib.loads(text), text[:20]


def test_each_survey_file_here_is_taken() -> None:
    folder = Path(__file__).parents[1]
    files = [*folder.glob("examples/*.toml"), *folder.glob("deploy/*.toml")]
    assert files
    for path in files:
        assert tables(path.read_text("utf-8"), "toml", DomainError)


def test_text_files_are_read_with_a_mark_and_say_which_encoding_they_are_in(tmp_path: Path) -> None:
    """Editors of Windows write a byte order mark, and Shift_JIS."""
    path, text = tmp_path / "t.toml", 'a = "茶"\r\nb = 1\r\n'
    read = partial(tables, argument="survey", error=DomainError)
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        path.write_bytes(data)
        assert load(path, "survey", read, DomainError) == {"a": "茶", "b": 1}
    assert read("\ufeffb = 1") == {"b": 1}  # as it comes in a request
    for codec, name in (("cp932", "Shift_JIS"), ("euc_jp", "EUC-JP")):
        path.write_bytes(text.encode(codec))
        with pytest.raises(DomainError, match=rf"survey is not UTF-8, looks like {name}.*iconv"):
            load(path, "survey", read, DomainError)
    assert read_json(b'\xef\xbb\xbf{"epsilon": 1}') == {"epsilon": 1}
