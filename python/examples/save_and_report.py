"""A model file that runs no code when loaded, and a page about the model."""

import tempfile
from pathlib import Path

import numpy as np

import gapfit
from gapfit.datasets import load_abalone, make_missing

X, y = load_abalone(return_X_y=True, as_frame=True)
X, _ = make_missing(X, "quantile", rate=0.3)
model = gapfit.ImputedRidge(base="mean").fit(X[:3000], y[:3000])

folder = Path(tempfile.mkdtemp())
model.save(folder / "rings.gapfit")  # gapfit predict and the Rust crate read it, too
loaded = gapfit.load(folder / "rings.gapfit")
np.testing.assert_array_equal(loaded.predict(X), model.predict(X))

report = gapfit.report(model, X[3000:], y[3000:], title="Rings of abalones")  # shown as it is in a notebook
report.save(folder / "rings.html")
print(report)
print("written:", ", ".join(sorted(path.name for path in folder.iterdir())))
