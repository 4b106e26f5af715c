"""Randomised answers as a likelihood: how probable each report is under each value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.alignment import as_index, find_label, hold_numbers
from sudare.arrays import Floats, Integers
from sudare.channels import Channel
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.exact import as_integer
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.reports import as_indices
from sudare.mechanisms.scores import supports

_REMEDY = "such as sd.GRR(k, epsilon), or a channel; one attribute at a time"


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What n people's reports say of the value that each holds.

    Attributes:
        likelihood: (n, k) probability of each report under each value.
        by: how they were randomised, in words.
    """

    likelihood: Floats
    by: str

    @classmethod
    def read(cls, reports: Any, mechanism: object, argument: str) -> Answers:
        """Return checked reports of one of k categories.

        Raises:
            WrongTypeError: neither a mechanism of one of k categories nor a channel.
            ReportError: reports that it cannot produce.
            DomainError: the channel is too large to be written out, or labels that are numbers
                other than 0, 1, ...
        """
        law, rows = law_of(mechanism, argument), places(reports, mechanism)
        found = law[rows]
        if not found.any(axis=1).all():
            raise ReportError("reports", "must be such as the mechanism can produce")
        return cls(found[:, _numbered(mechanism, argument)], summary_name(mechanism))

    @classmethod
    def of_one(cls, reports: Any, mechanism: object, category: int | str) -> Answers:
        """Return what checked reports say of one category against all others together.

        A report supports it with probability p where it is held, and q where any other one is.

        Raises:
            WrongTypeError: no mechanism of one of k categories.
            DomainError: no category of it, or reports that more than support a category.
            ReportError: reports that it cannot produce.
        """
        if not isinstance(mechanism, FrequencyOracle):
            rule = "must randomise one of k categories, of which one is the outcome"
            raise WrongTypeError("mechanism", rule, "such as sd.GRR(k, epsilon)")
        place = as_integer(
            as_index(category, mechanism.labels, "category"),
            "category",
            low=0,
            high=mechanism.k - 1,
        )
        if not mechanism.aggregate(reports).n:
            raise ReportError("reports", "must not be empty", "collect some first")
        supported = supports(mechanism, np.asarray(reports))[:, place]
        if not np.isin(supported, (0, 1)).all():
            rule = "must have reports that support a category, or do not"
            raise DomainError("mechanism", rule, "join the others beforehand: k = 2", got=mechanism)
        p, q = float(mechanism.law.p), float(mechanism.law.q)
        law = np.array([[1 - q, 1 - p], [q, p]])
        return cls(
            law[supported.astype(np.int64)], f"{summary_name(mechanism)}, category {category}"
        )

    @classmethod
    def exact(cls, values: Integers, k: int) -> Answers:
        """Return answers that were given in clear."""
        return cls(np.eye(k)[values], "")

    @property
    def k(self) -> int:
        """Number of categories."""
        return int(self.likelihood.shape[1])

    def __len__(self) -> int:
        return len(self.likelihood)


def _numbered(mechanism: Any, argument: str) -> Any:
    """Return the columns of a channel in the order in which a regression numbers categories.

    It writes 0, 1, ... for them: a category that is called "1" must not be shown as another number.
    """
    labels = getattr(mechanism, "labels", None)
    if labels is None or not hold_numbers(labels):
        return slice(None)
    places = {label: place for place, label in enumerate(labels)}
    order = [find_label(number, places) for number in range(len(labels))]
    if None in order:
        rule = f"must have the labels 0 to {len(labels) - 1} where its labels are numbers"
        remedy = "say category=, or write the number of categories in the place of the labels"
        raise DomainError(argument, rule, remedy)
    return order


def law_of(mechanism: object, argument: str) -> Floats:
    """Return the channel of a mechanism of one of k categories, (reports, values)."""
    if not isinstance(mechanism, Channel | FrequencyOracle):
        rule = "must randomise one of k categories"
        raise WrongTypeError(argument, rule, _REMEDY, got=type(mechanism).__name__)
    channel = mechanism if isinstance(mechanism, Channel) else mechanism.channel
    law = channel.dense()
    if np.linalg.matrix_rank(law) < law.shape[1]:
        rule = "must tell its categories apart"
        raise DomainError(argument, rule, "its reports say the same of two of them", got=mechanism)
    return law


def places(reports: Any, mechanism: Any) -> Integers:
    """Return the row of the channel that each report is."""
    if isinstance(mechanism, Channel):
        found = as_indices(reports, mechanism.shape[0])
    else:
        mechanism.aggregate(reports)  # says what is wrong with reports of another mechanism
        program, array = mechanism.program, np.asarray(reports)
        if array.ndim == 1:
            found = array
        else:
            each, found = np.unique(array, axis=0, return_inverse=True)
            known = {wire: row for row, wire in enumerate(program.wires())}
            rows = np.array([known[program.encode_one(one)] for one in each], dtype=np.int64)
            found = rows[found.reshape(-1)]
    if not len(found):
        raise ReportError("reports", "must not be empty", "collect some first")
    return np.asarray(found, dtype=np.int64)


def summary_name(mechanism: Any) -> str:
    """Return how a mechanism is named in a summary."""
    if isinstance(mechanism, Channel):
        return f"a channel of {mechanism.shape[1]} values"
    return repr(mechanism)
