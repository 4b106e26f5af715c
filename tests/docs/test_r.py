"""The page for R is run by R, against a collector; its shares are Python's."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import doc_pages as pages
import pytest

import sudare as sd
from sudare.collection import send_batch
from sudare.collector import BackgroundCollector

PAGE = pages.ROOT / "docs" / "r.md"
CHOICES = ["oi-ocha", "iyemon", "ayataka"]
SURVEYS = {"keep": ("GRR", 2.0), "bits": ("OUE", 1.0), "choose": ("SubsetSelection", 1.0)}


def survey(kind: str) -> sd.Collection:
    mechanism, epsilon = SURVEYS[kind]
    return sd.Collection.from_toml(
        f"""
        [collection]
        name = "tea"
        epsilon = {epsilon}
        publish_at = 300
        [[question]]
        id = "brand"
        type = "choice"
        text = "Which tea?"
        choices = {CHOICES}
        mechanism = "{mechanism}"
        """
    )


@pytest.fixture(scope="module")
def rscript() -> str:
    found = shutil.which("Rscript")
    if found is None:
        (pytest.fail if os.environ.get("SUDARE_REQUIRE_R") else pytest.skip)("R is not installed")
    return found


@pytest.fixture(scope="module")
def collectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Collectors, one a mechanism, each with 300 reports."""
    addresses, running = {}, []
    for kind in SURVEYS:
        tea = survey(kind)
        assert tea.questions[0].mechanism.program.kind == kind
        collector = BackgroundCollector([tea], tmp_path_factory.mktemp(kind) / "tea.sqlite3")
        collector.start()
        running.append(collector)
        answers = [CHOICES[i % 3 and i % 2] for i in range(300)]
        send_batch(collector.url, [sd.Client(tea).answer({"brand": one}) for one in answers])
        addresses[kind] = collector.url
    yield addresses
    for collector in running:
        collector.stop()


def run(rscript: str, url: str, code: str, folder: Path) -> str:
    script = folder / "page.R"
    script.write_text(f'pdf(NULL); setwd("{pages.ROOT}"); url <- "{url}"\n{code}', encoding="utf-8")
    found = subprocess.run(
        [rscript, "--vanilla", str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", SURVEYS)
def test_the_page_runs_and_its_shares_are_pythons(
    kind: str, rscript: str, collectors: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "own.csv"
    code = "\n".join(block.text for block in pages.fences(PAGE, "r"))
    code += f"""
        own <- sudare_estimate(definition, "brand", counts)
        whole <- data.frame(lapply(own, function(x) if (is.numeric(x)) sprintf("%.17g", x) else x))
        write.csv(cbind(whole, told = sprintf("%.17g", shares$value)), "{out}", row.names = FALSE)
    """
    assert "oi-ocha" in run(rscript, collectors[kind], code, tmp_path)
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [row["choice"] for row in rows] == [*CHOICES, "prefer-not-to-say"]
    for row in rows:
        assert float(row["share"]) == pytest.approx(float(row["told"]), abs=1e-12)
    assert any(abs(float(row["share"])) > 0.1 for row in rows)


@pytest.mark.slow
def test_a_mechanism_without_a_formula_is_refused(rscript: str, tmp_path: Path) -> None:
    code = 'source("examples/sudare.R"); try(sudare_probabilities(list(kind = "hash")))'
    script = tmp_path / "refused.R"
    script.write_text(f'setwd("{pages.ROOT}"); {code}', encoding="utf-8")
    found = subprocess.run([rscript, str(script)], capture_output=True, text=True, check=True)
    assert "no formula" in found.stderr
