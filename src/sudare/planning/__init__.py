"""Before anything is collected: expected errors, and the choice of mechanism."""

from sudare.planning.ranking import Option, Plan, plan

__all__ = ["Option", "Plan", "plan"]
