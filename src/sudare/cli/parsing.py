"""How words become options: examples that do not break, and what was meant by a slip of the pen."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from decimal import Decimal
from textwrap import wrap
from typing import Any, NoReturn

from sudare.errors import nearest

_FEW = 12
"""Names that are all listed beside the one that is meant."""


class Help(argparse.HelpFormatter):
    """Prose is filled; of examples each command begins a line, and one that is too long is broken
    as a shell reads it on."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not text.startswith("example"):
            return super()._fill_text(text, width, indent)
        commands = re.split(r"\n(?=(?:example: )?sudare |#)", text)
        return "\n".join(("examples:", *(_broken(one, width) for one in commands)))


def _broken(command: str, width: int) -> str:
    """Return a command over as many lines as it needs; an option stays beside its value."""
    line = " ".join(command.removeprefix("example: ").split())
    kept = re.sub(r"(?<= )(-\S+) (?!-)", "\\1\0", line)
    how: Any = {"break_long_words": False, "break_on_hyphens": False}
    end = "" if line.startswith("#") else " \\"
    parts = wrap(kept, width - 8, subsequent_indent="  " if end else "# ", **how)
    return f"{end}\n".join(f"  {part}" for part in parts).replace("\0", " ")


def _written(text: str) -> str:
    """Return how a whole number with commas or an exponent is written; nothing of other texts."""
    digits = text.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", text) else text
    if re.fullmatch(r"\d{1,15}(\.\d{1,15})?([eE]\+?\d{1,2})?", digits) is None:
        return ""
    number = Decimal(digits)
    is_whole = number == number.to_integral_value() and number < 1e15
    return f"write {number:.0f}" if is_whole else ""


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong, and what was meant."""

    def __init__(self, **how: Any) -> None:
        super().__init__(formatter_class=Help, **how)
        self._words: list[str] = []

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse what is left over: here, where its command is known."""
        self._words = list(args or ())
        options, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {left[0]}")
        return options, left

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = list(map(str, action.choices))
        if action.option_strings:
            told, listed = f"invalid choice: {str(value)!r} (choose from {', '.join(known)})", ""
        else:
            action, name = None, str(action.metavar or action.dest).lower()  # type: ignore[assignment]
            told, listed = f"unknown {name} {str(value)!r}", f"there are {', '.join(known)}"
        short = listed if len(known) <= _FEW else ""
        meant = nearest(value, known, short) or listed
        raise argparse.ArgumentError(action, f"{told}; {meant}".removesuffix("; "))

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Read a value; of a number that is written otherwise, say how."""
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in (int, float):
                raise
            kind = "a whole number" if action.type is int else "a number"
            rule = f"must be {kind}, got {arg_string!r}; {_written(arg_string)}"
            raise argparse.ArgumentError(action, rule.removesuffix("; ")) from None

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line."""
        known = [name for action in self._actions for name in action.option_strings]
        for word in self._named():
            if not any(name.startswith(word) for name in known):
                message = f"unknown option {word}; {nearest(word, known)}".removesuffix("; ")
                break
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def _named(self) -> Iterator[str]:
        """Yield the options among the words; of one that has commands, those before a command."""
        for word in self._words:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return
            if word.startswith("--"):
                yield word.partition("=")[0]
