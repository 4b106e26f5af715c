"""A collection: read from TOML, compiled to integers, named by a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.collection import schema
from sudare.collection.canonical import fingerprint
from sudare.collection.collisions import check_wordings
from sudare.collection.compiled import check_compiled
from sudare.collection.embedding import FIELDS as EMBEDDING, Embedding
from sudare.collection.lifecycle import TIMES, Lifecycle, timed
from sudare.collection.publishing import FIELDS as PUBLISHING, Publishing
from sudare.collection.questions import (
    Question,
    newest_auto,
    parse,
    restore,
    stated,
    written_out,
)
from sudare.collection.questions.again import require_repeatable
from sudare.collection.questions.auto import FIRST, version
from sudare.collection.repeats import Repeats, totals_text
from sudare.collection.wordings import PageTexts, read_page_texts, without_locked
from sudare.definitions import load, tables
from sudare.errors import CollectionError, PrivacyError, SudareError, as_one_of
from sudare.estimation import Counts
from sudare.exact import decimal_text
from sudare.guesses import Guessed
from sudare.samplers import Product

if TYPE_CHECKING:
    from sudare.estimation.estimate import Target
    from sudare.mechanisms.crossed import Crossed

DEFINITION_FORMAT = "sudare-collection/1"
COMPILED_FORMAT = "sudare-compiled/1"
ADMISSIONS = ("open", "invited")
RESERVED_NAMES = frozenset({"api", "datasets", "health", "operator", "static"})
"""Names that no survey ever had: devices refuse them too."""
SERVICE_NAMES = RESERVED_NAMES | {"healthz", "metrics", "my", "readyz"}
"""What addresses of the service begin with, which no new survey may have as its name. A test
derives them from the routes, which are above this room."""
_FIELDS = (
    "name",
    "epsilon",
    "epsilon_cap",
    "expected_respondents",
    *TIMES,
    "draft",
    "keep_reports_days",
    "admission",
    "accept_high_epsilon",
    "auto",
    *PUBLISHING,
    "send_delay",
    "repeats",
    "languages",
    "title",
    "intro",
    "texts",
    *EMBEDDING,
)
_DEFAULT_RESPONDENTS = 1000
MOST_DELAY = 60
MOST_DAYS = 36_500
MOST_UNASKED = 10
"""Above this ε, of one device over time, a collection states ``accept_high_epsilon = true``."""


@dataclass(frozen=True)
class Collection(Guessed):
    """What is asked, under which ε.

    Attributes:
        name: identifier in addresses.
        epsilon: ε of a person's whole submission, but for places, whose ε is one per metre; 0
            where all questions are places.
        epsilon_cap: ε that one device spends on this collection over time, at most.
        questions: in the order in which they are asked and encoded.
        life: when it takes reports; not in the fingerprint.
        admission: ``"open"``, or ``"invited"``: one report a one-time code, which also fixes the
            index of each question whose program is a ``pick``.
        auto: version of what ``mechanism = "auto"`` ranks.
        accept_high_epsilon: whether the owner accepts an ε above :data:`MOST_UNASKED`.
        publishing: when its figures become public.
        repeats: the rounds in which all questions are asked again; None where they are asked once.
        send_delay: seconds within which a device sends a report, at a random moment; 0 for at once.
        draft: whether a collector is to show it to nobody yet, until it is published.
        keep_reports_days: days after its end at which a collector deletes the reports and keeps
            their counts; None for never.
        page_texts: by key of a catalogue what the pages say in its place, by language.
        embedding: which other sites may show it, and ask its API.

    Examples:
        >>> c = Collection.from_toml('''
        ... [collection]
        ... name = "tea"
        ... epsilon = 2.0
        ... [[question]]
        ... id = "brand"
        ... type = "choice"
        ... text = "Which tea?"
        ... choices = ["oi-ocha", "iyemon", "ayataka"]
        ... ''')
        >>> c.questions[0].mechanism
        GRR(k=4, epsilon=2.0)
    """

    name: str
    epsilon: Fraction
    epsilon_cap: Fraction
    expected_respondents: int
    questions: tuple[Question, ...]
    languages: tuple[str, ...] = ("en",)
    title: Mapping[str, str] = field(default_factory=dict)
    intro: Mapping[str, str] = field(default_factory=dict)
    admission: str = "open"
    auto: int = FIRST
    accept_high_epsilon: bool = False
    publishing: Publishing = field(default_factory=Publishing)
    send_delay: int = 0
    repeats: Repeats | None = None
    life: Lifecycle = field(default_factory=Lifecycle)
    draft: bool = False
    keep_reports_days: int | None = None
    page_texts: PageTexts = field(default_factory=dict)
    embedding: Embedding = field(default_factory=Embedding)

    # -- reading -----------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        auto: int | None = None,
        served: bool = False,
        wide: bool = False,
    ) -> Collection:
        """Read a collection from a TOML file.

        Args:
            path: of the file.
            auto: version of what ``mechanism = "auto"`` ranks, instead of the file's: to see what
                another one would take.
            served: as of :meth:`from_toml`.
            wide: as of :meth:`from_toml`.

        Raises:
            CollectionError: the file cannot be read or is not a collection.
            PrivacyError: an ε is out of range.
        """

        def read(text: str) -> Collection:
            folder = Path(path).parent
            return cls.from_toml(text, auto=auto, folder=folder, served=served, wide=wide)

        return load(path, "file", read, CollectionError)

    @classmethod
    def from_toml(
        cls,
        text: str,
        *,
        auto: int | None = None,
        folder: Path | None = None,
        served: bool = False,
        wide: bool = False,
    ) -> Collection:
        """Read a collection from TOML text, as :meth:`load`.

        Args:
            text: of the survey file.
            auto: as of :meth:`load`.
            folder: where the files lie that fields name; without it none may be named.
            served: whether a collector serves the text already. What rules of wordings refuse in a
                new file then goes on: of locked page texts Sudare's own are said.
            wide: whether rounds, and what answers that change cost, are as versions before 0.3 took
                them.
        """
        data = tables(text, "toml", CollectionError, Decimal)
        schema.refuse_unknown(data, ("collection", "question"), "file")
        head = data.get("collection")
        asked = data.get("question")
        if not isinstance(head, dict):
            raise CollectionError("collection", "is missing", "start with a [collection] table")
        if not isinstance(asked, list) or not asked or not all(map(_is_table, asked)):
            raise CollectionError("question", "is missing", "add at least one [[question]] table")
        schema.refuse_unknown(head, _FIELDS, "collection")
        spots = [f"question[{i}]" for i in range(len(asked))]
        each = [
            (where, own)
            for where, table in zip(spots, asked, strict=True)
            for own in written_out(table, where, folder)
        ]
        repeats = _repeats(head, each, wide)
        if repeats is not None:
            each = [(where, {**table, "repeats": repeats}) for where, table in each]
        own = [stated(table, where) for where, table in each]
        needed = ("name", "epsilon") if any(one != 0 for one in own) else ("name",)
        for name in needed:
            if name not in head:
                raise CollectionError(f"collection.{name}", "is missing", "every collection has it")
        known = schema.languages(head.get("languages", ["en"]), "collection.languages")
        whole, cap = _whole(head)
        n = schema.respondents(head.get("expected_respondents", _DEFAULT_RESPONDENTS))
        shares = schema.shares(whole, own, "collection.epsilon", "question")
        ranked = version(head.get("auto", FIRST) if auto is None else auto, newest_auto())
        found = cls(
            name=schema.slug(head["name"], "collection.name"),
            epsilon=whole,
            epsilon_cap=cap,
            expected_respondents=n,
            questions=tuple(
                parse(table, where, share, n, known, ranked)
                for (where, table), share in zip(each, shares, strict=True)
            ),
            languages=known,
            title=schema.texts(head.get("title", head["name"]), "collection.title", known),
            intro=schema.texts(head.get("intro", {}), "collection.intro", known, optional=True),
            admission=head.get("admission", "open"),
            auto=ranked,
            accept_high_epsilon=schema.flag(
                head.get("accept_high_epsilon", False), "collection.accept_high_epsilon"
            ),
            publishing=Publishing.read(head),
            send_delay=_delay(head, "collection.send_delay"),
            repeats=repeats,
            life=_life(head, repeats),
            draft=schema.flag(head.get("draft", False), "collection.draft"),
            keep_reports_days=_days(head),
            page_texts=read_page_texts(
                head.get("texts", {}), "collection.texts", known, served=served
            ),
            embedding=Embedding.read(head),
        )
        if not served:  # what was collected under such a name or such wordings stays readable
            check_new_name(found.name)
            check_wordings(found.questions, known, found.page_texts)
        return found

    @classmethod
    def from_compiled(cls, document: Mapping[str, Any]) -> Collection:
        """Rebuild a collection from its compiled document and verify the fingerprint.

        Raises:
            CollectionError: another format, a wrong fingerprint, or thresholds that are not
                those of the named mechanisms.
        """
        try:
            check_compiled(document)
            data, texts, told = document["definition"], document["texts"], document.get("life", {})
            if fingerprint(data) != document["fingerprint"]:
                raise CollectionError(
                    "fingerprint", "does not belong to the definition", "fetch it again"
                )
            known = schema.languages(texts["languages"], "texts.languages")
            collection = cls(
                name=data["name"],
                epsilon=schema.total_text(data["epsilon"], "epsilon"),
                epsilon_cap=schema.total_text(data["epsilon_cap"], "epsilon_cap"),
                expected_respondents=schema.respondents(data["expected_respondents"]),
                questions=tuple(
                    restore(
                        _untotalled(part),
                        texts["questions"].get(part.get("id"), {}),
                        f"question[{i}]",
                    )
                    for i, part in enumerate(data["questions"])
                ),
                languages=known,
                title=schema.texts(texts["title"], "texts.title", known),
                intro=schema.texts(texts["intro"], "texts.intro", known, optional=True),
                admission=data.get("admission", "open"),
                auto=schema.whole(data.get("auto", FIRST), "auto", FIRST, schema.MOST_VERSION),
                accept_high_epsilon=data.get("accept_high_epsilon", False),
                publishing=Publishing.read(data),
                send_delay=_delay(data, "send_delay"),
                repeats=Repeats.restore(data["repeats"]) if "repeats" in data else None,
                life=Lifecycle.read(told, "life", told.get("former", ())),
                page_texts=without_locked(texts.get("pages", {})),
            )
        except SudareError:
            raise
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError):
            raise CollectionError("document", "is not a compiled collection") from None
        own = collection.definition()
        if own != data and collection.repeats is not None:  # of a version before 0.3
            earlier = replace(collection, repeats=replace(collection.repeats, wide=True))
            if (wide := earlier.definition()) == data:
                collection, own = earlier, wide
        for derived, given in zip(own["questions"], data["questions"], strict=True):
            if derived.get("totals") != given.get("totals"):
                rule = "must be those of its mechanism over the rounds"
                raise CollectionError(f"question.{derived['id']}.totals", rule, "fetch it again")
        if own != data:
            raise CollectionError(
                "definition", "does not compile to itself", "fetch the collection again"
            )
        return collection

    def __post_init__(self) -> None:
        self._check_name()
        check_new_name(self.name, RESERVED_NAMES)
        as_one_of(self.admission, "collection.admission", ADMISSIONS, CollectionError)
        if not self.questions:
            raise CollectionError("question", "is missing", "ask at least one question")
        ids = [question.id for question in self.questions]
        if len(set(ids)) != len(ids):
            raise CollectionError("question.id", "must not be used twice")
        self._check_paid_together()
        for place, question in enumerate(self.questions):
            question.check_spending()
            if question.ask_if is not None:
                question.ask_if.check(question.id, self.questions[:place])
        spent = self.submission_epsilon
        if spent > self.epsilon:
            raise CollectionError(
                "question.epsilon",
                f"must sum to at most collection.epsilon = {decimal_text(self.epsilon)}",
                "lower a question's epsilon or raise the collection's",
                got=decimal_text(spent),
            )
        if self.epsilon_cap < spent:
            raise CollectionError(
                "collection.epsilon_cap", "must cover one submission", "raise it or leave it out"
            )
        self._check_accepted()
        if self.repeats is not None:
            self._check_rounds(self.repeats)
        self.publishing.check(ends=self.closes is not None)

    def _check_paid_together(self) -> None:
        """Refuse questions that share an account of their own, unless they are about two places of
        one person, alike but for these, and their one cap covers both."""
        together: dict[str, list[Question]] = {}
        for one in self.questions:
            if one.unit.own_budget:
                together.setdefault(one.payer, []).append(one)
        for payer, some in together.items():
            if len(some) == 1 and some[0].payer == some[0].id:
                continue
            if any(one.levels for one in some):
                rule, remedy = "must not offer levels of two places", "state one epsilon_per_metre"
                raise CollectionError(f"question.{payer}.levels", rule, remedy)
            alike = [{**one.definition(), "id": "", "at": ""} for one in some]
            if len(some) != 2 or alike[0] != alike[1] or any(q.payer == q.id for q in some):
                raise CollectionError(f"question.{payer}", "must ask two places of one map")
            if sum(one.epsilon for one in some) > some[0].epsilon_cap:
                raise CollectionError(
                    f"question.{payer}", "must have a cap that covers both places"
                )

    def _check_accepted(self) -> None:
        """Refuse an ε that hides next to nothing, unless the owner states that it is meant."""
        near = [Fraction(question.local_epsilon) for question in self.questions]
        spent = max(self.epsilon, self.epsilon_cap, *near)
        if spent > MOST_UNASKED and not self.accept_high_epsilon:
            raise PrivacyError(
                "collection.accept_high_epsilon",
                f"must be true where one device may spend ε > {MOST_UNASKED}: that can hide next "
                "to nothing",
                "lower epsilon, epsilon_cap or the ε per metre, or write accept_high_epsilon = "
                "true under [collection]",
                got=float(spent),
            )

    def _check_name(self) -> None:
        base, dot, number = self.name.partition(".")
        schema.slug(base, "collection.name")
        if dot and (self.repeats is None or number not in map(str, self.repeats.numbers)):
            raise CollectionError("collection.name", "must be a name", "see schema", got=self.name)

    def _check_rounds(self, repeats: Repeats) -> None:
        """Refuse what cannot be asked again, and mechanisms that spend more than is stated."""
        if self.invited:
            raise CollectionError(
                "collection.admission",
                "must be open where questions are asked again",
                "an invite is spent by one report: leave admission or repeats out",
            )
        if self.publishing.once:
            raise CollectionError(
                "collection.publish",
                "must not be the end where questions are asked again",
                "leave it out: figures of each round become public in steps",
            )
        for question in self.questions:
            where = f"question.{question.id}"
            apart = question.unit.own_budget or question.levels
            if apart or question.ask_if is not None:
                raise CollectionError(
                    f"{where}.type", "must be one that can be asked again, of everybody", ""
                )
            if repeats.total_bound(question.mechanism) > question.epsilon:
                raise CollectionError(
                    f"{where}.mechanism",
                    f"must spend at most ε = {decimal_text(question.epsilon)} over all rounds",
                    "fetch the collection again from its owner",
                )

    # -- as data -----------------------------------------------------------------------------

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: everything but wordings, languages and times."""
        return {
            "format": DEFINITION_FORMAT,
            "name": self.name,
            "epsilon": decimal_text(self.epsilon),
            "epsilon_cap": decimal_text(self.epsilon_cap),
            "expected_respondents": self.expected_respondents,
            **timed(None, None),
            **({"admission": self.admission} if self.invited else {}),
            **({"auto": self.auto} if self.auto > FIRST else {}),
            **({"accept_high_epsilon": True} if self.accept_high_epsilon else {}),
            **self.publishing.definition(),
            **({"send_delay": self.send_delay} if self.send_delay else {}),
            **({} if self.repeats is None else {"repeats": self.repeats.definition()}),
            "questions": [self._part(question) for question in self.questions],
        }

    def _part(self, question: Question) -> dict[str, Any]:
        """Return what the fingerprint covers of a question: also what changed answers cost."""
        totals = self.totals(question)
        return question.definition() | ({"totals": totals_text(totals)} if totals else {})

    def totals(self, question: Question) -> tuple[Fraction, ...]:
        """Return ε after 1, 2, ... reports of a person whose answers to a question differ.

        Empty where nothing more is charged for them: of questions that are asked once, and where
        the stated ε covers it.
        """
        return () if self.repeats is None else self.repeats.totals(question.mechanism)

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the first 60 questions, and what each costs."""
        from sudare import notebook  # asked for by few

        each = self.questions[: notebook.MOST_ROWS]
        rows = [
            (q.id, q.type, q.unit.short(float(q.epsilon)), repr(q.mechanism)[:60]) for q in each
        ]
        return notebook.table(
            "Collection",
            {
                "": self.name,
                "ε of a submission:": decimal_text(self.epsilon),
                "fingerprint": f"{self.fingerprint[:12]}…",
            },
            ("question", "type", "ε", "mechanism"),
            rows,
            more=len(self.questions) - len(rows),
        )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical definition, as hexadecimal text."""
        return fingerprint(self.definition())

    @cached_property
    def question_fingerprints(self) -> dict[str, str]:
        """SHA-256 of each question's part of the definition, by its id.

        Two versions of a collection in which it is the same ask this question alike, to the bit.
        """
        return {question.id: fingerprint(self._part(question)) for question in self.questions}

    def compiled(self) -> dict[str, Any]:
        """Return the document that a client needs: definition, fingerprint, times and wordings."""
        life = self.life.to_json()
        return {
            "format": COMPILED_FORMAT,
            "fingerprint": self.fingerprint,
            "definition": self.definition(),
            **({"life": life} if life else {}),
            "texts": {
                "languages": list(self.languages),
                "title": dict(self.title),
                "intro": dict(self.intro),
                "questions": {question.id: question.texts() for question in self.questions},
                **({"pages": dict(self.page_texts)} if self.page_texts else {}),
            },
        }

    @property
    def submission_epsilon(self) -> Fraction:
        """ε that one submission spends: the questions' sum, without those per metre."""
        return sum((q.unit.added(q.epsilon) for q in self.questions), start=Fraction(0))

    @property
    def invited(self) -> bool:
        """Whether each report needs an invite of its own."""
        return self.admission == "invited"

    # -- life --------------------------------------------------------------------------------

    @property
    def opens(self) -> datetime | None:
        """The moment from which reports are taken, in UTC; None for always."""
        return self.life.opens

    @property
    def closes(self) -> datetime | None:
        """The moment from which no reports are taken any more, in UTC; None for never."""
        return self.life.closes

    @cached_property
    def former_fingerprints(self) -> tuple[str, ...]:
        """Fingerprints of this very definition in versions before 0.2, which covered its times."""
        return self.life.former_fingerprints(self.definition())

    def require_open(self, now: datetime) -> None:
        """Raise CollectionError unless reports are taken, see :meth:`Lifecycle.require_open`."""
        self.life.require_open(now)

    # -- rounds ------------------------------------------------------------------------------

    @property
    def round(self) -> int | None:
        """Its number where this is one round of a collection that is asked again; else None."""
        number = self.name.partition(".")[2]
        return int(number) if number else None

    @cached_property
    def rounds(self) -> tuple[Collection, ...]:
        """Each round as a collector keeps it: a collection of its own, ``NAME.ROUND``.

        Empty where questions are asked once.
        """
        repeats = self.repeats
        if repeats is None or self.round is not None:
            return ()
        return tuple(
            replace(
                self,
                name=f"{self.name}.{number}",
                title={tag: f"{t} · {number}/{repeats.rounds}" for tag, t in self.title.items()},
                draft=False,
                life=Lifecycle(*repeats.taken(number)),
            )
            for number in repeats.numbers
        )

    # -- reports -----------------------------------------------------------------------------

    @cached_property
    def program(self) -> Product:
        """The program of a whole submission: the questions' programs side by side."""
        return Product(parts=tuple(question.mechanism.program for question in self.questions))

    def asked(self, answers: Mapping[str, object]) -> tuple[Question, ...]:
        """Return the questions that are asked of who has answered so.

        An answer to a question that is not asked says nothing about the later ones.
        """
        told: dict[str, object] = {}
        asked = []
        for question in self.questions:
            if question.ask_if is None or question.ask_if.holds(told):
                asked.append(question)
                told[question.id] = answers.get(question.id)
        return tuple(asked)

    def tally(self, payloads: bytes) -> tuple[Counts, ...]:
        """Return one Counts a question from ``n`` concatenated submissions.

        Raises:
            ReportError: a submission is not of this collection's alphabet.
        """
        reports = self.program.decode(payloads)
        return tuple(
            question.tally(part) for question, part in zip(self.questions, reports, strict=True)
        )

    def cross(
        self, questions: Sequence[str], submissions: bytes, *, target: Target = "population"
    ) -> Crossed:
        """Return the joint table of two or three choices, whole submissions given: see
        :func:`~sudare.collection.crossing.cross_questions`."""
        from sudare.collection.crossing import cross_questions  # on the analyst's side alone

        return cross_questions(self, questions, submissions, target=target)


