"""Colours and marks of this study's figures: apart in grey and for colour-blind readers."""

INK, PALE = "#26241f", "#d8d2c4"
COLOURS = {"GRR": "#b5482f", "OUE": "#2f5d8c", "SUE": "#7a7466"}
MARKS = {"GRR": "o", "OUE": "s", "SUE": "^"}
REPAIR_COLOURS = {
    "raw": INK,
    "shift": "#4d7a4a",
    "clip": "#c08a1e",
    "normalise": "#b5482f",
    "project": "#2f5d8c",
}
DASHES = {"raw": "-", "shift": (0, (6, 1.5)), "clip": ":", "normalise": "--", "project": "-."}
