"""What a respondent's device remembers of a repeated question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sudare.errors import CollectionError, WrongTypeError
from sudare.exact import as_integer

Permanent = int | bytes
"""A permanent answer: a category, or packed bits."""


@dataclass(frozen=True)
class Memory:
    """What a device keeps between rounds, and nobody else sees: its permanent answers.

    Attributes:
        mechanism: whose memory it is, as its ``to_json`` writes it in one line: permanent answers
            of one ε, or of other categories, would tell another's reports apart.
        drawn: what is drawn once and does not depend on an answer: the number of a hash function,
            or packed bits of the categories that are asked about; None where nothing is.
        answers: for each answer given so far, or what stands for it, the permanent answer.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LGRR(k=4, epsilon=1.0, permanent=2.0)
        >>> rng = sd.Entropy.seeded(b"memory")
        >>> first, memory = m.report(3, m.remember(), entropy=rng)
        >>> second, same = m.report(3, memory, entropy=rng)
        >>> memory == same == Memory.from_json(memory.to_json())
        True
        >>> list(memory.answers)
        [3]
    """

    mechanism: str
    drawn: Permanent | None = None
    answers: Mapping[int, Permanent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", MappingProxyType(dict(self.answers)))

    def __repr__(self) -> str:
        return f"Memory(answers={len(self.answers)})"  # never what they are

    def with_answer(self, key: int, permanent: Permanent) -> Memory:
        """Return the memory with one more permanent answer."""
        return Memory(self.mechanism, self.drawn, {**self.answers, key: permanent})

    def to_json(self) -> dict[str, Any]:
        """Return the memory as JSON data; bits are hexadecimal text."""
        answers = {str(key): _written(one) for key, one in sorted(self.answers.items())}
        drawn = None if self.drawn is None else _written(self.drawn)
        return {"mechanism": self.mechanism, "drawn": drawn, "answers": answers}

    @classmethod
    def from_json(cls, data: object) -> Memory:
        """Rebuild a memory from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
        """
        if not isinstance(data, Mapping) or data.keys() != {"mechanism", "drawn", "answers"}:
            raise _wrong()
        mechanism, drawn, answers = data["mechanism"], data["drawn"], data["answers"]
        if not isinstance(answers, Mapping) or not isinstance(mechanism, str):
            raise _wrong()
        try:
            return cls(
                mechanism,
                None if drawn is None else _read(drawn),
                {int(key): _read(one) for key, one in answers.items()},
            )
        except (ValueError, TypeError):
            raise _wrong() from None


def _written(permanent: Permanent) -> int | str:
    return permanent.hex() if isinstance(permanent, bytes) else permanent


def _read(data: object) -> Permanent:
    return bytes.fromhex(data) if isinstance(data, str) else as_integer(
        data, "memory", low=0, high=(1 << 64) - 1
    )  # fmt: skip


def _wrong() -> CollectionError:
    return CollectionError("memory", "must be what Memory.to_json wrote", "draw a new one")


def as_memory(memory: object) -> Memory:
    """Return ``memory`` if it is one; WrongTypeError otherwise."""
    if not isinstance(memory, Memory):
        raise WrongTypeError("memory", "must be a Memory", "begin with mechanism.remember()")
    return memory
