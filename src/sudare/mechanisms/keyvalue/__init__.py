"""Key-value data: which of d items a respondent holds, and a value for each one held."""

from sudare.mechanisms.keyvalue.base import KeyValue as KeyValue
from sudare.mechanisms.keyvalue.padded import PCKVGRR as PCKVGRR, PCKVUE as PCKVUE
from sudare.mechanisms.keyvalue.rounds import PrivKVM as PrivKVM
from sudare.mechanisms.keyvalue.sampled import PrivKV as PrivKV, StateRR as StateRR
