"""For authors of mechanisms and for doubters: conformance, audits and goodness of fit."""

from sudare.testing.audit import Audit, audit
from sudare.testing.conformance import Conformance, check_mechanism
from sudare.testing.fit import chi_square_pvalue

__all__ = ["Audit", "Conformance", "audit", "check_mechanism", "chi_square_pvalue"]
