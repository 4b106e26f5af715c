"""The package as a whole: lazy, light, layered."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sudare as sd
from sudare.mechanisms import SHIPPED, Mechanism
from sudare.mechanisms.registry import registered

ROOT = Path(sd.__file__).parent
ROOMS = [  # from the ground up: a room imports only what stands before it
    (
        "arrays",
        "lazy",
        "errors",
        "encodings",
        "refusal",
        "request_json",
        "definitions",
        "frozen",
        "guesses",
        "progress",
    ),
    ("alignment",),
    ("_version",),
    ("openapi", "threads"),
    ("manifest",),
    ("frames", "exact", "fonts", "plots", "notebook"),
    ("samplers", "channels"),
    ("estimation",),
    ("words", "catalogues"),
    ("page",),
    ("mechanisms", "shapes"),
    ("ledger",),
    ("collection",),
    ("testing", "planning", "files", "engines", "models", "weights"),
    ("poisoning", "location", "release", "operators"),
    ("collector",),
    ("data",),
    ("studies",),
    ("cli", "__main__"),
]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}


IMPORTED = re.compile(r"^[ \t]*from[ \t]+sudare\.(\w+)[\w.]*[ \t]+import\b", re.MULTILINE)


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_imports_only_go_down() -> None:
    for path in ROOT.rglob("*.py"):
        room = room_of(path)
        if room == "__init__":
            continue
        for other in re.findall(IMPORTED, path.read_text("utf-8")):
            assert LEVEL[other] <= LEVEL[room], f"{path.name} imports {other} from above"


def test_every_room_is_on_the_page_for_contributors() -> None:
    page = Path(__file__).parents[1].joinpath("CONTRIBUTING.md").read_text("utf-8")
    for room in {r for rooms in ROOMS for r in rooms} - {"_version", "__main__"}:
        assert f"`{room}`" in page or f"`{room}.py`" in page, room


def test_families_answer_for_themselves() -> None:
    """A room above asks for a mechanism's class to refuse an argument, and for nothing else."""
    classes, found = {Mechanism}, set()
    registered(Mechanism)
    while classes - found:
        found |= classes
        classes = {own for cls in found for own in cls.__subclasses__()}
    names = {cls.__name__ for cls in found - {Mechanism}}
    rooms = ("collector", "engines", "location", "models", "planning", "poisoning", "testing")
    for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        refusing = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)
            for part in ast.walk(node.test)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) == "isinstance" and id(call) not in refusing:
                asked = {one.id for one in ast.walk(call.args[1]) if isinstance(one, ast.Name)}
                assert not asked & names, f"{path.name}:{call.lineno} {ast.unparse(call)}"


def test_public_names_are_there() -> None:
    for name in sd.__all__:
        assert getattr(sd, name) is not None
    assert set(sd.__all__) <= set(dir(sd))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = sd.nothing


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_is_lazy() -> None:
    assert "numpy" not in loaded_by("import sudare")


def test_a_name_of_the_release_before_works_and_says_what_it_is_called_now() -> None:
    with pytest.warns(DeprecationWarning, match="Asked is called ConditionalShare now"):
        assert sd.estimation.Asked is sd.estimation.ConditionalShare


def test_an_estimate_loads_one_family() -> None:
    loaded = loaded_by(
        "import sudare as sd; m = sd.GRR(3, 2.0); m.estimate(m.aggregate(m.perturb([0, 1, 2])))"
    )
    assert "sudare.mechanisms.frequency.grr" in loaded
    others = {f"sudare.mechanisms.{family}" for family in SHIPPED} - {"sudare.mechanisms.frequency"}
    unused = {"numpy.ma", "statistics", "sudare.samplers.table", "sudare.estimation.em"}
    unused |= {"sudare.exact.subsets", "json"}
    unused |= {f"sudare.estimation.{name}" for name in ("covariance", "shrinking", "sparse")}
    assert not (others | unused) & loaded
    oracles = {name for name in loaded if name.startswith("sudare.mechanisms.frequency.")}
    shared = {"base", "direct", "grr", "methods"}
    assert oracles == {f"sudare.mechanisms.frequency.{name}" for name in shared}


def test_type_checkers_see_every_public_name() -> None:
    """A name that is loaded late has a type where it is imported by name; a star hides it."""

    def seen(package: Path) -> set[str | None]:
        nodes = ast.walk(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
        found = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        return {alias.asname for node in found for alias in node.names}

    assert set(sd.__all__) <= seen(ROOT)
    assert set(SHIPPED["frequency"]) <= seen(ROOT / "mechanisms")
    assert set(SHIPPED["frequency"]) <= seen(ROOT / "mechanisms" / "frequency")


def test_the_registry_finds_a_family_that_nobody_has_loaded() -> None:
    code = (
        "from sudare.mechanisms import Mechanism, from_json\n"
        "from_json({'name': 'Duchi', 'low': '0.0', 'high': '1.0', 'epsilon': '1'}, Mechanism)"
    )
    assert "sudare.mechanisms.number.duchi" in loaded_by(code)


def test_every_mechanism_that_ships_is_in_the_table() -> None:
    for cls in registered(Mechanism):
        parts = cls.__module__.split(".")
        if parts[0] == "sudare":
            assert cls.__name__ in SHIPPED[parts[2]]


def test_a_device_needs_numpy_and_cryptography_alone() -> None:
    code = (
        "import sudare as sd\n"
        "c = sd.Collection.from_toml('[collection]\\nname=\"t\"\\nepsilon=1\\n[[question]]\\n"
        "id=\"q\"\\ntype=\"choice\"\\ntext=\"?\"\\nchoices=[\"a\",\"b\"]\\n')\n"
        "sd.Client(c).answer({'q': 'a'})"
    )  # fmt: skip
    heavy = {"scipy", "pandas", "pyarrow", "matplotlib", "starlette", "uvicorn", "rich", "msgspec"}
    assert not heavy & loaded_by(code)


def test_errors_are_values_or_types() -> None:
    from sudare import errors

    for name in dir(errors):
        cls = getattr(errors, name)
        if isinstance(cls, type) and issubclass(cls, sd.SudareError) and cls is not sd.SudareError:
            assert issubclass(cls, ValueError | TypeError | ImportError | AssertionError), name


def test_an_error_on_the_wire_leaves_the_value_behind() -> None:
    error = sd.DomainError("k", "must be >= 2", "give two", got="SECRET")
    assert "SECRET" in str(error)
    assert "SECRET" not in str(error.to_json())
