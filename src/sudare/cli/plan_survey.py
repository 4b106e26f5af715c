"""The plan of a whole survey file on the terminal."""

from __future__ import annotations

import math
from fractions import Fraction

from sudare.cli import console
from sudare.collection.compiled import rules
from sudare.errors import counted
from sudare.exact import decimal_text
from sudare.planning import CollectionPlan
from sudare.planning.published import ASSUMES, rounded_up
from sudare.planning.survey import HOLDERS, WISHES, QuestionPlan


def print_survey(survey: CollectionPlan) -> None:
    """Print what each question will show, how many respondents it takes, and what it costs."""
    console.print_table(
        f"{survey.name}: {counted(survey.n, 'respondent')}, {survey.target}",
        ("question", "mechanism", "ε", "bytes", "std. error", "95 % interval"),
        [
            (q.id, q.mechanism, q.unit.short(q.epsilon), f"{q.report_bytes:,}",
             _error(q, q.stderr), f"± {_error(q, q.half_width)}")
            for q in survey
        ],
    )  # fmt: skip
    for q in survey:
        if q.attribute_epsilons:
            each = [f"{id_} {console.epsilon(one)}" for id_, one in q.attribute_epsilons.items()]
            console.out().print(
                f"{q.id}: ε = {console.epsilon(q.epsilon)} for its attributes together; of each "
                f"alone: {', '.join(each)}."
            )
    console.print_table(
        "Respondents needed for a 95 % interval of",
        ("question", *(f"± {console.percent(width, 0)}" for width in WISHES)),
        [(q.id, *(f"{q.respondents_for[width]:,}" for width in WISHES)) for q in survey],
    )
    for q in survey:
        if q.within is not None:
            low, high = q.within
            told = ", ".join(f"{console.percent(w, 0)} is {q.in_unit(w):.3g}" for w in WISHES)
            console.out().print(
                f"{q.id}: its mean, in its own unit, {low:g} to {high:g}; of that {told}."
            )
    some = [q for q in survey if q.half_width_among]
    if some:
        console.print_table(
            "95 % interval among those asked, where so many are",
            ("question", *(console.percent(share, 0) for share in HOLDERS)),
            [(q.id, *(f"± {console.percent(q.half_width_among[share])}" for share in HOLDERS))
             for q in some],
        )  # fmt: skip
    for q in survey:
        if q.half_width_levels:
            console.print_table(
                f"{q.id}: 95 % interval if all picked one level",
                [f"ε = {level:g}" for level in q.half_width_levels],
                [[f"± {console.percent(half)}" for half in q.half_width_levels.values()]],
            )
    rated = [q for q in survey if q.level_stderr]
    if rated:
        console.print_table(
            "Std. error of an item's mean level, where so many have it",
            ("question", *(console.percent(share, 0) for share in HOLDERS)),
            [(q.id, *(f"{q.level_stderr[share]:.2f}" for share in HOLDERS)) for q in rated],
        )
    for q in survey:
        if q.found_from:
            chances = [f"{100 * chance:g} %" for chance in q.found_from]
            least = [
                f"{console.percent(share)} or more" if math.isfinite(share) else "none"
                for share in q.found_from.values()
            ]
            console.print_table(
                f"Words of {q.id} that are found, held by so many, with probability",
                ("question", *chances),
                [(q.id, *least)],
            )
    bytes_ = f"bytes: {survey.report_bytes:,}"
    if survey.epsilon:
        console.out().print(
            f"A whole submission: ε = {decimal_text(survey.epsilon)}, {bytes_}.\n"
            f"One device spends at most ε = {decimal_text(survey.epsilon_cap)} on this version."
        )
    else:
        console.out().print(f"A whole submission: {bytes_}.")
    if survey.rounds is not None:
        number, report, same, changing = survey.rounds
        most = min(survey.epsilon_cap, Fraction(rules()["device"]["epsilon"]))
        beyond = f":\nmore than the {float(most):g} at which a device refuses another answer"
        console.out().print(
            f"{counted(number, 'round')}: ε = {rounded_up(report, 3):g} of a first "
            f"report, {same:g} of all "
            f"while answers stay,\nup to {rounded_up(changing, 3):g} where they change"
            f"{beyond if changing > max(float(most), same) else ''}."
        )
    if survey.tally is not None and survey.tally_at_end is not None:
        steps, end = survey.tally, survey.tally_at_end
        told = f"The published figures alone, with δ = {steps.delta:g}: ε = "
        told += f"{rounded_up(steps.epsilon, 3):.3f} in steps of {steps.n:,}"
        if steps.n != end.n:
            told += f",\n{rounded_up(end.epsilon, 3):.3f} with {end.n:,} at once, at the end"
        console.out().print(f"{told};\nif {ASSUMES}.")
    for q in survey:
        if q.unit.own_budget:
            told = f"{q.id}: ε = {q.epsilon:.4g} for each {q.unit.distance}, on its own."
            console.out().print(told)


def _error(question: QuestionPlan, share: float) -> str:
    """Return an error in the question's own unit."""
    own = question.in_unit(share)
    return console.percent(share) if own is None else f"{own:.3g}"


def print_newer(survey: CollectionPlan) -> None:
    """Say what a newer ``auto`` would take, and what that would gain."""
    questions = {question.id: question for question in survey}
    for one in survey.newer:
        now = questions[one.id]
        told = f"{one.id}: auto = {one.auto} would take {one.mechanism}: "
        told += (
            f"± {console.percent(one.half_width)} instead of ± {console.percent(now.half_width)}"
        )
        if one.report_bytes != now.report_bytes:
            told += f", {counted(one.report_bytes, 'byte')} instead of {now.report_bytes:,}"
        console.out().print(f"{told}.")
