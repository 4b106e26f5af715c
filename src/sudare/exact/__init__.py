"""Integers only: secure entropy, rational bounds on exponentials and logarithms, exact draws.

Everything that a guarantee rests on lives here. Nothing in this package imports the rest of
Sudare except the errors.
"""

from sudare.exact.bernoulli import bernoulli, bernoulli_columns, dyadic_planes
from sudare.exact.bounds import exp_bounds, floor_float, log_bounds
from sudare.exact.entropy import Entropy, EntropySource, default_entropy
from sudare.exact.parameters import (
    as_epsilon,
    as_integer,
    as_rational,
    decimal_text,
    epsilon_from_text,
    exact_text,
    rational_from_text,
    read_exact,
)
from sudare.exact.uniform import uniform, uniform_one

__all__ = [
    "Entropy",
    "EntropySource",
    "as_epsilon",
    "as_integer",
    "as_rational",
    "bernoulli",
    "bernoulli_columns",
    "decimal_text",
    "default_entropy",
    "dyadic_planes",
    "epsilon_from_text",
    "exact_text",
    "exp_bounds",
    "floor_float",
    "log_bounds",
    "rational_from_text",
    "read_exact",
    "uniform",
    "uniform_one",
]