def utc_now() -> datetime:
    """Return the time, as the default clock."""
    return datetime.now(UTC)


def _whole(head: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Return ε and cap of a collection; 0 where every question has one of its own per metre."""
    if "epsilon" not in head:
        if "epsilon_cap" in head:
            raise CollectionError("collection.epsilon_cap", "must stand beside epsilon")
        return Fraction(0), Fraction(0)
    whole = schema.epsilon(head["epsilon"], "collection.epsilon")
    return whole, schema.epsilon(head.get("epsilon_cap", whole), "collection.epsilon_cap")


def _repeats(
    head: Mapping[str, Any], asked: Sequence[tuple[str, Mapping[str, Any]]], wide: bool
) -> Repeats | None:
    """Read the rounds: of the collection, or of its questions where all state the same."""
    stated = [table["repeats"] for _, table in asked if "repeats" in table]
    if "repeats" in head:
        if stated:
            raise CollectionError("question.repeats", "must not stand beside collection.repeats")
        table, where = head["repeats"], "collection.repeats"
    elif not stated:
        return None
    elif len(stated) < len(asked) or any(one != stated[0] for one in stated):
        raise CollectionError(
            "question.repeats",
            "must be stated by all questions alike, or by none",
            "ask what is asked once in a collection of its own",
        )
    else:
        table, where = stated[0], "question.repeats"
    require_repeatable(asked)
    return Repeats.read(table, head, where, wide=wide)


def _life(head: Mapping[str, Any], repeats: Repeats | None) -> Lifecycle:
    """Read when reports are taken; rounds say when the first begins and the last one ends."""
    if repeats is None:
        return Lifecycle.read(head, "collection")
    times = {"opens": head.get("opens", repeats.starts[0]), "closes": repeats.ends}
    return Lifecycle.read({**head, **times}, "collection")


def _untotalled(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in part.items() if name != "totals"}


def _delay(table: Mapping[str, Any], where: str) -> int:
    """Return seconds; 0 where none are stated."""
    stated = "send_delay" in table
    return schema.whole(table["send_delay"], where, 1, MOST_DELAY) if stated else 0


def _days(head: Mapping[str, Any]) -> int | None:
    if "keep_reports_days" not in head:
        return None
    return schema.whole(head["keep_reports_days"], "collection.keep_reports_days", 0, MOST_DAYS)


def check_new_name(name: str, reserved: frozenset[str] = SERVICE_NAMES) -> None:
    """Refuse the name of a new survey whose page would be at an address of the service itself.

    Raises:
        CollectionError: it is one of the reserved names.
    """
    if name in reserved:
        rule = f"must not be a name that the service needs ({', '.join(sorted(SERVICE_NAMES))})"
        remedy = f"choose another, like {name}-survey"
        raise CollectionError("collection.name", rule, remedy, got=name)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)
