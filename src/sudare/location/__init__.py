"""Places on a map: what a report tells at the map's edge, weights that even it out, maps."""

from sudare.location.census import (
    land_of as land_of,
    people_of as people_of,
    sum_points as sum_points,
    sum_squares as sum_squares,
)
from sudare.location.globe import degrees as degrees
from sudare.location.land import (
    land_fraction as land_fraction,
    land_mask as land_mask,
    surroundings as surroundings,
    text_mask as text_mask,
)
from sudare.location.map_files import MapReport as MapReport, write_map as write_map
from sudare.location.maps import (
    Layer as Layer,
    draw_map as draw_map,
    map_page as map_page,
    plot_map as plot_map,
    to_geojson as to_geojson,
)
from sudare.location.regions import count_in as count_in
from sudare.location.report import (
    BoundaryReport as BoundaryReport,
    boundary_report as boundary_report,
)
from sudare.location.summary import MapSummary as MapSummary, People as People
from sudare.location.weights import (
    CappedLaw as CappedLaw,
    EqualisedWeights as EqualisedWeights,
    OptimisedWeights as OptimisedWeights,
    ReducedWeights as ReducedWeights,
    cap_posterior as cap_posterior,
    equalise_weights as equalise_weights,
    optimise_weights as optimise_weights,
    reduce_weights as reduce_weights,
)
