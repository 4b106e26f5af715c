"""Several attributes of one respondent, of which the marginals alone are wanted."""

from sudare.mechanisms.marginal.marginal import STRATEGIES, MarginalRR, Strategy

__all__ = ["STRATEGIES", "MarginalRR", "Strategy"]
