"""What a ledger holds: accounts with budgets, tokens, and a chain of events.

example: sudare ledger open ledger.db ann --epsilon 1
sudare ledger token ledger.db ann --scope query:scores --days 90
# sealed:
sudare ledger key safe/ledger.key
sudare ledger seal ledger.db --key safe/ledger.key
"""

from __future__ import annotations

import argparse
import json
import math
import re
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.cli import console, options
from sudare.cli.options import Add
from sudare.errors import DomainError, StorageError, counted
from sudare.exact import exact_text, rational_from_text

if TYPE_CHECKING:
    from sudare.ledger import Account, Ledger, Token

PLAN = '"40 epsilon=0.1, 30 choice=0.1"'

_DAYS = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command and each of its actions take."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, run: Any, text: str, *, ledger: bool = True) -> tuple[Add, Any]:
        one = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(run=run)
        add = options.adder(one)
        if ledger:
            add("ledger", help="a SQLite file or postgresql:// URL")
            told = "file with the key of a sealed ledger (default: SUDARE_LEDGER_KEY)"
            add("--key", help=told)
            add(
                "--anchor",
                help="file that notes the ledger's last state, kept away from it (default: "
                "SUDARE_LEDGER_ANCHOR, or the key's file with .anchor)",
            )
        add("--json")
        return add, one

    action("show", show, "show all accounts and tokens")
    for name, text in (
        ("open", "open an account with a budget"),
        ("budget", "give an open account another budget"),
    ):
        add, one = action(name, set_budget, text)
        add("account", help="its name: a data set's or an analyst's")
        pay = options.adder(one.add_mutually_exclusive_group())
        pay("--epsilon", help="budget in pure ε, or with --delta the ε of (ε, δ)")
        pay("--rho", help="budget in zero-concentrated privacy")
        add("--delta", help="the δ of (ε, δ), such as 1e-6")
        if name == "open":
            told = "with --delta: prices that are fixed now; ε is what they need if none is given"
            add("--plan", help=f"{told}: {PLAN}")
            add("--keys", help="the δ that keys nobody listed may cost; of --delta a part")
    add, _ = action("price", price, "say what a plan of prices keeps", ledger=False)
    add("plan", help=f"such as {PLAN}")
    add("--delta", required=True, help="the δ of (ε, δ), such as 1e-6")
    add, _ = action("token", token, "give an analyst a token: it is shown once")
    add("account", help="open account of the analyst, which pays")
    add(
        "--scope",
        action="append",
        required=True,
        help="query:NAME or describe:NAME of a data set, * for all (repeat for several)",
    )
    add("--days", help="how long it is valid (default: for ever)")
    add, _ = action("revoke", revoke, "end a token at once")
    add("token", help="its name, as show lists it")
    add, _ = action("export", export, "write all events as JSON lines, for auditors")
    add("file", help="to write, which must not exist yet; - for standard output")
    add, _ = action("key", key, "make a key for a sealed ledger", ledger=False)
    add("file", help="to write, for its owner alone; it must not exist yet")
    action("seal", seal, "check a ledger and seal it as it stands: then an edited one is refused")
    text = "check an export: an unbroken chain, no budget exceeded"
    add, _ = action("check", check, text, ledger=False)
    add("file", help="that export wrote; - for standard input")


def existing(where: str, *, new: bool = False, **options: Any) -> Ledger:
    """Open a ledger; only to open an account may it be new: a mistyped path has a whole budget.

    Options are those of :class:`~sudare.ledger.Ledger`.
    """
    from sudare.ledger import Ledger

    if not new and "://" not in where and not Path(where).is_file():
        raise DomainError("ledger", "does not exist", "sudare ledger open makes one", got=where)
    return Ledger(where, **options)


def open_ledger(arguments: argparse.Namespace, **options: Any) -> Ledger:
    """Open the ledger that the arguments name, with its key."""
    return existing(arguments.ledger, key=arguments.key, anchor=arguments.anchor, **options)


