"""Several attributes at once: each randomised on its own, the joint distribution out."""

from sudare.mechanisms.joint.base import Joint as Joint
from sudare.mechanisms.joint.joint import JointRR as JointRR
from sudare.mechanisms.joint.negative import JointNegativeSurvey as JointNegativeSurvey
from sudare.mechanisms.joint.privacy import (
    gamma_for as gamma_for,
    posterior_ceiling as posterior_ceiling,
)
