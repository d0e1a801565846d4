"""MaskRegressor in river: dictionaries whose keys come and go, without a scaler or a learning rate.

The polls of the approval ratings are not all there every day; one of them starts late.
"""

import random

from river import datasets, evaluate, linear_model, metrics, preprocessing

from gapfit.river import MaskRegressor


def polls():
    """The stream with a third of the polls missing at random, and one of them absent for the first half."""
    rng = random.Random(0)
    for i, (x, y) in enumerate(datasets.TrumpApproval()):
        x = {key: value for key, value in x.items() if key == "ordinal_date" or rng.random() > 1 / 3}
        if i < 500:
            x.pop("gallup", None)
        yield x, y


models = {
    "StandardScaler | LinearRegression": preprocessing.StandardScaler() | linear_model.LinearRegression(intercept_lr=0.1),
    "MaskRegressor": MaskRegressor(),
    'MaskRegressor(step="auto")': MaskRegressor(step="auto"),
}
scores = {}
for name, model in models.items():
    scores[name] = evaluate.progressive_val_score(polls(), model, metrics.MAE()).get()
    print(f"{name:35} MAE {scores[name]:.3f}")
assert scores['MaskRegressor(step="auto")'] < scores["StandardScaler | LinearRegression"]
