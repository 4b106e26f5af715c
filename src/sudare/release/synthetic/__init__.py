"""Made-up rows whose tables lie near those of held data: a forest of pairs is measured."""

from sudare.release.synthetic.files import write_synthetic
from sudare.release.synthetic.measure import Synthetic
from sudare.release.synthetic.synthesis import Synthesis, TableReport

__all__ = ["Synthesis", "Synthetic", "TableReport", "write_synthetic"]
