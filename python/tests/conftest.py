"""Runs before anything is imported."""

import os

# scikit-learn's checks of array interfaces are skipped without it
os.environ.setdefault("SCIPY_ARRAY_API", "1")
