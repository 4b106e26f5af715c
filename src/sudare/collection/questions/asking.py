"""``ask_if``: a question that is asked of those alone who gave some answer to an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.collection import schema
from sudare.errors import CollectionError
from sudare.estimation import Counts
from sudare.estimation.conditional import ConditionalShare
from sudare.estimation.estimate import Target

if TYPE_CHECKING:
    from sudare.collection.questions.base import Question

FIELDS = ("question", "is")


@dataclass(frozen=True, slots=True)
class AskIf:
    """Upon which answers a question is asked.

    Attributes:
        question: id of the earlier question.
        answers: any of these choices.

    Examples:
        >>> AskIf("smokes", ("yes",)).holds({"smokes": "no"})
        False
    """

    question: str
    answers: tuple[str, ...]

    @classmethod
    def read(cls, table: Mapping[str, Any], where: str) -> AskIf | None:
        """Read ``ask_if = { question = "...", is = ["..."] }`` of a question; None without it."""
        given, spot = table.get("ask_if"), f"{where}.ask_if"
        if given is None:
            return None
        if not isinstance(given, Mapping):
            raise CollectionError(
                spot, "must be a table", 'write ask_if = { question = "smokes", is = ["yes"] }'
            )
        schema.check_fields(given, FIELDS, FIELDS, spot, "it says who is asked")
        return cls(
            schema.slug(given["question"], f"{spot}.question"),
            schema.slugs(given["is"], f"{spot}.is", 1),
        )

    def holds(self, answers: Mapping[str, Any]) -> bool:
        """Return whether the question is asked of who has answered so what was asked."""
        answer = answers.get(self.question)
        return isinstance(answer, str) and answer in self.answers

    def check(self, name: str, earlier: Sequence[Question]) -> None:
        """Raise CollectionError unless an earlier choice has the answers.

        Args:
            name: id of the question that is asked so.
            earlier: the questions before it.
        """
        where = f"question.{name}.ask_if"
        found = next((one for one in earlier if one.id == self.question), None)
        if found is None or found.type != "choice" or found.levels:
            raise CollectionError(
                f"{where}.question",
                "must be the id of an earlier question of type choice, without levels",
                "put that question first",
                got=self.question,
            )
        choices = found.choices  # type: ignore[attr-defined] # of a choice
        if not set(self.answers) < set(choices):
            raise CollectionError(
                f"{where}.is",
                f"must be some of the choices of {self.question}, and not all",
                f"choose from {', '.join(choices)}",
            )

    def share(
        self, questions: Sequence[Question], counts: Sequence[Counts], target: Target
    ) -> ConditionalShare:
        """Return the share of those who are asked, from the counts of all questions."""
        place = [one.id for one in questions].index(self.question)
        asker: Any = questions[place]  # a choice, whose estimate is one of shares
        rule = asker.ask_if
        before = None if rule is None else rule.share(questions, counts, target)
        estimate = asker.mechanism.estimate(counts[place], target=target)
        return ConditionalShare.of(
            estimate, [asker.choices.index(one) for one in self.answers], before
        )

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers."""
        return {"question": self.question, "is": list(self.answers)}
