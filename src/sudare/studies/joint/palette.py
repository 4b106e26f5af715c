"""Colours and marks of this study's figures: apart in grey and for colour-blind readers."""

COLOURS = {
    "Single-NS": "#7a7466",
    "Multi-NS": "#c08a1e",
    "Single-RR": "#b5482f",
    "Iterative": "#4d7a4a",
    "Joint RR": "#2f5d8c",
}
MARKS = {"Single-NS": "v", "Multi-NS": "^", "Single-RR": "o", "Iterative": "D", "Joint RR": "s"}
