"""Short trips over a map: lengths, begins, ends and moves, and trips made up from them."""

from sudare.mechanisms.trajectory.estimate import (
    Moves as Moves,
    TripEstimates as TripEstimates,
)
from sudare.mechanisms.trajectory.trajectories import Trajectories as Trajectories
