"""Several attributes of one respondent, of which the marginals alone are wanted."""

from sudare.mechanisms.marginal.marginal import (
    STRATEGIES as STRATEGIES,
    MarginalRR as MarginalRR,
    Strategy as Strategy,
)