def show(arguments: argparse.Namespace) -> None:
    """Show accounts and tokens."""
    from sudare.ledger import Tokens

    with open_ledger(arguments) as ledger:
        accounts, tokens = ledger.accounts(), Tokens(ledger).all()
    if arguments.json:
        console.print_json(
            {"accounts": [account_json(one) for one in accounts],
             "tokens": [token_json(one) for one in tokens]}
        )  # fmt: skip
        return
    rows = [
        [one.name, one.unit, *map(exact_text, (one.budget, one.spent, one.remaining))]
        for one in accounts
    ]
    console.print_table("accounts", ["account", "unit", "budget", "spent", "remaining"], rows)
    if tokens:
        console.print_table(
            "tokens",
            ["token", "account", "scopes", "until"],
            [[one.id, one.holder, " ".join(one.scopes), validity_text(one)] for one in tokens],
        )


def set_budget(arguments: argparse.Namespace) -> None:
    """Open an account, or give an open one another budget."""
    new = arguments.action == "open"
    with open_ledger(arguments, new=new) as ledger:
        change = ledger.open if new else ledger.set_budget
        given = budget(arguments) if arguments.epsilon or arguments.rho else {}
        if arguments.delta is not None:
            given["delta"] = rational_from_text(arguments.delta, "--delta")
        if new and arguments.plan is not None:
            given["plan"] = arguments.plan
        if new and arguments.keys is not None:
            given["keys"] = rational_from_text(arguments.keys, "--keys")
        account = change(arguments.account, **given)
        parts = ledger.parts(arguments.account)
    texts = [left_text(one) for one in (account, *parts)]
    plan = {"parts": [account_json(one) for one in parts]} if parts else {}
    tell(arguments, {**account_json(account), **plan}, *texts)


def price(arguments: argparse.Namespace) -> None:
    """Say what a plan keeps."""
    from sudare.ledger import Plan

    plan, delta = Plan.parse(arguments.plan), rational_from_text(arguments.delta, "--delta")
    together, free = plan.epsilon(delta), plan.epsilon_one_by_one(delta)
    told = {
        "plan": str(plan),
        "delta": exact_text(delta),
        "epsilon": together,
        "one_by_one": free,
        "rho": exact_text(plan.rho),
    }
    lines = [
        f"{plan}, δ = {exact_text(delta)}",
        f"as a plan: ε = {rounded_up(together):.4f}",
        f"prices chosen as you go: ε = {rounded_up(free):.4f} (ρ = {float(plan.rho):g})",
    ]
    tell(arguments, told, *lines)


def rounded_up(epsilon: float) -> float:
    """Return an ε with four decimals, never below it."""
    return math.ceil(epsilon * 10**4) / 10**4


def token(arguments: argparse.Namespace) -> None:
    """Give out a token."""
    from sudare.ledger import Tokens

    end = None
    if arguments.days is not None:
        if not _DAYS.fullmatch(arguments.days):
            raise DomainError("--days", "must be 1 to 9999", "such as 90", got=arguments.days)
        end = datetime.now(UTC) + timedelta(days=int(arguments.days))
    with open_ledger(arguments) as ledger:
        tokens = Tokens(ledger)
        secret = tokens.issue(arguments.account, arguments.scope, end)
        (made,) = filter(None, [tokens.find(secret)])
        with console.handing_over(partial(tokens.revoke, made.id)):
            tell(arguments, {"token": secret, "account": arguments.account}, secret)
    if not arguments.json:
        console.warn("ledger", "this is the only time that the token is shown; keep it secret")


def revoke(arguments: argparse.Namespace) -> None:
    """End a token."""
    from sudare.ledger import Tokens

    with open_ledger(arguments) as ledger:
        Tokens(ledger).revoke(arguments.token)
    tell(arguments, {"revoked": arguments.token}, f"{arguments.token} is revoked")


def key(arguments: argparse.Namespace) -> None:
    """Make a key."""
    from sudare.ledger.seal import write_key

    write_key(arguments.file)
    tell(arguments, {"file": arguments.file}, f"wrote {arguments.file}")


