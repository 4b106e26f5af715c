"""A few sampled attributes from each respondent: the tables of every pair, triple, or one."""

from sudare.mechanisms.pairs.sampled import (
    SampledPairs as SampledPairs,
    SampledTables as SampledTables,
)
