"""Arrays that stay where they are: the model of the same rows in a table, and the same errors."""

import numpy as np
import pytest

from gapfit import ImputedRidge, MaskRidge


def rows(n=40_000, d=4):
    """Enough to be summed where they are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = X @ np.arange(1.0, d + 1) + rng.normal(size=n)
    X[rng.random(X.shape) < 0.3] = np.nan
    return X, y


def model_bytes(X, y, **settings):
    model = ImputedRidge(alpha=0.01, gamma=1.0, base="mean", **settings).fit(X, y)
    return model._model.to_bytes()


def test_the_layout_of_an_array_makes_no_difference():
    X, y = rows()
    expected = model_bytes(X, y)
    # copied into a table, since rows are not next to each other
    assert model_bytes(np.asfortranarray(X), y) == expected
    assert model_bytes(np.repeat(X, 2, axis=1)[:, ::2], y) == expected
    assert model_bytes(X, np.repeat(y, 2)[::2]) == expected
    assert model_bytes(X, y, n_jobs=2) == expected


def test_the_array_is_as_it_was():
    X, y = rows()
    before = X.copy()
    X.flags.writeable = False
    MaskRidge(alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(X, before)


def test_weights_of_one_make_no_difference_beyond_rounding():
    X, y = rows()
    by_weights = ImputedRidge(alpha=0.01, gamma=1.0).fit(X, y, sample_weight=np.ones(len(y)))
    plain = ImputedRidge(alpha=0.01, gamma=1.0).fit(X, y)
    np.testing.assert_allclose(plain.predict(X), by_weights.predict(X), rtol=1e-7, atol=1e-7)


def test_an_infinite_cell_is_refused_wherever_it_is():
    X, y = rows()
    X[39_000, 2] = -np.inf
    with pytest.raises(ValueError, match=r"column 2.*row 39000"):
        ImputedRidge(alpha=0.01, gamma=1.0).fit(X, y)