def seal(arguments: argparse.Namespace) -> None:
    """Seal a ledger."""
    with open_ledger(arguments, seal=True) as ledger:
        number = len(ledger.events())
    sealed = {"sealed": arguments.ledger, "events": number}
    tell(arguments, sealed, f"whole, and sealed: {counted(number, 'event')}")


def export(arguments: argparse.Namespace) -> None:
    """Write the events."""
    if arguments.file == "-":
        with open_ledger(arguments) as ledger:
            for event in ledger.events():
                print(json.dumps(event, ensure_ascii=False, sort_keys=True))
        return
    if Path(arguments.file).exists():
        raise DomainError("file", "must not exist yet", "name another", got=arguments.file)
    with open_ledger(arguments) as ledger:
        number = ledger.export(arguments.file)
    written = {"events": number, "file": arguments.file}
    tell(arguments, written, f"wrote {counted(number, 'event')}", f"wrote {arguments.file}")


def check(arguments: argparse.Namespace) -> None:
    """Check an export."""
    from sudare.files.places import existing as readable
    from sudare.ledger import check_events, check_promises
    from sudare.ledger.chain import START

    path = readable(arguments.file)
    try:
        events = [json.loads(line) for line in path.read_text("utf-8-sig").splitlines()]
    except (OSError, ValueError, RecursionError):
        raise StorageError(
            "file", "must hold JSON lines", "write them first: sudare ledger export"
        ) from None
    spent, kept = check_events(events), check_promises(events)
    last = events[-1]["link"] if events else START
    if arguments.json:
        told = {name: exact_text(amount) for name, amount in spent.items()}
        whole = {"events": len(events), "whole": True, "last": last, "spent": told}
        console.print_json(whole | ({"keeps": kept} if kept else {}))
        return
    rows = [[name, exact_text(amount)] for name, amount in spent.items()]
    console.print_table(
        f"{counted(len(events), 'event')}, unbroken, no budget exceeded", ["account", "spent"], rows
    )
    for name, promise in kept.items():
        console.out().print(f"{name} keeps (ε, δ) = {promise.partition(' for ')[2]}")
    console.out().print(f"last link {last}: an export that was cut short has another one")


def budget(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the budget that is given."""
    unit = "rho" if arguments.epsilon is None else "epsilon"
    return {unit: rational_from_text(getattr(arguments, unit), f"--{unit}")}


def tell(arguments: argparse.Namespace, data: dict[str, Any], *lines: str) -> None:
    """Print what was done: lines, or JSON data."""
    if arguments.json:
        console.print_json(data)
    for line in () if arguments.json else lines:
        print(line)  # a token too, which is shown once, needs no further library


def left_text(account: Account) -> str:
    """Return what is left of an account in words."""
    left, budget = exact_text(account.remaining), exact_text(account.budget)
    over = account.spent > account.budget
    more = f": {exact_text(account.spent)} is spent, more than this budget" if over else ""
    return f"{account.name}: {left} of {budget} {account.unit} left{more}"


def account_json(account: Account) -> dict[str, Any]:
    """Return an account as JSON data; whom its answers protect where it has paid for some."""
    bound = {} if account.neighbours is None else {"neighbours": account.neighbours}
    amounts = ("budget", "spent", "remaining")
    exact = {name: exact_text(getattr(account, name)) for name in amounts}
    return bound | {"account": account.name, "unit": account.unit} | exact


def token_json(one: Token) -> dict[str, Any]:
    """Return what is known of a token as JSON data."""
    return {
        "token": one.id,
        "account": one.holder,
        "scopes": list(one.scopes),
        "expires": None if one.expires is None else one.expires.isoformat(),
        "revoked": one.revoked,
    }


def validity_text(one: Token) -> str:
    """Return how long a token is valid."""
    if one.revoked:
        return "revoked"
    return "for ever" if one.expires is None else f"{one.expires:%Y-%m-%d %H:%M} UTC"
