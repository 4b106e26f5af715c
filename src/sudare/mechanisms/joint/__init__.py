"""Several attributes at once: each randomised on its own, the joint distribution out."""

from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.joint import JointRR
from sudare.mechanisms.joint.negative import JointNegativeSurvey
from sudare.mechanisms.joint.privacy import gamma_for, posterior_ceiling

__all__ = ["Joint", "JointNegativeSurvey", "JointRR", "gamma_for", "posterior_ceiling"]
