"""The checks that every mechanism passes, whatever its family: they ask its program alone."""

from __future__ import annotations

from typing import Any, ClassVar

from sudare.mechanisms import Mechanism
from sudare.testing.core import (
    accuracy,
    batches,
    devices,
    guarantee,
    simulations,
    validation,
    value,
)
from sudare.testing.core.look import Look
from sudare.testing.family import Exact, Family, M, Sampled
from sudare.testing.law import law_of

GUARANTEE: tuple[Exact, ...] = (
    value.spends_what_it_says,
    value.shows_its_program,
    value.spends_all_of_it,
    guarantee.states_its_largest_ratio,
)
"""What a mechanism without a guarantee cannot pass."""

VALUE: tuple[Exact, ...] = (value.is_a_frozen_value, value.survives_json)
SPENT: tuple[Exact, ...] = (value.spends_what_it_says, value.shows_its_program)
LAW: tuple[Exact, ...] = (
    guarantee.has_an_exact_law,
    guarantee.tallies_each_report,
    guarantee.states_its_largest_ratio,
    guarantee.has_a_channel,
)
BORDERS: tuple[Exact, ...] = (
    validation.refuses_bad_values,
    validation.refuses_foreign_reports,
    validation.keeps_its_wire,
    validation.merges,
    validation.repeats_from_a_seed,
    value.is_what_devices_run,
    devices.perturbs_one_by_its_program,
)


class Checked(Family[M]):
    """A family whose mechanisms are looked at by the whole law of some answers."""

    exact: ClassVar[tuple[Exact, ...]] = (
        *VALUE,
        *SPENT,
        *LAW,
        accuracy.estimates_without_bias,
        accuracy.states_its_variance,
        *BORDERS,
    )
    sampled: ClassVar[tuple[Sampled, ...]] = (
        batches.follows_its_whole_law,
        *batches.SAMPLED,
        *simulations.SAMPLED,
    )

    def look(self, m: M) -> Look | None:
        """Return what the whole law says of reports, where it is written out."""
        law = law_of(m)
        return None if law is None else Look(law)

    def tallies(self, m: M) -> simulations.Tallies | None:
        """Return what the whole law says of tallies, where it is written out."""
        law = law_of(m)
        return None if law is None else simulations.Tallies(law)


def resized(m: Any, **sizes: object) -> Any:
    """Return the sibling of other sizes, by JSON."""
    return type(m).from_json({**m.to_json(), **sizes})


def exact_checks(family: Family[Any], m: Mechanism) -> tuple[Exact, ...]:
    """Return the exact checks of a mechanism: those of a guarantee only where it gives one."""
    given = (*GUARANTEE, *family.guarantee) if m.studies_only else ()
    return tuple(one for one in family.exact if one not in given)
