"""``RoadExponential``: places on a network, distances along its edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.exact import exact_text
from sudare.mechanisms.place.offsets import read_rate
from sudare.mechanisms.place.rates import as_plain_weights, exact_rate
from sudare.mechanisms.place.tabled import Tabled, check_cells, check_lengths, exponential_law
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_array

Floats = npt.NDArray[np.float64]
Edges = tuple[tuple[int, int, float], ...]

_REMEDY = "give (place, place, metres) for each road"


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
    __slots__ = ("edges", "weights")
    edges: Edges
    weights: Floats

    def __init__(
        self,
        graph: Any,
        epsilon: float | Fraction,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        asked = exact_rate(epsilon)
        edges, places = as_edges(graph)
        metres = shortest_ways(edges, places)
        check_lengths(asked, metres)
        own = np.ones(places)
        if weights is not None:
            own = as_plain_weights(weights, places, (places,))
        own = own / own.max()
        own.flags.writeable = False
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "weights", own)
        self._settle(None, asked, metres, exponential_law(float(asked) * metres, own))

    def __repr__(self) -> str:
        return f"RoadExponential({self.cells} places, epsilon={self.nominal_epsilon})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.edges, self.requested_epsilon, self.weights)

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: its name, the edges, ε, the weights."""
        return {
            "name": self.name,
            "edges": [[i, j, repr(length)] for i, j, length in self.edges],
            "epsilon": exact_text(self.requested_epsilon),
            "weights": [repr(w) for w in self.weights.tolist()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            DomainError, PrivacyError: a parameter is out of range.
        """
        try:
            edges = [(i, j, float(length)) for i, j, length in data["edges"]]
            weights = [float(text) for text in data["weights"]]
            return cls(edges, read_rate(data["epsilon"]), weights)
        except CollectionError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, DomainError):
                raise
            raise CollectionError("mechanism", "must have edges, epsilon and weights") from None


def as_edges(graph: Any) -> tuple[Edges, int]:
    """Return a graph's edges, each once, and its number of places.

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
    return tuple((i, j, length) for (i, j), length in sorted(shortest.items())), places


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
    first, second = matrix.coords
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
    matrix = sparse.coo_array((lengths, (first, second)), shape=(places, places)).tocsr()
    out: Floats = csgraph.shortest_path(matrix, method="D", directed=False)
    if not np.isfinite(out).all():
        raise DomainError(
            "graph", "must be connected", "take one connected part, or join the parts by a road"
        )
    return np.minimum(out, out.T)
