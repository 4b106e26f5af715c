"""A whole collection on one machine: devices answer over HTTP, the collector estimates.

python examples/collect.py
"""

import json
import tempfile
import urllib.request
from pathlib import Path

import sudare as sd
from sudare.collection import send_batch
from sudare.collector import BackgroundCollector

survey = sd.Collection.load(Path(__file__).parent / "survey.toml")
answers = ["oi-ocha"] * 300 + ["iyemon"] * 200 + ["ayataka"] * 100

with (
    tempfile.TemporaryDirectory() as folder,
    BackgroundCollector([survey], Path(folder) / "tea.sqlite3") as collector,
):
    # One person: the device remembers on disk what it drew and spent.
    device = sd.Client(survey, memo=Path(folder) / "device.sqlite3")
    device.send(device.answer({"brand": "nama-cha"}), collector.url)
    print(f"one device has spent ε = {float(device.spent)}")

    # Many people: each has a device of their own.
    send_batch(collector.url, [sd.Client(survey).answer({"brand": a}) for a in answers])

    address = f"{collector.url}/api/v1/collections/{survey.name}/results"
    with urllib.request.urlopen(address, timeout=30) as answer:
        results = json.load(answer)

print(f"{results['n']} reports, ε = {results['epsilon']} for {results['covers']}")
for cell in results["questions"][0]["cells"]:
    print(f"{cell['choice']:<18} {cell['share']:6.1%}   {cell['low']:6.1%} to {cell['high']:6.1%}")
