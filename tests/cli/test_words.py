"""What is said of slips of the pen, how help is laid out, what shells complete, what is written."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sudare.cli.main import COMMANDS, build_parser
from sudare.cli.parsing import Parser
from sudare.files.tables import write_table
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]


def parsers(parser: argparse.ArgumentParser | None = None) -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of every command, and of its actions."""
    one = build_parser() if parser is None else parser
    yield one
    for action in one._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in action.choices.values():
                yield from parsers(own)


@cases(
    "words, told",
    [
        (["stduy"], "sudare: unknown command 'stduy'; did you mean 'study'? (see"),
        (["stduy", "--out", "x"], "sudare: unknown command 'stduy'; did you mean 'study'?"),
        (["xyzzy"], "sudare: unknown command 'xyzzy'; there are new, check,"),
        (["study", "foo"], "sudare study: unknown study 'foo'; there are grr-oue, joint,"),
        (["study", "grr-ou"], "unknown study 'grr-ou'; did you mean 'grr-oue'? there are grr-oue"),
        (["study"], "sudare study: STUDY must be one of ['grr-oue',"),
        (["plan", "--epsilom", "2"], "sudare plan: unknown option --epsilom; did you mean '--eps"),
        (["simulate", "f", "--colunm=a"], "unknown option --colunm; did you mean '--column'?"),
        (["plan", "--xyzzy"], "sudare plan: unknown option --xyzzy (see sudare plan --help)"),
        (["plan", "a", "b"], "sudare plan: unrecognized arguments: b (see"),
        (["--versoin"], "sudare: unknown option --versoin; did you mean '--version'?"),
        (["ledger", "opne", "--x"], "sudare ledger: unknown action 'opne'; did you mean 'open'?"),
        (["plan", "--target", "populatio"], "respondents); did you mean 'population'?"),
        (["plan", "--target", "xyzzy"], "'xyzzy' (choose from population, respondents) (see"),
        (["compare", "-k", "4", "-n", "9", "--mechanisms", "GR"], "did you mean 'GRR'?"),
    ],
)
def test_a_slip_of_the_pen(sudare: Run, words: list[str], told: str) -> None:
    status, out, err = sudare(*words)
    assert (status, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_a_column_is_named_where_it_is_like_the_one_asked_for(sudare: Run, tmp_path: Path) -> None:
    rows = [{"region": "north", "drink": "tea"}, {"region": "south", "drink": "coffee"}]
    for ending in (".parquet", ".jsonl", ".csv"):
        write_table(path := tmp_path / f"people{ending}", rows)
        asked = ("simulate", path, "--epsilon", 1, "--column")
        status, _, err = sudare(*asked, "regoin")
        assert status == 2
        assert ("did you mean 'region'?" in err) == (ending != ".csv")  # may be a person's cell
        assert "drink" not in err
        assert ("region" in err) == (ending != ".csv")
        status, _, err = sudare(*asked, "ann")
        assert status == 2
        assert "region" not in err
        assert ("does its first line name" in err) == (ending == ".csv")


# Help


@cases("columns", [60, 80, 120])
def test_examples_can_be_copied_at_every_width(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    found = 0
    for parser in parsers():
        _, there, examples = parser.format_help().partition("\nexamples:\n")
        assert bool(there) == str(parser.epilog or "").startswith("example")
        lines = examples.splitlines()
        assert all(len(line) < columns or " " not in line.strip() for line in lines)
        commands = [
            shlex.split(line, comments=True)
            for line in examples.replace(" \\\n", " ").splitlines()
            if not line.lstrip().startswith("#")
        ]
        assert all(words[0] == "sudare" and words[1] in COMMANDS for words in commands)
        found += len(commands)
    assert found >= len(COMMANDS)


def test_every_example_is_taken_by_its_command() -> None:
    top = build_parser()
    for parser in parsers():
        for words in re.findall(r"^(?:example: )?sudare (.*(?:\n(?!sudare|#).*)*)",
                                parser.epilog or "", re.MULTILINE):  # fmt: skip
            top.parse_args(shlex.split(words.partition(" > ")[0]))


def test_what_is_not_an_example_is_filled() -> None:
    parser = Parser(prog="x", description="word " * 60, epilog="Start with: sudare demo")
    assert "Start with: sudare demo" in parser.format_help()
    assert max(map(len, parser.format_help().splitlines())) < 120


# Shells


@cases("shell", ["bash", "zsh", "fish", "tcsh"])
def test_a_script_for_each_shell(sudare: Run, shell: str) -> None:
    status, out, err = sudare("completion", shell)
    assert (status, err) == (0, "")
    assert all(name in out for name in ("simulate", "grr-oue"))
    assert sudare("completion", "bsah")[2].startswith(
        "sudare completion: unknown shell 'bsah'; did"
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_values_and_files(sudare: Run, tmp_path: Path) -> None:
    (tmp_path / "c.bash").write_text(sudare("completion", "bash")[1])
    (tmp_path / "people.csv").write_text("a\n")
    script = """source c.bash
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=()
      $(complete -p sudare | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo "${COMPREPLY[*]}"; }
    try sudare stu; try sudare study gr; try sudare plan --tar; try sudare plan --target po
    try sudare ledger op; try sudare simulate peo; try sudare simulate people.csv --out peo"""
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        "study", "grr-oue", "--target", "population", "open", "people.csv", "people.csv",
    ]  # fmt: skip


def test_completion_needs_its_extra(sudare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "shtab", None)
    assert "sudare[all]" in sudare("completion", "bash")[2]  # it loads every command


# Files that are there


def test_nothing_is_written_over_without_force(
    sudare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, out = tmp_path / "people.csv", tmp_path / "reports.csv"
    people.write_text("region\n" + "north\nsouth\n" * 50)
    ask = ("perturb", people, "--column", "region", "--epsilon", 1, "--categories", "north,south")
    assert sudare(*ask, "--out", out)[0] == 0
    before = out.read_bytes()
    status, _, err = sudare(*ask, "--out", out)
    assert status == 2
    assert "--out must not exist yet" in err
    assert "--force" in err
    assert out.read_bytes() == before
    assert sudare(*ask, "--out", out, "--force")[0] == 0
    assert out.read_bytes() != before
    assert "another file than the input" in sudare(*ask, "--out", people, "--force")[2]
    out.unlink()  # its hidden manifest stays, and makes room
    assert sudare(*ask, "--out", out)[0] == 0
    assert sudare("estimate", out)[0] == 0
    out.unlink()
    shown = tmp_path / "reports.csv.manifest.json"  # of an earlier version, which everybody sees
    shown.write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert f"--out must not exist yet, got '{shown.name}'" in sudare(*ask, "--out", out.name)[2]


def test_a_folder_with_files_is_not_written_into_without_force(sudare: Run, tmp_path: Path) -> None:
    ask = ("plan", "-k", 4, "-n", 100, "--epsilon", 1, "--out", tmp_path / "results")
    (tmp_path / "results").mkdir()
    assert sudare(*ask)[0] == 0
    status, _, err = sudare(*ask)
    assert status == 2
    assert "--out must be a new folder, or an empty one" in err
    assert sudare(*ask, "--force")[0] == 0


def test_every_command_that_writes_files_has_force_or_never_writes_over() -> None:
    writes = {
        parser.prog.removeprefix("sudare "): "--force" in parser._option_string_actions
        for parser in parsers()
        if "--out" in parser._option_string_actions
    }
    assert {name for name, force in writes.items() if not force} <= {
        "backup", "invites", "demo", "ledger export", "ledger key",
    }, writes  # fmt: skip
    assert len(writes) > 8


def test_tables_refuse_sizes_that_contradict_the_manifest(sudare: Run, tmp_path: Path) -> None:
    people, out = tmp_path / "people.csv", tmp_path / "reports.csv"
    people.write_text("region,drink\n" + "north,tea\nsouth,water\nwest,tea\n" * 50)
    assert sudare("perturb", people, "--columns", "region,drink", "--epsilon", 1, "--out", out,
                  "--categories-from-data")[0] == 0  # fmt: skip
    ask = ("tables", out, "--columns", "region,drink", "--epsilon", 1, "--sizes")
    for sizes in ("16,5", "3,3", "2,2"):
        status, shown, err = sudare(*ask, sizes)
        assert (status, shown) == (2, "")
        assert "--sizes and --epsilon must be the manifest's, JointRR([3, 2]" in err
    assert sudare("tables", out)[0] == 0
    assert sudare(*ask, "3,2")[0] == 0
