"""``Selection``: the questions that an SQL SELECT asks of held data; ``Selected``: their answers.

Functions are kinds of queries by their names; what is no question is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from sudare.errors import DomainError, MissingExtraError, WrongTypeError
from sudare.exact import rational_from_text
from sudare.release.ask import Ask
from sudare.release.queries import KINDS, Query, Where
from sudare.release.queries.ranks import ExtremeQuery
from sudare.release.released import Released

try:
    import sqlglot
    from sqlglot import TokenType, exp
    from sqlglot.errors import SqlglotError
except ImportError:
    raise MissingExtraError("sqlglot", "sql", "to ask in SQL") from None

if TYPE_CHECKING:
    from sudare.release.dataset import Dataset
    from sudare.release.private_data import PrivateData

_LONGEST = 1_000_000
_SYNONYMS = {"avg": "mean", "variance_pop": "variance", "percentile_cont": "quantile"}
_SIGNS: dict[type[Any], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="
}  # fmt: skip
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_PUBLIC = (exp.Literal, exp.Neg, exp.Cast, exp.Boolean)
_FREE = "do it with the answers: that costs nothing"
_FIRST = "first make the table that you ask about"
_CLAUSES = {
    "distinct": ("DISTINCT", "that a value occurs is an answer too", "GROUP BY given keys"),
    "having": ("HAVING", "it would choose groups by their exact numbers", _FREE),
    "order": ("ORDER BY", "groups stand in the order of their keys, rows are not shown", _FREE),
    "limit": ("LIMIT", "which rows come first is private, groups are given", "name keys by IN"),
    "with": ("WITH", "a question is about the rows of one table", _FIRST),
}


@dataclass(frozen=True, eq=False)
class Selection:
    """What a SELECT asks.

    Attributes:
        columns: of the table that comes out, in order.
        keys: those of them that are keys, with their places among several of GROUP BY.
        asks: the others, each with its question.
        db: the data set that they are put to: where tables are joined, their rows side by side.
    """

    columns: tuple[str, ...]
    keys: Mapping[str, int | None]
    asks: Mapping[str, Ask]
    db: Dataset

    @classmethod
    def of(cls, text: object, db: Dataset) -> Selection:
        """Read a SELECT; nothing is asked, and the data are not looked at.

        Raises:
            WrongTypeError, DomainError: it is none, or has what no question is; literals are not
                repeated.
        """
        tree = parsed(text)
        try:
            return _Reader(db).selection(tree)
        except RecursionError:
            raise _too_deep() from None

    def answered(self, answers: Sequence[Released[Any]]) -> Selected:
        """Return the table of the answers, which are in the order of :attr:`asks`."""
        return Selected(self, dict(zip(self.asks, answers, strict=True)))


@dataclass(frozen=True, eq=False)
class Selected:
    """The answers to a SELECT.

    Attributes:
        selection: what was asked.
        answers: of each column that is no key.
    """

    selection: Selection
    answers: Mapping[str, Released[Any]]

    def records(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """Return a record for each group, or one: each number with its bound beside it.

        The bound of ``mean`` is ``mean_bound``, or of ranks ``median_bound_in_ranks``.

        Raises:
            WrongTypeError, DomainError: no confidence between 0 and 1.
        """
        numbers = {name: _by_group(one, confidence) for name, one in self.answers.items()}
        out = []
        for group in next(iter(numbers.values())):
            record: dict[str, Any] = {}
            for name in self.selection.columns:
                if name in numbers:
                    told = self.answers[name].bound_in
                    unit = "" if told == "value" else f"_in_{told}"
                    record[name], record[f"{name}_bound{unit}"] = numbers[name][group]
                else:
                    place = self.selection.keys[name]
                    record[name] = group if place is None else group[place]
            out.append(record)
        return out


def _by_group(answer: Released[Any], confidence: float) -> dict[Any, tuple[float, float]]:
    if not isinstance(answer.value, Mapping):
        return {None: (answer.value, answer.bound(confidence))}
    bounds = answer.bounds(confidence)
    return {group: (value, bounds[group]) for group, value in answer.value.items()}


def functions(*, grouped: bool = False) -> dict[str, type[Query]]:
    """Return the kinds that SQL asks as functions of a column, by their names.

    Examples:
        >>> sorted(functions(grouped=True))
        ['count', 'mean', 'median', 'quantile', 'sum']
    """
    return {
        kind.kind: kind
        for kind in KINDS.values()
        if kind.is_grouped() == grouped and not issubclass(kind, ExtremeQuery)
        if kind.kind == "count" or (_of_a_column(kind) and not kind.tabled)
    }


def _of_a_column(kind: type[Query]) -> bool:
    fields = {name: one.holds for name, one in kind.fields().items() if name not in ("by", "keys")}
    return fields.pop("column", None) == "column" and set(fields.values()) <= {"number"}


def parsed(text: object) -> Any:
    """Return the tree of a SELECT, of clauses that questions have: no data set is needed.

    Raises:
        WrongTypeError, DomainError: it is none, or has another clause; literals are not repeated.
    """
    if not isinstance(text, str):
        raise WrongTypeError("sql", "must be text", "such as SELECT AVG(score) FROM data")
    if len(text) > _LONGEST:
        raise DomainError("sql", f"must have at most {_LONGEST:,} characters", "give less")
    try:
        tree = _tree(text)
        for name in (name.strip("_") for name, one in tree.args.items() if one):
            if name not in ("expressions", "from", "joins", "where", "group"):
                same = "limit" if name in ("offset", "fetch") else name
                part = (name.upper(), "no question has it", "leave it out")
                _refuse(*_CLAUSES.get(same, part))
        if any(one is not tree for one in tree.find_all(exp.Query)):
            _refuse("a subquery", "a question is about the rows of one table", _FIRST)
        if (window := tree.find(exp.Window)) is not None:
            _refuse(_said(window), "a window has a number for each row of a person", "GROUP BY")
    except RecursionError:
        raise _too_deep() from None
    return tree


def _too_deep() -> DomainError:
    return DomainError("sql", "must not be nested so deeply", "join by AND")


def _tree(text: str) -> Any:
    """Return the tree of one SELECT."""
    try:
        kinds = [one.token_type for one in sqlglot.tokenize(text)]
        while kinds and kinds[-1] == TokenType.SEMICOLON:
            kinds.pop()
        if TokenType.SEMICOLON in kinds:
            _refuse("several statements", "each is paid on its own", "ask one after the other")
        if not kinds or kinds[0] not in (TokenType.SELECT, TokenType.WITH):
            raise DomainError("sql", "must be a SELECT", "such as SELECT AVG(score) FROM data")
        tree: Any = sqlglot.parse(text)[0]
    except SqlglotError as error:
        first = (getattr(error, "errors", None) or [{}])[0]
        place = f": see line {first['line']}, column {first['col']}" if first.get("line") else ""
        raise DomainError(
            "sql",
            f"must be a SELECT{place}",
            "close quotes and brackets, name the columns of functions",
        ) from None
    if not isinstance(tree, exp.Select):
        _refuse("UNION or the like", "each SELECT is paid on its own", "ask them one by one")
    return tree


def _refuse(part: str, why: str, remedy: str) -> NoReturn:
    raise DomainError("sql", f"must not have {part}: {why}", remedy)


def _said(node: Any) -> str:
    """Return a part of the SQL without its literals."""
    shown = node.copy().transform(lambda one: exp.Placeholder() if _is_literal(one) else one)
    text = str(shown.sql(comments=False))
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_literal(node: Any) -> bool:
    return isinstance(node, exp.Literal) or (isinstance(node.this, str) and type(node).__name__ in (
        "National", "HexString", "BitString", "ByteString", "RawString", "UnicodeString", "Heredoc"
    ))  # fmt: skip


def _only(node: Any, *known: str) -> None:
    """Refuse what a part has beside what is known."""
    for name, value in node.args.items():
        if value and name.strip("_") not in known:
            what = name.strip("_").replace("_", " ").upper()
            _refuse(f"{what} in {_said(node)}", "no question has it", "leave it out")


def _literal(node: Any) -> Any:
    """Return the value of a literal: text, a whole number, a decimal or a truth value."""
    node, sign = node.unnest(), ""
    if isinstance(node, exp.Neg):
        node, sign = node.this, "-"
    if isinstance(node, exp.Literal) and not node.is_string:
        number = rational_from_text(sign + node.this, "sql")
        return int(number) if number.denominator == 1 else Decimal(sign + node.this)
    if isinstance(node, exp.Cast) and node.to.is_type("date", "time", "timestamp", "datetime"):
        node = node.this
    if not sign and isinstance(node, exp.Literal):
        return str(node.this)
    if not sign and isinstance(node, exp.Boolean):
        return bool(node.this)
    return _refuse(
        _said(node), "columns are compared with public values alone", "give a number or 'text'"
    )


class _Reader:
    """Reads the tree of a SELECT for a data set."""

    def __init__(self, db: Dataset) -> None:
        self._db, self._categories = db, db.categories
        name = db.held.name.casefold()
        self._own = {name, name.partition(".")[0], "data"}
        self._tables: dict[str, str] = {}  # by what the SELECT calls them
        self._columns: dict[str, list[str]] = {}  # of each table

    @property
    def _held(self) -> PrivateData:
        return self._db.held

    def selection(self, tree: Any) -> Selection:
        """Return what it asks."""
        clauses = {name.strip("_"): one for name, one in tree.args.items() if one}
        self._read_from(clauses.get("from"))
        for one in clauses.get("joins", ()):
            self._read_join(one)
        conditions = list(self._conditions(clauses["where"].this)) if "where" in clauses else []
        by: list[str] = []
        if "group" in clauses:
            _only(clauses["group"], "expressions")
            by = [self._column(one) for one in clauses["group"].expressions]
        keys = [self._keys(one, conditions) for one in by]
        groups: dict[str, Any] = {}
        if by:
            groups = {"by": tuple(by), "keys": tuple(keys)} if len(by) > 1 else {
                "by": by[0], "keys": keys[0]
            }  # fmt: skip
        columns: list[str] = []
        places: dict[str, int | None] = {}
        asks: dict[str, Ask] = {}
        for one in tree.expressions:
            asked = one.this if isinstance(one, exp.Alias) else one
            name = one.alias or (asked.name if isinstance(asked, exp.Column) else asked.sql())
            if name in columns:
                _refuse(f"two columns {name}", "each needs a name of its own", "say AS name")
            if isinstance(asked, exp.Column) and not isinstance(asked.this, exp.Star):
                column = self._column(asked)
                if column not in by:
                    _refuse(
                        f"the column {column}", "its values are of persons",
                        f"ask for a number such as AVG({column}), or GROUP BY it with given keys",
                    )  # fmt: skip
                places[name] = by.index(column) if len(by) > 1 else None
            else:
                asks[name] = self._ask(asked, conditions, groups)
            columns.append(name)
        for name in asks:
            if any(one.startswith(f"{name}_bound") for one in columns):
                _refuse(f"{name}_bound beside {name}", "its bound is called so", "say AS name")
        if not asks:
            _refuse("keys alone", "they are given", "ask for a number such as COUNT(*)")
        return Selection(tuple(columns), places, asks, self._db)

    def _read_from(self, clause: Any) -> None:
        table = self._table(None if clause is None else clause.this)
        if table != self._db.tables[0]:
            self._db = self._db.table(table)
        self._columns[table] = list(self._held.columns)

    def _read_join(self, node: Any) -> None:
        """Put the rows of another table beside those read so far."""
        said, side, kind = f"JOIN {_said(node.this)}", node.side.upper(), node.kind.upper()
        on, using = node.args.get("on"), node.args.get("using") or []
        if len(self._db.tables) == 1:
            _refuse(
                said, "a person could then have any number of rows",
                "give the data set its tables, and unit=: Dataset(tables=...)",
            )  # fmt: skip
        if kind == "CROSS" or node.method or not (on or using):
            self._refuse_join(said)
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
            _refuse(said, "no question has its rows", "write JOIN or LEFT JOIN")
        before = set(self._tables.values())
        table = self._table(node.this)
        if table in before:
            _refuse(said, "no row is beside another of its table", "name each table once")
        named = [one.name if isinstance(one, exp.Identifier) else one.this.name for one in using]
        if not (
            all(self._is_key(one, of) for one in named for of in (*before, table))
            and len(named) <= 1
            and (on is None or self._joins_keys(on.unnest(), table))
        ):
            self._refuse_join(said)
        self._columns[table] = self._db.columns_of(table)
        self._db = self._db.join(table, keep_all=side == "LEFT")

    def _joins_keys(self, on: Any, table: str) -> bool:
        """Tell whether a condition is that a table's persons are those of the ones before."""
        if type(on) is not exp.EQ:
            return False
        sides = [one.unnest() for one in (on.this, on.expression)]
        if not all(isinstance(one, exp.Column) for one in sides):
            return False
        found = []
        for one in sides:
            called = one.table.casefold()
            if called and called not in self._tables:
                raise DomainError("sql", "must be about tables of FROM and JOIN", got=one.table)
            some = {self._tables[called]} if called else set(self._tables.values())
            found.append({of for of in some if self._is_key(one.name, of)})
        first, second = found
        return any(
            table in one and other - {table} for one, other in ((first, second), (second, first))
        )

    def _is_key(self, name: str, table: str) -> bool:
        key = self._db.key_of(table)
        return key is not None and name.casefold() == key.casefold()

    def _refuse_join(self, said: str) -> NoReturn:
        _refuse(
            said, "rows that are not the person's own would stand beside hers",
            "join by the column of persons alone, by USING or ON, and say the rest in WHERE",
        )  # fmt: skip

    def _table(self, table: Any) -> str:
        """Return which table a FROM or JOIN is about."""
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            raise DomainError("sql", "must have FROM and the data set's name", "such as FROM data")
        _only(table, "this", "db", "catalog", "alias")
        name = ".".join(one.name for one in table.parts)
        others = {one.casefold(): one for one in self._db.tables[1:]}
        if name.casefold() not in {*self._own, *others}:
            remedy = f'write FROM data, or FROM "{self._held.name}"'
            if others:
                remedy += f"; or one of its tables: {', '.join(sorted(others.values()))}"
            raise DomainError("sql", "must be FROM this data set", remedy, got=name)
        is_own = name.casefold() in self._own
        found = self._db.tables[0] if is_own else others[name.casefold()]
        called = self._own if is_own else {name.casefold()}
        if alias := table.args.get("alias"):
            _only(alias, "this")
            called = {alias.name.casefold()}
        if not called.isdisjoint(self._tables):
            _refuse(f"two tables {min(called)}", "each needs a name of its own", "say AS name")
        self._tables.update(dict.fromkeys(called, found))
        return found

    def _column(self, node: Any) -> str:
        """Return a column's name; without double quotes in any case of letters."""
        node = node.unnest()
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            remedy = "write the name of a column, in double quotes if SQL has a word like it"
            _refuse(_said(node), "a question is about columns as they are", remedy)
        _only(node, "this", "table")
        name, columns = node.name, list(self._held.columns)
        if called := node.table.casefold():
            if called not in self._tables:
                rule = "must be about tables of FROM and JOIN"
                raise DomainError("sql", rule, "leave it out", got=node.table)
            columns = [one for one in columns if one in self._columns[self._tables[called]]]
        if name in columns:
            return str(name)
        same = [] if node.this.quoted else [
            one for one in columns if one.casefold() == name.casefold()
        ]  # fmt: skip
        if len(same) != 1:
            rule = f"must name columns by {sorted(columns)}"
            raise DomainError("sql", rule, "text stands in single quotes", got=name)
        return same[0]

    def _keys(self, column: str, conditions: list[tuple[str, str, Any]]) -> tuple[Any, ...]:
        """Return the keys of a column, given by its condition, which is taken, or public."""
        for one in conditions:
            if one[0] == column and one[1] in ("in", "="):
                conditions.remove(one)
                return tuple(one[2]) if one[1] == "in" else (one[2],)
        if column not in self._categories:
            _refuse(
                f"GROUP BY {column} without keys", "that a key occurs is an answer too",
                f"add WHERE {column} IN (...), or name its public categories",
            )  # fmt: skip
        return tuple(self._categories[column])

    def _conditions(self, node: Any, is_not: bool = False) -> Iterator[tuple[str, str, Any]]:
        """Yield what must be true of a row, all of it; what is missing matches nothing."""
        node = node.unnest()
        if isinstance(node, exp.And) and not is_not:
            for one in node.flatten():
                yield from self._conditions(one)
        elif isinstance(node, exp.Not):
            yield from self._conditions(node.this, not is_not)
        elif type(node) in _SIGNS:
            left, right, sign = node.this, node.expression, _SIGNS[type(node)]
            if isinstance(right.unnest(), exp.Column) and isinstance(left, _PUBLIC):
                left, right, sign = right, left, _TURNED[sign]
            yield self._column(left), _NOT[sign] if is_not else sign, _literal(right)
        elif isinstance(node, exp.In):
            _only(node, "this", "expressions")
            column, values = self._column(node.this), list(map(_literal, node.expressions))
            yield from ((column, "!=", one) for one in values) if is_not else [
                (column, "in", values)
            ]  # fmt: skip
        elif isinstance(node, exp.Between) and not is_not:
            _only(node, "this", "low", "high")
            yield self._column(node.this), "between", [_literal(node.args[i]) for i in _ENDS]
        elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean) and not is_not:
            yield self._column(node.this), "=", _literal(node.expression)
        elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            _refuse(_said(node), "no condition is about missing values",
                    "ask for COUNT(column) or MISSING(column)")  # fmt: skip
        elif isinstance(node, exp.Column):
            yield self._column(node), "=", not is_not
        else:
            _refuse(
                f"the condition {_said(node)}", "conditions compare a column with public values",
                "join =, <>, <, <=, >, >=, IN and BETWEEN by AND; one of several values is IN",
            )  # fmt: skip

    def _ask(self, node: Any, conditions: list[Any], groups: dict[str, Any]) -> Ask:
        """Return the question of a function."""
        if isinstance(node, exp.Filter):
            conditions = [*conditions, *self._conditions(node.expression.this)]
            node = node.this
        name, arguments = self._function(node, functions(grouped=bool(groups)), bool(groups))
        where = Where.of(*conditions) if conditions else None
        if name != "count":
            column, *values = arguments
            return Ask(name, self._column(column), tuple(values), **groups, where=where)
        if where is None and not groups and self._held.size_is_public:
            _refuse("COUNT(*) of all rows", "their number is public, at no cost", "read it as n")
        if len(conditions) == 1 and not groups:  # as it is asked without a filter
            ((column, sign, value),) = conditions
            if sign == "=" and self._held.kind_of(column) in ("text", "truth", "number"):
                return Ask(name, column, (value,))
        return Ask(name, None, **groups, where=where)

    def _function(self, node: Any, known: Mapping[str, Any], grouped: bool) -> tuple[str, Any]:
        """Return the kind of a function, and its arguments: a column, then numbers."""
        arguments = [
            one
            for some in node.args.values()
            for one in (some if isinstance(some, list) else [some])
            if isinstance(one, exp.Expression)
        ]
        part, of = _said(node), node
        if isinstance(node, exp.WithinGroup):
            of, order = node.this, node.expression
            if len(order.expressions) != 1 or order.expressions[0].args.get("desc"):
                _refuse(part, "it is of one column from below", "write 1 - share without DESC")
            arguments = [order.expressions[0].this, of.this]
        if not isinstance(of, exp.Func):
            _refuse(part, "no question is about it", f"ask for {_listed(known)}")
        names = [of.name] if isinstance(of, exp.Anonymous) else type(of).sql_names()
        names = [_SYNONYMS.get(one.lower(), one.lower()) for one in names]
        if any(isinstance(one, exp.Distinct) for one in arguments):
            column = arguments[0].expressions
            if names[0] != "count" or len(column) != 1 or "distinct" not in known:
                remedy = "COUNT(DISTINCT column) without GROUP BY"
                _refuse(part, "no question is about these distinct values", remedy)
            return "distinct", column
        if names[0] in ("max", "min"):
            share = "0.99" if names[0] == "max" else "0.01"
            remedy = f"ask for a number such as QUANTILE(column, {share})"
            _refuse(part, "the exact one is a single person's", remedy)
        name = next((one for one in names if one in known), None)
        if name is None:
            rest = " with GROUP BY" if grouped and set(names) & set(functions()) else ""
            _refuse(f"{part}{rest}", "no question is of that kind", f"ask for {_listed(known)}")
        if name == "count":
            return self._counted(part, arguments, known)
        if len(arguments) != 1 + (known[name].compares_with() is not None):
            _refuse(part, f"it is {known[name].spelling()}", "give what it is about")
        return name, [arguments[0], *map(_literal, arguments[1:])]

    def _counted(self, part: str, arguments: Any, known: Mapping[str, Any]) -> tuple[str, Any]:
        """Return ``count`` of rows, or ``present`` of those with a value."""
        if len(arguments) != 1:
            _refuse(part, "it counts one column", "write COUNT(*) or COUNT(column)")
        if isinstance(arguments[0], exp.Star | exp.Literal):
            return "count", []
        column = self._column(arguments[0])
        if column in self._held.bounded and self._held.missing == "refuse":
            return "count", []  # no value is missing
        if "present" not in known:
            _refuse(f"{part} with GROUP BY", "no question is of that kind", "write COUNT(*)")
        return "present", arguments


_ENDS = ("low", "high")


def _listed(known: Mapping[str, Any]) -> str:
    names = {"mean": "avg", "distinct": "count(distinct)"}
    return ", ".join(sorted(names.get(one, one).upper() for one in known))
