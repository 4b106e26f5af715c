"""What a randomised survey would have seen of a column that you have.

python examples/simulate_column.py
"""

import csv
import tempfile
from pathlib import Path

from sudare.cli import main

REGIONS = ["north"] * 500 + ["south"] * 300 + ["west"] * 200

with tempfile.TemporaryDirectory() as folder:
    table = Path(folder) / "people.csv"
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["region"])
        writer.writerows([region] for region in REGIONS)
    arguments = ["--column", "region", "--epsilon", "2", "--seed", "example"]
    status = main(["simulate", str(table), *arguments, "--out", str(Path(folder) / "results")])

if status:
    raise SystemExit(status)
