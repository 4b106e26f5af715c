"""The collector's store in PostgreSQL, for several processes and hosts at once.

Needs ``pip install "sudare[postgres]"``.
"""
