"""What a server is told: by arguments, by variables, in a file. One table says what there is.

An argument comes before a variable, a variable before the file, the file before the default. What
nobody knows is refused: a mistyped setting would leave its default in place without a word.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sudare.definitions import load, tables
from sudare.errors import DomainError, SudareError
from sudare.operators.people import Grant
from sudare.operators.sessions import HOURS, MOST_HOURS

PREFIX = "SUDARE_"
FILE = "SUDARE_SETTINGS"
"""Names the file, where no argument does."""
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

ELSEWHERE = frozenset(
    PREFIX + name
    for name in (
        *("ATTACKS", "CACHE", "DATA", "KILLS", "LEDGER_ANCHOR", "LEDGER_KEY", "THREADS"),
        *("CHROMIUM", "PICTURES", "SCREENSHOTS", "WHEEL"),
        *("REQUIRE_ORACLE", "REQUIRE_POSTGRES", "REQUIRE_R", "REQUIRE_SPARK"),
    )
)
"""Variables that other commands read, and tests."""


@dataclass(frozen=True)
class Kind:
    """What values a setting has.

    Attributes:
        rule: what a value must be.
        remedy: an example.
        check: returns the value as it is used, or None where it is none.
        read: makes such a value of the text of a variable or an argument.
        several: whether it is a list, in text by commas.
        each: makes an item of a list from its text.
        secret: whether it is shown nowhere, and no option takes it: other users of a machine see
            what commands are told.
    """

    rule: str
    remedy: str
    check: Callable[[object], Any]
    read: Callable[[str], object] = str
    several: bool = False
    each: Callable[[str], object] = str
    secret: bool = False


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _whole(least: int, most: int) -> Kind:
    def check(value: object) -> int | None:
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return value if least <= value <= most else None

    def read(text: str) -> object:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else text

    return Kind(f"must be a whole number from {least} to {most}", f"such as {least}", check, read)


def _switch(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _address(value: object) -> str | None:
    """Return an address that may be told something: https, or http on this machine."""
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        host = parts.hostname if parts else None
        _ = parts.port if parts else None
    except ValueError:
        return None
    if not parts or not host or parts.username or parts.password or not str(value).isascii():
        return None
    local = parts.scheme == "http" and host in ("127.0.0.1", "::1", "localhost")
    return str(value) if parts.scheme == "https" or local else None


def _header(value: object) -> str | None:
    """Return a name that a header can have (RFC 9110, 5.1)."""
    return value if isinstance(value, str) and _HEADER.fullmatch(value) else None


def _grant(value: object) -> str | None:
    try:
        return str(value) if isinstance(value, str) and Grant.read(value) else None
    except SudareError:
        return None


def _origin(value: object) -> str | None:
    """Return an origin, as browsers write it, or nothing."""
    found = value if value == "" else _address(value)
    parts = urlsplit(found or "")
    return None if parts.path or parts.query or parts.fragment else found


def _several(one: Kind) -> Kind:
    def check(value: object) -> tuple[Any, ...] | None:
        if not isinstance(value, list | tuple):
            return None
        found = tuple(one.check(each) for each in value)
        return None if None in found else found

    def read(text: str) -> object:
        return [one.read(part.strip()) for part in text.split(",") if part.strip()]

    return Kind(f"{one.rule}, or several", one.remedy, check, read, several=True, each=one.read)


TEXT = Kind("must be text", "such as sudare.sqlite3", _text)
SECRET = Kind("must be text", "in quotation marks", _text, secret=True)
PATHS = _several(Kind("must be the path of a file", "such as survey.toml", _text))
SWITCH = Kind(
    "must be true or false",
    "such as true",
    _switch,
    lambda text: {"true": True, "false": False}.get(text.lower(), text),
)
ADDRESS = Kind("must be an https address", "such as https://example.org/told", _address)
ADDRESSES = _several(ADDRESS)
ISSUER = replace(ADDRESS, remedy="such as https://id.example.org")
HEADER = Kind(
    "must be the name of a header, without a colon or blanks", "such as X-Client-Address", _header
)
GRANTS = _several(
    Kind("must be a value with its scopes", "such as 'staff: run export for tea'", _grant)
)

ORIGIN = Kind("must be an https origin, without a path", "such as https://survey.example", _origin)


def setting(kind: Kind, default: object, help: str, *, path: bool = False) -> Any:
    """Return the field of a setting.

    Args:
        kind: what values it has.
        default: where nothing is said.
        help: what it is, for the help and the documentation.
        path: whether a relative one, in a file, starts at the file's folder.
    """
    metadata = {"kind": kind, "help": help, "path": path}
    return field(default=default, repr=not kind.secret, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything a server is told.

    Raises:
        DomainError: a value is none of its kind.

    Examples:
        >>> Settings(port=8080).port
        8080
        >>> Settings.gather({"SUDARE_PORT": "8080"}, host="::1").port
        8080
        >>> Settings.gather({"SUDARE_PROT": "8080"})
        Traceback (most recent call last):
        ...
        sudare.errors.DomainError: SUDARE_PROT is no setting; did you mean SUDARE_PORT?
    """

    surveys: tuple[str, ...] = setting(PATHS, (), "definition files of collections", path=True)
    database: str = setting(
        TEXT, "sudare.sqlite3", "SQLite file, or a postgresql:// address", path=True
    )
    anchor: str = setting(
        TEXT,
        "",
        "file that notes what has been public, to know an older database by; none: beside a "
        "SQLite file",
        path=True,
    )
    host: str = setting(TEXT, "127.0.0.1", "address to listen at")
    port: int = setting(_whole(0, 65_535), 8750, "port; 0 takes a free one")
    datasets: tuple[str, ...] = setting(
        PATHS, (), "definitions of held data sets, asked under /api/v1/datasets", path=True
    )
    ledger: str = setting(
        TEXT, "", "what pays for their answers: a file or a postgresql:// address", path=True
    )
    rate: int = setting(_whole(1, 1_000_000), 60, "queries a minute and token")
    limit: int = setting(_whole(0, 1 << 40), 0, "reports an hour and address; 0: no limit")
    limit_header: str = setting(
        HEADER, "", "header in which your proxy tells the address; none: the connection's"
    )
    metrics: bool = setting(SWITCH, True, "whether /metrics is offered")
    webhooks: tuple[str, ...] = setting(ADDRESSES, (), "addresses told of publications, by POST")
    webhooks_secret: str = setting(SECRET, "", "signs webhook messages: whsec_ and base64")
    webhooks_secret_file: str = setting(TEXT, "", "a file that holds it instead", path=True)
    webhooks_at: tuple[int, ...] = setting(
        _several(_whole(1, 1 << 40)),
        (),
        "numbers of public reports that are told, each once; none: every publication",
    )

    operators: bool = setting(SWITCH, True, "whether operators can sign in")
    origin: str = setting(
        ORIGIN, "", "where browsers reach the service, such as https://survey.example"
    )
    session_hours: int = setting(
        _whole(1, MOST_HOURS), HOURS, "hours after which operators sign in again"
    )
    oidc_issuer: str = setting(
        ISSUER, "", "issuer of an OpenID provider where operators sign in too, by its own spelling"
    )
    oidc_client: str = setting(TEXT, "", "the id that the provider knows this service by")
    oidc_secret: str = setting(SECRET, "", "what this service shows to the provider")
    oidc_secret_file: str = setting(TEXT, "", "a file that holds it instead", path=True)
    oidc_rights: tuple[str, ...] = setting(
        GRANTS, (), "who may do what, as in 'staff: run export for tea'; nobody else may anything"
    )
    oidc_claim: str = setting(
        TEXT, "groups", "the claim that these are values of, or a path such as realm_access.roles"
    )
    oidc_person: str = setting(TEXT, "email", "the claim that names a person in the audit log")
    oidc_scopes: tuple[str, ...] = setting(
        _several(TEXT), ("openid", "email"), "scopes to ask the provider for"
    )
    oidc_name: str = setting(TEXT, "", "what the button to sign in calls the provider")

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if type(value) is not type(one.default) or value != one.default:
                object.__setattr__(self, one.name, _checked(one.name, one.metadata["kind"], value))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Settings:
        """Return what a TOML file says.

        Raises:
            DomainError: it cannot be read, or says something that is no setting.
        """
        return cls(**_from_file(path))

    @classmethod
    def gather(
        cls,
        environ: Mapping[str, str] | None = None,
        *,
        file: str | os.PathLike[str] | None = None,
        **given: object,
    ) -> Settings:
        """Return what arguments, variables and a file say together.

        Args:
            environ: the variables; the process's own by default.
            file: the file; by default the one that ``SUDARE_SETTINGS`` names, if it names one.
            given: the arguments; None where there is none.

        Raises:
            DomainError: as :meth:`load`, or of a variable or an argument.
        """
        environ = os.environ if environ is None else environ
        spoken = _from_variables(environ)
        file = file or environ.get(FILE) or None
        said = _from_file(file) if file is not None else {}
        _refuse_unknown(given, known(), str)
        told = {name: value for name, value in given.items() if value is not None}
        return cls(**{**said, **spoken, **told})


