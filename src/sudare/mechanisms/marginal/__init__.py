"""Several attributes of one respondent, of which the marginals alone are wanted."""

from sudare.mechanisms.marginal.marginal import (
    STRATEGIES as STRATEGIES,
)
from sudare.mechanisms.marginal.marginal import (
    MarginalRR as MarginalRR,
)
from sudare.mechanisms.marginal.marginal import (
    Strategy as Strategy,
)
