"""Before anything is collected: expected errors, the choice of mechanism, and sample sizes."""

from sudare.planning.comparing import compare
from sudare.planning.comparison import Compared, Comparison
from sudare.planning.crossings import crossing
from sudare.planning.curves import Curve, curve
from sudare.planning.distributions import (
    DistributionOption,
    DistributionPlan,
    plan_distribution,
)
from sudare.planning.published import TallyGuarantee, tally_guarantee
from sudare.planning.ranking import Option, Plan, plan
from sudare.planning.respondents import sample_size
from sudare.planning.rounds import RepeatedOption, plan_repeated
from sudare.planning.shuffling import shuffled_epsilon
from sudare.planning.survey import CollectionPlan, QuestionPlan, plan_collection
from sudare.planning.tables import TableOption, TablePlan, plan_tables
from sudare.planning.unlisted import WordPlan, plan_words

__all__ = [
    "CollectionPlan",
    "Compared",
    "Comparison",
    "Curve",
    "DistributionOption",
    "DistributionPlan",
    "Option",
    "Plan",
    "QuestionPlan",
    "RepeatedOption",
    "TableOption",
    "TablePlan",
    "TallyGuarantee",
    "WordPlan",
    "compare",
    "crossing",
    "curve",
    "plan",
    "plan_collection",
    "plan_distribution",
    "plan_repeated",
    "plan_tables",
    "plan_words",
    "sample_size",
    "shuffled_epsilon",
    "tally_guarantee",
]