def secret_of(settings: Settings, name: str) -> str | None:
    """Return a secret that a setting gives, or a file that the setting beside it names.

    Raises:
        DomainError: both are given, or the file has none.
    """
    given, path = getattr(settings, name), getattr(settings, f"{name}_file")
    if given and path:
        raise DomainError(name, f"or {name}_file must be given", "one of the two")
    if not path:
        return given or None
    try:
        found = Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeError):
        raise DomainError(f"{name}_file", "cannot be read", "check path and rights") from None
    if not found:
        raise DomainError(f"{name}_file", "must hold the secret", "it is empty")
    return found


def known() -> list[str]:
    """Return the names of the settings, in their order."""
    return [one.name for one in fields(Settings)]


def kind_of(name: str) -> Kind:
    """Return what values a setting has."""
    kind: Kind
    (kind,) = (one.metadata["kind"] for one in fields(Settings) if one.name == name)
    return kind


def help_of(name: str) -> str:
    """Return what a setting is, with its default."""
    (one,) = (one for one in fields(Settings) if one.name == name)
    default = str(one.default).lower() if isinstance(one.default, bool) else one.default
    default = ", ".join(default) if isinstance(default, tuple) else default
    told = "" if default == "" else f" (default: {default})"
    return f"{one.metadata['help']}{told}"


