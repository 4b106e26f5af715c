"""Colours and marks of this study's figures: apart in grey and for colour-blind readers."""

INK, PALE = "#26241f", "#d8d2c4"
COLOURS = {
    "Single-NS": "#7a7466",
    "Multi-NS": "#c08a1e",
    "Single-RR": "#b5482f",
    "Iterative": "#4d7a4a",
    "Joint RR": "#2f5d8c",
}
MARKS = {"Single-NS": "v", "Multi-NS": "^", "Single-RR": "o", "Iterative": "D", "Joint RR": "s"}
