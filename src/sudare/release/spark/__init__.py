"""Held data by Spark: exact sums where the rows are; noise and payment stay with the driver.

Executors run the questions' own sums over their rows, and return whole numbers. Where a person may
have several rows, these are brought together first, and the same rows of each count as here.
"""
