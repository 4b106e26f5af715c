"""The studies that there are. Each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from sudare.errors import as_one_of
from sudare.studies.parts import Study

_HOMES = {
    "grr-oue": "sudare.studies.grr_oue",
    "joint": "sudare.studies.joint",
    "key-value": "sudare.studies.key_value",
    "laplace": "sudare.studies.laplace",
    "location": "sudare.studies.location",
}
"""Name to the module that holds it as ``STUDY``."""


def names() -> list[str]:
    """Return the names of all studies.

    Examples:
        >>> names()
        ['grr-oue', 'joint', 'key-value', 'laplace', 'location']
    """
    return sorted(_HOMES)


def study(name: str) -> Study:
    """Return a study by its name; DomainError where there is none."""
    found: Study = import_module(_HOMES[as_one_of(name, "study", names())]).STUDY
    return found
