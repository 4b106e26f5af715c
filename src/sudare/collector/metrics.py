"""What an operator watches: totals of this process, and nothing about anybody.

A number that rose with each report would tell when each came. So of reports those are counted that
are public, and of answers those that say no, by their reason alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sudare.collector.connection_limits import ConnectionLimits

REASONS = {
    400: "malformed",
    401: "unauthorised",
    403: "closed",
    404: "unknown",
    405: "method",
    408: "late",
    409: "conflict",
    413: "too_large",
    415: "media_type",
    429: "too_often",
    500: "fault",
    503: "unavailable",
}


@dataclass
class Metrics:
    """Totals since the start.

    Attributes:
        refusals: how many answers had each status that says no.
        places: the server's connections, where it is this package's own.
    """

    refusals: Counter[int] = field(default_factory=Counter)
    places: ConnectionLimits | None = None

    def answered(self, status: int) -> None:
        """Note an answer."""
        if status >= 400:
            self.refusals[status] += 1

    def text(self, *, public: int, ready: bool) -> bytes:
        """Return the totals in the text format of Prometheus.

        Args:
            public: reports that are public, of all collections.
            ready: whether reports are taken.

        Examples:
            >>> Metrics().text(public=100, ready=True).splitlines()[2]
            b'sudare_public_reports 100'
        """
        refused = {
            f'sudare_refusals_total{{reason="{reason}"}}': self.refusals[status]
            for status, reason in REASONS.items()
        }
        other = sum(n for status, n in self.refusals.items() if status not in REASONS)
        families: list[tuple[str, str, str, dict[str, int]]] = [
            (
                "sudare_public_reports",
                "gauge",
                "Reports that are public, of all collections.",
                {"sudare_public_reports": public},
            ),
            (
                "sudare_refusals_total",
                "counter",
                "Answers that said no, by reason.",
                refused | {'sudare_refusals_total{reason="other"}': other},
            ),
            ("sudare_ready", "gauge", "1 where reports are taken.", {"sudare_ready": int(ready)}),
        ]
        if (places := self.places) is not None:
            families += [
                (
                    "sudare_connections_ended_total",
                    "counter",
                    "Connections that the server ended, by reason.",
                    {
                        'sudare_connections_ended_total{reason="full"}': places.turned_away,
                        'sudare_connections_ended_total{reason="malformed"}': places.malformed,
                        'sudare_connections_ended_total{reason="slow"}': places.overdue,
                    },
                ),
            ]
        lines = [
            line
            for name, kind, told, values in families
            for line in (
                f"# HELP {name} {told}",
                f"# TYPE {name} {kind}",
                *(f"{sample} {value}" for sample, value in values.items()),
            )
        ]
        return ("\n".join(lines) + "\n").encode()
