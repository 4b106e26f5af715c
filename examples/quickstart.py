"""First steps: choose a mechanism, randomise, estimate.

python examples/quickstart.py
"""

import numpy as np

import sudare as sd

CHOICES = ("oi-ocha", "iyemon", "ayataka", "nama-cha", "meidai-cha")
PEOPLE = np.repeat(np.arange(5), [400, 250, 200, 100, 50])  # what only the devices know

plan = sd.plan(k=len(CHOICES), n=PEOPLE.size, epsilon=2.0)
print(plan)

mechanism = plan.best
reports = mechanism.perturb(PEOPLE)  # on the devices
estimate = mechanism.estimate(mechanism.aggregate(reports))  # on the analyst's side

low, high = estimate.interval(0.95)
print(f"\nε = {mechanism.epsilon:.4f} for {estimate.covers}, n = {estimate.n}")
for i, choice in enumerate(CHOICES):
    print(f"{choice:<11} {estimate.shares[i]:6.1%}   {low[i]:6.1%} to {high[i]:6.1%}")
