"""Words that nobody listed: F1 of the twenty most frequent, words over a threshold, seconds.

``python benchmarks/words.py --runs 3``: n people hold words of a Zipf law over 100,000 made-up ones
(the share of rank r goes with 1/r), each reports once. Seeded: a run gives the same figures again.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import sudare as sd

WORDS, TOP = 100_000, 20
KANA = "".join(map(chr, range(0x3042, 0x3094)))
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SETTINGS = {
    "kana": (sd.PEM(longest=6, epsilon=4.0, alphabet="kana"), KANA, 2),
    "bytes": (sd.PEM(longest=6, epsilon=4.0), LETTERS, 4),
}


def made_up(characters: str, least: int, longest: int, generator: np.random.Generator) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < WORDS:
        length = int(generator.integers(least, longest + 1))
        words["".join(generator.choice(list(characters), length))] = None
    return list(words)


def run(name: str, n: int, seed: int) -> tuple[float, float, int, int, float]:
    """Return F1, the part found of what plan promises, words, those of nobody, seconds."""
    m, characters, least = SETTINGS[name]
    generator = np.random.default_rng(seed)
    words = made_up(characters, least, m.longest, generator)
    shares = 1 / np.arange(1, WORDS + 1)
    held = generator.multinomial(n, shares / shares.sum())
    people = np.repeat(np.array(words), held)
    reports = m.perturb(people, rng=sd.Entropy.seeded(f"words {seed}".encode()))
    start = time.process_time()
    found = m.find(reports)
    seconds = time.process_time() - start
    true, told = set(words[:TOP]), set(found.words[:TOP])
    f1 = 2 * len(true & told) / (TOP + len(told))
    over = set(words[: int((shares / shares.sum() >= m.least_share(n)).sum())])
    recall = len(over & set(found.words)) / max(1, len(over))
    return f1, recall, len(found), len(set(found.words) - set(words)), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("-n", type=int, default=1_000_000)
    arguments = parser.parse_args()
    for name, (m, *_) in SETTINGS.items():
        print(f"{m!r}, n = {arguments.n:,}, words of {m.least_share(arguments.n):.2%} are found")
        scores = []
        for seed in range(arguments.runs):
            f1, recall, many, false, seconds = run(name, arguments.n, seed)
            scores.append(f1)
            print(f"  run {seed}: F1 {f1:.3f}, of those {recall:.2f}, {many} words, "
                  f"{false} of nobody, {seconds:.1f} s", flush=True)  # fmt: skip
        print(f"  F1: mean {np.mean(scores):.3f}, least {min(scores):.3f}")


if __name__ == "__main__":
    main()
