import numpy as np
import pytest

import sudare as sd
from sudare.testing import chi_square_pvalue


def test_p_values_are_uniform_under_the_law() -> None:
    generator = np.random.default_rng(5)
    law = generator.dirichlet(np.ones(20))
    values = np.array(
        [chi_square_pvalue(generator.multinomial(5000, law), law) for _ in range(2000)]
    )
    for level in (0.01, 0.1, 0.5):
        share = (values < level).mean()
        assert abs(share - level) < 5 * np.sqrt(level * (1 - level) / 2000) + 0.005


def test_rare_cells_are_pooled() -> None:
    assert chi_square_pvalue([1000, 1, 0, 0], [0.9985, 0.0005, 0.0005, 0.0005]) > 1e-3


def test_the_impossible_is_impossible() -> None:
    assert chi_square_pvalue([10, 1], [1.0, 0.0]) == 0


def test_shapes_are_checked() -> None:
    with pytest.raises(sd.DomainError):
        chi_square_pvalue([1, 2], [1.0])
