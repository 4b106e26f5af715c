"""One sampled pair of attributes from each respondent: the table of every two of them."""

from sudare.mechanisms.pairs.sampled import SampledPairs as SampledPairs
