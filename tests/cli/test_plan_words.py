"""``sudare plan --longest``: which words that nobody listed can be found."""

from __future__ import annotations

import json
from collections.abc import Callable

from sudare.planning import plan_words
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
ASKED = ("plan", "--longest", 4, "--epsilon", 4)


def test_what_can_be_found_among_so_many(sudare: Run) -> None:
    status, out, err = sudare(*ASKED, "--alphabet", "kana", "-n", 10_000)
    assert (status, err) == (0, "")
    plan = plan_words(10_000, 4, 4, "kana")
    for probability, share in zip(("50 %", "90 %", "99 %"), plan.shares, strict=True):
        assert probability in out
        assert f"{100 * share:.2f} % or more" in out
    assert "with probability 5 % at most" in out


def test_the_same_as_data_and_none_where_none_is_found(sudare: Run) -> None:
    data = json.loads(sudare(*ASKED, "-n", 20, "--json")[1])
    assert data == plan_words(20, 4, 4).to_json()
    assert {row["share"] for row in data["found"]} == {None}
    assert "none" in sudare(*ASKED, "-n", 20)[1]


@cases(
    "arguments, word",
    [
        ((*ASKED,), "-n must be given"),
        (("plan", "--longest", 4, "-n", 100), "--epsilon must be given"),
        ((*ASKED, "-n", 100, "-k", 4), "-k must be left out"),
        (("plan", "-k", 4, "-n", 100, "--epsilon", 1, "--alphabet", "kana"), "--alphabet must"),
        ((*ASKED, "-n", 100, "--alphabet", "aa"), "alphabet must have"),
        (("plan", "--longest", 0, "-n", 100, "--epsilon", 1), "longest must be >= 1"),
    ],
)
def test_bad_input_is_one_clear_line(sudare: Run, arguments: tuple[object, ...], word: str) -> None:
    status, out, err = sudare(*arguments)
    assert (status, out) == (2, "")
    assert word in err
    assert len(err.strip().splitlines()) == 1
