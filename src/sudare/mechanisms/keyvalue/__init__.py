"""Key-value data: which of d items a respondent holds, and a value for each one held."""

from sudare.mechanisms.keyvalue.base import KeyValue
from sudare.mechanisms.keyvalue.padded import PCKVGRR, PCKVUE
from sudare.mechanisms.keyvalue.rounds import PrivKVM
from sudare.mechanisms.keyvalue.sampled import PrivKV, StateRR

__all__ = ["PCKVGRR", "PCKVUE", "KeyValue", "PrivKV", "PrivKVM", "StateRR"]
