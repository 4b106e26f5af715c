"""The method ``synthetic`` of everything that has rows to measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sudare.ledger import Cost
from sudare.release.queries.base import Methods


class SyntheticMethod(Methods):
    """What makes up rows: a data set, or some of its rows.

    Attributes:
        categories: public ones of columns.
    """

    categories: Mapping[str, Sequence[Any]]

    def synthetic(
        self,
        columns: Mapping[str, Any] | Sequence[str] | None = None,
        *,
        epsilon: Any = None,
        rho: Any = None,
        rows: int | None = None,
        reuse: bool = False,
    ) -> Any:
        """Return made-up rows whose tables of two columns lie near those of the data.

        The answer's value is a :class:`~sudare.release.Synthesis`. Tables of columns, and of a
        forest of pairs that is chosen privately, are counted with noise, all for one price; the
        rows are made of these.

        Args:
            columns: from a column to its categories (text, truth values) or the edges of its bins
                (numbers, dates, times), None for its public categories or for bins between its
                bounds; or a list of columns; None for all that have public categories or bounds.
            epsilon, rho: what to pay, one of the two.
            rows: how many to make up; None for as many as there are, or with noise seem to be, up
                to a million.
            reuse: take what was measured from the ledger's record, at no cost.

        Raises:
            WrongTypeError, DomainError, PrivacyError: no such columns or cells, or too many; a
                price that is too small.
            BudgetExceeded: nothing was spent.

        Source: McKenna, Miklau, Sheldon 2021. Proof: ``docs/proofs/synthetic.md``.

        Examples:
            >>> import sudare as sd
            >>> people = {"sex": ["f", "m"] * 5000, "tea": ["green", "black"] * 5000}
            >>> cells = {"sex": ["f", "m"], "tea": ["green", "black"]}
            >>> made = sd.release.Dataset(people).synthetic(cells, epsilon=1).value
            >>> made.rows, [one.columns for one in made.tables]
            (10000, [('sex',), ('tea',), ('sex', 'tea')])
            >>> pairs = zip(made.columns["sex"], made.columns["tea"])
            >>> sum(pair == ("f", "green") for pair in pairs) > 4900
            True
        """
        from sudare.release.synthetic import Synthetic

        asked = columns, self.categories, rows
        return self._put(Synthetic, asked, {}, Cost.of(epsilon=epsilon, rho=rho), reuse)
