"""For authors of mechanisms and for doubters: conformance and goodness of fit."""

from sudare.testing.conformance import Conformance, check_mechanism
from sudare.testing.fit import chi_square_pvalue

__all__ = ["Conformance", "check_mechanism", "chi_square_pvalue"]
