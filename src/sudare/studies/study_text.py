"""The words of a study, kept beside its code, and a report made of them and of facts.

``study.toml`` holds title, source, findings and shared words. A section NAME has three files:
``NAME.toml`` (claims, tables' and figures' words), ``NAME.en.j2`` and ``NAME.ja.j2`` (its title,
its prose, and where each claim, table and figure stands).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from sudare.studies import rules
from sudare.studies.palette import Canvas
from sudare.studies.parts import (
    Block,
    Cell,
    Claim,
    Column,
    Figure,
    Judged,
    Report,
    Say,
    Section,
    Setting,
    Study,
    Table,
    Verdict,
)
from sudare.studies.templates import evaluate, fill, fold, names_in
from sudare.words import LANGUAGES, Language, Text, Words, say

Label = Callable[..., str]
"""``label("key", **values)``: words of a section in the language of the picture."""
Draw = Callable[["Canvas", Label], None]
_MARK = "\0"


@dataclass(frozen=True, slots=True)
class Word:
    """A cell of a table that is words: their key in ``[words]``, and values for them."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


Row = Sequence["Cell | Word"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a section found, without a word of prose.

    Attributes:
        values: by name, for claims and templates.
        tables: rows by the table's name.
        figures: by the figure's name, what draws it.
    """

    values: Mapping[str, Any]
    tables: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    figures: Mapping[str, Draw] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        tables: Mapping[str, Sequence[Row]] | None = None,
        figures: Mapping[str, Draw] | None = None,
        **values: Any,
    ) -> Facts:
        """Return facts, each value by its name."""
        return cls(values, tables or {}, figures or {})


class StudyText:
    """The words of one study.

    Args:
        package: the study's package; its module ``rules``, if there is one, has rules of its own.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self._study = self.read("study")
        own = f"{package}.rules"
        self._rules = [import_module(own), rules] if find_spec(own) else [rules]
        shared = tomllib.loads(files(__package__).joinpath("rules.toml").read_text("utf-8"))
        self._rule_words = shared | self._study.get("rules", {})

    def read(self, name: str) -> dict[str, Any]:
        """Return what stands in ``NAME.toml``."""
        return tomllib.loads(self._text(f"{name}.toml"))

    def study(
        self,
        name: str,
        repetitions: int,
        build: Callable[[Any], Report],
        setting: type[Setting] = Setting,
    ) -> Study:
        """Return the study, with the title and source that stand in ``study.toml``."""
        title, source = (Text(**self._study[key]) for key in ("title", "source"))
        return Study(
            name, title, source, repetitions, build, setting, Text(**self._study["repetitions"])
        )

    def report(
        self,
        repetitions: int,
        sections: Sequence[tuple[str, Facts]],
        data: tuple[dict[str, Any], ...] = (),
    ) -> Report:
        """Return the report of these sections, in this order, of so many repetitions.

        Findings see the values of all sections as ``section.value``, and ``verdict("section.id")``;
        one whose expression ``when`` is not true is left out.
        """
        pages = [Page(self, name, facts, repetitions) for name, facts in sections]
        made = tuple(page.section() for page in pages)
        verdicts = {
            f"{page.name}.{key}": claim.verdict.name
            for page in pages
            for key, claim in page.claims.items()
        }
        values: dict[str, Any] = {name: facts.values for name, facts in sections}
        values["verdict"] = verdicts.__getitem__
        findings = tuple(
            words(one, values, self.shared("words"))
            for one in self._study["finding"]
            if evaluate(one.get("when", "true"), values)
        )
        return Report(findings, made, data)

    def shared(self, key: str) -> Any:
        """Return a table of ``study.toml``; empty where there is none."""
        return self._study.get(key, {})

    def template(self, name: str, language: Language) -> str:
        """Return the template of a section."""
        return self._text(f"{name}.{language}.j2")

    def rule(self, name: str) -> Callable[..., Verdict]:
        """Return a rule, the study's own first."""
        found: Callable[..., Verdict] = next(
            getattr(m, name) for m in self._rules if hasattr(m, name)
        )
        return found

    def rule_words(self, name: str, parameters: Mapping[str, Any]) -> Words:
        """Return the words of a rule with its parameters."""
        return words(self._rule_words[name], parameters)

    def _text(self, name: str) -> str:
        return files(self.package).joinpath(name).read_text("utf-8")


def words(
    template: Any, values: Mapping[str, Any], lexicon: Mapping[str, Any] | None = None
) -> Words:
    """Return the words of a template: ``{en, ja}``, or text that reads the same in both.

    ``word("key")`` in it is the word of that key in ``lexicon``.
    """
    known = lexicon or {}

    def in_(tongue: Language) -> str:
        both = dict.fromkeys(LANGUAGES, template) if isinstance(template, str) else template

        def word(key: str, /, **more: Any) -> str:
            return say(words(known[key], {**values, **more}, known), tongue)

        return fold(fill(both[tongue], {**values, "word": word}), tongue)

    en, ja = (in_(tongue) for tongue in LANGUAGES)
    return en if en == ja else Text(en, ja)


class Page:
    """One section in the making."""

    def __init__(self, book: StudyText, name: str, facts: Facts, repetitions: int = 2) -> None:
        self.book, self.name, self.facts, self.repetitions = book, name, facts, repetitions
        data = book.read(name)
        self._claims = {one["id"]: one for one in data.get("claim", ())}
        self._parts = {kind: data.get(kind, {}) for kind in ("table", "figure")}
        self._words = {**book.shared("words"), **data.get("words", {})}
        self.claims: dict[str, Claim] = {}

    def section(self) -> Section:
        """Return the section: the paragraphs of both templates side by side, parts between."""
        (en, calls), (ja, other) = (self._paragraphs(tongue) for tongue in LANGUAGES)
        marks = [[p for p in side if p.startswith(_MARK)] for side in (en, ja)]
        if marks[0] != marks[1] or [c[:2] for c in calls] != [c[:2] for c in other]:
            raise ValueError(f"{self.name}: the templates place different parts, or elsewhere")
        title, *blocks = zip(en, ja, strict=True)
        return Section(Text(*title), tuple(self._block(a, b, calls) for a, b in blocks))

    def word(self, key: str, /, **values: Any) -> Words:
        """Return words of this section, or shared ones, by their key."""
        return self._said(self._words[key], {**self.facts.values, **values})

    def _said(self, template: Any, values: Mapping[str, Any]) -> Words:
        return words(template, values, self._words)

    def _paragraphs(self, language: Language) -> tuple[list[str], list[tuple[str, str, Any]]]:
        calls: list[tuple[str, str, Any]] = []

        def place(kind: str, name: str, **values: Any) -> str:
            calls.append((kind, name, values))
            return f"\n\n{_MARK}{len(calls) - 1}\n\n"

        def claims(*names: str) -> str:
            done = {name for kind, name, _ in calls if kind == "claim"}
            rest = names or [name for name in self._claims if name not in done]
            return "".join(place("claim", name) for name in rest)

        def word(key: str, /, **values: Any) -> str:
            return say(self.word(key, **values), language)

        source = self.book.template(self.name, language)
        parts = {kind: partial(place, kind) for kind in ("claim", "table", "figure")}
        text = fill(source, {**self.facts.values, **parts, "claims": claims, "word": word})
        paragraphs = (fold(p, language) for p in text.removeprefix("# ").split("\n\n"))
        return [p for p in paragraphs if p], calls

    def _block(self, en: str, ja: str, calls: Sequence[tuple[str, str, Any]]) -> Block:
        if en.startswith(_MARK):
            return self._part(*calls[int(en[1:])])
        return en if en == ja else Text(en, ja)

    def _part(self, kind: str, name: str, extra: Mapping[str, Any]) -> Block:
        values = {**self.facts.values, **extra}
        if kind == "claim":
            self.claims[name] = self._claim(self._claims[name], values)
            return self.claims[name]
        own = self._parts[kind][name]
        called = fill(own.get("name", name), values)
        caption = self._said(own["caption"], values)
        if kind == "figure":
            draw = self.facts.figures[called]
            size = own.get("size", (7.2, 4.0))
            inches = tuple(evaluate(size, values) if isinstance(size, str) else size)
            alt = self._said(own["alt"], values)
            return Figure(called, caption, alt, partial(self._draw, draw), inches)
        columns = tuple(self._columns(own["columns"], values))
        rows = tuple(tuple(map(self._cell, row)) for row in self.facts.tables[called])
        if any(len(row) != len(columns) for row in rows):
            raise ValueError(f"{self.name}: a row of {called} has another number of cells")
        return Table(called, caption, columns, rows, own.get("in_report", True))

    def _claim(self, own: Mapping[str, Any], values: Mapping[str, Any]) -> Claim:
        judged = self._judged(own["judged"], values)
        verdict = judged.verdict
        reasons, default = own.get("reason", {}), self.book.rule_words
        reason = reasons.get(verdict.name.lower(), reasons.get("always"))
        place, claim, printed, ours = (
            self._said(own.get(key, ""), values) for key in ("place", "claim", "printed", "ours")
        )
        few = verdict is Verdict.OPEN
        needed = judged.needed(self.repetitions) if few else None
        unexpected = "too_few" if few else "otherwise"
        return Claim(
            place,
            claim,
            printed,
            ours,
            verdict,
            default(unexpected, {"needed": needed})
            if reason is None
            else self._said(reason, values),
            self._said(own["rule"], values)
            if "rule" in own
            else default(judged.by, judged.parameters),
            judged,
            needed,
        )

    def _judged(self, how: Mapping[str, Any], values: Mapping[str, Any]) -> Judged:
        parameters = {key: how[key] for key in how if key not in ("by", "fact")}
        rule = self.book.rule(how["by"])
        if how["by"] == "graded":
            names = sorted(set[str]().union(*map(names_in, parameters.values())))
            return Judged("graded", rule, ({n: values[n] for n in names},), parameters)
        fact = how.get("fact", [])
        asks = [fact] if isinstance(fact, str) else fact
        return Judged(how["by"], rule, tuple(evaluate(one, values) for one in asks), parameters)

    def _columns(self, own: Sequence[Any], values: Mapping[str, Any]) -> Iterator[Column]:
        """Columns are ``"title"``, ``["title", "form"]``, or ``{en, ja, form, each}``.

        ``each`` is an expression: one column for each ``item`` of it.
        """
        for one in own:
            if isinstance(one, str):
                yield Column(self._said(one, values))
            elif isinstance(one, list):
                yield Column(self._said(one[0], values), one[1])
            else:
                items = evaluate(one["each"], values) if "each" in one else [None]
                for item in items:
                    yield Column(self._said(one, {**values, "item": item}), one.get("form", ""))

    def _cell(self, cell: Cell | Word) -> Cell:
        return self.word(cell.key, **cell.values) if isinstance(cell, Word) else cell

    def _draw(self, draw: Draw, canvas: Canvas, speak: Say) -> None:
        draw(canvas, lambda key, /, **values: speak(self.word(key, **values)))
