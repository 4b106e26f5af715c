"""What a question type brings, and the registry of types."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from sudare.collection import schema
from sudare.collection.questions.asking import AskIf
from sudare.collection.questions.auto import FIRST, Candidates, expand_auto
from sudare.collection.questions.chances import Chances, even
from sudare.collection.unit import ANSWER, PrivacyUnit
from sudare.errors import CollectionError, DomainError, SudareError, as_one_of
from sudare.estimation import Counts, Estimate, project
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text, log_bounds
from sudare.exact.entropy import EntropySource
from sudare.guesses import question_type_meant
from sudare.mechanisms import FrequencyOracle, Mechanism, SetUnary

if TYPE_CHECKING:
    from sudare.mechanisms import Levels

COVERS = "one answer to this question"

OFFERS = frozenset({"levels", "gammas"})
"""The fields of a table that offer levels: as ε of the whole answer, or as γ of each part."""

Files = Mapping[str, Callable[[Path], Any]]
Kind: TypeAlias = "type[Question]"

_TYPES: dict[str, Kind] = {}


@dataclass(frozen=True)
class Options:
    """What a person tells apart by wordings alone, within one question.

    Attributes:
        where: the field that words them.
        wordings: by identifier what the owner writes; an identifier stands for a text that lacks.
        pages: by identifier the key of the pages' own word for it.
        typed: whether a person writes them, in any language, instead of choosing one.
    """

    where: str
    wordings: Mapping[str, Mapping[str, str]]
    pages: Mapping[str, str] = field(default_factory=dict)
    typed: bool = False


class Question(ABC):
    """One question of a collection, compiled to a mechanism.

    Must implement: ``parse`` (from the TOML table), ``restore`` (from a definition),
    ``encode`` (an answer to the mechanism's value), ``definition``, ``texts`` and ``results``.
    """

    type: ClassVar[str]
    template: ClassVar[str] = ""
    """A question to begin with: its table in TOML, wordings as ``text.en = ...``, a line each."""
    unit: ClassVar[PrivacyUnit] = ANSWER
    """What ε is one for; where it stands apart, the type has a cap of its own, ``epsilon_cap``."""
    located: ClassVar[bool] = False
    """Whether its widget may ask the device where it is."""
    candidates: ClassVar[Candidates] = {}
    """What ``mechanism = "auto"`` ranks, from each version on; empty where nothing is chosen."""
    files: ClassVar[Files] = {}
    """Fields that may name a file beside the survey file, or a table's ``file``: what reads it."""
    remembers: ClassVar[bool] = False
    """Whether a permanent answer may stand behind its reports in each of some rounds, so that
    ``parse`` takes ``repeats``; where not, each round has a part of its ε."""
    offers_levels: ClassVar[str] = ""
    """Name of the field in whose place ``levels`` may stand; empty where they are not for it."""
    levels: tuple[Question, ...] = ()
    """The questions of the levels of ε that are offered; empty where ε is one for all."""
    ask_if: AskIf | None = None
    """Of whom it is asked; None for everybody.

    A field of the types that take it, which have :meth:`unasked` and :meth:`results_among` too.
    """
    id: str
    epsilon: Fraction
    epsilon_cap: Fraction
    mechanism: Mechanism

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "type" in cls.__dict__:
            _TYPES[cls.type] = cls

    @classmethod
    @abstractmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Question:
        """Read the question's table and choose its mechanism for about ``n`` respondents.

        Where the type has :attr:`candidates`, ``mechanism = "auto"`` and a table without that field
        come as an ``Auto`` with their names; :func:`~sudare.collection.questions.auto.mechanism_of`
        reads it.
        """

    @classmethod
    def ranked(cls, table: Mapping[str, Any]) -> Candidates:
        """Return what ``mechanism = "auto"`` ranks for this table: :attr:`candidates`."""
        return cls.candidates

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Kind:
        """Return the type of question that this table is: this one, or one that it stands for."""
        return cls

    @classmethod
    def spread(cls, table: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
        """Return the tables of the questions that a ``[[question]]`` table stands for."""
        return [dict(table)]

    @property
    def payer(self) -> str:
        """The id under which it is paid, where its ε has an account of its own."""
        return self.id

    @property
    def nearest_epsilon(self) -> float:
        """ε of one report between the two nearest answers; 0 where the sum counts it."""
        return 0.0

    @property
    def local_epsilon(self) -> float:
        """ε between the two nearest answers, of one device over time; 0 where the sum counts it."""
        return 0.0

    @classmethod
    def stated(cls, table: Mapping[str, Any], where: str) -> Fraction | None:
        """Return the part of the collection's ε that the table asks for; None leaves it open."""
        if cls.unit.own_budget:
            return Fraction(0)
        return schema.epsilon(table["epsilon"], f"{where}.epsilon") if "epsilon" in table else None

    @classmethod
    @abstractmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Question:
        """Rebuild the question from its part of a definition."""

    def check_spending(self) -> None:
        """Raise CollectionError unless the mechanism spends at most the question's ε."""
        mechanism, where = self.mechanism, f"question.{self.id}.mechanism"
        if math.isinf(mechanism.epsilon):
            raise CollectionError(
                where,
                "must give a local privacy guarantee",
                f"{mechanism.name} gives none (ε = ∞) and is for studies alone",
            )
        if max(mechanism.requested_epsilon, log_bounds(mechanism.program.ratio)[0]) > self.epsilon:
            raise CollectionError(
                where,
                f"must spend at most the question's epsilon = {decimal_text(self.epsilon)}",
                "fetch the collection again from its owner",
            )

    @abstractmethod
    def encode(self, answer: object) -> Any:
        """Return the mechanism's value of an answer; errors never show the answer."""

    def picked(self, value: Any) -> Question:
        """Return the question that an encoded answer pays for: that of its level, or this one."""
        return self

    @classmethod
    def read_level(cls, value: Any, where: str) -> Fraction:
        """Read one of ``levels``."""
        return schema.epsilon(value, where)

    @classmethod
    def at_levels(cls, table: dict[str, Any], most: Fraction, where: str) -> dict[str, Any]:
        """Return a table without ``levels`` with what all of them share, the largest ``most``."""
        return table

    def randomise(
        self, value: Any, entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form of one report about an encoded answer.

        Args:
            value: what :meth:`encode` has returned.
            entropy: where the random bytes come from; default the operating system.
            index: of the part that a ticket has drawn; for questions whose program is a ``pick``.
        """
        if index is not None:
            raise DomainError("index", f"must be left out for a question of type {self.type}")
        report = self.mechanism.perturb_one(value, entropy=entropy)
        return self.mechanism.program.encode_one(report)

    @classmethod
    def conditional(cls) -> bool:
        """Return whether the type's questions can be asked of some people alone."""
        return cls.unasked is not Question.unasked

    def unasked(self, entropy: EntropySource) -> Any:
        """Return the value that is randomised where the question is not asked: one at random."""
        raise CollectionError(f"question.{self.id}.ask_if", f"is not for type {self.type}")

    def tally(self, reports: Any) -> Counts:
        """Count reports as the mechanism's program decodes them."""
        return cast(Counts, self.mechanism.aggregate(reports))  # tables of questions are dense

    @abstractmethod
    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers."""

    def _defined(self, **own: Any) -> dict[str, Any]:
        """Return a definition of the type's own fields amid those that all have."""
        of_whom = {} if self.ask_if is None else {"ask_if": self.ask_if.definition()}
        return {
            "id": self.id,
            "type": self.type,
            **own,
            **of_whom,
            "mechanism": self.mechanism.to_json(),
            "program": self.mechanism.sent,
        }

    @abstractmethod
    def texts(self) -> dict[str, Any]:
        """Return the wordings, which the fingerprint does not cover."""

    def options(self) -> Iterator[Options]:
        """Yield what has to be worded apart: answers that are chosen, or parts that are rated."""
        yield from ()

    def chances(self) -> Chances:
        """Return what becomes of an answer and what a report lets others believe, exactly.

        ``even`` is the most that the worst report makes of a belief of 1/2.
        """
        return {"even": even(self.mechanism.program.ratio)}

    @property
    def part_epsilons(self) -> dict[str, float]:
        """Realised ε of each part of the answer alone, by id; empty where it is one."""
        return {}

    def level_stderr(self, n: int, target: Target, shares: Sequence[float]) -> dict[float, float]:
        """Return the expected error of a mean level, where such a share has one; empty if none."""
        return {}

    def found_from(self, n: int) -> dict[float, float]:
        """Return from which share on a word that nobody listed is found, with some probabilities;
        infinite where none is; empty where words are not looked for."""
        return {}

    @property
    def ends(self) -> tuple[float, float] | None:
        """The least and the greatest that a mean of answers can be; None where there is none."""
        return None

    @property
    def planned(self) -> Any:
        """What is asked for the expected error of a share; the mechanism, unless a type says."""
        return self.mechanism

    @property
    def error_within(self) -> tuple[float, float] | None:
        """The range of which the error of :attr:`planned` is a share; None where it is of none."""
        return None

    @property
    def summed(self) -> dict[str, Any]:
        """What is shown that sums shares up, as :func:`sudare.poisoning.alarms` takes it."""
        return {}

    def named(self, languages: Sequence[str]) -> dict[str, str]:
        """Return names that files of results say for what figures are about, beside the labels.

        Args:
            languages: in which names are looked for.
        """
        return {}

    def guarantee(self) -> dict[str, Any]:
        """Return the ε that the results state, and what it covers, as JSON data."""
        return {"epsilon": float(self.mechanism.epsilon), "covers": COVERS}

    @abstractmethod
    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return what is published of this question's counts, as JSON data; nulls where n = 0."""

    def results_of_levels(
        self, mechanism: Levels, counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        """Return the same of the counts of all levels of this question; where it offers any."""
        raise CollectionError(f"question.{self.id}.levels", f"are not for type {self.type}")

    def results_among(
        self, counts: Counts, asked: ConditionalShare, confidence: float
    ) -> dict[str, Any]:
        """Return the same of a question that has :attr:`ask_if`, among those whom it was asked.

        Args:
            counts: of this question, at least one report.
            asked: the share of those who were asked, with the target; it can be told from 0.
            confidence: of the intervals.
        """
        raise CollectionError(f"question.{self.id}.ask_if", f"is not for type {self.type}")


FIGURES = ("share", "stderr", "low", "high", "projected")
"""What is published of each estimated share; the last where all shares together are everyone."""


def figures(
    estimate: Estimate | None, size: int, confidence: float, *, whole: bool = True
) -> list[dict[str, Any]]:
    """Return share, standard error and interval of each cell, as JSON data; nulls of no estimate.

    ``projected`` are the nearest shares that are none below 0 and sum to 1, the method of that
    name; their errors are not known, and nothing stands for them.

    Args:
        estimate: None where there are no reports.
        size: number of cells.
        confidence: of the intervals.
        whole: whether everyone is in just one of the cells.
    """
    names = FIGURES if whole else FIGURES[:-1]
    if estimate is None:
        return [dict.fromkeys(names) for _ in range(size)]
    columns = [estimate.shares, estimate.stderr, *estimate.interval(confidence)]
    if whole:
        columns.append(project(estimate.shares.ravel()))
    rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def share_cells(
    choices: Sequence[str],
    mechanism: FrequencyOracle | SetUnary | Levels,
    counts: Counts,
    target: Target,
    confidence: float,
    asked: ConditionalShare | None = None,
) -> list[dict[str, Any]]:
    """Return each choice's share, standard error and interval, as JSON data.

    Args:
        choices, mechanism, counts, target, confidence: of the question.
        asked: the share of those whom it was asked, where they are meant and not all; of a set
            of choices one alone is drawn for the others.
    """
    estimate = mechanism.estimate(counts, target=target) if counts.n else None
    if estimate is not None and asked is not None:
        estimate = among_asked(estimate, asked)
    whole = not isinstance(mechanism, SetUnary)
    rows = figures(estimate, len(choices), confidence, whole=whole)
    return [{"choice": choice, **row} for choice, row in zip(choices, rows, strict=True)]


def share_warnings(
    choices: Sequence[str], mechanism: FrequencyOracle | SetUnary | Levels, counts: Counts
) -> list[dict[str, Any]]:
    """Return what a reader of the shares should know, as codes with the choices concerned."""
    if counts.n == 0:
        return []
    return [
        {"code": caution.code, "choices": [choices[cell] for cell in caution.cells]}
        for caution in mechanism.estimate(counts).warnings
    ]


def question_type(name: object, where: str) -> type[Question]:
    """Return the question type of a name that a table at ``where`` states."""
    known = question_types()
    if name not in known and (meant := question_type_meant(name)):
        raise CollectionError(f"{where}.type", f"must be one of {list(known)}", meant, got=name)
    return _TYPES[as_one_of(name, f"{where}.type", known, CollectionError)]


def written_out(table: Mapping[str, Any], where: str, folder: Path | None) -> list[dict[str, Any]]:
    """Return the tables of the questions that a ``[[question]]`` table stands for, with what stands
    in the files that its fields name.

    Raises:
        CollectionError: a file that cannot be read, or a survey that is no file itself.
    """
    found, cls = dict(table), question_type(table.get("type"), where)
    for name, read in cls.files.items():
        own = table.get(name)
        given = own.get("file") if isinstance(own, Mapping) else own
        if not isinstance(given, str):
            continue
        if folder is None:
            raise CollectionError(
                f"{where}.{name}",
                "names a file, which only a survey file on this machine can",
                "write its content here, or load the survey from its file",
            )
        try:
            content = read(_within(folder, given))
        except SudareError as error:
            raise CollectionError(f"{where}.{name}", error.rule, error.remedy) from None
        found[name] = {**own, "file": content} if isinstance(own, Mapping) else content
    return cls.spread(found, where)


def _within(folder: Path, given: str) -> Path:
    """Return the file of a name in a folder or below it, wherever links lead."""
    try:
        home, path = folder.resolve(), (folder / given).resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name with NUL
        raise CollectionError("file", "cannot be read", "check its name") from None
    if not path.is_relative_to(home):
        rule = "must be a file in the survey file's folder, or below it"
        raise CollectionError("file", rule, "copy it there")
    return path


def parse(
    table: Mapping[str, Any],
    where: str,
    epsilon: Fraction,
    n: int,
    known: tuple[str, ...],
    auto: int = FIRST,
) -> Question:
    """Read one ``[[question]]`` table; ``auto`` is the version of its candidates."""
    cls = question_type(table.get("type"), where).of(table)
    if OFFERS & table.keys():
        from sudare.collection.questions.levelled import Levelled  # made of questions

        def level(own: Mapping[str, Any], epsilon: Fraction) -> Question:
            return parse(own, where, epsilon, n, known, auto)

        return Levelled.read(cls, table, where, level)
    own = {name: one for name, one in table.items() if name != "ask_if" or not cls.conditional()}
    if "repeats" in table and not cls.remembers:
        del own["repeats"]
        each = parse(own, where, table["repeats"].each(epsilon), n, known, auto)
        return cast(Question, replace(cast(Any, each), epsilon=epsilon))
    expanded = expand_auto(own, cls.ranked(own), auto)
    return _upon(table, cls.parse(expanded, where, epsilon, n, known), where)


def _upon(table: Mapping[str, Any], question: Question, where: str) -> Question:
    """Return a question as it is asked upon what its table says, where its type takes that."""
    rule = AskIf.read(table, where) if question.conditional() else None
    return question if rule is None else cast(Question, replace(cast(Any, question), ask_if=rule))


def question_types() -> dict[str, type[Question]]:
    """Return the question types that are known, by name."""
    return dict(sorted(_TYPES.items()))


def newest_auto() -> int:
    """Return the newest version of what ``mechanism = "auto"`` ranks."""
    return max((v for cls in _TYPES.values() for v in cls.candidates), default=FIRST)


def stated(table: Mapping[str, Any], where: str) -> Fraction | None:
    """Return the ε that one ``[[question]]`` table asks for, or None."""
    cls = question_type(table.get("type"), where).of(table)
    if not OFFERS & table.keys():
        return cls.stated(table, where)
    from sudare.collection.questions.levelled import offered_levels  # made of questions

    most, _ = offered_levels(cls, table, where)[-1]
    return cls.stated({**table, cls.offers_levels: most}, where)


def restore(data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Question:
    """Rebuild one question from a compiled document, and check that it compiles to the same."""
    kind = question_type(data.get("type"), where)
    try:
        if "levels" in data:
            from sudare.collection.questions.levelled import Levelled  # made of questions

            def level(own: Mapping[str, Any]) -> Question:
                return restore(own, texts, where)

            question: Question = Levelled.rebuild(data, level)
        else:
            question = _upon(data, kind.restore(data, texts, where), where)
    except SudareError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError):
        raise CollectionError(where, "misses or misstates a field") from None
    if question.definition() != dict(data):
        raise CollectionError(
            where, "does not compile to its own program", "fetch the collection again"
        )
    schema.slug(question.id, f"{where}.id")
    return question
