"""The checks of frequency oracles: one of k categories from each respondent."""

from sudare.testing import shared
from sudare.testing.frequency import (
    accuracy,
    batches,
    devices,
    estimates,
    guarantee,
    law,
    simulations,
    values,
)
from sudare.testing.frequency.subjects import subjects
from sudare.testing.suite import Suite

SUITE = Suite(
    subjects=subjects,
    exact=(
        shared.is_a_frozen_value,
        shared.survives_json,
        shared.spends_what_it_says,
        values.builds_what_is_asked,
        guarantee.has_an_exact_law,
        guarantee.has_a_channel,
        guarantee.supports_as_stated,
        accuracy.estimates_without_bias,
        accuracy.states_its_variance,
        accuracy.states_its_covariance,
        values.refuses_bad_values,
        values.refuses_foreign_reports,
        values.keeps_its_wire,
        values.merges,
        values.repeats_from_a_seed,
        shared.is_what_devices_run,
        devices.perturbs_one_by_its_program,
        estimates.estimates_at_every_n,
        estimates.estimates_by_each_method,
        estimates.states_its_intervals,
    ),
    sampled=(
        law.follows_its_whole_law,
        batches.perturbs_mixed_batches,
        batches.perturbs_sorted_batches,
        batches.perturbs_batches_of_one_value,
        batches.perturbs_large_batches,
        batches.perturbs_call_after_call,
        batches.perturbs_respondents_alone,
        batches.perturbs_one_at_a_time,
        simulations.simulates_concentrated_answers,
        simulations.simulates_spread_answers,
    ),
)
