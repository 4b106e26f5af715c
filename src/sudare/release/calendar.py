"""Local calendars: the days of a time zone, cut where its own clock begins them."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from sudare.errors import DomainError, nearest

_START = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH = _START.toordinal()
_DAY = 86_400
_OF_A_MACHINE = {"localtime", "Factory"}
"""Names that mean another zone on another machine."""

_AROUND = 2
"""Days: no zone is so far from UTC."""


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones() - _OF_A_MACHINE)


def as_zone(name: object, argument: str = "zone") -> ZoneInfo | None:
    """Return the time zone of a name; None for UTC and for None.

    Raises:
        DomainError: no name of the time zone database.

    Examples:
        >>> as_zone("Asia/Tokyo"), as_zone("UTC")
        (zoneinfo.ZoneInfo(key='Asia/Tokyo'), None)
    """
    if name is None or name == "UTC":
        return None
    if not isinstance(name, str) or name not in _names():
        remedy = "such as Asia/Tokyo, Europe/Berlin or UTC"
        if not _names():  # Windows has no database of its own
            remedy = "pip install tzdata, which has the names"
        rule = "must be a name of the time zone database"
        raise DomainError(argument, rule, nearest(name, _names(), remedy), got=name)
    return ZoneInfo(name)


def instant(moment: datetime, zone: ZoneInfo, argument: str) -> datetime:
    """Return a reading of a zone's clock with the zone.

    Raises:
        DomainError: the clock never shows it, or shows it twice, as it was set then.
    """
    early, late = (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if early.utcoffset() != late.utcoffset():
        rule = f"must be moments that the clock of {zone.key} shows once: not {moment.isoformat()}"
        raise DomainError(argument, rule, f"write its offset, such as {late.isoformat()}")
    return early


def local_days(zone: ZoneInfo, first: date, last: date) -> list[tuple[int, date]]:
    """Return the seconds since 1970-01-01T00:00Z at which a zone's date changes, and to which date.

    From a day before ``first`` to a day after ``last``; the second 0 of a day that the clock skips
    is missing, and a date that the clock returns to stands twice: a day is then no interval.

    Raises:
        DomainError: days too near the ends of Python's calendar.
    """
    begin = (first.toordinal() - _EPOCH - _AROUND) * _DAY
    end = (last.toordinal() - _EPOCH + _AROUND + 1) * _DAY

    def offset(second: int) -> int:
        found = (_START + timedelta(seconds=second)).astimezone(zone).utcoffset()
        return math.floor((found or timedelta()).total_seconds())

    try:
        pieces = _pieces(offset, begin, end)
    except OverflowError:
        rule = "must be days that are further from the years 1 and 9999"
        raise DomainError("edges", rule, f"of {zone.key}") from None
    out: list[tuple[int, date]] = []
    for (since, shift), (until, _) in zip(pieces, [*pieces[1:], (end, 0)], strict=True):
        day = (since + shift) // _DAY
        out.append((since, date.fromordinal(_EPOCH + day)))
        while (second := (day := day + 1) * _DAY - shift) < until:
            out.append((second, date.fromordinal(_EPOCH + day)))
    return [one for i, one in enumerate(out) if i == 0 or one[1] != out[i - 1][1]]


def _pieces(offset: Any, begin: int, end: int) -> list[tuple[int, int]]:
    """Return when a clock was set, and by how many seconds it was before UTC from then on.

    Looked for day by day: no zone of the database has had its clock set twice within three days.
    """
    out = [(begin, offset(begin))]
    for second in range(begin, end, _DAY):
        low, high, new = second, min(second + _DAY, end), offset(min(second + _DAY, end))
        if new == out[-1][1]:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if offset(middle) == new else (middle, high)
        out.append((high, new))
    return out
