"""Names that people guess, and what they mean here: the words of an AttributeError."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

_HELD = "sudare.release.Dataset(frame, bounds=...)"
_MEAN = "sudare.Piecewise, sudare.Hybrid or sudare.Duchi (numbers, on a respondent's device)"
_FRAME = '.to_frame("pandas"), or "polars", "pyarrow"'
_SEED = "rng=sudare.Entropy.seeded(7), given where randomness is drawn"
_REPORTS = "m = sudare.GRR(k, epsilon): m.perturb(values), m.aggregate(reports), m.estimate(counts)"
_FILES = (
    "sudare.estimate_from(path) for reports, sudare.files for columns of a file, "
    "sudare.release.Dataset(frame) for people"
)
_SHIPPED = (
    "sudare.data.adult_table() or sudare.data.trousers(), which ship; sudare.data.adult(), "
    "sudare.data.clickstream(), ... read public files"
)

MEANT: dict[str, dict[str, str]] = {
    "sudare": {
        **dict.fromkeys(
            ("RAPPOR", "BasicRAPPOR", "SymmetricUnaryEncoding"),
            "sudare.SUE(k, epsilon), basic one-time RAPPOR; sudare.LSUE where it is asked again",
        ),
        **dict.fromkeys(
            ("UE", "UnaryEncoding", "OptimizedUnaryEncoding"), "sudare.OUE(k, epsilon)"
        ),
        **dict.fromkeys(
            (
                "RR",
                "RandomizedResponse",
                "RandomisedResponse",
                "randomized_response",
                "randomised_response",
                "KRR",
                "kRR",
                "DE",
                "Warner",
            ),
            "sudare.GRR(k, epsilon)",
        ),
        **dict.fromkeys(
            ("GridE", "WGridE", "GeoInd", "GeoIndistinguishability"),
            "sudare.GridExponential(grid, epsilon, weights=...)",
        ),
        **dict.fromkeys(("LH", "BLH", "LocalHashing"), "sudare.OLH(k, epsilon)"),
        **dict.fromkeys(("HR", "Hadamard"), "sudare.HadamardResponse(k, epsilon)"),
        **dict.fromkeys(("SS", "OSS"), "sudare.SubsetSelection(k, epsilon)"),
        **dict.fromkeys(
            ("LDPTrace", "Trajectory", "Trips"), "sudare.Trajectories(grid, longest, epsilon)"
        ),
        **dict.fromkeys(("PM", "PiecewiseMechanism"), "sudare.Piecewise(epsilon, low, high)"),
        **dict.fromkeys(("HM", "HybridMechanism"), "sudare.Hybrid(epsilon, low, high)"),
        **dict.fromkeys(("SW", "Histogram"), "sudare.SquareWave(epsilon, low, high)"),
        **dict.fromkeys(
            ("Laplace", "LaplaceMechanism", "DiscreteLaplace", "Geometric"),
            f"{_HELD}.mean(column, epsilon=...), with discrete Laplace noise; or {_MEAN}",
        ),
        **dict.fromkeys(
            ("Gaussian", "GaussianMechanism", "DiscreteGaussian"),
            f"{_HELD}.mean(column, rho=...), with discrete Gaussian noise",
        ),
        **dict.fromkeys(
            ("Exponential", "ExponentialMechanism"),
            f"{_HELD}.median(column, epsilon=...); of places sudare.GridExponential",
        ),
        **dict.fromkeys(("Dataset", "DataFrame", "PrivateDataFrame"), _HELD),
        **dict.fromkeys(
            ("mean", "sum", "count", "median", "quantile", "histogram", "var", "variance"),
            f"{_HELD}, which has it; of randomised reports m.estimate(counts)",
        ),
        **dict.fromkeys(("std", "stddev"), f"{_HELD}.variance(column, epsilon=...)"),
        **dict.fromkeys(("load_dataset", "load_data", "datasets", "fetch", "load_adult"), _SHIPPED),
        **dict.fromkeys(("read_csv", "read_parquet", "load", "open"), _FILES),
        **dict.fromkeys(
            ("perturb", "randomize", "randomise", "privatize", "aggregate", "estimate", "encode"),
            _REPORTS,
        ),
        **dict.fromkeys(("seed", "set_seed", "random_state", "default_rng", "Random"), _SEED),
        **dict.fromkeys(
            ("Survey", "Question", "Form", "Questionnaire"), 'sudare.Collection.load("survey.toml")'
        ),
        **dict.fromkeys(
            ("Ledger", "Budget", "Accountant", "PrivacyAccountant", "BudgetAccountant"),
            'sudare.ledger.Ledger("ledger.db"), or sudare.release.Dataset(frame, budget=1)',
        ),
        **dict.fromkeys(
            ("audit", "check_mechanism"),
            "sudare.testing.audit(m), sudare.testing.check_mechanism(m)",
        ),
        **dict.fromkeys(
            ("logistic", "linear", "LogisticRegression"), "sudare.models.logistic(...)"
        ),
        **dict.fromkeys(("run", "study", "reproduce"), 'sudare.studies.run("grr-oue", out=...)'),
        "serve": "the command sudare serve survey.toml, or sudare.collector.serve",
        "KV": "sudare.PrivKV(d, epsilon)",
        "Mechanism": "sudare.mechanisms.Mechanism",
        "FrequencyOracle": "sudare.mechanisms.FrequencyOracle",
    },
    "Estimate": {
        **dict.fromkeys(("to_pandas", "to_df", "to_dataframe", "df", "frame"), _FRAME),
        **dict.fromkeys(("to_polars", "to_arrow", "to_pyarrow"), _FRAME),
        **dict.fromkeys(("to_dict", "save", "dump", "dumps"), ".to_json()"),
        **dict.fromkeys(("load", "loads"), "sudare.Estimate.from_json(text)"),
        **dict.fromkeys(("draw", "show", "hist", "bar"), ".plot()"),
        **dict.fromkeys(
            ("values", "value", "frequencies", "proportions", "probabilities", "estimates", "p"),
            ".shares",
        ),
        **dict.fromkeys(("std", "se", "std_err", "std_error", "bse", "error"), ".stderr"),
        **dict.fromkeys(("var", "variance", "mse"), ".stderr ** 2"),
        **dict.fromkeys(
            ("conf_int", "confidence_interval", "confint", "ci", "intervals"), ".interval(0.95)"
        ),
        **dict.fromkeys(("summary", "describe", "print"), ".to_frame()"),
        **dict.fromkeys(("total", "size", "count"), ".n; of each category .counts"),
        **dict.fromkeys(("categories", "index", "columns"), ".labels"),
        "eps": ".epsilon",
    },
    "Mechanism": {
        **dict.fromkeys(
            ("randomize", "randomise", "privatize", "privatise", "obfuscate", "encode", "client"),
            ".perturb(values)",
        ),
        **dict.fromkeys(("sample", "respond", "transform", "apply"), ".perturb(values)"),
        **dict.fromkeys(("sum", "count", "tally", "server"), ".aggregate(reports)"),
        **dict.fromkeys(
            ("fit", "decode", "fit_transform", "predict"),
            ".estimate(m.aggregate(m.perturb(values)))",
        ),
        **dict.fromkeys(("eps", "epsilon_"), ".epsilon"),
        **dict.fromkeys(("p", "q", "probabilities"), ".support_probabilities"),
        **dict.fromkeys(("matrix", "transition_matrix"), ".channel.dense()"),
        **dict.fromkeys(("variance_", "mse", "error"), ".expected_mse(n)"),
        **dict.fromkeys(("categories", "classes", "classes_"), ".labels"),
        **dict.fromkeys(
            ("seed", "random_state", "rng"), ".perturb(values, rng=sudare.Entropy.seeded(7))"
        ),
    },
    "Counts": {
        **dict.fromkeys(("values", "counts", "tally"), ".support"),
        **dict.fromkeys(("shares", "frequencies", "estimate"), "m.estimate(counts).shares"),
        **dict.fromkeys(("to_pandas", "to_frame"), "m.estimate(counts), which has it"),
    },
    "Plan": {
        **dict.fromkeys(("to_pandas", "to_df", "to_dataframe", "df"), _FRAME),
        **dict.fromkeys(("mechanism", "winner", "first", "choice"), ".best"),
        **dict.fromkeys(("rows", "mechanisms", "ranking"), ".options"),
        **dict.fromkeys(("draw", "show"), ".plot()"),
    },
    "Comparison": {
        **dict.fromkeys(("to_pandas", "to_df", "to_dataframe", "df"), _FRAME),
        **dict.fromkeys(("best", "winner"), "[0], the least expected error of the first ε"),
        **dict.fromkeys(("results", "options"), ".rows"),
        **dict.fromkeys(("draw", "show"), ".plot()"),
    },
    "Released": {
        **dict.fromkeys(("values", "result", "answer", "noisy"), ".value"),
        **dict.fromkeys(("interval", "conf_int", "ci", "error"), ".bound(0.95): value ± bound"),
        **dict.fromkeys(("stderr", "std"), ".bound(0.95), and .sampling_stderr"),
        **dict.fromkeys(("eps", "price"), ".epsilon, or .cost exactly"),
        "to_pandas": ".value, a number or a dict of groups",
        **dict.fromkeys(("to_dict", "save", "dump", "dumps"), ".to_json()"),
    },
    "Methods": {
        **dict.fromkeys(("std", "stddev"), ".variance(column, epsilon=...)"),
        **dict.fromkeys(("var",), ".variance(column, epsilon=...)"),
        **dict.fromkeys(("groupby",), ".group_by(column, keys)"),
        **dict.fromkeys(
            ("query", "filter"), '.where("age >= 18"), or .sql("SELECT ...", epsilon=1)'
        ),
        **dict.fromkeys(("value_counts", "hist"), ".histogram(column, categories, epsilon=...)"),
        **dict.fromkeys(("percentile",), ".quantile(column, share, epsilon=...)"),
        **dict.fromkeys(("average",), ".mean(column, epsilon=...)"),
        **dict.fromkeys(("nunique", "unique"), ".distinct(column, epsilon=...)"),
        **dict.fromkeys(("len", "size", "shape"), ".n, or .count(epsilon=...) where it is private"),
        **dict.fromkeys(("corr",), ".correlation(columns, epsilon=...)"),
        **dict.fromkeys(("regression", "ols"), ".linear(...), .logistic(...)"),
        **dict.fromkeys(("synthesize", "synthesise", "synthetic_data"), ".synthetic(...)"),
        **dict.fromkeys(("budget", "epsilon"), ".spent, .remaining"),
    },
    "Collection": {
        **dict.fromkeys(("read", "from_file", "open"), '.load("survey.toml")'),
        **dict.fromkeys(("answer", "submit"), "sudare.Client(collection).answer({...})"),
        **dict.fromkeys(("estimate", "results"), ".tally(submissions)"),
        "simulate": "sudare.simulate(collection, n)",
    },
    "Client": {
        **dict.fromkeys(("submit", "respond", "post"), ".answer({...}), .send(...)"),
        **dict.fromkeys(("budget", "epsilon"), ".spent"),
    },
}
"""What to write, by the class (or the module) and the name that was guessed."""

QUESTIONS: dict[str, str] = {
    **dict.fromkeys(
        ("bounds", "range", "lower", "upper", "clip", "clipping", "limits"),
        "bounds belong to the data set: Dataset(frame, bounds={column: (low, high)})",
    ),
    **dict.fromkeys(("eps", "privacy_budget", "budget"), "write epsilon=..., or rho=..."),
    **dict.fromkeys(
        ("delta",), "write rho=... for Gaussian noise: Cost.of(rho=...).delta is of the account"
    ),
    **dict.fromkeys(
        ("sensitivity", "scale"), "the noise follows from the bounds: Dataset(frame, bounds=...)"
    ),
    **dict.fromkeys(
        ("rng", "seed", "random_state"),
        "for simulations, Dataset(frame, rng=sudare.Entropy.seeded(7))",
    ),
    "rho": "it is a choice, which is paid in epsilon",
    **dict.fromkeys(("by", "group_by", "groupby"), "write group_by(column, keys) before it"),
    **dict.fromkeys(("where", "filter"), "write where(...) before it"),
    **dict.fromkeys(("tz", "timezone", "time_zone"), 'bins take zone="Asia/Tokyo"'),
}
"""What to write for an argument that a question to held data does not take."""

_ONE = ("radio", "radiogroup", "radio_button", "radiobuttons", "dropdown", "select", "select_one",
        "single_choice", "multiple_choice", "mcq", "list", "image_choice")  # fmt: skip
_SEVERAL = ("checkbox", "checkboxes", "check_all", "multiselect", "multi_select", "select_multiple",
            "select_many", "multi_choice", "multiple_response", "tags", "tagbox")  # fmt: skip

TYPES: tuple[tuple[tuple[str, ...], str], ...] = (
    (_ONE, "`choice`: one of a list"),
    (_SEVERAL, "`choices` with `most`: which ones of a list"),
    (
        ("yesno", "yes_no", "boolean", "bool", "toggle", "switch", "consent", "legal"),
        '`choice` with `choices = ["yes", "no"]`',
    ),
    (
        ("likert", "scale", "opinion_scale", "rating", "stars", "star_rating", "smileys", "emoji"),
        "`choice` with `scores`: a scale and its mean; `ratings` is for things that some have",
    ),
    (
        ("nps", "net_promoter_score"),
        "`choice` of 0 to 10 with `scores` of -100 (0 to 6), 0 (7 and 8) and 100 (9 and 10)",
    ),
    (
        ("matrix", "grid", "likert_scale", "likert_matrix", "matrix_dropdown", "table", "battery"),
        "a `choice` with `scores` for each row: each spends its own part of ε; `crosstab` for "
        "how rows go together",
    ),
    (
        ("ranking", "rank", "rank_order", "order", "drag_and_drop", "best_worst", "maxdiff",
         "pairwise", "conjoint"),
        "a `choice` of the first one; a `choice` for each pair that matters; `crosstab` of the "
        "first and the second",
    ),
    (
        ("slider", "range", "numeric", "integer", "int", "float", "decimal", "numerical", "age",
         "currency", "constant_sum", "allocation", "percentage"),
        "`number` with `low` and `high`",
    ),
    (
        ("date", "datetime", "time", "calendar", "birthday", "date_of_birth", "year", "month"),
        "`number` (age, a year), or a `choice` of ranges",
    ),
    (
        ("map", "location", "geopoint", "gps", "coordinates", "position", "heatmap", "region",
         "country", "postcode", "zip"),
        "`place` on a grid, or a `choice` of areas",
    ),
    (
        ("textarea", "longtext", "long_text", "open", "open_ended", "comment", "free_text",
         "freetext", "essay", "paragraph", "short_text", "string", "input", "other"),
        "a `choice` of what you expect, with \"something else\"; `text` for one word of a known "
        "list; no device can hide free text",
    ),
    (
        ("email", "e_mail", "phone", "telephone", "name", "contact", "contact_info", "address",
         "url", "website", "id", "password"),
        "nothing here: ask on a separate form, on another site, without a link between the two",
    ),
    (
        ("file", "upload", "file_upload", "image", "photo", "picture", "video", "audio",
         "signature", "drawing"),
        "a `choice` of what you would look for in it",
    ),
    (
        ("quota", "screening", "screener", "screen_out"),
        "nothing: no collector knows who answered what; invite people by group, or weight the "
        "results",
    ),
    (
        ("section", "page", "statement", "html", "info", "note", "title", "heading", "welcome"),
        "`intro` of the collection, or the `text` of a question: an explanation is no question",
    ),
    (
        ("skip", "branch", "logic", "conditional", "filter"),
        "`ask_if` of a question that not everybody is asked",
    ),
)  # fmt: skip
"""Question types of other tools, and what to ask here; the table of docs/question-types.md."""


def question_type_meant(name: object) -> str:
    """Return the remedy for a question type of another tool; empty where it is none.

    Examples:
        >>> question_type_meant("Check-box")
        "ask 'choices' with 'most': which ones of a list (docs/question-types.md)"
    """
    if not isinstance(name, str):
        return ""
    plain = _bare(name)
    found = (told for words, told in TYPES if plain in map(_bare, words))
    told = next(found, "").replace("`", "'")
    return told and f"ask {told} (docs/question-types.md)"


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def unknown(owner: str, name: str, lines: Iterable[str], known: Iterable[str]) -> AttributeError:
    """Return the error of a name that is not there, with what is meant where somebody guessed it.

    Args:
        owner: what lacks it, in words.
        name: that was asked for.
        lines: under which names of :data:`MEANT` to look.
        known: names that there are, for one that is spelt almost alike.
    """
    text = f"{owner} has no attribute {name!r}"
    meant = next((MEANT[line][name] for line in lines if name in MEANT.get(line, ())), "")
    if meant:
        return AttributeError(f"{text}; write {meant}", name=name)
    import difflib  # for a name that is not there

    public = {one.lower(): one for one in known if not one.startswith("_")}
    close = difflib.get_close_matches(name.lower(), public, 1, 0.75)
    if not close:
        return AttributeError(text)  # Python finds its object out, and what else is spelt alike
    return AttributeError(f"{text}; did you mean {public[close[0]]!r}?", name=name)


class Guessed:
    """What says, of a name that is not there, which one is meant."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker knows what is there

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            if name.startswith("_") or hasattr(kind, name):
                return object.__getattribute__(self, name)  # whatever that raises
            lines = (one.__name__ for one in kind.__mro__)
            raise unknown(f"{kind.__name__!r} object", name, lines, dir(self))
