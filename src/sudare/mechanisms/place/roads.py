"""``RoadExponential``: places on a network, distances along its edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.frozen import set_fields
from sudare.mechanisms.parameters import NAN, Parameter
from sudare.mechanisms.place.rates import ANY_RATE, PLAIN_WEIGHTS, as_scaled
from sudare.mechanisms.place.tabled import (
    Tabled,
    check_cells,
    check_lengths,
    exponential_law,
    tabulate,
)
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_array

Edges = tuple[tuple[int, int, float], ...]

_REMEDY = "give (place, place, metres) for each road"
_JOIN = "take one connected part, or join the parts by a road"


def _read_graph(data: Any) -> list[tuple[Any, Any, float]] | None:
    try:
        return [(i, j, float(length)) for i, j, length in data]
    except (TypeError, ValueError):
        return None


_GRAPH = Parameter(
    name="graph",
    read=lambda graph, _: as_edges(graph),
    write=lambda edges: [[i, j, repr(length)] for i, j, length in edges],
    parse=_read_graph,
    show=lambda edges: f"{places_of(edges)} places",
    attribute="edges",
    field="edges",
    examples=(
        ((0, 1, 200.0), (1, 2, 300.0), (2, 3, 100.0)),
        ((0, 1, 100.0), (1, 2, 100.0), (2, 3, 100.0), (3, 0, 100.0)),
        np.array([[0, 50.0, 0, 0], [50.0, 0, 80, 0], [0, 80, 0, 70], [0, 0, 70, 0]]),
    ),
    bad=(
        ([("a", "b", 3)], WrongTypeError),
        *(
            (graph, DomainError)
            for graph in (None, 3, "road", [(0, 1)], [(0, 1, -3)], [(0, 1, NAN)])
        ),
        *(
            (graph, DomainError)
            for graph in ([(0, 0, 3)], [(-1, 1, 3)], [(0.5, 1, 3)], [(0, 1, 3), (2, 3, 3)])
        ),
        *((graph, DomainError) for graph in (np.eye(2, 3), np.eye(2), np.zeros((2, 2)))),
    ),
)
_WEIGHTS = replace(
    PLAIN_WEIGHTS,
    read=lambda w, m: as_scaled(w, places_of(m.edges), (places_of(m.edges),)),
    examples=(None, (1, 2, 0, 0.25)),
)


@register
class RoadExponential(Tabled):
    """The exponential mechanism on a network: near is what is near along the roads.

    ::

        P(o | r) = α(r) w_o exp(-ε d(r, o) / 2),   d the length of the shortest way

    Args:
        graph: edges as ``(place, place, metres)``, places numbered from 0, each road in both
            directions; or a SciPy sparse matrix or dense array of lengths, symmetric, 0 for none.
            Connected, 2 to 2,000 places.
        epsilon: ε per metre of way.
        weights: (places,) numbers >= 0, not all 0; None for equal ones.

    Raises:
        WrongTypeError, DomainError: no such graph or weights, places without a way between them.
        WrongTypeError, PrivacyError: ε is no positive number, or too large for the network.

    Source: the graph-exponential mechanism of Takagi, Cao, Asano, Yoshikawa 2019
    (geo-graph-indistinguishability).

    Examples:
        >>> import sudare as sd
        >>> m = sd.RoadExponential([(0, 1, 200.0), (1, 2, 300.0), (2, 3, 100.0)], epsilon=0.01)
        >>> m.cells, float(m.distances()[0, 3]), m.epsilon <= 0.01
        (4, 600.0, True)
    """

    name: ClassVar[str] = "RoadExponential"
    parameters: ClassVar[tuple[Parameter, ...]] = (_GRAPH, ANY_RATE, _WEIGHTS)
    __slots__ = ("edges", "weights")
    edges: Edges
    weights: Floats

    def __init__(
        self,
        graph: Any,
        epsilon: float | Fraction,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        self._take(graph=graph, epsilon=epsilon, weights=weights)

    def _build(self) -> None:
        metres = shortest_ways(self.edges, places_of(self.edges))
        check_lengths(self.requested_epsilon, metres)
        law = exponential_law(self.nominal_epsilon * metres, self.weights)
        set_fields(self, grid=None, program=tabulate(law))
        self._settle(metres)


def as_edges(graph: Any) -> Edges:
    """Return a graph's edges, each once.

    Raises:
        WrongTypeError, DomainError: it is none, not symmetric, or has a length that is not > 0.
    """
    if hasattr(graph, "tocoo") or isinstance(graph, np.ndarray):
        first, second, lengths, places = _of_matrix(graph)
    else:
        first, second, lengths, places = _of_triples(graph)
    check_cells(places, "graph")
    if not lengths.size:
        raise DomainError("graph", "must have a road", _REMEDY)
    if not (np.isfinite(lengths) & (lengths > 0) & (lengths < 1e7)).all():
        raise DomainError("graph", "must have lengths > 0 and below 10,000 km", _REMEDY)
    own = first < second
    if (first == second).any():
        raise DomainError("graph", "must not lead from a place to itself", _REMEDY)
    low, high = np.where(own, first, second), np.where(own, second, first)
    shortest: dict[tuple[int, int], float] = {}
    for i, j, length in zip(low.tolist(), high.tolist(), lengths.tolist(), strict=True):
        shortest[i, j] = min(length, shortest.get((i, j), np.inf))
    edges = tuple((i, j, length) for (i, j), length in sorted(shortest.items()))
    if places_of(edges) < places:
        raise DomainError("graph", "must be connected", _JOIN)
    return edges


def places_of(edges: Edges) -> int:
    """Return the number of places: they are numbered from 0, and each has a road."""
    return 1 + max(j for _, j, _ in edges)


def _of_matrix(graph: Any) -> tuple[Any, Any, Floats, int]:
    from scipy import sparse

    try:
        matrix = sparse.coo_array(graph)
        lengths = matrix.data.astype(np.float64, casting="same_kind")
    except (TypeError, ValueError):
        raise WrongTypeError("graph", "must be a matrix of lengths", _REMEDY) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DomainError("graph", "must be square", "lengths from place to place")
    if np.isnan(lengths).any():
        raise DomainError("graph", "must not have NaN", "0 where there is no road")
    if abs(matrix - matrix.T).max() > 0:
        raise DomainError("graph", "must be symmetric", "distances are: give both ways one length")
    first, second = matrix.row, matrix.col
    return first, second, lengths, matrix.shape[0]


def _of_triples(graph: Any) -> tuple[Any, Any, Floats, int]:
    rows = list(graph) if isinstance(graph, Iterable) and not isinstance(graph, str) else []
    table = as_array(rows)
    if table is None or table.dtype.kind not in "iuf":
        raise WrongTypeError("graph", "must be edges or a matrix of lengths", _REMEDY)
    if table.ndim != 2 or table.shape[1] != 3:
        raise DomainError("graph", "must have three numbers an edge", _REMEDY)
    ends = table[:, :2].astype(np.float64)
    if not ((ends >= 0) & (ends < 1e6) & (ends == np.floor(ends))).all():
        raise DomainError("graph", "must number its places from 0", _REMEDY)
    whole = ends.astype(np.int64)
    return whole[:, 0], whole[:, 1], table[:, 2].astype(np.float64), int(whole.max()) + 1


def shortest_ways(edges: Edges, places: int) -> Floats:
    """Return the lengths of the shortest ways between all places.

    Raises:
        DomainError: there is no way between two of them.
    """
    from scipy import sparse
    from scipy.sparse import csgraph

    first, second, lengths = (np.array(one) for one in zip(*edges, strict=True))
    ends = first.astype(np.int32), second.astype(np.int32)  # what SciPy's search takes since 1.12
    matrix = sparse.coo_array((lengths, ends), shape=(places, places)).tocsr()
    out: Floats = csgraph.shortest_path(matrix, method="D", directed=False)
    if not np.isfinite(out).all():
        raise DomainError("graph", "must be connected", _JOIN)
    return np.minimum(out, out.T)