def table() -> str:
    """Return the table of the settings, in Markdown."""
    rows = ["| in the file | variable | |", "|---|---|---|"]
    rows += [f"| `{name}` | `{variable(name)}` | {help_of(name)} |" for name in known()]
    return "\n".join(rows)


def variable(name: str) -> str:
    """Return the name of a setting's variable."""
    return PREFIX + name.upper()


def read_texts(name: str, texts: list[str], argument: str) -> Any:
    """Return the value of a setting that is a list, from a text for each of its items.

    Raises:
        DomainError: as :func:`read_text`.
    """
    kind = kind_of(name)
    return _checked(argument, kind, [kind.each(text) for text in texts])


def read_text(name: str, text: str, argument: str) -> Any:
    """Return the value of a setting that is given as text.

    Raises:
        DomainError: it is none; it calls the setting ``argument``.
    """
    kind = kind_of(name)
    return _checked(argument, kind, kind.read(text.strip()))


def _checked(argument: str, kind: Kind, value: object) -> Any:
    found = kind.check(value)
    if found is None and kind.secret:
        raise DomainError(argument, kind.rule, kind.remedy)
    if found is None:
        raise DomainError(argument, kind.rule, kind.remedy, got=value)
    return found


def _from_variables(environ: Mapping[str, str]) -> dict[str, Any]:
    own = {name: text for name, text in environ.items() if name.startswith(PREFIX)}
    names = {variable(name): name for name in known()}
    _refuse_unknown(own, [*names, FILE, *ELSEWHERE], lambda name: name)
    return {
        names[name]: read_text(names[name], text, name)
        for name, text in own.items()
        if name in names and text.strip()
    }


def _from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    def read(text: str) -> dict[str, Any]:
        said = tables(text, "toml", DomainError)
        _refuse_unknown(said, known(), str)
        return {name: _checked(name, kind_of(name), value) for name, value in said.items()}

    folder = Path(path).parent
    found: dict[str, Any] = load(path, "settings", read, DomainError)
    located = [one.name for one in fields(Settings) if one.metadata["path"]]
    for name in located:
        if name in found:
            value = found[name]
            several = isinstance(value, tuple)
            found[name] = (
                tuple(_within(folder, each) for each in value)
                if several
                else _within(folder, value)
            )
    return found


def _within(folder: Path, path: str) -> str:
    return path if "://" in path else str(folder / path)


def _refuse_unknown(given: Iterable[str], names: Iterable[str], show: Callable[[str], str]) -> None:
    every = list(names)
    for name in given:
        if name not in every:
            near = difflib.get_close_matches(name, every, 1)
            hint = f"did you mean {show(near[0])}?" if near else "see the table of settings"
            raise DomainError(name, "is no setting", hint)
