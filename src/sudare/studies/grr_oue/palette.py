"""Colours and marks of this study's figures: apart in grey and for colour-blind readers."""

from sudare.studies.palette import BLUE, GOLD, GREEN, GREY, INK, RED

COLOURS = {"GRR": RED, "OUE": BLUE, "SUE": GREY}
MARKS = {"GRR": "o", "OUE": "s", "SUE": "^"}
REPAIR_COLOURS = {"raw": INK, "shift": GREEN, "clip": GOLD, "normalise": RED, "project": BLUE}
DASHES = {"raw": "-", "shift": (0, (6, 1.5)), "clip": ":", "normalise": "--", "project": "-."}
